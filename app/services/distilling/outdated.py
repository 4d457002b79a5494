"""Taking away what nobody would derive any more, once all of a conversation was gone through."""

from dataclasses import dataclass
from typing import ClassVar

from app.domain.memories import Memory
from app.domain.memory import ItemType
from app.ports.store import Transaction
from app.services.distilling.rewording import found_by_model
from app.services.distilling.step import Portion, Write

_DRAWN = frozenset({ItemType.FACT, ItemType.TOOL})
"""What is drawn from messages one by one, and so is found again where it is still to be found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutdatedStep:
    """
    Erases, at the end, what the steps before it did not find again; not what somebody changed.

    Of a kind that is switched off nothing was looked for. A language model does not find the same
    each time: where there is one, what it found stays.
    """

    has_model: bool = False
    by_message: ClassVar[bool] = False

    async def distil(self, portion: Portion) -> Write | None:
        since, kinds = portion.anew_at, _DRAWN - portion.flags.untold
        if since is None or not portion.last or not kinds:
            return None
        inside = portion.conversation

        async def write(transaction: Transaction) -> None:
            await transaction.memories.lock(inside.scope, [])
            distilling = transaction.distilling
            found = await distilling.outdated(inside.key, kinds, since=since)
            gone = [each.key for each in found if not self._stays(each)]
            await distilling.unsay(inside.key, gone, since=since, now=portion.now)

        return write

    def _stays(self, item: Memory) -> bool:
        return self.has_model and found_by_model(item)
