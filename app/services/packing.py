"""Laying a bundle out within its budget."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.domain.context import Candidate, ContextRequest, Format
from app.domain.conversation import Message
from app.ports import TokenCounter
from app.ranking.budget import newest_that_fit, pack
from app.ranking.candidates import Ranked
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
        costs = [self._cost_of(request, ranked.recalled, at) for at in order]
        room = request.budget_tokens - self._fixed(request, history)
        taken = {order[place] for place in pack(costs, room=room, most=request.max_items)}
        chosen = [at for at in ranked.order if at in taken]
        return self._laid_out(request, history, chosen, ranked)

    def _cost_of(self, request: ContextRequest, recalled: Recalled, at: int) -> int:
        """What never fits is not rendered just to be counted."""
        tokens = recalled.tokens[at]
        if request.format is Format.JSON or tokens > request.budget_tokens:
            return tokens
        return self.tokens.count(render_item(recalled.read(at))) + 1

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
        chosen: Sequence[int],
        ranked: Ranked,
    ) -> Packed:
        """Render, count, and leave out the last items while the whole is over the budget."""
        candidates = [ranked.candidate(at) for at in chosen]
        full = len(candidates) >= request.max_items
        while True:
            text, messages, tokens = self._rendered(request, history, candidates)
            if tokens <= request.budget_tokens:
                break
            if candidates:
                candidates = candidates[:-1]
            elif history:
                history = history[1:]
            else:
                text, messages, tokens = None, None, 0
                break
        taken = set(chosen[: len(candidates)])
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
