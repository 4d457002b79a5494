"""Another model takes over once its vectors are complete, and not before."""

import shutil
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from app.adapters.late import LateVectorIndex
from app.adapters.sql.store import SqlStore
from app.adapters.vectors import open_edge_index
from app.domain.errors import EmbedderUnavailable
from app.domain.ids import MessageId
from app.ranking import Floats
from app.services.indexing.generations import Generation, Generations
from app.services.indexing.reviving import SearchWatch
from app.services.indexing.succession import Successor
from tests.factories import ACME
from tests.fakes import Memory, TroubledVectors
from tests.fakes_embedder import FakeEmbedder
from tests.stored import packed


class CountingEmbedder(FakeEmbedder):
    """Tells what it embedded; may be down."""

    def __init__(self, dimension: int) -> None:
        super().__init__(dimension)
        self.embedded: list[str] = []
        self.down = False

    async def mend(self) -> bool:
        return False

    async def embed(self, texts: Sequence[str]) -> Floats:
        if self.down:
            raise EmbedderUnavailable
        self.embedded += texts
        return await super().embed(texts)


class House:
    """A memory whose model is about to change, from 64 dimensions to 32."""

    def __init__(self, memory: Memory, vectors: TroubledVectors | None = None) -> None:
        self.memory = memory
        self.embedder = CountingEmbedder(32)
        self.vectors = vectors or TroubledVectors(32)
        old = Generation(memory.embedder, memory.vectors)
        self.generations = Generations(old, coming=Generation(self.embedder, self.vectors))
        self.retired: list[Sequence[str]] = []
        self.successor = Successor(
            store=memory.store,
            generations=self.generations,
            clock=memory.clock,
            retire=self.retire,
            rest=0.0,
        )
        memory.indexer.follow = self.successor.follow

    async def retire(self, kept: Sequence[str]) -> None:
        self.retired.append(kept)

    async def finish(self) -> None:
        for _ in range(10):
            await self.successor.tick()


@pytest.fixture
async def memory(store: SqlStore) -> Memory:
    memory = Memory(store)
    await memory.say("green tea", "black coffee")
    await memory.index()
    async with store.project() as projections:
        await projections.serve_model(memory.embedder.model)
    return memory


async def serving(memory: Memory) -> str | None:
    async with memory.store.observe() as observations:
        found = await observations.serving_model()
    return found.name if found else None


async def test_the_old_model_serves_until_the_new_one_has_everything(memory: Memory) -> None:
    house = House(memory)
    generations = house.generations

    await house.successor.tick()
    assert generations.embedder.model == "fake-64"
    assert (house.successor.done, house.successor.total) == (2, 2)
    assert await serving(memory) == "fake-64"

    await house.successor.tick()
    assert generations.embedder.model == "fake-32"
    assert generations.coming is None
    assert await serving(memory) == "fake-32"
    assert await house.vectors.count() == 2
    assert house.embedder.embedded == [
        *("green tea", "black coffee"),
        "green tea\nblack coffee",
    ]
    assert house.retired == [["fake-32", "fake-64"]]


async def test_what_is_said_and_erased_meanwhile_is_in_both(memory: Memory) -> None:
    house = House(memory)
    await house.successor.tick()
    stored = await memory.say("white milk", external_id="later")
    await memory.index()
    assert await house.vectors.count() == 3
    memory.vectors.down = False

    await memory.forgetter.message(ACME, MessageId(stored.message_ids[0]))
    await memory.index()
    await house.finish()

    assert await house.vectors.count() == 2
    assert house.generations.embedder.model == "fake-32"


async def test_what_the_new_model_missed_is_made_up_for(memory: Memory) -> None:
    house = House(memory)
    await house.successor.tick()
    house.embedder.down = True
    await memory.say("white milk", external_id="later")
    await memory.index()
    assert await memory.vectors.count() == 3
    assert house.generations.coming is not None
    house.embedder.down = False

    await house.finish()

    assert await house.vectors.count() == 3
    assert house.generations.embedder.model == "fake-32"


async def test_what_is_erased_after_the_change_is_gone_from_the_old_index(memory: Memory) -> None:
    house = House(memory)
    stored = await memory.say("white milk", external_id="later")
    await memory.index()
    await house.finish()
    assert house.generations.former is not None
    assert (await memory.vectors.count(), await house.vectors.count()) == (3, 3)

    forgetter = replace(memory.forgetter, vectors=house.generations.everywhere)
    forgotten = await forgetter.message(ACME, MessageId(stored.message_ids[0]))

    assert (forgotten.vectors, forgotten.remaining) == (1, 0)
    assert (await memory.vectors.count(), await house.vectors.count()) == (2, 2)


