"""What is left out stops nothing, and nothing is made of it or taken away for it meanwhile."""

from dataclasses import dataclass, replace

import pytest

from app.adapters.sql.store import SqlStore
from app.domain.conversation import NewConversation, NewMessage, Role
from app.domain.ids import ConversationKey
from app.domain.memory import ItemType
from app.services.distilling.step import Portion
from tests.factories import ACME, NOON
from tests.fakes import Memory
from tests.stored import items_of

LISBON = "I live in Lisbon."
POISON = "We decided on the red poison 7.7.7 for the ledger service."
TALK = [f"We agreed to ship ledger {n} of the new service in week {n}." for n in range(30)]


@dataclass
class Stumbling:
    """A step with a mistake in it, which shows with one message only."""

    over: str
    by_message: bool = True

    async def distil(self, portion: Portion) -> None:
        if any(self.over in (each.content or "") for each in portion.messages):
            raise RecursionError


@pytest.fixture
def memory(store: SqlStore) -> Memory:
    memory = Memory(store)
    limits = replace(memory.consolidator.limits, attempts=1)
    memory.consolidator.limits = limits
    return memory


async def say(memory: Memory, *said: str) -> None:
    messages = [
        NewMessage(role=Role.USER, name="Alice", content=each, created_at=NOON) for each in said
    ]
    new = NewConversation(user_id="alice", external_id="chat", messages=messages)
    await memory.ingestor.ingest(ACME, new)
    await memory.distil()


async def contents(memory: Memory, kind: ItemType) -> dict[str | None, str]:
    found = await items_of(memory.store, type=kind)
    return {each.subject: each.content for each in found}


async def test_facts_and_summaries_are_made_of_the_others(memory: Memory) -> None:
    memory.clock.forward(3 * 86_400)
    memory.consolidator.steps = [Stumbling("poison"), *memory.consolidator.steps]
    await say(memory, LISBON, POISON, *TALK)

    assert "Alice lives in Lisbon" in (await contents(memory, ItemType.FACT)).values()
    summaries = await contents(memory, ItemType.SUMMARY)
    assert len(summaries) == 3  # of the conversation, the day and the week
    assert not any("poison" in each for each in summaries.values())
    assert len(await memory.consolidator.given_up(ACME)) == 1


async def test_of_what_is_left_out_nothing_is_taken_away(memory: Memory) -> None:
    await say(memory, LISBON, "I like tea.")
    before = await contents(memory, ItemType.FACT)
    facts, *others = memory.consolidator.steps

    memory.consolidator.steps = [Stumbling("Lisbon"), *others]
    memory.clock.forward(60)
    await memory.consolidator.anew(ConversationKey(0))
    await memory.distil()
    left = await contents(memory, ItemType.FACT)
    assert list(left.values()) == ["Alice lives in Lisbon"]  # nobody looked for the other one

    memory.consolidator.steps = [facts, *others]
    memory.clock.forward(60)
    await memory.consolidator.anew(ConversationKey(0))
    await memory.distil()
    assert await contents(memory, ItemType.FACT) == before
    assert await memory.consolidator.given_up(ACME) == []
