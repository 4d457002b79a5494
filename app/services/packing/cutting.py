"""An excerpt of what is too long: the sentences that tell most of what was asked."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from app.domain.context import Candidate, MemoryItem, part_of
from app.ports import TokenCounter
from app.ranking.ranked import Ranked
from app.text.excerpt import telling
from app.text.parts import prose_parts
from app.text.terms import terms_of

LEAST = 40
"""Tokens; less of a message would not help anybody."""

MOST = 120
"""Tokens of an excerpt: a few sentences, and room for other items."""

LONGEST = 1_000
"""Tokens of what is cut; more is not looked through while others wait. Chunks have less."""

_MOST_CUTS = 8
"""Items of a bundle that are looked through for an excerpt; each takes about a millisecond."""

_SPARE = 8
"""Tokens by which an excerpt is made shorter at least, where it turns out too long."""

Cost = Callable[[MemoryItem], int]
"""Tokens of an item as it is handed over."""


@dataclass(frozen=True, slots=True)
class Cutter:
    """Makes items shorter, for a query of which `worth` tells what its terms are worth."""

    tokens: TokenCounter
    worth: Mapping[str, float]

    def cut(self, item: MemoryItem, room: int, cost: Cost) -> MemoryItem | None:
        """
        The most telling part of `item` that costs at most `room`; None where that is too little.

        It is one stretch of the item, which its lineage tells, and has at most MOST tokens.
        """
        if item.tokens > LONGEST:
            return None
        text = item.content
        parts = list(prose_parts(text, 0, len(text), self.tokens.count))
        worth = [self._worth(text[part.start : part.stop]) for part in parts]
        offset = item.span[0] if item.span else 0
        most = min(room, MOST)
        while most >= LEAST and (stretch := telling(parts, worth, most)):
            excerpt = part_of(item, *(offset + at for at in stretch))
            excerpt = replace(excerpt, tokens=self.tokens.count(excerpt.content))
            over = cost(excerpt) - room
            if over <= 0:
                return excerpt
            most -= max(over, _SPARE)
        return None

    def _worth(self, text: str) -> Mapping[str, float]:
        return {term: self.worth[term] for term in terms_of(text) if term in self.worth}


@dataclass(frozen=True, slots=True)
class Cuts:
    """Excerpts of what does not fit as a whole, made when it is its turn."""

    ranked: Ranked
    cutter: Cutter
    cost: Cost
    made: dict[int, MemoryItem] = field(default_factory=dict)
    tried: set[int] = field(default_factory=set)

    def of(self, at: int, room: int) -> int | None:
        """What an excerpt of an item costs, at most `room`; None for none."""
        if room < LEAST or len(self.tried) >= _MOST_CUTS:
            return None
        self.tried.add(at)
        excerpt = self.cutter.cut(self.ranked.recalled.read(at), room, self.cost)
        if excerpt is None:
            return None
        self.made[at] = excerpt
        return self.cost(excerpt)

    def candidate(self, at: int) -> Candidate:
        whole, excerpt = self.ranked.candidate(at), self.made.get(at)
        return whole if excerpt is None else replace(whole, item=excerpt)

    def has(self, item: MemoryItem) -> bool:
        return any(each is item for each in self.made.values())
