import asyncio
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.adapters.sql.database import open_database
from app.adapters.sql.store import SqlStore
from app.domain.errors import IndexingGivenUp, StoreUnavailable
from app.domain.ids import ERASED, MessageId
from app.domain.memory import Table, item_key
from app.services.common.pacing import Traffic
from app.services.indexing.indexer import IndexerLimits
from app.services.writing.waiting import IndexWaiter
from tests.factories import ACME
from tests.fakes import Memory

MESSAGE_1, MESSAGE_2, MESSAGE_3 = (item_key(Table.MESSAGE, row) for row in (1, 2, 3))


@dataclass(kw_only=True)
class Road(Traffic):
    """Counts how often somebody was seen."""

    times: int = 0

    def seen(self) -> None:
        self.times += 1


@pytest.fixture
def memory(store: SqlStore) -> Memory:
    return Memory(store, limits=IndexerLimits(batch=10, attempts=3, idle=0.01))


async def test_what_was_said_becomes_vectors(memory: Memory) -> None:
    await memory.say("green tea", "black coffee")
    assert (await memory.outbox()).depth == 2

    await memory.index()

    assert await memory.vectors.all() == [MESSAGE_1, MESSAGE_2]
    assert memory.embedder.embedded == ["green tea", "black coffee", "green tea\nblack coffee"]
    assert memory.telemetry.items_indexed == 2
    assert (await memory.outbox()).depth == 0


async def test_what_several_messages_say_is_embedded_once(memory: Memory) -> None:
    await memory.say("green tea", "black coffee", "green tea")
    await memory.index()
    assert await memory.vectors.all() == [MESSAGE_1, MESSAGE_2, MESSAGE_3]
    assert memory.embedder.embedded == [
        *("green tea", "black coffee"),
        *("green tea\nblack coffee", "green tea\nblack coffee\ngreen tea"),
    ]


async def test_without_work_there_is_nothing_to_do(memory: Memory) -> None:
    assert not await memory.indexer.work_once()
    await memory.indexer.work()
    assert memory.telemetry.items_indexed == 0


async def test_a_poison_item_goes_dead_alone_after_its_attempts(memory: Memory) -> None:
    await memory.say("green tea", "poison", "black coffee")
    memory.embedder.poison = "poison"

    await memory.index()
    first = await memory.outbox()
    assert await memory.vectors.all() == [MESSAGE_1, MESSAGE_3]
    assert (first.depth, first.dead) == (1, 0)

    for _ in range(2):
        memory.clock.forward(3_600)
        await memory.index()
    last = await memory.outbox()
    assert (last.depth, last.dead) == (0, 1)

    memory.clock.forward(3_600)
    assert not await memory.indexer.work_once()


async def test_a_retry_waits_longer_each_time(memory: Memory) -> None:
    await memory.say("poison")
    memory.embedder.poison = "poison"
    await memory.index()

    memory.clock.forward(0.4)
    assert not await memory.indexer.work_once()
    memory.clock.forward(0.2)
    assert await memory.indexer.work_once()
    memory.clock.forward(0.6)
    assert not await memory.indexer.work_once()


@pytest.mark.parametrize("part", ["embedder", "vectors"])
async def test_an_outage_makes_no_dead_letters(memory: Memory, part: str) -> None:
    await memory.say("green tea", "black coffee")
    broken = getattr(memory, part)
    broken.down = True
    for _ in range(20):
        await memory.index()
        memory.clock.forward(3_600)
    during = await memory.outbox()
    assert (during.depth, during.dead) == (2, 0)

    broken.down = False
    await memory.index()

    assert await memory.vectors.all() == [MESSAGE_1, MESSAGE_2]
    assert (await memory.outbox()).depth == 0


async def test_an_outage_counts_as_no_attempt(memory: Memory) -> None:
    await memory.say("poison")
    memory.vectors.down = True
    for _ in range(20):
        await memory.index()
        memory.clock.forward(3_600)
    memory.vectors.down = False
    memory.embedder.poison = "poison"

    await memory.index()

    assert ((await memory.outbox()).depth, (await memory.outbox()).dead) == (1, 0)


async def test_what_was_given_up_keeps_nobody_waiting(memory: Memory) -> None:
    await memory.say("poison")
    memory.embedder.poison = "poison"
    for _ in range(3):
        await memory.index()
        memory.clock.forward(3_600)
    assert (await memory.outbox()).dead == 1

    async with memory.store.read(ACME) as snapshot:
        assert await snapshot.indexed_until(2**40)


