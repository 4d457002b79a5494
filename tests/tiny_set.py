"""A small evaluation set of our own."""

from typing import Any

LINES = {
    "Ann": [
        "I planted tomatoes on the balcony last week.",
        "Did you water them?",
        "Every evening. The basil died, though.",
        "My sister Clara moves to Lisbon in May.",
        "What will she do there?",
        "She teaches the violin at a music school.",
    ],
    "Bob": [
        "The build fails with exit code 137.",
        "That is the memory limit of the runner.",
        "We raised it to four gigabytes and it passed.",
        "The release is planned for Thursday.",
        "Who writes the notes?",
        "Dana does, as she did in March.",
    ],
}

ASKED = {
    "Ann": [
        ("What grows on the balcony?", [0]),
        ("Which plant died?", [2]),
        ("Where does Clara move to?", [3]),
        ("What does Ann's sister teach?", [5]),
    ],
    "Bob": [
        ("Why did the build fail?", [0, 1]),
        ("How much memory does the runner have now?", [2]),
        ("When is the release?", [3]),
        ("Who writes the release notes?", [5]),
    ],
}


def tiny_set() -> dict[str, Any]:
    """Two users with one conversation each, and four questions to either."""
    return {
        "name": "tiny",
        "licence": "Apache-2.0",
        "conversations": [_conversation(name, lines) for name, lines in LINES.items()],
        "questions": [
            {
                "conv_id": name,
                "question": question,
                "evidence_message_ids": [f"{name}{at}" for at in evidence],
            }
            for name, asked in ASKED.items()
            for question, evidence in asked
        ],
    }


def _conversation(name: str, lines: list[str]) -> dict[str, Any]:
    messages = [
        {"id": f"{name}{at}", "role": "user", "speaker": name, "text": line}
        for at, line in enumerate(lines)
    ]
    return {"id": name, "sessions": [{"id": name, "date": None, "messages": messages}]}
