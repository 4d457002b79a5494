"""Messages are rated as they are stored; what the caller gave wins."""

from typing import Any

import pytest

from app.adapters.sql.store import SqlStore
from app.domain.conversation import NewConversation, NewMessage, Role
from app.domain.ids import ItemKey
from app.ports import RecallFilter
from tests.factories import ACME
from tests.fakes import Memory
from tests.stored import last_of, scope_now

DECIDED = "We decided on PostgreSQL 16 for the ledger service."


@pytest.fixture
def memory(store: SqlStore) -> Memory:
    return Memory(store)


async def counted(memory: Memory, message: NewMessage, **about: Any) -> list[int]:
    """The importances that ranking sees."""
    new = NewConversation(user_id="alice", external_id="chat", messages=[message], **about)
    await memory.ingestor.ingest(ACME, new)
    scopes = [(await scope_now(memory.store)).key]
    async with memory.store.observe() as observations:
        keys = await observations.recallable(after=ItemKey(0), limit=9)
    async with memory.store.read(ACME) as snapshot:
        found = await snapshot.recall.surrounded(
            keys, within=RecallFilter(scopes=scopes), model="mini"
        )
    return list(found.recalled.importance)


async def test_ranking_counts_what_the_caller_gave_and_no_rating(memory: Memory) -> None:
    assert await counted(memory, NewMessage(role=Role.USER, content=DECIDED)) == [5]


async def test_small_talk_is_rated_low(memory: Memory) -> None:
    stored = await memory.say("Hi, how are you?", "Thanks, bye!")
    async with memory.store.read(ACME) as snapshot:
        found = await snapshot.conversations.get(stored.conversation_id)
        tail = await last_of(snapshot.messages, found.key, limit=2)
    assert all(each.rating and each.rating.importance < 5 for each in tail)


async def test_the_message_keeps_what_the_caller_gave_it(memory: Memory) -> None:
    said = NewMessage(role=Role.USER, content=DECIDED, importance=2)
    assert await counted(memory, said, importance=7) == [2]


async def test_so_does_a_message_of_a_conversation_that_has_an_importance(memory: Memory) -> None:
    said = NewMessage(role=Role.USER, content=DECIDED)
    assert await counted(memory, said, importance=7) == [7]


async def test_the_rating_is_told_and_metadata_stays_the_callers(memory: Memory) -> None:
    said = NewMessage(role=Role.USER, content=DECIDED, metadata={"mine": 1})
    stored = await memory.ingestor.ingest(ACME, NewConversation(messages=[said]))
    async with memory.store.read(ACME) as snapshot:
        found = await snapshot.conversations.get(stored.conversation_id)
        (message,) = await last_of(snapshot.messages, found.key, limit=1)
    assert message.metadata == {"mine": 1}
    assert message.importance is None
    assert message.rating is not None
    assert (message.rating.kind, message.rating.importance) == ("decision", 9)
    assert "ledger" in message.rating.topics


@pytest.mark.parametrize("role", [Role.SYSTEM, Role.TOOL])
async def test_what_programs_say_is_not_rated(memory: Memory, role: Role) -> None:
    prepared = await memory.ingestor.preparer.prepare(
        [NewMessage(role=role, content=DECIDED)],
        conversation=(await memory.say("x")).conversation_id,
        said_at=memory.clock(),
    )
    assert prepared[0].message.rating is None
