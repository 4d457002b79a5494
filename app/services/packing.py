"""Laying a bundle out within its budget."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.domain.context import Candidate, ContextRequest, Dropped, Format
from app.domain.conversation import Message
from app.ports import TokenCounter
from app.ranking.budget import newest_that_fit, pack
from app.ranking.candidates import Scored
from app.ranking.pool import Recalled
from app.text.render import (
    PREAMBLE,
    render_item,
    render_markdown,
    render_messages,
    text_of,
)

_HEADING = 24
"""Tokens set aside for the heading of each conversation in a rendered text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Packed:
    """What goes in, best first, as it is handed over. `tokens` never exceeds the budget."""

    history: Sequence[Message]
    candidates: Sequence[Candidate]
    dropped: Sequence[Dropped]
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

    def pack(
        self, request: ContextRequest, history: Sequence[Message], scored: Sequence[Scored]
    ) -> Packed:
        """Pinned first, then by score; the answer keeps the order of `scored`."""
        order = sorted(scored, key=lambda each: not each.pinned)
        costs = self._costs(request, order)
        room = request.budget_tokens - self._fixed(request, history)
        packed = pack(costs, room=room, most=request.max_items)
        taken = {order[at].recalled.key for at in packed}
        chosen = [each.candidate() for each in scored if each.recalled.key in taken]
        return self._laid_out(request, history, chosen, scored)

    def _costs(self, request: ContextRequest, order: Sequence[Scored]) -> list[int]:
        if request.format is Format.JSON:
            return [each.recalled.tokens for each in order]
        return [self._rendered_cost(each.recalled, request.budget_tokens) for each in order]

    def _rendered_cost(self, recalled: Recalled, budget: int) -> int:
        """What never fits is not rendered just to be counted."""
        if recalled.tokens > budget:
            return recalled.tokens
        return self.tokens.count(render_item(recalled.read())) + 1

    def _fixed(self, request: ContextRequest, history: Sequence[Message]) -> int:
        """What is in before any memory is."""
        if request.format is Format.JSON:
            return sum(each.tokens for each in history)
        _, _, tokens = self._rendered(request, history, [])
        return tokens + self.tokens.count(PREAMBLE) + _HEADING

    def _laid_out(
        self,
        request: ContextRequest,
        history: Sequence[Message],
        chosen: list[Candidate],
        scored: Sequence[Scored],
    ) -> Packed:
        """Render, count, and leave out the last items while the whole is over the budget."""
        while True:
            text, messages, tokens = self._rendered(request, history, chosen)
            if tokens <= request.budget_tokens:
                break
            if chosen:
                chosen = chosen[:-1]
            elif history:
                history = history[1:]
            else:
                text, messages, tokens = None, None, 0
                break
        taken = {each.item.key for each in chosen}
        left = [each.recalled.id for each in scored if each.recalled.key not in taken]
        reason = "max_items" if len(chosen) >= request.max_items else "budget"
        return Packed(
            history=history,
            candidates=chosen,
            dropped=[Dropped(id=each, reason=reason) for each in left],
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
