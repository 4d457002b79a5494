"""Laying a bundle out within its budget."""

from collections.abc import Hashable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from app.domain.context import Candidate, ContextRequest, Format, MemoryItem, part_of
from app.domain.conversation import Message
from app.domain.ids import ItemKey
from app.ports import TokenCounter
from app.ranking.budget import newest_that_fit, pack
from app.ranking.candidates import Ranked
from app.ranking.pieces import Stretch, said_once
from app.ranking.pool import Recalled
from app.text.excerpt import beginning
from app.text.render import (
    PREAMBLE,
    heading,
    render_item,
    render_markdown,
    render_messages,
    text_of,
)

_LEAST_EXCERPT = 40
"""Tokens; less of a message would not help anybody."""

_JOINT = 1
"""Tokens set aside for each place where parts of a rendered text are joined."""


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


@dataclass(frozen=True, slots=True)
class Packer:
    """Fits history and candidates into a budget, in the request's format."""

    tokens: TokenCounter

    def history(self, request: ContextRequest, tail: Sequence[Message]) -> Sequence[Message]:
        """
        The end of `tail` that its share of the budget holds.

        A message that is longer than the whole share is there with its beginning.
        """
        room = int(request.budget_tokens * request.history.max_share)
        most = request.history.max_messages
        count = newest_that_fit([each.tokens for each in tail], room=room, most=most)
        shown = list(tail[len(tail) - count :])
        if count == min(most, len(tail)) or tail[-count - 1].tokens <= room:
            return shown
        left = room - sum(each.tokens for each in shown)
        return [*self._beginning(tail[-count - 1], left), *shown]

    def _beginning(self, message: Message, room: int) -> Sequence[Message]:
        """The message with as much as fits, unless that is next to nothing."""
        cut = None
        if room >= _LEAST_EXCERPT and message.content and not message.tool_calls:
            cut = beginning(message.content, room, self.tokens.count)
        if cut is None:
            return []
        return [replace(message, content=cut, tokens=self.tokens.count(cut))]

    def pack(self, request: ContextRequest, history: Sequence[Message], ranked: Ranked) -> Packed:
        """Pinned first, then by score; the answer is in the order of `ranked`."""
        order = _in_packing_order(ranked)
        costs, headings = self._costs(request, ranked.recalled, order)
        room = request.budget_tokens - self._fixed(request, history)
        inside = _inside(ranked.recalled, order)
        places = pack(costs, room=room, most=request.max_items, shared=headings, inside=inside)
        taken = {order[place] for place in places}
        chosen = [at for at in ranked.order if at in taken]
        return self._laid_out(request, history, chosen, ranked)

    def _costs(
        self, request: ContextRequest, recalled: Recalled, order: Sequence[int]
    ) -> tuple[Sequence[int], Sequence[tuple[Hashable, int]] | None]:
        """
        What each item costs, and the heading that it shares with others of its conversation.

        What never fits is not rendered just to be counted.
        """
        if request.format is Format.JSON:
            return [recalled.tokens[at] for at in order], None
        costs: list[int] = []
        headings: list[tuple[Hashable, int]] = []
        for at in order:
            if recalled.tokens[at] > request.budget_tokens:
                costs.append(recalled.tokens[at])
                headings.append((None, 0))
            else:
                item = recalled.read(at)
                costs.append(self.tokens.count(render_item(item)) + _JOINT)
                headings.append((item.conversation_id, self.tokens.count(heading(item)) + _JOINT))
        return costs, headings

    def _fixed(self, request: ContextRequest, history: Sequence[Message]) -> int:
        """What is in before any memory is."""
        if request.format is Format.JSON:
            return sum(each.tokens for each in history)
        _, _, tokens = self._rendered(request, history, [])
        return tokens + self.tokens.count(PREAMBLE) + _JOINT

    def _laid_out(
        self,
        request: ContextRequest,
        history: Sequence[Message],
        chosen: Sequence[int],
        ranked: Ranked,
    ) -> Packed:
        """
        Render, count, and leave out the last items while the whole is over the budget.

        It ends within the budget: a query that is over it by itself is not rendered.
        """
        full = len(chosen) >= request.max_items
        while True:
            candidates = self._said_once([ranked.candidate(at) for at in chosen])
            text, messages, tokens = self._rendered(request, history, candidates)
            if tokens <= request.budget_tokens:
                break
            if chosen:
                last = _least(chosen, ranked)
                chosen = [at for at in chosen if at != last]
            else:
                history = history[1:]
        left = "max_items" if full else "budget"
        return Packed(
            history=history,
            candidates=candidates,
            dropped=_dropped(ranked, chosen, {each.item.key for each in candidates}, left),
            text=text,
            messages=messages,
            tokens=tokens,
        )

    def _said_once(self, chosen: Sequence[Candidate]) -> Sequence[Candidate]:
        """Without what a better chunk of the same message says already."""
        left = said_once([_stretch(each.item) for each in chosen])
        kept = [
            each if span is None else replace(each, item=self._cut(each.item, *span))
            for each, span in zip(chosen, left, strict=True)
        ]
        return [each for each in kept if each.item.content or each.item.span is None]

    def _cut(self, item: MemoryItem, start: int, stop: int) -> MemoryItem:
        """The part of a chunk, without the blanks at its ends."""
        if (start, stop) == item.span:
            return item
        cut = part_of(item, start, stop)
        return replace(cut, tokens=self.tokens.count(cut.content))

    def _rendered(
        self, request: ContextRequest, history: Sequence[Message], chosen: Sequence[Candidate]
    ) -> tuple[str | None, Sequence[Mapping[str, object]] | None, int]:
        items = [each.item for each in chosen]
        if request.format is Format.MARKDOWN:
            text = render_markdown(items, history)
            return text, None, self.tokens.count(text)
        if request.format is Format.MESSAGES:
            messages = self._messages(request, history, chosen)
            return None, messages, self._cost(messages)
        tokens = sum(item.tokens for item in items) + sum(each.tokens for each in history)
        return None, None, tokens

    def _messages(
        self, request: ContextRequest, history: Sequence[Message], chosen: Sequence[Candidate]
    ) -> Sequence[Mapping[str, object]]:
        """The query is the last message, unless it alone is more than the budget."""
        items = [each.item for each in chosen]
        asked = self.tokens.count(request.query) <= request.budget_tokens
        return render_messages(items, history, request.query if asked else None)

    def _cost(self, messages: Sequence[Mapping[str, object]]) -> int:
        return sum(self.tokens.count(text_of(each)) for each in messages)


