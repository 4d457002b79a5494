"""Distilling with care: what fails to the last is left out, so that it stops nothing else."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from logging import getLogger

from app.domain.errors import ConversationNotFound, Overtaken
from app.domain.ids import MessageKey
from app.ports.distilling import DueConversation, Undistilled
from app.ports.store import Store
from app.services.distilling.step import OUTAGES, Portion, Step, reason_told, writes_of
from app.services.distilling.turns import write_in_turns

_log = getLogger(__name__)

_NO_FAILURE = (Overtaken, ConversationNotFound, *OUTAGES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Care:
    """
    A portion that failed again and again, gone through step by step, each in its own transaction.

    What a step finds by messages is narrowed down, in order, to those that it stumbles over. They
    are noted before what is made of the whole conversation, which does without them. The mark stays
    where it is: broken off, all of it is done again, with the same end.
    """

    store: Store
    due: DueConversation
    found: Undistilled

    async def distil(self, steps: Sequence[Step], portion: Portion) -> str | None:
        """Why something is not made that is made of the whole conversation; None: all of it is."""
        left_out: dict[MessageKey, str] = {}
        apart = [each for each in steps if each.by_message and portion.messages]
        for step in apart:
            left_out |= await self._narrowed(step, portion)
        async with self.store.write(portion.tenant) as transaction:
            await transaction.distilling.hold(self.due, self.found)
            await transaction.distilling.leave_out(self.due, self.found, left_out)
        others = [(each, await self._try(each, portion)) for each in steps if each not in apart]
        reasons = [_told(step, error) for step, error in others if error is not None]
        return reasons[0] if reasons else None

    async def _narrowed(self, step: Step, portion: Portion) -> Mapping[MessageKey, str]:
        """The messages over which a step stumbles, and why."""
        error, messages = await self._try(step, portion), portion.messages
        if error is None:
            return {}
        if len(messages) == 1:
            return {messages[0].key: _told(step, error)}
        middle = len(messages) // 2
        first = replace(portion, messages=messages[:middle], last=False)
        second = replace(portion, messages=messages[middle:])
        return {**await self._narrowed(step, first), **await self._narrowed(step, second)}

    async def _try(self, step: Step, portion: Portion) -> Exception | None:
        """Write what a step finds; None, or what it stumbled over."""
        try:
            writes = writes_of([await step.distil(portion)])
            await write_in_turns(self.store, self.due, self.found, writes)
        except _NO_FAILURE:
            raise
        except Exception as error:  # noqa: BLE001  (told with the conversation; the others go on)
            return error
        return None


def _told(step: Step, error: Exception) -> str:
    _log.warning("left out", exc_info=error, extra={"step": type(step).__name__})
    return reason_told(error)
