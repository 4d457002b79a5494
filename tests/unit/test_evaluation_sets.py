import gzip
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from app.domain.conversation import Role
from app.evaluation.sets import UnreadableSet, read_set

FIRST = "conversations[0].sessions[0].messages[0]"


def a_set() -> dict[str, Any]:
    return {
        "name": "ours",
        "licence": "Apache-2.0",
        "conversations": [
            {
                "id": "c1",
                "sessions": [
                    {
                        "id": "s1",
                        "date": "2026-03-01T12:00:00",
                        "messages": [
                            {"id": "m1", "role": "assistant", "speaker": "Ann", "text": "tea"},
                            {"id": "m2", "text": "", "timestamp": "2026-03-01T12:00:00Z"},
                        ],
                    }
                ],
            },
            {"id": "c2", "sessions": []},
        ],
        "questions": [
            {"conv_id": "c1", "question": "What?", "evidence_message_ids": ["m1"], "category": 4},
            {"conv_id": "c2", "question": "Nothing?", "evidence_message_ids": []},
        ],
    }


@pytest.mark.parametrize("squeeze", [bytes, gzip.compress])
def test_a_set_is_read_as_it_is_written(squeeze: Any, tmp_path: Path) -> None:
    path = tmp_path / "set"
    path.write_bytes(squeeze(json.dumps(a_set()).encode()))

    found = read_set(path)

    assert (found.name, found.licence, found.shared) == ("ours", "Apache-2.0", False)
    (memory,) = found.memories
    (session,) = memory.sessions
    assert session.date == datetime(2026, 3, 1, 12, tzinfo=UTC)
    (message,) = session.messages
    assert (message.external_id, message.role, message.name) == ("m1", Role.ASSISTANT, "Ann")
    (question,) = memory.questions
    assert (question.text, question.category) == ("What?", "4")
    assert question.evidence == {"m1"}


def test_what_is_not_there_counts_as_not_found(tmp_path: Path) -> None:
    """As it does where sets are asked over HTTP."""
    made = a_set()
    with_question(evidence_message_ids=["m1", "m9"])(made)
    made["questions"][1]["evidence_message_ids"] = None
    path = tmp_path / "set"
    path.write_text(json.dumps(made))
    (memory,) = read_set(path).memories
    assert [each.evidence for each in memory.questions] == [{"m1", "m9"}]


def test_a_question_without_evidence_stands_beside_those_that_have_an_answer(
    tmp_path: Path,
) -> None:
    made = a_set()
    made["questions"].append({"conv_id": "c1", "question": "Why?", "evidence_message_ids": []})
    path = tmp_path / "set"
    path.write_text(json.dumps(made))
    (memory,) = read_set(path).memories
    assert [(each.text, each.evidence) for each in memory.questions] == [
        ("What?", {"m1"}),
        ("Why?", frozenset()),
    ]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"{}", b"\x1f\x8b1", b'{"questions": 3}'])
def test_what_is_no_set_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "set"
    path.write_bytes(content)
    with pytest.raises(UnreadableSet):
        read_set(path)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableSet, match="nowhere"):
        read_set(tmp_path / "nowhere")


def with_session(**fields: object) -> Callable[[Any], None]:
    return lambda told: told["conversations"][0]["sessions"][0].update(fields)


def with_message(**fields: object) -> Callable[[Any], None]:
    return lambda told: told["conversations"][0]["sessions"][0]["messages"][0].update(fields)


def with_question(**fields: object) -> Callable[[Any], None]:
    return lambda told: told["questions"][0].update(fields)


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda told: told.pop("questions"), "questions is missing"),
        (lambda told: told.update(questions=3), "questions is no list"),
        (lambda told: told.update(questions=["?"]), "questions[0] is no JSON object"),
        (lambda told: told.update(name=None), "name is no text"),
        (
            lambda told: told["conversations"][1].update(id="c1"),
            "conversations[1].id: another conversation has 'c1'",
        ),
        (
            with_session(date="May"),
            "conversations[0].sessions[0].date is no time: 'May'",
        ),
        (
            with_message(role="bot"),
            f"{FIRST}.role: 'bot' is none of user, assistant, system, tool",
        ),
        (with_question(conv_id="c9"), "questions[0].conv_id: there is no conversation 'c9'"),
        (with_question(evidence_message_ids="m1"), "questions[0].evidence_message_ids is no list"),
    ],
)
def test_what_is_wrong_with_a_set_is_told_with_its_place(
    spoil: Callable[[Any], object], told: str, tmp_path: Path
) -> None:
    made = a_set()
    spoil(made)
    path = tmp_path / "set"
    path.write_text(json.dumps(made))
    with pytest.raises(UnreadableSet) as refused:
        read_set(path)
    assert str(refused.value) == f"{path}: {told}"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"[]", "is no JSON object"),
        (b"{", "is no JSON: "),
        (gzip.compress(b"{}" * 9, mtime=0)[:-9], "is no whole gzip file: "),
        (gzip.compress(b"{}", mtime=0)[:10] + b"!" * 20, "is no whole gzip file: "),
    ],
)
def test_a_file_that_is_no_set_is_told_in_words_of_ours(
    content: bytes, told: str, tmp_path: Path
) -> None:
    path = tmp_path / "set"
    path.write_bytes(content)
    with pytest.raises(UnreadableSet) as refused:
        read_set(path)
    assert str(refused.value).startswith(f"{path}: {told}")