async def test_the_receipt_counts_what_an_index_of_before_still_holds(memory: Memory) -> None:
    house = House(memory)
    stored = await memory.say("white milk", external_id="later")
    await memory.index()
    await house.finish()
    memory.vectors.down = True

    forgetter = replace(memory.forgetter, vectors=house.generations.everywhere)
    forgotten = await forgetter.message(ACME, MessageId(stored.message_ids[0]))

    assert (forgotten.remaining, sorted(forgotten.left.unasked)) == (1, ["vectors"])


async def test_a_restart_goes_on_without_embedding_again(memory: Memory) -> None:
    first = House(memory)
    await first.successor.tick()
    again = House(memory, first.vectors)
    await again.finish()
    assert again.embedder.embedded == []
    lost = House(memory)
    await lost.finish()
    assert lost.embedder.embedded == []
    assert await lost.vectors.count() == 2


async def test_a_request_holds_on_to_its_generation(memory: Memory) -> None:
    house = House(memory)
    generations = house.generations
    await house.successor.tick()
    with generations.holding():
        await house.successor.tick()
        assert generations.coming is None
        assert generations.embedder.dimension == 64
        vector = (await generations.embedder.read_query("tea")).vector
        assert vector.shape == (64,)
        assert await generations.vectors.count() == 2
    assert generations.embedder.dimension == 32
    assert generations.embedder.model == "fake-32"


async def test_what_is_indexed_while_they_change_places_is_in_the_one_that_serves(
    memory: Memory,
) -> None:
    house = House(memory)
    generations = house.generations
    await house.successor.tick()
    with generations.holding():
        await house.successor.tick()
        assert generations.coming is None
        await memory.say("white milk", external_id="later")
        await memory.index()
    assert await house.vectors.count() == 3
    assert generations.ahead is None


async def test_an_outage_of_the_new_model_keeps_the_old_one_serving(memory: Memory) -> None:
    house = House(memory)
    house.embedder.down = True
    await house.finish()
    assert house.generations.embedder.model == "fake-64"
    house.embedder.down = False
    await house.finish()
    assert house.generations.embedder.model == "fake-32"


@pytest.mark.parametrize("opened", [False, True])
async def test_an_index_that_is_away_or_lost_is_opened_while_it_is_built(
    memory: Memory, tmp_path: Path, *, opened: bool
) -> None:
    vectors = LateVectorIndex(partial(open_edge_index, tmp_path / "new", dimension=32))
    house = House(memory)
    house.generations.coming = Generation(house.embedder, vectors)
    if opened:
        await vectors.mend()
        shutil.rmtree(tmp_path / "new")
    await house.finish()
    assert house.generations.embedder.model == "fake-32"
    assert await house.generations.vectors.count() == 2
    await vectors.aclose()


async def test_an_index_of_before_that_is_lost_is_opened_anew(memory: Memory) -> None:
    house = House(memory)
    await house.finish()
    memory.vectors.lost = True
    watch = SearchWatch(
        embedder=house.generations.embedder,
        vectors=house.generations.vectors,
        healer=memory.healer,
        indexer=memory.indexer,
        others=house.generations.everywhere,
    )
    await watch.look(doubtful=False)
    assert not memory.vectors.lost


async def test_of_older_models_nothing_is_kept(memory: Memory) -> None:
    async with memory.store.observe() as observations:
        keys = await observations.recallable(after=0, limit=9)  # type: ignore[arg-type]
    async with memory.store.project() as projections:
        ancient = dict.fromkeys(keys, b"\1\2")
        await projections.keep_vectors(
            packed(ancient), model="ancient", dimension=1, now=memory.clock()
        )
    await House(memory).finish()
    async with memory.store.read(ACME) as snapshot:
        assert (await snapshot.counts()).embeddings == 4


async def test_a_model_that_is_gone_leaves_an_index_that_says_so(memory: Memory) -> None:
    new = Generation(CountingEmbedder(32), TroubledVectors(32))
    generations = Generations(new, whole=False)
    house = House(memory)
    successor = Successor(
        store=memory.store,
        generations=generations,
        clock=memory.clock,
        retire=house.retire,
    )
    assert successor.building is new
    await successor.tick()
    assert not generations.whole
    await successor.tick()
    assert generations.whole
    assert successor.building is None
