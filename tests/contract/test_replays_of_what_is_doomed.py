"""What is out of reach is in no replay, before a byte of it is erased, nor afterwards."""

from collections.abc import AsyncIterator
from dataclasses import replace
from uuid import UUID

import pytest
from httpx import AsyncClient

from app.domain.ids import LOCAL_TENANT, ConversationId
from app.ports.store import Store
from app.services.distilling.linking import Linker
from app.services.distilling.summarising import SummaryStep
from tests.api.speaking import Json, context, get, said
from tests.fakes import Memory
from tests.over_memory import talking_over
from tests.stored import erase_the_rest

CANARY = "Zanzibar"
QUERY = f"Does Anna {CANARY} work on Apollo, and who lives in {CANARY}?"
DOOMED = [
    f"Anna {CANARY} works on Apollo.",
    f"I live in {CANARY}.",
    f"Apollo depends on {CANARY}DB, {CANARY}DB depends on Redis.",
]
KEPT = ["Anna works on Apollo, too.", "I love cheese."]
ALICE: Json = {"user_id": "alice"}


@pytest.fixture
async def memory(store: Store) -> Memory:
    memory = Memory(store)
    steps = [Linker(store=store, new_id=memory.ids), *memory.consolidator.steps]
    steps.append(SummaryStep(summariser=memory.summariser, tokens=1))
    memory.consolidator = replace(memory.consolidator, steps=steps)
    return memory


@pytest.fixture
async def client(memory: Memory) -> AsyncIterator[AsyncClient]:
    async with talking_over(memory) as client:
        yield client


async def tell(client: AsyncClient, memory: Memory, *texts: str) -> Json:
    body = {**ALICE, "messages": [said(each) for each in texts]}
    answer = await client.post("/conversations", json=body)
    assert answer.status_code == 201, answer.text
    await memory.distil()
    await memory.index()
    stored: Json = answer.json()
    return stored


@pytest.mark.parametrize("form", ["json", "markdown", "messages"])
@pytest.mark.parametrize("kinds", [{None, "fact"}, {"message", "fact"}, {"summary"}])
async def test_a_replay_tells_nothing_of_what_is_about_to_be_erased(
    client: AsyncClient, memory: Memory, form: str, kinds: set[str | None]
) -> None:
    """
    Neither a message nor its summary, fact, entity, name of an entity, or line of a profile.

    Of what is shown of it `kinds` are the types; None is the history of a running conversation.
    """
    purposes = {"purposes": {"profile": True, "facts": True}}
    await client.put("/users/alice/consent", json=purposes)
    await tell(client, memory, *KEPT)
    doomed = await tell(client, memory, *DOOMED)
    asked: Json = {"conversation_id": doomed["id"]} if None in kinds else {**ALICE}
    if "summary" in kinds:
        asked |= {"filters": {"types": ["summary", "profile"]}}
    bundle = await context(client, QUERY, format=form, explain=True, **asked)
    path = f"/bundles/{bundle['bundle_id']}"
    told = await get(client, path)
    assert CANARY in str(told["related_entities"])
    assert CANARY in str(told["user_profile"])
    shown = told["recent_history"] + told["retrieved_memories"]
    assert {each.get("type") for each in shown if CANARY in each["content"]} == kinds

    async with memory.forgetter.desk.erasing(LOCAL_TENANT) as erasing:
        out_of_reach = await erasing.transaction.erase.conversation(
            ConversationId(UUID(doomed["id"])), now=memory.clock()
        )
    before = await client.get(path)
    await erase_the_rest(memory.store, out_of_reach)
    after = await client.get(path)

    for replayed in (before, after):
        assert replayed.status_code == 200, replayed.text
        assert CANARY not in replayed.text
        related = [each["name"] for each in replayed.json()["related_entities"]]
        assert sorted(related) == ["Anna", "Apollo"]
        assert replayed.json()["recent_history"] == []
        assert not [each for each in replayed.json()["messages"] or [] if not each["content"]]
    assert before.json()["retrieved_memories"] == after.json()["retrieved_memories"]


async def test_the_graph_names_nothing_that_only_what_is_doomed_says(
    client: AsyncClient, memory: Memory
) -> None:
    await tell(client, memory, *KEPT)
    doomed = await tell(client, memory, *DOOMED)
    listed = await get(client, "/entities", **ALICE)
    (anna,) = (each for each in listed["items"] if each["name"] == f"Anna {CANARY}")
    async with memory.forgetter.desk.erasing(LOCAL_TENANT) as erasing:
        await erasing.transaction.erase.conversation(
            ConversationId(UUID(doomed["id"])), now=memory.clock()
        )
    listed = await get(client, "/entities", **ALICE)
    assert sorted(each["name"] for each in listed["items"]) == ["Anna", "Apollo"]
    assert CANARY not in str(listed)
    assert CANARY not in str(await get(client, f"/entities/{anna['id']}"))
    found = await get(client, "/entities", **ALICE, q=CANARY)
    assert found["items"] == []