async def test_who_waits_for_what_was_given_up_is_told_so(memory: Memory) -> None:
    waiter = IndexWaiter(memory.store, memory.indexer)
    memory.embedder.poison = "poison"
    bad = await memory.say("poison")
    for _ in range(3):
        await memory.index()
        memory.clock.forward(3_600)
    good = await memory.say("green tea")
    await memory.index()

    with pytest.raises(IndexingGivenUp) as refused:
        await waiter.wait(
            ACME, bad.outbox_key, of=bad.message_ids, seconds=60, facts={"indexed": False}
        )
    assert refused.value.facts == {"dead_letters": 1, "indexed": False}
    await waiter.wait(ACME, good.outbox_key, of=good.message_ids[-1:], seconds=60, facts={})


async def test_after_an_outage_of_the_index_everything_is_in_it(memory: Memory) -> None:
    await memory.say("green tea")
    memory.vectors.down = True
    await memory.index()
    memory.vectors.down = False
    memory.clock.forward(3_600)
    await memory.index()
    assert await memory.vectors.all() == [MESSAGE_1]


async def test_what_is_deleted_while_it_is_embedded_does_not_come_back(memory: Memory) -> None:
    stored = await memory.say("green tea", "black coffee")
    memory.embedder.gate.close()
    busy = asyncio.create_task(memory.indexer.work_once())
    await memory.embedder.gate.reached.wait()

    receipt = await memory.forgetter.message(ACME, MessageId(stored.message_ids[0]))
    memory.embedder.gate.opened.set()
    await busy

    assert receipt.remaining == 0
    assert await memory.vectors.all() == [MESSAGE_2]
    await memory.index()
    assert await memory.vectors.all() == [MESSAGE_2]


async def test_what_is_deleted_while_it_is_upserted_does_not_come_back(memory: Memory) -> None:
    stored = await memory.say("green tea", "black coffee")
    memory.vectors.upserts.close()
    busy = asyncio.create_task(memory.indexer.work_once())
    await memory.vectors.upserts.reached.wait()

    await memory.forgetter.conversation(ACME, stored.conversation_id)
    memory.vectors.upserts.opened.set()
    await busy

    assert await memory.vectors.all() == []
    async with memory.store.read(ACME) as snapshot:
        assert (await snapshot.counts()).embeddings == 0


async def test_what_is_deleted_while_the_index_is_down_is_removed_later(memory: Memory) -> None:
    stored = await memory.say("green tea")
    await memory.index()
    memory.vectors.down = True
    receipt = await memory.forgetter.message(ACME, MessageId(stored.message_ids[0]))
    await memory.index()
    memory.vectors.down = False
    assert (await memory.vectors.all(), receipt.remaining) == ([MESSAGE_1], 1)
    assert receipt.left.unasked == {"vectors"}, "nobody looked for it there"

    memory.clock.forward(3_600)
    await memory.index()

    assert await memory.vectors.all() == []


async def test_work_goes_on_when_the_database_does_not_answer(tmp_path: Path) -> None:
    database = open_database(f"sqlite+aiosqlite:///{tmp_path / 'nowhere' / 'x.db'}")
    memory = Memory(SqlStore(database), limits=IndexerLimits(idle=0.001))
    with pytest.raises(StoreUnavailable):
        await memory.indexer.work_once()
    await memory.indexer.work()
    await database.dispose()


async def test_who_waits_for_progress_is_told_of_each_batch(memory: Memory) -> None:
    await memory.say("green tea")
    waiting = asyncio.create_task(memory.indexer.progress(at_most=60))
    await asyncio.sleep(0)
    await memory.index()
    await waiting
    await memory.indexer.progress(at_most=0.001)


async def test_a_worker_that_rests_is_woken(store: SqlStore) -> None:
    memory = Memory(store, limits=IndexerLimits(idle=3_600))
    resting = asyncio.create_task(memory.indexer.work())
    while not resting.done():
        memory.indexer.wake()
        await asyncio.sleep(0.001)
    await resting


async def test_an_erasure_that_was_broken_off_is_completed_by_the_next_process(
    memory: Memory,
) -> None:
    for number in range(3):
        await memory.say(*(f"tea number {n}" for n in range(400)), external_id=f"chat {number}")
    await memory.index()
    erasing = asyncio.create_task(memory.forgetter.user(ACME, "alice"))
    while await left_to_erase(memory) in {0, 1_200}:
        pass
    erasing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await erasing
    assert await left_to_erase(memory) > 0
    async with memory.store.read(ACME) as snapshot:
        assert await snapshot.scopes.find("alice") is None
    await memory.say("a new life")

    await memory.forgetter.tick()
    await memory.index()

    assert await left_to_erase(memory) == 0
    async with memory.store.read(ACME) as snapshot:
        assert (await snapshot.counts()).messages == 1
    assert await memory.vectors.count() == 1


