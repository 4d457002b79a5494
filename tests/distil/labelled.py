"""The labelled snippets, and how well the rules do on them: `python -m tests.distil.labelled`."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import yaml

from app.distil.facts.drawing import facts_of
from app.distil.facts.fact import Fact
from app.distil.facts.values import normal
from app.distil.language.utterance import Utterance
from app.domain.conversation import Role

SAID_AT = datetime(2025, 3, 12, 12, tzinfo=UTC)
DEVELOPED_WITH, HELD_OUT = "facts.yaml", "facts_held_out.yaml"
IN_PASSING, QUICKLY = "facts_in_passing.yaml", "facts_typed_quickly.yaml"
EVERYDAY = "facts_everyday.yaml"

Told = tuple[str, str, str, bool, str]
"""Subject, attribute, value, whether it is positive, tense; folded."""


@dataclass(frozen=True)
class Snippet:
    id: str
    said: Sequence[Utterance]
    expected: frozenset[Told]

    @property
    def found(self) -> frozenset[Told]:
        return frozenset(_told(fact) for each in self.said for fact in facts_of(each))


@dataclass(frozen=True)
class Score:
    right: int
    found: int
    expected: int
    wrong: Sequence[tuple[str, Told]]
    missed: Sequence[tuple[str, Told]]

    @property
    def precision(self) -> float:
        return self.right / self.found

    @property
    def recall(self) -> float:
        return self.right / self.expected


def snippets(file: str) -> Sequence[Snippet]:
    listed = yaml.safe_load(Path(__file__).with_name(file).read_text("utf-8"))
    return [
        Snippet(
            each["id"],
            [_utterance(line) for line in each["said"]],
            frozenset(map(_expected, each["facts"])),
        )
        for each in listed
    ]


def score(given: Sequence[Snippet]) -> Score:
    found = [(each, each.found) for each in given]
    return Score(
        right=sum(len(each.expected & told) for each, told in found),
        found=sum(len(told) for _, told in found),
        expected=sum(len(each.expected) for each in given),
        wrong=[(each.id, one) for each, told in found for one in sorted(told - each.expected)],
        missed=[(each.id, one) for each, told in found for one in sorted(each.expected - told)],
    )


def facts_in(content: str, role: Role = Role.USER) -> Sequence[Fact]:
    """The facts that the rules draw from a message of nobody who has a name."""
    return facts_of(Utterance(role=role, content=content, said_at=SAID_AT))


def _utterance(line: str) -> Utterance:
    speaker, _, content = line.partition(": ")
    role = Role.ASSISTANT if speaker == "Assistant" else Role.USER
    name = None if speaker in ("Assistant", "User") else speaker
    return Utterance(role=role, content=content, said_at=SAID_AT, name=name)


def _expected(line: str) -> Told:
    subject, attribute, value, *tense = (part.strip() for part in line.split(" | "))
    said = value.removeprefix("not ")
    return subject.casefold(), attribute, normal(said), said == value, "".join(tense) or "now"


def _told(fact: Fact) -> Told:
    subject, attribute = fact.key
    return subject, attribute, normal(fact.value), fact.positive, fact.tense.value


if __name__ == "__main__":
    for file in (DEVELOPED_WITH, HELD_OUT, IN_PASSING, QUICKLY, EVERYDAY):
        measured = score(snippets(file))
        print(  # noqa: T201
            f"{file}: precision {measured.precision:.3f} ({measured.right}/{measured.found}),"
            f" recall {measured.recall:.3f} ({measured.right}/{measured.expected})"
        )
