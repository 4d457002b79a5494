"""What is asked, as ranking sees it."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.periods import Span
from app.ranking import Floats
from app.text.intervals import Interval
from app.text.wording import PLAIN, Wording


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsought:
    """
    What is read whatever it says: what sums up `periods`, or, where nothing does, the most
    important of what was said at `moments`; and facts about who has a name of the `portrait`.
    """

    periods: frozenset[Span] = frozenset()
    moments: Sequence[Interval] = ()
    portrait: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.periods or self.moments or self.portrait)


NOTHING_UNSOUGHT = Unsought()


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryView:
    """
    The query as ranking sees it: its vector, shape (d,), and its terms with their idf.

    `terms` are those that the scope knows; `idf_mass` is the sum over all, the unknown ones too.
    `intervals` are the times that it speaks of, `periods` those of which these consist, where what
    sums them up is wanted; an `overview` asks for nothing else. A query that asks for all that is
    known of who asks is for their `portrait`: the names, folded, that facts call them.
    """

    vector: Floats | None
    terms: Sequence[str]
    idf: Floats
    idf_mass: float
    average_length: float
    intervals: Sequence[Interval] = ()
    periods: frozenset[Span] = frozenset()
    overview: bool = False
    portrait: frozenset[str] = frozenset()
    wording: Wording = PLAIN

    @property
    def moments(self) -> Sequence[Interval]:
        """The times of which all is asked for."""
        return self.intervals if self.overview else ()

    @property
    def unsought(self) -> Unsought:
        return Unsought(periods=self.periods, moments=self.moments, portrait=self.portrait)

    @property
    def known(self) -> float:
        """The share of the query's idf mass that the scope knows."""
        return float(self.idf.sum()) / self.idf_mass if self.idf_mass > 0 else 0.0
