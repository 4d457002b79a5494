"""Writing what was distilled, some at a time: on SQLite nobody else writes meanwhile."""

import asyncio
from collections import deque
from collections.abc import Sequence
from time import perf_counter

from app.ports.distilling import DueConversation, Undistilled
from app.ports.store import Store
from app.services.distilling.step import Write

LONGEST = 0.1
"""Seconds after which a transaction takes no more in."""


async def write_in_turns(
    store: Store,
    due: DueConversation,
    found: Undistilled,
    writes: Sequence[Write],
    *,
    longest: float = LONGEST,
) -> None:
    """
    Write it all, in order: in one transaction, or, where that lasts, in several.

    The last of `writes` moves the mark, if any does. Broken off before, all of it is done again,
    with the same end.

    Raises:
        Overtaken: It changed since it was read: messages are gone, or others distilled them.
        ConversationNotFound: It was deleted meanwhile.
    """
    left = deque(writes)
    while left:
        async with store.write(due.tenant) as transaction:
            await transaction.distilling.hold(due, found)
            until = perf_counter() + longest
            await left.popleft()(transaction)
            while left and perf_counter() < until:
                await left.popleft()(transaction)
        await asyncio.sleep(0)  # whoever waits comes first
