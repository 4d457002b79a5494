"""What nobody would derive any more goes once all is gone through anew; nothing else does."""

import pytest

from app.adapters.sql.store import SqlStore
from app.domain.conversation import NewConversation, NewMessage, Role
from app.domain.ids import ConversationKey, MessageId
from app.domain.memories import MemoryChanges, NewMemory
from app.domain.memory import ItemType
from app.services.distilling.outdated import OutdatedStep
from app.services.writing.ingest import Stored
from tests.factories import ACME, NOON
from tests.fakes import Memory
from tests.stored import items_of

LISBON = "I live in Lisbon."


@pytest.fixture
def memory(store: SqlStore) -> Memory:
    return Memory(store)


async def say(memory: Memory, *said: str, chat: str = "chat") -> Stored:
    messages = [
        NewMessage(role=Role.USER, name="Alice", content=each, created_at=NOON) for each in said
    ]
    new = NewConversation(user_id="alice", external_id=chat, messages=messages)
    stored = await memory.ingestor.ingest(ACME, new)
    await memory.distil()
    return stored


async def old_rule(memory: Memory, content: str, *said_by: MessageId, **about: object) -> None:
    """A fact as a worker of before drew it."""
    told = {"type": ItemType.FACT, "derived": True, "user_id": "alice", **about}
    new = NewMemory(content=content, derived_from=list(said_by), **told)  # type: ignore[arg-type]
    await memory.keeper.keep(ACME, [new])


async def facts(memory: Memory) -> list[str]:
    return sorted(each.content for each in await items_of(memory.store, type=ItemType.FACT))


async def anew(memory: Memory) -> None:
    memory.clock.forward(60)
    await memory.consolidator.anew(ConversationKey(0))
    await memory.distil()


async def test_what_no_rule_finds_any_more_goes(memory: Memory) -> None:
    stored = await say(memory, LISBON, "The weather is fine.")
    await old_rule(memory, "Alice is weather", stored.message_ids[1])
    before = [each for each in await items_of(memory.store) if "Lisbon" in each.content]
    for _ in range(2):
        await anew(memory)
        assert await items_of(memory.store, type=ItemType.FACT) == before


async def test_without_going_through_all_of_it_nothing_goes(memory: Memory) -> None:
    stored = await say(memory, LISBON)
    await old_rule(memory, "Alice is weather", stored.message_ids[0])
    await say(memory, "I like tea.")
    assert "Alice is weather" in await facts(memory)


async def test_what_users_wrote_or_changed_stays(memory: Memory) -> None:
    stored = await say(memory, LISBON, "The weather is fine.")
    await old_rule(memory, "Alice is weather", stored.message_ids[1], derived=False)
    (fact,) = [each for each in await items_of(memory.store) if "Lisbon" in each.content]
    changes = MemoryChanges(given=frozenset({"content"}), content="Alice lives in Porto")
    await memory.keeper.change(ACME, fact.id, changes)
    await anew(memory)
    left = await facts(memory)
    assert {"Alice is weather", "Alice lives in Porto"} <= set(left)


async def test_what_another_conversation_says_stays_as_its_own(memory: Memory) -> None:
    first = await say(memory, "The weather is fine.")
    second = await say(memory, "So it is.", chat="other")
    await old_rule(memory, "Sun", first.message_ids[0], second.message_ids[0])
    await say(memory, LISBON, chat="third")
    await say(memory, LISBON, chat="fourth")
    await anew(memory)
    assert await facts(memory) == ["Alice lives in Lisbon"]


async def test_of_what_is_switched_off_nothing_goes(memory: Memory) -> None:
    stored = await say(memory, LISBON)
    await old_rule(memory, "Alice is weather", stored.message_ids[0])
    await memory.flags.change(ACME, {"facts": False}, reset=[])
    await anew(memory)
    assert await facts(memory) == ["Alice is weather", "Alice lives in Lisbon"]


async def test_what_a_model_found_stays_while_there_is_one(memory: Memory) -> None:
    stored = await say(memory, LISBON)
    about = {"metadata": {"confidence": 0.7}}
    await old_rule(memory, "Alice is weather", stored.message_ids[0], **about)
    steps, memory.consolidator.steps = memory.consolidator.steps, [OutdatedStep(has_model=True)]
    await anew(memory)
    assert await facts(memory) == ["Alice is weather"]
    memory.consolidator.steps = steps
    await anew(memory)
    assert await facts(memory) == ["Alice lives in Lisbon"]
