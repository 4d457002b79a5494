"""What is told of each part."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from app.adapters.sql.database import open_database
from app.adapters.sql.store import SqlStore
from app.domain.errors import ForewordError, StorageFull, StoreDamaged, VectorIndexUnavailable
from app.domain.ids import TenantId
from app.services.indexing.generations import Generation, Generations
from app.services.indexing.rebuilding import Rebuilder
from app.services.indexing.succession import Successor
from app.services.operating.readiness import Backlog, Readiness
from tests.factories import ACME
from tests.fakes import Memory


@pytest.fixture
def memory(store: SqlStore) -> Memory:
    return Memory(store)


async def nothing_to_retire(_: Sequence[str]) -> None:
    """There is one model only."""


async def a_readiness(memory: Memory, damage: ForewordError | None = None) -> Readiness:
    rebuilder = Rebuilder(store=memory.store)
    await rebuilder.begin()
    return Readiness(
        store=memory.store,
        embedder=memory.embedder,
        reranker=None,
        vectors=memory.vectors,
        healer=memory.healer,
        rebuilder=rebuilder,
        successor=Successor(
            store=memory.store,
            generations=Generations(Generation(memory.embedder, memory.vectors)),
            clock=memory.clock,
            retire=nothing_to_retire,
        ),
        consolidator=memory.consolidator,
        telemetry=memory.telemetry,
        clock=memory.clock,
        damage=lambda: damage,
    )


async def statuses(memory: Memory, damage: ForewordError | None = None) -> dict[str, str]:
    readiness = await a_readiness(memory, damage)
    return {name: part.status for name, part in (await readiness.parts()).items()}


async def test_a_write_that_was_refused_lately_is_told_while_reads_go_on(memory: Memory) -> None:
    refused: list[float] = []

    def lately(seconds: float) -> ForewordError:
        refused.append(seconds)
        return StorageFull("/a/path")

    readiness = replace(await a_readiness(memory), refusal=lately)
    told = (await readiness.parts())["database"]
    assert (told.status, told.facts["writes"]) == ("healing", StorageFull().title)
    assert refused == [15.0]


async def test_what_waits_is_told_while_the_index_is_down(memory: Memory) -> None:
    await memory.say("tea")
    memory.vectors.down = True
    told = (await (await a_readiness(memory)).parts())["vectors"]
    assert (told.status, told.facts["lag"], told.facts["dead_letters"]) == ("down", 1, 0)
    assert told.facts["reason"] == VectorIndexUnavailable().title
    assert "points" not in told.facts


async def test_each_part_tells_its_lag_or_that_it_is_not_known(memory: Memory) -> None:
    readiness = await a_readiness(memory)
    memory.embedder.down = memory.vectors.down = True
    parts = await readiness.parts()
    assert {name: part.facts["lag"] for name, part in parts.items()} == dict.fromkeys(parts, 0)


async def test_a_lag_that_the_database_cannot_tell_is_not_known(
    memory: Memory, tmp_path: Path
) -> None:
    gone = open_database(f"sqlite+aiosqlite:///{tmp_path / 'gone' / 'store.db'}")
    parts = await replace(await a_readiness(memory), store=SqlStore(gone)).parts()
    await gone.dispose()
    assert (parts["vectors"].status, parts["vectors"].facts["lag"]) == ("down", None)
    assert (parts["database"].status, parts["database"].facts["lag"]) == ("down", 0)


@pytest.mark.parametrize(("look_s", "asked"), [(0.0, 3), (60.0, 1)])
async def test_a_model_that_answered_is_not_asked_again_for_a_while(
    memory: Memory, look_s: float, asked: int
) -> None:
    readiness = replace(await a_readiness(memory), embedder_look_s=look_s)
    memory.embedder.down = True
    assert (await readiness.parts())["embedder"].status == "down"
    memory.embedder.down = False
    for _ in range(3):
        assert (await readiness.parts())["embedder"].status == "ok"
    assert memory.embedder.embedded.count("ready?") == asked


async def test_what_works_is_ok_once_it_was_compared(memory: Memory) -> None:
    everything = ("database", "full_text", "embedder", "vectors", "distilling")
    assert (await statuses(memory))["vectors"] == "healing"
    await memory.reviver.tick()
    assert await statuses(memory) == dict.fromkeys(everything, "ok")


async def test_an_index_that_is_being_filled_is_healing(memory: Memory) -> None:
    await memory.say("tea")
    await memory.index()
    await memory.reviver.tick()
    memory.vectors.lost = True
    await memory.reviver.tick()
    assert (await statuses(memory))["vectors"] == "healing"


async def test_damage_that_is_found_while_serving_is_told(memory: Memory) -> None:
    found = await statuses(memory, StoreDamaged("page 8"))
    assert found["database"] == "down"
    assert found["full_text"] != "down"


async def test_what_waits_is_told_of_one_tenant_or_of_all(memory: Memory) -> None:
    readiness = await a_readiness(memory)
    await memory.say("tea")
    waits = Backlog(items=1, conversations=1, periods=0, dead_items=0)
    nothing = Backlog(items=0, conversations=0, periods=0, dead_items=0)
    assert await readiness.backlog(None) == waits
    assert await readiness.backlog(ACME) == waits
    assert await readiness.backlog(TenantId("other")) == nothing
