"""
The golden set: conversations and questions that we wrote, in YAML that a person can edit.

One file holds the memory of one user. A message is `NUMBER SPEAKER [TIME]: TEXT`; without a time it
was said `minutes_apart` after the one before it. A question names the messages that answer it, none
if nothing does, and tells its language if that is not English.

`python -m tests.golden.golden_set` prints the set in the neutral format of evaluation.
"""

import json
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import yaml

Json = dict[str, Any]

FOLDER = Path(__file__).parent


def golden_set() -> Json:
    """
    The set in the neutral format, in which a "conversation" is all that one user has said.

    `conversations`: `{id, sessions: [{id, label, date, messages: [{id, role, speaker, text,
    timestamp}]}]}`; `questions`: `{conv_id, question, evidence_message_ids, category, language,
    as_of}`, of which `as_of` may be None.
    """
    memories = [yaml.safe_load(file.read_text("utf-8")) for file in sorted(FOLDER.glob("*.yaml"))]
    return {
        "name": "golden",
        "licence": "Apache-2.0, ours (tests/golden)",
        "conversations": [_memory(each) for each in memories],
        "questions": [
            _question(each["user"], question) for each in memories for question in each["questions"]
        ],
    }


def _memory(memory: Json) -> Json:
    return {"id": memory["user"], "sessions": [_session(each) for each in memory["conversations"]]}


def _session(conversation: Json) -> Json:
    messages = list(_messages(conversation))
    return {
        "id": conversation["id"],
        "label": conversation["label"],
        "date": messages[0]["timestamp"],
        "messages": messages,
    }


def _messages(conversation: Json) -> Iterator[Json]:
    step = timedelta(minutes=conversation["minutes_apart"])
    said_at = _moment(conversation["date"]) - step
    for message in conversation["messages"]:
        ((heading, text),) = message.items()
        number, speaker, *time = heading.split()
        said_at = _moment(time[0]) if time else said_at + step
        yield {
            "id": f"{conversation['id']}-{number}",
            "role": "assistant" if speaker == "Assistant" else "user",
            "speaker": speaker,
            "text": text,
            "timestamp": said_at.isoformat(),
        }


def _question(user: str, question: Json) -> Json:
    as_of = question.get("as_of")
    return {
        "conv_id": user,
        "question": question["ask"],
        "evidence_message_ids": question["evidence"],
        "category": question["category"],
        "language": question.get("language", "en"),
        "as_of": _moment(as_of).isoformat() if as_of else None,
    }


def _moment(written: str) -> datetime:
    return datetime.fromisoformat(written).replace(tzinfo=UTC)


if __name__ == "__main__":
    json.dump(golden_set(), sys.stdout, ensure_ascii=False, indent=1)
