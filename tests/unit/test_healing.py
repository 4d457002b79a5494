import numpy as np
import pytest

from app.adapters.sql.store import SqlStore
from app.domain.conversation import ConversationChanges
from app.domain.memory import Table, item_key
from app.services.indexing.indexer import IndexerLimits
from tests.factories import ACME
from tests.fakes import Memory
from tests.fakes_vectors import point

ROWS = range(1, 9)
KEYS = [item_key(Table.MESSAGE, row) for row in ROWS]


@pytest.fixture
async def memory(store: SqlStore) -> Memory:
    """Eight messages, indexed."""
    memory = Memory(store, limits=IndexerLimits(batch=3, idle=0.01))
    await memory.say(*(f"tea number {row}" for row in ROWS))
    await memory.index()
    assert await memory.vectors.all() == KEYS
    return memory


async def test_where_index_and_truth_agree_there_is_nothing_to_heal(memory: Memory) -> None:
    assert not memory.healer.healthy
    assert await memory.healer.heal() == (0, 0)
    assert memory.healer.healthy
    assert (await memory.outbox()).depth == 0


async def test_strangers_are_removed(memory: Memory) -> None:
    vector = np.ones(memory.embedder.dimension, np.float32)
    strangers = [4_000, 4_004, 4_008, 4_012, 4_016]
    await memory.vectors.upsert([point(key, vector) for key in strangers])

    assert await memory.healer.heal() == (5, 0)
    assert await memory.vectors.all() == KEYS


async def test_what_is_missing_is_put_back_without_embedding_again(memory: Memory) -> None:
    await memory.vectors.remove(KEYS[2:7])
    memory.embedder.embedded.clear()

    assert await memory.healer.heal() == (0, 5)
    assert (await memory.outbox()).depth == 5
    await memory.index()

    assert await memory.vectors.all() == KEYS
    assert memory.embedder.embedded == []


async def test_an_index_that_was_lost_is_rebuilt(memory: Memory) -> None:
    await memory.vectors.remove(KEYS)
    await memory.healer.heal()
    await memory.index()
    assert await memory.vectors.all() == KEYS


async def test_healing_twice_notes_what_is_missing_once(memory: Memory) -> None:
    await memory.vectors.remove(KEYS[:2])
    await memory.healer.heal()
    await memory.healer.heal()
    assert (await memory.outbox()).depth == 2


async def test_archived_conversations_are_strangers(memory: Memory) -> None:
    stored = await memory.say("tea number 9")
    await memory.ingestor.change(
        ACME,
        stored.conversation_id,
        ConversationChanges(given=frozenset(["archived"]), archived=True),
    )
    assert await memory.healer.heal() == (8, 0)
    assert await memory.vectors.all() == []


async def test_healing_is_tried_until_it_succeeds(memory: Memory) -> None:
    await memory.vectors.remove(KEYS[:1])
    memory.vectors.down = True
    await memory.reviver.tick()
    assert not memory.healer.healthy

    memory.vectors.down = False
    await memory.reviver.tick()
    assert memory.healer.healthy
    assert (await memory.outbox()).depth == 1


async def test_what_was_healed_once_is_left_to_the_indexer(memory: Memory) -> None:
    await memory.reviver.tick()
    await memory.vectors.remove(KEYS[:1])
    await memory.reviver.tick()
    assert (await memory.outbox()).depth == 0


async def test_an_index_that_gets_lost_is_incomplete_until_it_is_filled_again(
    memory: Memory,
) -> None:
    await memory.reviver.tick()
    assert memory.healer.complete

    memory.vectors.lost = True
    await memory.reviver.tick()
    assert (memory.healer.healthy, memory.healer.complete) == (True, False)
    await memory.reviver.tick()
    assert not memory.healer.complete

    memory.clock.forward(1)
    await memory.say("tea number 9")
    await memory.index()
    await memory.reviver.tick()
    assert memory.healer.complete
    assert len(await memory.vectors.all()) == 9


async def test_what_was_never_indexed_is_no_loss(memory: Memory) -> None:
    await memory.say("tea number 9")
    assert await memory.healer.heal() == (0, 1)
    assert memory.healer.complete


async def test_who_comes_back_from_an_outage_is_compared_again(memory: Memory) -> None:
    await memory.reviver.tick()
    memory.vectors.down = True
    await memory.reviver.tick()
    memory.vectors.down = False
    await memory.vectors.remove(KEYS[:3])

    await memory.reviver.tick()

    assert (await memory.outbox()).depth == 3


async def test_the_longer_something_is_away_the_less_often_it_is_looked_for(
    memory: Memory,
) -> None:
    pauses = []
    memory.embedder.down = True
    for _ in range(8):
        await memory.reviver.tick()
        pauses.append(memory.reviver.pause)
    memory.embedder.down = False
    await memory.reviver.tick()

    assert pauses == [1, 2, 4, 8, 16, 30, 30, 30]
    assert memory.reviver.pause == 1
