"""What is asked, as ranking sees it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from app.domain.ids import ConversationKey
from app.domain.periods import Span
from app.ranking import Floats, Words, no_words
from app.text.intervals import Interval
from app.text.wording import PLAIN, Wording


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """
    The facts that a query asks for: all about who has one of the `names`, folded, and about what is
    theirs; or what holds of one of the `groups` (`app/distil/facts/filing.py`).
    """

    names: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.names or self.groups)

    def is_told(self, subject: str | None) -> bool:
        """Whether a fact that is kept under this subject is one of them."""
        who, _, what = (subject or "").partition("|")
        attribute, _, value = what.partition("|")
        if f"{who}|{attribute.partition(' for ')[0]}" in self.groups:
            return not value.startswith(_NOT_NOW)
        return who in self.names or any(who.startswith(f"{name}'s ") for name in self.names)


_NOT_NOW = ("past|", "planned|")
"""How what a subject tells of its value begins where that does not hold now."""

NOTHING_ABOUT = About()


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsought:
    """
    What is read whatever it says: what sums up `periods`, or, where nothing does, the most
    important of what was said at `moments`; and the facts that are asked for.
    """

    periods: frozenset[Span] = frozenset()
    moments: Sequence[Interval] = ()
    facts: About = NOTHING_ABOUT

    def __bool__(self) -> bool:
        return bool(self.periods or self.moments or self.facts)


NOTHING_UNSOUGHT = Unsought()


@dataclass(frozen=True, slots=True, kw_only=True)
class Subjects:
    """
    Those that are asked about by name: the terms of their names, whether all are `people`, and
    whether there are `several`: of "How much Metacam does Pixel get?" one is what is asked of the
    other.
    """

    names: frozenset[str] = frozenset()
    several: bool = False
    people: bool = True


NOBODY = Subjects()


def midway(one: Floats, other: Floats) -> Floats:
    """The unit vector between two, shape (d,); the first where there is none."""
    both = one + other
    length = float(np.linalg.norm(both))
    return np.asarray(both / length, dtype=np.float32) if length > 0 else one


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryView:
    """
    The query as ranking sees it: its vector, shape (d,), those of its `words`, and its terms with
    their idf.

    Unless it was `read` by a model that knows its script, its vector says little of what it means.
    `terms` are those that the scope knows; `idf_mass` is the sum over all, the unknown ones too.
    `sought` are all of them, but for those that are only said around what is asked.
    `intervals` are the times that it speaks of, `periods` those of which these consist, where what
    sums them up is wanted; an `overview` asks for nothing else, and neither does a query for all
    that is known of who asks, or for one thing that a fact tells (`facts`).
    The conversation that it is asked in goes on (`running`); None: there is none. Those that it
    calls by their label (`called`) are what it asks about. A `follow_up` leans on what was asked
    before, which is a part of it here.
    """

    vector: Floats | None
    terms: Sequence[str]
    idf: Floats
    idf_mass: float
    average_length: float
    intervals: Sequence[Interval] = ()
    periods: frozenset[Span] = frozenset()
    overview: bool = False
    facts: About = NOTHING_ABOUT
    words: Words = field(default_factory=no_words)
    wording: Wording = PLAIN
    read: bool = True
    running: ConversationKey | None = None
    called: frozenset[ConversationKey] = frozenset()
    sought: frozenset[str] = frozenset()
    subjects: Subjects = NOBODY
    follow_up: bool = False

    @property
    def moments(self) -> Sequence[Interval]:
        """The times of which all is asked for."""
        return self.intervals if self.overview else ()

    @property
    def unsought(self) -> Unsought:
        return Unsought(periods=self.periods, moments=self.moments, facts=self.facts)

    @property
    def worth(self) -> Mapping[str, float]:
        """The idf of each term that the scope knows."""
        return dict(zip(self.terms, self.idf.tolist(), strict=True))

    @property
    def known(self) -> float:
        """The share of the query's idf mass that the scope knows."""
        return float(self.idf.sum()) / self.idf_mass if self.idf_mass > 0 else 0.0
