"""Laying a bundle out within its budget."""

from collections.abc import Hashable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

from app.domain.context import Candidate, ContextRequest, Format, MemoryItem, part_of
from app.domain.conversation import Message
from app.domain.entities import RelatedEntity
from app.domain.ids import ItemKey
from app.domain.memory import ItemType
from app.domain.profile import Profile, ShownProfile
from app.ports import TokenCounter
from app.ranking.budget import Bounds, Share
from app.ranking.offering import SUMMARIES, Division, Offer, offered
from app.ranking.pieces import Stretch, said_once
from app.ranking.ranked import REPEATED, Ranked
from app.services.packing.cutting import Cuts, Cutter
from app.services.packing.filling import Filling
from app.services.packing.history import there_whole
from app.services.packing.introducing import Introducer
from app.services.packing.on_demand import OnDemand
from app.services.packing.rendering import Frame, Rendered, Scribe
from app.services.packing.repeating import without_repetition

MAX_ITEMS = "max_items"
"""Why an item is left out: as many as were asked for come before it."""

OLDER_TOOL = "older tool"
"""Why a tool item is not offered room: there are enough fresher ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Packed:
    """What goes in, best first, as it is handed over. `tokens` never exceeds the budget."""

    history: Sequence[Message]
    candidates: Sequence[Candidate]
    dropped: Sequence[tuple[int, str]]
    """Indexes of a Ranked, with the reason."""
    text: str | None
    messages: Sequence[Mapping[str, object]] | None
    tokens: int
    profile: ShownProfile | None = None
    entities: Sequence[RelatedEntity] = ()
    rolling: frozenset[ItemKey] = frozenset()


@dataclass(frozen=True, slots=True)
class Packer:
    """Fits history, profile and candidates into a budget, in the request's format."""

    tokens: TokenCounter
    profile_share: float = 0.15
    """Of the budget, at most."""
    division: Division = field(default_factory=Division)
    """Of the budget, among kinds of items."""

    def pack(
        self,
        request: ContextRequest,
        history: Sequence[Message],
        ranked: Ranked,
        profile: Profile | None = None,
    ) -> Packed:
        """
        Pinned first, then what leads, then what is worth most for its tokens: each kind within its
        share, then in what is left. What does not fit as a whole is there with an excerpt, and the
        room of what is said already goes to what had none. The answer is in the order of `ranked`.
        """
        filling = self._filling(self._frame(request, history, ranked, profile), ranked)
        taken = filling.first()
        chosen = filling.chosen(taken)
        packed, shown = self._laid_out(filling, chosen)
        if shown == chosen and _says_less(packed, shown):
            return self._refilled(filling, taken, packed)
        return packed

    def _refilled(self, filling: Filling, taken: Sequence[int], packed: Packed) -> Packed:
        """With what goes into the room that is free once nothing is said twice."""
        room = filling.frame.request.budget_tokens - packed.tokens
        chosen = filling.chosen(filling.more(taken, packed.candidates, room))
        refilled, shown = self._laid_out(filling, chosen)
        return refilled if shown == chosen else packed

    def _filling(self, frame: Frame, ranked: Ranked) -> Filling:
        request, scribe = frame.request, Scribe(self.tokens)
        shares = self._shares(request)
        offer = offered(
            ranked,
            most=request.max_items,
            tools=self.division.tools,
            room=shares[SUMMARIES],
        )
        costs, headings = self._costs(scribe, frame, ranked, offer.order)
        cutter = Cutter(self.tokens, ranked.worth)
        return Filling(
            scribe=scribe,
            frame=frame,
            ranked=ranked,
            offer=offer,
            bounds=offer.bounds(ranked.recalled, shares, there_whole(frame.history)),
            costs=costs,
            headings=headings,
            cuts=Cuts(ranked, cutter, lambda item: scribe.cost(frame, item)),
        )

    def _frame(
        self,
        request: ContextRequest,
        history: Sequence[Message],
        ranked: Ranked,
        profile: Profile | None,
    ) -> Frame:
        """The profile gets its share, of what the history leaves."""
        frame = Frame(request=request, history=history, profile=None, rolling=ranked.leading)
        if profile is None:
            return frame
        share = int(request.budget_tokens * self.profile_share)
        room = min(share, request.budget_tokens - sum(each.tokens for each in history))
        shown = Introducer(self.tokens).introduce(profile, room, request.format)
        return replace(frame, profile=shown)

    def _shares(self, request: ContextRequest) -> Mapping[str, Share]:
        return self.division.shares(request.budget_tokens, request.max_items)

    def _costs(
        self, scribe: Scribe, frame: Frame, ranked: Ranked, order: Sequence[int]
    ) -> tuple[Sequence[int], Sequence[tuple[Hashable, int]] | None]:
        """
        What each item costs, and the heading that it shares with others of its conversation.

        What never fits is not rendered just to be counted, nor what nobody asks for.
        """
        recalled, request = ranked.recalled, frame.request
        if request.format is Format.JSON:
            return [recalled.tokens[at] for at in order], None

        items = OnDemand(len(order), lambda place: recalled.read(order[place]))

        def cost(place: int) -> int:
            tokens = recalled.tokens[order[place]]
            never = tokens > request.budget_tokens
            return tokens if never else scribe.cost(frame, items[place])

        def heading(place: int) -> tuple[Hashable, int]:
            return scribe.heading(frame, items[place])

        return OnDemand(len(order), cost), OnDemand(len(order), heading)

    def _laid_out(self, filling: Filling, chosen: Sequence[int]) -> tuple[Packed, Sequence[int]]:
        """
        Render, count, and leave out the last items while the whole is over the budget, then the
        profile, then the oldest messages; with what is left of those `chosen`.

        It ends within the budget: a query that is over it by itself is not rendered.
        """
        frame, cuts, request = filling.frame, filling.cuts, filling.frame.request
        full = len(chosen) >= request.max_items
        while True:
            candidates = without_repetition(
                self._said_once([cuts.candidate(at) for at in chosen], cuts),
                frame.history,
                self.tokens,
                ranked=cuts.ranked,
            )
            rendered = filling.scribe.render(frame, [each.item for each in candidates])
            if rendered.tokens <= request.budget_tokens:
                break
            if chosen:
                last = _least(chosen, cuts.ranked)
                chosen = [at for at in chosen if at != last]
            else:
                frame = frame.smaller()
        left_out = _LeftOut(filling.ranked, filling.offer, filling.bounds)
        dropped = left_out.of(chosen, candidates, MAX_ITEMS if full else "budget")
        return _packed(frame, rendered, candidates, dropped), chosen

    def _said_once(self, chosen: Sequence[Candidate], cuts: Cuts) -> Sequence[Candidate]:
        """
        Without what a better chunk of the same message says already.

        Excerpts have the last word: one may lie inside of a chunk.
        """
        places = sorted(range(len(chosen)), key=lambda place: cuts.has(chosen[place].item))
        left = dict(zip(places, said_once(_stretch(chosen[at].item) for at in places), strict=True))
        kept = [
            each if span is None else replace(each, item=self._part(each.item, *span))
            for each, span in ((each, left[place]) for place, each in enumerate(chosen))
        ]
        return [each for each in kept if each.item.content or each.item.span is None]

    def _part(self, item: MemoryItem, start: int, stop: int) -> MemoryItem:
        """The part of a chunk, without the blanks at its ends."""
        if (start, stop) == item.span:
            return item
        cut = part_of(item, start, stop)
        return replace(cut, tokens=self.tokens.count(cut.content))