def _least(chosen: Sequence[int], ranked: Ranked) -> int:
    """What goes first when there is no room: the last that is not pinned, else the last."""
    return ([at for at in chosen if not ranked.pinned(at)] or chosen)[-1]


def _dropped(
    ranked: Ranked, chosen: Sequence[int], shown: AbstractSet[ItemKey], left: str
) -> list[tuple[int, str]]:
    """What is not shown: because all of it is said elsewhere, or for the reason `left`."""
    recalled = ranked.recalled
    whole = {recalled.messages[at] for at in chosen if recalled.pieces[at]}
    said = {at for at in ranked.order if recalled.messages[at] in whole}.union(chosen)
    missing = [at for at in ranked.order if recalled.keys[at] not in shown]
    return [(at, "duplicate" if at in said else left) for at in missing]


def _in_packing_order(ranked: Ranked) -> list[int]:
    """Pinned first, then by score; a whole message before its chunks, which stand in for it."""
    pieces = ranked.recalled.pieces
    return sorted(ranked.order, key=lambda at: (not ranked.pinned(at), not pieces[at]))


def _inside(recalled: Recalled, order: Sequence[int]) -> Mapping[int, int]:
    """The place in `order` of the whole message, by that of each chunk of it."""
    places = {recalled.messages[at]: place for place, at in enumerate(order) if recalled.pieces[at]}
    return {
        place: places[recalled.messages[at]]
        for place, at in enumerate(order)
        if recalled.kinds[at] and recalled.messages[at] in places
    }


def _stretch(item: MemoryItem) -> Stretch | None:
    return None if item.span is None else (item.lineage[0].id, *item.span)
