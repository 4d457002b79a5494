"""Laying a bundle out within its budget."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from app.domain.context import Candidate, ContextRequest, Format
from app.domain.conversation import Message
from app.ports import TokenCounter
from app.ranking.budget import newest_that_fit, pack
from app.ranking.candidates import Ranked
from app.ranking.pool import Recalled
from app.text.render import (
    PREAMBLE,
    heading,
    render_item,
    render_markdown,
    render_messages,
    text_of,
)

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
        """The end of `tail` that its share of the budget holds."""
        room = int(request.budget_tokens * request.history.max_share)
        most = request.history.max_messages
        count = newest_that_fit([each.tokens for each in tail], room=room, most=most)
        return tail[len(tail) - count :]

    def pack(self, request: ContextRequest, history: Sequence[Message], ranked: Ranked) -> Packed:
        """Pinned first, then by score; the answer is in the order of `ranked`."""
        order = sorted(ranked.order, key=lambda at: not ranked.pinned(at))
        costs, headings = self._costs(request, ranked.recalled, order)
        room = request.budget_tokens - self._fixed(request, history)
        places = pack(costs, room=room, most=request.max_items, shared=headings)
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
            candidates = [ranked.candidate(at) for at in chosen]
            text, messages, tokens = self._rendered(request, history, candidates)
            if tokens <= request.budget_tokens:
                break
            if chosen:
                last = _least(chosen, ranked)
                chosen = [at for at in chosen if at != last]
            else:
                history = history[1:]
        taken = set(chosen)
        left = "max_items" if full else "budget"
        return Packed(
            history=history,
            candidates=candidates,
            dropped=[(at, left) for at in ranked.order if at not in taken],
            text=text,
            messages=messages,
            tokens=tokens,
        )

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
