"""What is offered the room of a bundle, and what of it goes in."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

from app.domain.context import Candidate
from app.ranking.budget import Bounds, pack
from app.ranking.offering import Offer
from app.ranking.ranked import Ranked
from app.services.packing.cutting import Cuts
from app.services.packing.rendering import Frame, Scribe


@dataclass(frozen=True, slots=True, kw_only=True)
class Filling:
    """An offer with what each place of it costs in a frame, and what binds it."""

    scribe: Scribe
    frame: Frame
    ranked: Ranked
    offer: Offer
    bounds: Bounds
    costs: Sequence[int]
    headings: Sequence[tuple[Hashable, int]] | None
    cuts: Cuts

    def first(self) -> Sequence[int]:
        """The places that are taken of the room beside what is in the frame."""
        request = self.frame.request
        room = request.budget_tokens - self.scribe.fixed(self.frame)
        return self._take(room, request.max_items, self.bounds)

    def more(
        self, taken: Sequence[int], candidates: Sequence[Candidate], room: int
    ) -> Sequence[int]:
        """
        The places `taken`, and what else goes into the `room` that is left beside `candidates`.

        The candidates are what became of the places: where one came to nothing, its place is free.
        """
        spent = {each.item.key: self.scribe.cost(self.frame, each.item) for each in candidates}
        keys, order = self.ranked.recalled.keys, self.offer.order
        tokens: Mapping[int, int] = {place: spent.get(keys[order[place]], 0) for place in taken}
        most = self.frame.request.max_items + len(taken) - len(candidates)
        return self._take(room, most, replace(self.bounds, taken=tokens))

    def chosen(self, taken: Sequence[int]) -> Sequence[int]:
        """Indexes of what is taken, as it was ranked."""
        there = {self.offer.order[place] for place in taken}
        return [at for at in self.ranked.order if at in there]

    def _take(self, room: int, most: int, bounds: Bounds) -> Sequence[int]:
        return pack(
            self.costs,
            room=room,
            most=most,
            shared=self.headings,
            bounds=bounds,
            cut=self._cut,
        )

    def _cut(self, place: int, room: int) -> int | None:
        """What is offered room as a whole only is not cut."""
        return None if place < self.offer.whole else self.cuts.of(self.offer.order[place], room)