def _packed(
    frame: Frame,
    rendered: Rendered,
    candidates: Sequence[Candidate],
    dropped: Sequence[tuple[int, str]],
) -> Packed:
    return Packed(
        history=frame.history,
        candidates=candidates,
        dropped=dropped,
        text=rendered.text,
        messages=rendered.messages,
        tokens=rendered.tokens,
        profile=frame.profile,
        rolling=frame.rolling,
    )


def _says_less(packed: Packed, chosen: Sequence[int]) -> bool:
    """Whether what was chosen takes less room than was taken for it: some of it is said twice."""
    fewer = len(packed.candidates) < len(chosen)
    return fewer or any(each.item.lines is not None for each in packed.candidates)


def _least(chosen: Sequence[int], ranked: Ranked) -> int:
    """
    What goes first when there is no room: the last summary that nobody has to see, else the last
    that is neither pinned nor leading nor asked for, else the last.
    """
    types, keys = ranked.recalled.types, ranked.recalled.keys
    wanted = ranked.leading | ranked.asked
    loose = [at for at in chosen if not (ranked.pinned(at) or keys[at] in wanted)]
    summaries = [at for at in loose if types[at] is ItemType.SUMMARY]
    return (summaries or loose or chosen)[-1]


@dataclass(frozen=True, slots=True)
class _LeftOut:
    """Why what was found is not shown."""

    ranked: Ranked
    offer: Offer
    bounds: Bounds

    def of(
        self, chosen: Sequence[int], candidates: Sequence[Candidate], left: str
    ) -> Sequence[tuple[int, str]]:
        """The reasons, `left` for what had no room."""
        recalled, order = self.ranked.recalled, self.ranked.order
        shown: AbstractSet[ItemKey] = {each.item.key for each in candidates}
        whole = {recalled.messages[at] for at in chosen if recalled.pieces[at]}
        said = {at for at in order if recalled.messages[at] in whole}.union(chosen)
        said |= self._told(frozenset(chosen))
        offered_room = set(self.offer.order)
        return [
            (at, REPEATED if at in said else left if at in offered_room else OLDER_TOOL)
            for at in order
            if recalled.keys[at] not in shown
        ]

    def _told(self, chosen: frozenset[int]) -> frozenset[int]:
        """Summaries of which the messages, or other summaries, say what they would."""
        order, types = self.offer.order, self.ranked.recalled.types
        covered = frozenset(
            order[place]
            for place, by in self.bounds.covered.items()
            if chosen.issuperset(order[each] for each in by)
        )
        gists = {at for at in self.ranked.order if types[at] is ItemType.SUMMARY}
        return covered | gists.difference(order)


def _stretch(item: MemoryItem) -> Stretch | None:
    return None if item.span is None else (item.lineage[0].id, *item.span)
