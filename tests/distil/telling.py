"""
How much of what is asked about later summaries keep: `python -m tests.distil.telling SET…`.

Of each session of an evaluation set a summary is made, at a tenth and a fifth of its tokens. What
counts are the different words of four letters and more, and numbers, of the messages that hold
evidence for a question: the share of them that the summary says of the same message.
"""

import asyncio
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import accumulate
from pathlib import Path

import numpy as np

from app.distil.gist.summary import MAX_TOKENS, Excerpt, excerpts_of, summarise
from app.distil.language.utterance import Utterance
from app.evaluation.sets import Session, read_set
from app.ranking import Floats
from tests.distil.kept import COUNT, embedded

_WORDS = re.compile(r"[a-z0-9]{4,}")
_AT = datetime(2025, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Material:
    """A session, the places of its evidence, and what a summary may tell, with its vectors."""

    said: Sequence[Utterance]
    evidence: Sequence[int]
    excerpts: Sequence[Excerpt]
    vectors: Floats

    def kept(self, share: float) -> Sequence[float]:
        """Of each message with evidence, the share of its words that is told."""
        most = min(MAX_TOKENS, int(share * sum(COUNT(each.content) for each in self.said)))
        told: dict[int, str] = {}
        for bullet in summarise((self.excerpts, self.vectors), COUNT, most=most).bullets:
            told[bullet.position] = f"{told.get(bullet.position, '')} {bullet.said}"
        return [
            len(_words(told.get(at, ""))) / max(len(_words(self.said[at].content)), 1)
            for at in self.evidence
        ]


def _words(text: str) -> set[str]:
    return set(_WORDS.findall(text.casefold()))


def _utterances(session: Session) -> list[Utterance]:
    return [
        Utterance(role=each.role, content=each.content or "", said_at=_AT, name=each.name)
        for each in session.messages
    ]


def material(path: Path) -> Sequence[Material]:
    """Of the sessions that hold evidence."""
    sessions = [
        (session, frozenset().union(*(each.evidence for each in memory.questions)))
        for memory in read_set(path).memories
        for session in memory.sessions
    ]
    said = [_utterances(session) for session, _ in sessions]
    excerpts = [excerpts_of(enumerate(each)) for each in said]
    vectors = asyncio.run(embedded([one.said for several in excerpts for one in several]))
    rows = np.split(vectors, list(accumulate(map(len, excerpts)))[:-1])
    places = [
        [at for at, each in enumerate(session.messages) if each.external_id in evidence]
        for session, evidence in sessions
    ]
    every = map(Material, said, places, excerpts, rows)
    return [each for each in every if each.evidence and each.excerpts]


if __name__ == "__main__":
    for path in map(Path, sys.argv[1:]):
        given = material(path)
        for share in (0.1, 0.2):
            found = [each for one in given for each in one.kept(share)]
            print(f"{path.name} at {share:.0%}: {np.mean(found):.3f} of {len(found)}")  # noqa: T201
