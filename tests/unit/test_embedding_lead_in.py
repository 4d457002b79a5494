"""A brief message is embedded with what leads in to it, and anew when that is erased."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from app.adapters.sql.store import SqlStore
from app.ports import RecallFilter
from app.ports.embedding import Packed
from app.ports.projecting import VectorItem
from app.ranking import Floats
from app.ranking.pool import pack_vector
from app.ranking.query import midway
from app.services.indexing.embedding import newly_embedded
from tests.factories import ACME
from tests.fakes import Memory

TALK = ("Which cabin?", "the red one")
TOGETHER = "\n".join(TALK)


@pytest.fixture
def memory(store: SqlStore) -> Memory:
    return Memory(store)


async def stored(memory: Memory) -> Sequence[VectorItem]:
    keys = await memory.vectors.all()
    async with memory.store.observe() as observations:
        return await observations.to_index(keys, model=memory.embedder.model)


def read(memory: Memory, *texts: str) -> list[Floats]:
    return list(memory.embedder.vectors(texts))


async def test_its_vector_is_midway_between_itself_and_the_two_together(memory: Memory) -> None:
    await memory.say(*TALK)
    await memory.index()
    assert memory.embedder.embedded == [*TALK, TOGETHER]
    first, second = await stored(memory)
    cabin, red, both = read(memory, *TALK, TOGETHER)
    assert (first.vector, first.in_context) == (pack_vector(cabin), None)
    assert (second.vector, second.in_context) == (pack_vector(red), pack_vector(midway(red, both)))
    within = RecallFilter(scopes=[first.scope])
    found = dict(await memory.vectors.search(both, within=within, limit=9))
    assert found[second.key] > found[first.key]


async def test_what_is_said_several_times_is_read_once(memory: Memory) -> None:
    for chat in ("one", "other"):
        await memory.say(*TALK, external_id=chat)
    await memory.index()
    assert sorted(memory.embedder.embedded) == sorted([*TALK, TOGETHER])


async def test_a_memory_of_the_same_words_does_not_keep_it_from_being_read(memory: Memory) -> None:
    await memory.say(*TALK)
    await memory.index()
    first, second = await stored(memory)
    fact = replace(first, text=TALK[1], vector=None, same=Packed(b"\1\2"))
    brief = replace(second, vector=None, in_context=None, lead_in=[TALK[0]])
    red, both = read(memory, TALK[1], TOGETHER)
    fresh = await newly_embedded([fact, brief], memory.embedder)
    assert fresh.embedded.keys() == {fact.key, brief.key}
    assert fresh.indexed(brief) == pack_vector(midway(red, both))


async def test_nothing_of_an_erased_message_stays_in_the_vectors_of_others(memory: Memory) -> None:
    said = await memory.say(*TALK)
    await memory.index()
    async with memory.store.write(ACME) as transaction:
        await transaction.erase.message(said.message_ids[0], now=memory.clock())
    await memory.index()
    (left,) = await stored(memory)
    (alone,) = read(memory, TALK[1])
    assert (left.vector, left.in_context) == (pack_vector(alone), None)
    within = RecallFilter(scopes=[left.scope])
    ((found, cosine),) = await memory.vectors.search(alone, within=within, limit=9)
    assert found == left.key
    assert cosine == pytest.approx(1, abs=1e-3)
