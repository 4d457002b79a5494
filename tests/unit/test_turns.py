"""Others write between two parts of what is distilled, where all of it would keep them waiting."""

import asyncio

import pytest

from app.adapters.sql.store import SqlStore
from app.ports.store import Transaction
from app.services.distilling.turns import write_in_turns
from tests.fakes import Memory


@pytest.mark.parametrize(
    ("longest", "in_order"),
    [(0.0, ["first", "somebody else", "second"]), (600.0, ["first", "second", "somebody else"])],
)
async def test_whoever_waits_comes_before_what_is_left(
    store: SqlStore, longest: float, in_order: list[str]
) -> None:
    memory, done = Memory(store), list[str]()
    await memory.say("one")
    async with store.project() as projections:
        (due,) = await projections.claim_conversations(now=memory.clock(), limit=1, lease=60)
    async with store.observe() as observations:
        found = await observations.undistilled(due, messages=9, tokens=9)
    assert found is not None

    async def say() -> None:
        await memory.say("two", external_id="another")
        done.append("somebody else")

    async def first(_: Transaction) -> None:
        meanwhile.append(asyncio.create_task(say()))
        await asyncio.sleep(0.2)  # so that it waits
        done.append("first")

    async def second(_: Transaction) -> None:
        done.append("second")

    meanwhile: list[asyncio.Task[None]] = []
    await write_in_turns(store, due, found, [first, second], longest=longest)
    await asyncio.gather(*meanwhile)
    assert done == in_order
