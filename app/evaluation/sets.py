"""
Evaluation sets: conversations, and questions with the messages that answer them.

A set is one JSON object, gzip allowed:
    {"name", "licence"?, "shared"?,
     "conversations": [{"id", "sessions": [{"id", "date"?, "messages":
        [{"id", "role"?, "speaker"?, "text", "timestamp"?}]}]}],
     "questions": [{"conv_id", "question", "evidence_message_ids", "category"?, "as_of"?}]}
Each conversation becomes the memory of one user, each of its sessions a conversation there. In a
set that is "shared" (true), memories of other sets may hold what answers its questions. A question
without evidence has no answer in its conversation.
"""

import gzip
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from app.domain.conversation import NewMessage, Role
from app.formats.fields import Malformed, a_list, parsed

_GZIP = b"\x1f\x8b"


class UnreadableSet(ValueError):
    """An evaluation set cannot be read."""


class TooLittleAsked(ValueError):
    """What is asked is too little to measure, or to learn from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One conversation of a user, in the order it was said."""

    id: str
    date: datetime | None
    messages: Sequence[NewMessage]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """
    A question to one user's memory, and the external ids of the messages that answer it.

    Without any it has no answer there: what is asked is near to what was said, and was not.
    """

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
    Read a set; memories that answer nothing that is asked of them are left out.

    Raises:
        UnreadableSet: There is no such file, it is no evaluation set, or a question of it names a
            conversation that is not in it; it is told where.
    """
    try:
        raw = path.read_bytes()
        return _read(_whole(parsed(gzip.decompress(raw) if raw.startswith(_GZIP) else raw)))
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise UnreadableSet(f"{path}: is no whole gzip file: {error}") from error
    except OSError as error:
        raise UnreadableSet(f"{path}: {error.strerror}") from error
    except Malformed as error:
        raise UnreadableSet(f"{path}: {error}") from error


@dataclass(frozen=True, slots=True)
class _Part:
    """A JSON object of a set, and what the names of its fields begin with where they are told."""

    told: Mapping[str, Any]
    place: str

    def given(self, name: str) -> Any:  # noqa: ANN401  (JSON)
        if name not in self.told:
            raise Malformed(f"{self.place}{name} is missing")
        return self.told[name]

    def listed(self, name: str) -> Sequence[Any]:
        return a_list(self.given(name), f"{self.place}{name}")

    def listed_if_any(self, name: str) -> Sequence[Any]:
        return () if self.told.get(name) is None else self.listed(name)

    def parts(self, name: str) -> Iterator["_Part"]:
        for at, each in enumerate(self.listed(name)):
            place = f"{self.place}{name}[{at}]"
            if not isinstance(each, dict):
                raise Malformed(f"{place} is no JSON object")
            yield _Part(each, f"{place}.")

    def text(self, name: str) -> str:
        value = self.given(name)
        if not isinstance(value, str):
            raise Malformed(f"{self.place}{name} is no text")
        return value

    def text_if_any(self, name: str) -> str | None:
        return None if self.told.get(name) is None else self.text(name)

    def moment(self, name: str) -> datetime | None:
        """A time without a zone is UTC."""
        if (told := self.text_if_any(name)) is None:
            return None
        try:
            moment = datetime.fromisoformat(told)
        except ValueError:
            raise Malformed(f"{self.place}{name} is no time: {told[:40]!a}") from None
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _whole(told: object) -> _Part:
    if not isinstance(told, dict):
        raise Malformed("is no JSON object")
    return _Part(told, "")


def _read(told: _Part) -> EvaluationSet:
    sessions = _conversations(told)
    asked: dict[str, list[Question]] = {}
    for each in told.parts("questions"):
        of = each.text("conv_id")
        if of not in sessions:
            raise Malformed(f"{each.place}conv_id: there is no conversation {of[:80]!a}")
        asked.setdefault(of, []).append(_question(each))
    return EvaluationSet(
        name=told.text("name"),
        licence=told.text_if_any("licence") or "not stated",
        memories=[
            Memory(id=name, sessions=own, questions=asked[name])
            for name, own in sessions.items()
            if any(each.evidence for each in asked.get(name, ()))
        ],
        shared=bool(told.told.get("shared")),
    )


def _conversations(told: _Part) -> Mapping[str, Sequence[Session]]:
    """The sessions of each, by its id."""
    found: dict[str, Sequence[Session]] = {}
    for each in told.parts("conversations"):
        name = each.text("id")
        if name in found:
            raise Malformed(f"{each.place}id: another conversation has {name[:80]!a}")
        found[name] = [_session(session) for session in each.parts("sessions")]
    return found


def _question(told: _Part) -> Question:
    return Question(
        text=told.text("question"),
        evidence=frozenset(told.listed_if_any("evidence_message_ids")),
        category=str(told.told.get("category") or ""),
        as_of=told.moment("as_of"),
    )


def _session(told: _Part) -> Session:
    return Session(
        id=told.text("id"),
        date=told.moment("date"),
        messages=[_message(each) for each in told.parts("messages") if each.text_if_any("text")],
    )


def _message(told: _Part) -> NewMessage:
    return NewMessage(
        external_id=told.text("id"),
        role=_role(told),
        name=told.text_if_any("speaker"),
        content=told.text("text"),
        created_at=told.moment("timestamp"),
    )


def _role(told: _Part) -> Role:
    named = told.text_if_any("role") or Role.USER
    if named not in set(Role):
        raise Malformed(f"{told.place}role: {named[:40]!a} is none of {', '.join(Role)}")
    return Role(named)
