"""
Evaluation sets: conversations, and questions with the messages that answer them.

A set is one JSON object, gzip allowed:
    {"name", "licence"?, "shared"?,
     "conversations": [{"id", "sessions": [{"id", "date"?, "messages":
        [{"id", "role"?, "speaker"?, "text", "timestamp"?}]}]}],
     "questions": [{"conv_id", "question", "evidence_message_ids", "category"?, "as_of"?}]}
Each conversation becomes the memory of one user, each of its sessions a conversation there. In a
set that is "shared" (true), memories of other sets may hold what answers its questions.
"""

import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from app.domain.conversation import NewMessage, Role

_GZIP = b"\x1f\x8b"


class UnreadableSet(ValueError):
    """An evaluation set cannot be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One conversation of a user, in the order it was said."""

    id: str
    date: datetime | None
    messages: Sequence[NewMessage]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question to one user's memory, and the external ids of the messages that answer it."""

    text: str
    evidence: frozenset[str]
    category: str
    as_of: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What one user said, and what is asked of it."""

    id: str
    sessions: Sequence[Session]
    questions: Sequence[Question]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationSet:
    name: str
    licence: str
    memories: Sequence[Memory]
    shared: bool = False
    """Whether other sets may hold its answers: its questions are not asked there."""


def read_set(path: Path) -> EvaluationSet:
    """
    Read a set; memories that nothing is asked of are left out.

    Raises:
        UnreadableSet: There is no such file, or it is no evaluation set.
    """
    try:
        raw = path.read_bytes()
        told = json.loads(gzip.decompress(raw) if raw.startswith(_GZIP) else raw)
        return _read(told)
    except (OSError, EOFError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise UnreadableSet(f"{path}: {type(error).__name__}: {error}") from error


def _read(told: Mapping[str, Any]) -> EvaluationSet:
    asked: dict[str, list[Question]] = {}
    for each in told["questions"]:
        if each["evidence_message_ids"]:
            asked.setdefault(each["conv_id"], []).append(_question(each))
    memories = [
        Memory(
            id=each["id"],
            sessions=[_session(session) for session in each["sessions"]],
            questions=asked[each["id"]],
        )
        for each in told["conversations"]
        if each["id"] in asked
    ]
    return EvaluationSet(
        name=told["name"],
        licence=told.get("licence") or "not stated",
        memories=memories,
        shared=bool(told.get("shared")),
    )


def _question(told: Mapping[str, Any]) -> Question:
    return Question(
        text=told["question"],
        evidence=frozenset(told["evidence_message_ids"]),
        category=str(told.get("category") or ""),
        as_of=_moment(told.get("as_of")),
    )


def _session(told: Mapping[str, Any]) -> Session:
    return Session(
        id=told["id"],
        date=_moment(told.get("date")),
        messages=[_message(each) for each in told["messages"] if each["text"]],
    )


def _message(told: Mapping[str, Any]) -> NewMessage:
    return NewMessage(
        external_id=told["id"],
        role=Role(told.get("role") or "user"),
        name=told.get("speaker"),
        content=told["text"],
        created_at=_moment(told.get("timestamp")),
    )


def _moment(told: str | None) -> datetime | None:
    """A time without a zone is UTC."""
    if told is None:
        return None
    moment = datetime.fromisoformat(told)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
