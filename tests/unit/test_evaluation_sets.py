import gzip
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from app.domain.conversation import Role
from app.evaluation.sets import UnreadableSet, read_set


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


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"{}", b"\x1f\x8b1", b'{"questions": 3}'])
def test_what_is_no_set_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "set"
    path.write_bytes(content)
    with pytest.raises(UnreadableSet):
        read_set(path)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableSet, match="nowhere"):
        read_set(tmp_path / "nowhere")
