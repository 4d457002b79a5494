"""A sentence is embedded once, and a summary is the same whatever was known of it."""

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

from app.adapters.sql.store import SqlStore
from app.distil.gist.summary import excerpts_of
from app.domain.conversation import NewConversation, NewMessage, Role
from app.domain.errors import EmbedderUnavailable
from app.domain.memory import ItemType
from app.ranking import Floats
from app.services.distilling.sentence_vectors import SentenceVectors
from app.services.distilling.step import utterance_of
from tests.factories import ACME, NOON, a_store, prepared
from tests.fakes import Memory
from tests.fakes_embedder import FakeEmbedder
from tests.stored import items_of

DAY = timedelta(days=1)
LATER = NOON + 400 * DAY
WHOLE = "We decided on PostgreSQL 16 for the ledger service."
TWO = "The garden chairs came by train. We agreed to release version 2.4.1 on 12 May."


@pytest.fixture
def memory(store: SqlStore) -> Memory:
    return Memory(store)


def talk(*, name: str | None = None, begins: int = 0) -> list[NewMessage]:
    """Of some length, each message another one."""
    texts = [WHOLE, TWO]
    for turn in range(begins, begins + 12):
        texts += [
            f"Rack {turn} of the build machines was quiet for {turn} hours and a half.",
            f"Ticket OPS-{turn} asks for a lamp. Somebody looks after room {turn} on Monday.",
        ]
    return [
        NewMessage(
            role=Role.ASSISTANT if at % 2 else Role.USER,
            content=text,
            name=name,
            created_at=NOON + at * timedelta(seconds=1),
        )
        for at, text in enumerate(texts)
    ]


async def tell(memory: Memory, *messages: NewMessage, indexed: bool = False) -> None:
    new = NewConversation(user_id="alice", external_id="chat", messages=messages)
    await memory.ingestor.ingest(ACME, new)
    if indexed:
        await memory.index()
    await memory.distil()


async def told(memory: Memory) -> list[str]:
    found = await items_of(memory.store, at=LATER, now=LATER, type=ItemType.SUMMARY)
    return [each.content for each in found]


async def told_of(memory: Memory, *, indexed: bool, most: int) -> list[str]:
    """The summaries of a conversation that goes on, and of its day."""
    memory.sentences.most = most
    await tell(memory, *talk(), indexed=indexed)
    await tell(memory, *talk(begins=12)[2:], indexed=indexed)
    memory.clock.now = LATER
    await memory.distil()
    return await told(memory)


@pytest.mark.parametrize(("indexed", "most"), [(True, 0), (False, 1_000), (True, 1_000), (True, 5)])
async def test_summaries_are_the_same_whatever_is_known(
    store: SqlStore, tmp_path: Path, *, indexed: bool, most: int
) -> None:
    nothing_known = await told_of(Memory(store), indexed=False, most=0)
    assert len(nothing_known) > 2
    (tmp_path / "other").mkdir()
    async with a_store(tmp_path / "other") as other:
        assert await told_of(Memory(other), indexed=indexed, most=most) == nothing_known


async def test_what_is_the_whole_message_has_the_vector_of_the_message(memory: Memory) -> None:
    await tell(memory, *talk(), indexed=True)
    assert memory.embedder.embedded.count(WHOLE) == 1
    assert memory.embedder.embedded.count("The garden chairs came by train.") == 1


async def test_what_is_embedded_with_a_name_before_it_is_none_of_a_sentence(
    memory: Memory,
) -> None:
    await tell(memory, *talk(name="Ann"), indexed=True)
    assert memory.embedder.embedded.count(f"Ann: {WHOLE}") == 1
    assert memory.embedder.embedded.count(WHOLE) == 1


async def test_no_sentence_is_embedded_twice_for_conversation_and_periods(memory: Memory) -> None:
    await tell(memory, *talk())
    await tell(memory, *talk(begins=12)[2:])
    memory.clock.now = LATER
    await memory.distil()
    assert len(await told(memory)) > 2
    assert len(memory.embedder.embedded) == len(set(memory.embedder.embedded))


async def test_a_summary_of_what_is_known_needs_no_model(memory: Memory) -> None:
    await tell(memory, *talk())
    memory.embedder.down = True
    memory.clock.now = LATER
    await memory.distil()
    assert len(await told(memory)) > 2


async def test_as_many_are_remembered_as_there_is_room_for(memory: Memory) -> None:
    memory.sentences.most = 3
    await tell(memory, *talk())
    memory.embedder.down = True
    memory.clock.now = LATER
    await memory.distil()
    assert len(await told(memory)) == 1


class Switched(FakeEmbedder):
    """Becomes another model while it embeds for the first time."""

    async def embed(self, texts: Sequence[str]) -> Floats:
        vectors = await super().embed(texts)
        self._dimension = 32
        return vectors


async def test_a_model_that_changes_meanwhile_is_asked_again(memory: Memory) -> None:
    message = prepared(NewMessage(role=Role.USER, content=WHOLE)).message
    (excerpt,) = excerpts_of([(0, utterance_of(message))])
    vectors = SentenceVectors(store=memory.store, embedder=Switched())
    found = await vectors.of([excerpt], {0: message})
    assert np.allclose(found, FakeEmbedder(32).vectors([WHOLE]), atol=1e-3)


class Picky(FakeEmbedder):
    """Refuses a text, and dies after so many calls."""

    def __init__(self, *, dies_after: int = 1_000) -> None:
        super().__init__()
        self.left = dies_after

    async def embed(self, texts: Sequence[str]) -> Floats:
        self.left -= 1
        if self.left < 0 or WHOLE in texts:
            raise EmbedderUnavailable("refused")
        return await super().embed(texts)


async def picky(memory: Memory, embedder: Picky) -> Floats:
    said = [prepared(NewMessage(role=Role.USER, content=text)).message for text in (WHOLE, TWO)]
    excerpts = excerpts_of([(at, utterance_of(each)) for at, each in enumerate(said)])
    vectors = SentenceVectors(store=memory.store, embedder=embedder)
    return await vectors.of(excerpts, dict(enumerate(said)))


async def test_a_sentence_that_the_model_refuses_costs_the_others_nothing(memory: Memory) -> None:
    refused, *others = await picky(memory, Picky())
    first, second = TWO.split(". ")
    assert not refused.any()
    assert np.allclose(others, FakeEmbedder().vectors([first + ".", second]), atol=1e-3)


@pytest.mark.parametrize("dies_after", range(6))
async def test_a_model_that_dies_meanwhile_refuses_nothing(memory: Memory, dies_after: int) -> None:
    with pytest.raises(EmbedderUnavailable):
        await picky(memory, Picky(dies_after=dies_after))


async def test_of_nothing_there_is_nothing(memory: Memory) -> None:
    assert (await memory.sentences.of([], {})).shape == (0, memory.embedder.dimension)
