"""What of the running conversation goes into a bundle: its end, what is kept, its gist."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite

from app.domain.context import ContextRequest, HistoryStrategy
from app.domain.conversation import Message, Role
from app.domain.ids import MessageKey
from app.ports import TokenCounter
from app.ports.stored import Opening
from app.ranking.budget import newest_that_fit
from app.ranking.pool import Recalled
from app.ranking.summaries import cited_by
from app.services.packing.cutting import LEAST
from app.text.excerpt import beginning, shown_of
from app.text.shown import unshown

_LAST_TURN = 2
"""Messages that are there word for word, whatever a summary tells of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """
    Messages in the order they were said, and the summary of what they leave out.

    `summary` holds one item, or none.
    """

    messages: Sequence[Message]
    summary: Recalled


@dataclass(frozen=True, slots=True)
class _Kept:
    """The end of a conversation, the rules that it began with, and what else is to be kept."""

    tail: Sequence[Message]
    rules: Sequence[Message]
    others: Sequence[Message] = ()

    @property
    def wanted(self) -> Sequence[Message]:
        """The rules first, then other system messages, then what is important, the newest first."""
        others = _without(self.others, self.rules)
        in_turn = sorted(others, key=lambda each: (each.role is not Role.SYSTEM, -each.position))
        return [*self.rules, *in_turn]


@dataclass(frozen=True, slots=True)
class Historian:
    """Tells the running conversation as the request wants it, within its share of the budget."""

    tokens: TokenCounter
    summary_share: float = 0.25
    """Of the budget, what the summary may take to stand for anything."""

    def tell(self, request: ContextRequest, opening: Opening) -> History:
        """
        The history of `request`.

        `simple` is the end of the conversation. With `summarization` the summary stands for what it
        was made from, with `hybrid` for what is neither at the end nor to be kept. The first system
        message is kept by all three. A summary of what is there word for word is left out, and so
        is what the request shows itself.
        """
        if request.shown:
            opening = _unshown(request.shown, opening)
        room = int(request.budget_tokens * request.history.max_share)
        most = request.history.max_messages
        match request.history.strategy:
            case HistoryStrategy.SIMPLE:
                messages = self._with_kept(_Kept(opening.tail, opening.rules), room, most)
                return History(messages=messages, summary=Recalled.nothing())
            case HistoryStrategy.SUMMARIZATION:
                left = self._not_summarised(request, opening)
                messages = self._with_kept(_Kept(left, opening.rules), room, most)
            case HistoryStrategy.HYBRID:
                told = _Kept(opening.tail, opening.rules, opening.kept)
                messages = self._with_kept(told, room, most)
        return History(messages=messages, summary=_adding(opening.summary, messages))

    def _tail(self, tail: Sequence[Message], room: int, most: int) -> Sequence[Message]:
        """
        The end of `tail` that fits.

        A message that is longer than all of the room has its beginning there.
        """
        count = newest_that_fit([each.tokens for each in tail], room=room, most=most)
        shown = list(tail[len(tail) - count :])
        if count == min(most, len(tail)) or tail[-count - 1].tokens <= room:
            return shown
        left = room - sum(each.tokens for each in shown)
        return [*self._beginning(tail[-count - 1], left), *shown]

    def _with_kept(self, told: _Kept, room: int, most: int) -> Sequence[Message]:
        """
        The end, and what is kept of before it: at most half of the messages, and of the room.

        The last message is cut for the sake of the rules only; nothing is kept where there would
        be nothing of the last message then.
        """
        plain = self._tail(told.tail, room, most)
        if not plain or not _without(told.wanted, plain):
            return plain
        half, last = room // 2, told.tail[-1]
        share = half if last.tokens > room else min(half, room - last.tokens)
        whole, cut = (self._sharing(told, room, most, each) for each in (share, half))
        for found in (whole, cut):
            if not _without([*told.rules, last], found):
                return found
        return plain if _without([last], whole) else whole

    def _sharing(self, told: _Kept, room: int, most: int, share: int) -> Sequence[Message]:
        """What is kept within its share of the room, and the end in the rest."""
        anyhow = self._tail(told.tail, room - share, most - most // 2)
        kept = self._kept(_without(told.wanted, anyhow), share, most // 2)
        left = room - sum(each.tokens for each in kept)
        end = self._tail(_without(told.tail, kept), left, most - len(kept))
        return sorted([*kept, *end], key=lambda each: each.position)

    def _kept(self, wanted: Sequence[Message], room: int, most: int) -> Sequence[Message]:
        """Those of `wanted` that fit, in this order; a system message else with its beginning."""
        kept: list[Message] = []
        for each in wanted:
            fits = each.tokens <= room
            cut = [] if fits or each.role is not Role.SYSTEM else self._beginning(each, room)
            shown = [each] if fits else cut
            if len(kept) < most and shown:
                kept += shown
                room -= shown[0].tokens
        return kept

    def _not_summarised(self, request: ContextRequest, opening: Opening) -> Sequence[Message]:
        """The end of the conversation behind what its summary tells, but for the last turn."""
        tail, told = opening.tail, _told(opening.summary)
        if sum(opening.summary.tokens) > request.budget_tokens * self.summary_share:
            return tail
        last = max((at for at, each in enumerate(tail) if each.key in told), default=-1)
        return tail[max(0, min(last + 1, len(tail) - _LAST_TURN)) :]

    def _beginning(self, message: Message, room: int) -> Sequence[Message]:
        """The message with as much as fits, unless that is next to nothing."""
        cut = None
        if room >= LEAST and message.content and not message.tool_calls:
            cut = beginning(message.content, room, self.tokens.count)
        if cut is None:
            return []
        return [replace(message, content=cut, tokens=self.tokens.count(cut))]


def _unshown(shown: Sequence[str], opening: Opening) -> Opening:
    return replace(
        opening,
        tail=unshown(shown, opening.tail),
        rules=unshown(shown, opening.rules),
        kept=unshown(shown, opening.kept),
    )


def _without(messages: Sequence[Message], others: Sequence[Message]) -> Sequence[Message]:
    there = {each.key for each in others}
    return [each for each in messages if each.key not in there]


def _adding(summary: Recalled, messages: Sequence[Message]) -> Recalled:
    """The summary, unless all that it tells of is there word for word."""
    if not len(summary):
        return summary
    told = _told(summary)
    return Recalled.nothing() if told and told <= there_whole(messages) else summary


def there_whole(messages: Sequence[Message]) -> frozenset[MessageKey]:
    """Those that are there from the first word to the last."""
    return frozenset(each.key for each in messages if not isfinite(shown_of(each.content or "")))


def _told(summary: Recalled) -> frozenset[MessageKey]:
    """The messages that a summary was made from."""
    return cited_by(summary, range(len(summary)))