async def left_to_erase(memory: Memory) -> int:
    async with memory.store.read(ERASED) as snapshot:
        return (await snapshot.counts()).messages


async def test_what_was_begun_and_broken_off_is_given_back(memory: Memory) -> None:
    await memory.say("green tea")
    memory.embedder.gate.close()
    busy = asyncio.create_task(memory.indexer.work_once())
    await memory.embedder.gate.reached.wait()
    busy.cancel()
    await asyncio.gather(busy, return_exceptions=True)
    memory.embedder.gate.opened.set()

    other = Memory(memory.store)
    assert not await other.indexer.work_once()
    await memory.indexer.give_back()
    assert await other.indexer.work_once()
    await memory.indexer.give_back()
    assert (await memory.outbox()).depth == 0


async def test_the_index_is_flushed_now_and_then(store: SqlStore) -> None:
    memory = Memory(store, limits=IndexerLimits(batch=2, flush=5))
    flushed_at: list[int] = []
    for number in range(1, 7):
        await memory.say(f"tea {number}", f"coffee {number}", external_id=str(number))
        await memory.index()
        flushed_at += [number] * (memory.vectors.flushes - len(flushed_at))
    assert flushed_at == [3, 6]


async def test_an_index_that_cannot_be_flushed_is_no_failure_of_the_work(store: SqlStore) -> None:
    memory = Memory(store, limits=IndexerLimits(flush=1))
    memory.vectors.flushing_fails = True
    await memory.say("green tea")
    await memory.index()
    assert (await memory.outbox()).depth == 0


async def test_in_an_outage_the_worker_rests_between_its_tries(store: SqlStore) -> None:
    memory = Memory(store, limits=IndexerLimits(idle=3_600))
    memory.embedder.down = True
    await memory.say("green tea")
    working = asyncio.create_task(memory.indexer.work())
    while not memory.indexer._outage:  # noqa: ASYNC110  (it tells nobody)
        await asyncio.sleep(0.001)
    await asyncio.sleep(0.05)
    assert not working.done()

    while not working.done():
        memory.indexer.wake()
        await asyncio.sleep(0.001)
    assert (await memory.outbox()).depth == 1


PIECE = "The meadow lies behind the old mill, where the storks come back each spring. " * 10


async def test_what_is_brief_does_not_wait_for_all_of_a_huge_message(store: SqlStore) -> None:
    memory = Memory(store, limits=IndexerLimits(batch=10, characters=4 * len(PIECE)))
    await memory.say(*(f"{number} {PIECE}" for number in range(100)))
    await memory.indexer.work_once()
    for name in ("bob", "carol"):
        await memory.say("green tea", user_id=name)
        before = len(memory.embedder.embedded)
        await memory.indexer.work_once()
        await memory.indexer.work_once()
        assert "green tea" in memory.embedder.embedded[before:]
    assert (await memory.outbox()).depth > 50
    await memory.index()
    assert (await memory.outbox()).depth == 0
    assert await memory.vectors.count() == 102


async def test_what_waits_longest_has_its_turn_whatever_comes_later(store: SqlStore) -> None:
    memory = Memory(store, limits=IndexerLimits(batch=2))
    await memory.say("green tea", "black coffee", "white wine")
    for number in range(4):
        await memory.say(*(f"cup {number}.{each}" for each in range(3)), user_id=f"user {number}")
        await memory.indexer.work_once()
    assert {"green tea", "black coffee", "white wine"} <= set(memory.embedder.embedded)


async def test_a_batch_of_long_pieces_has_as_many_as_are_read_in_good_time(
    store: SqlStore,
) -> None:
    memory = Memory(store, limits=IndexerLimits(batch=10, characters=4 * len(PIECE) + 40))
    sizes: list[int] = []
    for message in range(2):
        texts = [f"{message} {number} {PIECE}" for number in range(30)]
        await memory.say(*texts, user_id=f"user {message}")
    while await memory.indexer.work_once():
        sizes.append(memory.telemetry.items_indexed - sum(sizes))
    assert sizes[0] == 10, "nothing is known of what waits yet"
    assert set(sizes[1:-1]) == {4}


async def test_it_is_busy_while_more_waits_than_a_batch_holds(store: SqlStore) -> None:
    memory = Memory(store, limits=IndexerLimits(batch=2))
    memory.indexer.traffic = traffic = Road()
    await memory.say("one", "two", "three")
    await memory.index()
    assert traffic.times == 1
