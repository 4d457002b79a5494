"""The graph is made anew from what was said, whatever became of it, and a doctor sees what did."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import pytest
from sqlalchemy import Table, delete, update
from uuid_utils.compat import uuid7

from app.adapters.sql import tables_derived as d
from app.adapters.sql.database import Database
from app.adapters.sql.store import SqlStore
from app.services.common.jobs import Progress
from app.services.distilling.consolidating import Consolidator
from app.services.distilling.linking import Linker
from app.services.distilling.step import Portion, Step, Writes
from app.services.operating import examining
from app.services.operating.relinking import Relinker
from app.services.writing.ingest import Stored
from tests.fakes import Memory
from tests.stored import ACME
from tests.stored_graph import around, edges, names

SAID = ("Anna works on Apollo.", "Apollo depends on Redis.", "We met Anna in Leeds.")
ALL = (d.mention, d.edge_evidence, d.edge, d.entity_alias, d.entity)


@dataclass
class ErasingFirst:
    """A step that is slow: before it has found anything, somebody erases what it reads."""

    linker: Step
    erase: Callable[[], Awaitable[None]]
    erased: bool = False
    by_message: bool = True

    async def distil(self, portion: Portion) -> Writes:
        write = await self.linker.distil(portion)
        if not self.erased:
            self.erased = True
            await self.erase()
        return write


@pytest.fixture
def memory(store: SqlStore) -> Memory:
    """Linked by the worker, and nothing else."""
    memory = Memory(store)
    memory.consolidator = Consolidator(
        store=store,
        flags=memory.flags,
        telemetry=memory.telemetry,
        clock=memory.clock,
        steps=[Linker(store=store, new_id=uuid7)],
    )
    return memory


@pytest.fixture(autouse=True)
async def stored(memory: Memory) -> Stored:
    stored = await memory.say(*SAID)
    await memory.say("Anna likes Redis.", user_id="bob")
    await memory.distil()
    return stored


def relinker(memory: Memory, store: SqlStore) -> Relinker:
    return Relinker(
        store=store,
        clinic=store,
        linker=Linker(store=store, new_id=uuid7),
        flags=memory.flags,
        clock=memory.clock,
    )


async def graph(memory: Memory) -> tuple[Mapping[str, int], Mapping[tuple[str, str, str], float]]:
    return await names(memory.store), edges(await around(memory.store, "Apollo"))


async def wrong(store: SqlStore) -> Sequence[str]:
    async with store.inspect() as inspection:
        return [each.problem for each in await examining.graph(inspection)]


@pytest.mark.parametrize("lost", [(), ALL, (d.mention,), (d.edge_evidence,), (d.edge,)])
async def test_whatever_is_lost_is_made_anew(
    memory: Memory, store: SqlStore, database: Database, lost: Sequence[Table]
) -> None:
    before = await graph(memory)
    async with database.write() as connection:
        for each in lost:
            await connection.execute(delete(each))
    progress = Progress()

    await relinker(memory, store).relink(progress)

    assert progress.done == 2
    assert await graph(memory) == before
    assert await names(memory.store, user_id="bob") == {"Anna": 1, "Redis": 1}
    assert await wrong(store) == []


async def test_what_miscounts_is_found_and_settled(
    memory: Memory, store: SqlStore, database: Database
) -> None:
    before = await graph(memory)
    async with database.write() as connection:
        await connection.execute(update(d.entity).values(mentions=7))
        await connection.execute(update(d.edge).values(weight=7.0))
    assert await wrong(store) == [
        "entities that miscount",
        "edges that are not their evidence",
    ]

    await relinker(memory, store).settle()

    assert await wrong(store) == []
    assert await graph(memory) == before


async def test_what_is_not_distilled_yet_is_left_to_the_worker(
    memory: Memory, store: SqlStore
) -> None:
    await memory.say(*SAID, "Tim works on Zephyr.")

    await relinker(memory, store).relink(Progress())
    assert "Tim" not in await names(memory.store)

    await memory.distil()
    assert (await names(memory.store))["Tim"] == 1


async def test_with_the_flag_off_nothing_is_linked(
    memory: Memory, store: SqlStore, database: Database
) -> None:
    async with database.write() as connection:
        for each in ALL:
            await connection.execute(delete(each))
    await memory.flags.change(ACME, {"graph": False}, reset=[])

    await relinker(memory, store).relink(Progress())

    assert await names(memory.store) == {}


@pytest.mark.parametrize("what", ["message", "conversation"])
async def test_what_is_erased_meanwhile_is_not_linked(
    memory: Memory, store: SqlStore, stored: Stored, what: str
) -> None:
    """Between the look at a portion and its write."""

    async def erase() -> None:
        if what == "message":
            await memory.forgetter.message(ACME, stored.message_ids[0])
        else:
            await memory.forgetter.conversation(ACME, stored.conversation_id)

    linker = ErasingFirst(Linker(store=memory.store, new_id=uuid7), erase)

    await replace(relinker(memory, store), linker=linker).relink(Progress())

    left = {"Apollo": 1, "Redis": 1, "Anna": 1, "Leeds": 1} if what == "message" else {}
    assert await names(memory.store) == left
    assert await names(memory.store, user_id="bob") == {"Anna": 1, "Redis": 1}
    assert await wrong(store) == []
