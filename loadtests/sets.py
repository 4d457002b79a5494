"""Evaluation sets in the neutral format of the benchmark, and copies of them under other names."""

import gzip
import itertools
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Body = dict[str, Any]

FIRST_NAMES = (
    "Ada Bram Cleo Dario Elif Finn Greta Hugo Iris Jakub Kira Luca Mira Nils Olga Pavel Quinn Rosa "
    "Sven Tara Ugo Vera Wim Xenia Yara Zeno Anouk Boris Carla Dmitri Edith Felix Gwen Henk Ingrid "
    "Jorge Kenji Leila Matteo Nadia Oskar Petra Rafael Signe Tomas Ursula Viktor Wanda Yusuf Zora"
).split()
# Behind the first names once those are used up: 450 names in all.
LAST_NAMES = ("", " Berg", " Costa", " Dahl", " Evans", " Fuchs", " Gallo", " Hoff", " Ito")


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A stretch of one dialogue, which becomes one conversation of the service."""

    set_name: str
    dialogue: str
    id: str
    created_at: str | None
    messages: tuple[Body, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    dialogue: str
    query: str
    as_of: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    sessions: tuple[Session, ...]
    questions: tuple[Question, ...]
    names: tuple[str, ...]

    @property
    def size(self) -> int:
        return sum(len(session.messages) for session in self.sessions)

    @property
    def mean_characters(self) -> float:
        texts = [len(m["content"]) for session in self.sessions for m in session.messages]
        return sum(texts) / len(texts)


def read_corpus(paths: list[Path]) -> Corpus:
    """The sets, one after another; the format is that of the benchmark's evaluate.py."""
    sets = [json.loads(_plain(path)) for path in paths]
    sessions = tuple(itertools.chain.from_iterable(map(_sessions, sets)))
    speakers = {message["name"] for session in sessions for message in session.messages}
    return Corpus(
        sessions=sessions,
        questions=tuple(_question(question) for one in sets for question in one["questions"]),
        names=tuple(sorted(filter(is_person, speakers))),
    )


def is_person(name: str | None) -> bool:
    """Whether it is a name; "user" and "assistant" are roles, and begin with a small letter."""
    return bool(name) and str(name)[0].isupper()


def renaming(corpus: Corpus, copy: int) -> Callable[[str], str]:
    """
    Gives the people in a text other names, another set of names for each copy.

    A text that names nobody is addressed to somebody, so no two copies share a text. Copy 0 is the
    original.
    """
    if copy == 0:
        return str
    others = {name: _other_name(copy + number) for number, name in enumerate(corpus.names)}
    known = re.compile(rf"\b({'|'.join(map(re.escape, corpus.names)) or '$^'})\b")

    def rename(text: str) -> str:
        renamed = known.sub(lambda found: others[found[1]], text)
        return f"{text} ({_other_name(copy)})" if renamed == text else renamed

    return rename


def _other_name(number: int) -> str:
    lasts, first = divmod(number, len(FIRST_NAMES))
    return FIRST_NAMES[first] + LAST_NAMES[lasts % len(LAST_NAMES)]


def _plain(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def _sessions(one: Body) -> Iterator[Session]:
    for dialogue in one["conversations"]:
        for session in dialogue["sessions"]:
            yield Session(
                set_name=one["name"],
                dialogue=dialogue["id"],
                id=session["id"],
                created_at=_utc(session.get("date")),
                messages=tuple(_message(m) for m in session["messages"] if m["text"]),
            )


def _message(message: Body) -> Body:
    created_at = _utc(message.get("timestamp"))
    return {
        "external_id": message["id"],
        "role": message.get("role") or "user",
        "name": message.get("speaker") or None,
        "content": message["text"],
        **({"created_at": created_at} if created_at else {}),
    }


def _question(question: Body) -> Question:
    return Question(
        dialogue=question["conv_id"],
        query=question["question"],
        as_of=_utc(question.get("as_of")),
    )


def _utc(stamp: str | None) -> str | None:
    return stamp if not stamp or re.search(r"(Z|[+-]\d\d:\d\d)$", stamp) else f"{stamp}Z"
