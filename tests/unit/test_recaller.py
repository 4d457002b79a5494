"""One source that is down or late is named, and the others answer."""

import asyncio
import gc
from dataclasses import replace
from typing import Any

import pytest

from app.adapters.sql.database import open_database
from app.adapters.sql.store import SqlStore
from app.domain.context import ContextRequest, Degraded, HistoryOptions, Source
from app.domain.conversation import NewConversation, NewMessage, Role
from app.domain.ids import ConversationId, ItemKey
from app.domain.memory import Table, item_key
from app.ports.embedding import Embedding
from app.services.context.found import Found
from app.services.context.recall import Recaller
from app.services.context.situation import Situation
from tests.factories import ACME, NOON
from tests.fakes import Memory
from tests.fakes_embedder import FakeEmbedder

TEA, COFFEE, PIN = (item_key(Table.MESSAGE, row) for row in (1, 2, 3))


@pytest.fixture
async def memory(store: SqlStore) -> Memory:
    """Three messages of one conversation, indexed; the last is pinned."""
    memory = Memory(store)
    said = [
        NewMessage(role=Role.USER, content="green tea"),
        NewMessage(role=Role.ASSISTANT, content="black coffee"),
        NewMessage(role=Role.USER, content="never sugar", importance=10),
    ]
    await memory.ingestor.ingest(ACME, NewConversation(user_id="alice", messages=said))
    await memory.index()
    return memory


async def situation_of(memory: Memory, request: ContextRequest) -> Situation:
    situation = await memory.surveyor.survey(ACME, request)
    assert situation is not None
    return situation


async def running(memory: Memory) -> ConversationId:
    async with memory.store.read(ACME) as snapshot:
        scope = await snapshot.scopes.find("alice")
        assert scope is not None
        matching = await snapshot.recall.hydrate([TEA], scopes=[scope.key], model="")
        conversation = matching.read(0).conversation_id
        assert conversation is not None
        return conversation


async def recall(memory: Memory, recaller: Recaller | None = None, **about: Any) -> Found:
    request = ContextRequest(**{"query": "green tea", "user_id": "alice", **about})
    situation = await situation_of(memory, request)
    return await (recaller or memory.recaller).recall(request, situation, now=NOON, limit=10)


def lexical_keys(found: Found) -> list[int]:
    return list(found.lexical.keys)


async def test_every_source_answers(memory: Memory) -> None:
    found = await recall(memory, conversation_id=await running(memory))
    assert [each.content for each in found.episode.opening.tail] == [
        "green tea",
        "black coffee",
        "never sugar",
    ]
    assert list(found.episode.pinned) == [PIN]
    assert found.near.hits[0] == (TEA, 1.0)
    assert lexical_keys(found) == [TEA]
    assert found.sought.terms.terms == ["green", "tea"]
    assert found.lexical.document_frequency == {"green": 1, "tea": 1}
    assert found.degraded == []
    assert set(found.seconds) == {"episodic", "semantic", "lexical", "embed"}
    assert dict(memory.telemetry.answered) == {
        Source.EPISODIC: 3,
        Source.PINNED: 1,
        Source.SEMANTIC: 3,
        Source.LEXICAL: 1,
    }


async def test_without_a_running_conversation_there_is_no_history(memory: Memory) -> None:
    found = await recall(memory)
    assert list(found.episode.opening.tail) == []
    assert list(found.episode.pinned) == [PIN]


async def test_who_wants_no_history_gets_none(memory: Memory) -> None:
    options = HistoryOptions(max_messages=0)
    found = await recall(memory, conversation_id=await running(memory), history=options)
    assert list(found.episode.opening.tail) == []


@pytest.mark.parametrize(
    ("part", "reason"),
    [
        ("embedder", "The embedding model does not answer"),
        ("vectors", "The vector index does not answer"),
    ],
)
async def test_a_source_that_fails_is_named_and_the_others_answer(
    memory: Memory, part: str, reason: str
) -> None:
    getattr(memory, part).down = True
    found = await recall(memory)
    assert found.degraded == [Degraded(source=Source.SEMANTIC, reason=reason)]
    assert (found.near.vector, list(found.near.hits)) == (None, [])
    assert lexical_keys(found) == [TEA]
    assert list(found.episode.pinned) == [PIN]
    assert memory.telemetry.missing == [(Source.SEMANTIC, reason)]
    assert Source.SEMANTIC not in dict(memory.telemetry.answered)


@pytest.mark.parametrize("of_request", [True, False])
async def test_a_source_that_is_late_is_named_and_the_others_answer(
    memory: Memory, *, of_request: bool
) -> None:
    memory.embedder.gate.close()
    deadline = 1.0
    recaller = replace(memory.recaller, deadline=3_600.0 if of_request else deadline)
    found = await recall(memory, recaller, deadline=deadline if of_request else None)

    assert found.degraded == [Degraded(source=Source.SEMANTIC, reason="deadline")]
    assert lexical_keys(found) == [TEA]
    assert list(found.episode.pinned) == [PIN]
    memory.embedder.gate.opened.set()
    await asyncio.sleep(0)


async def test_a_late_source_that_fails_in_the_end_disturbs_nobody(memory: Memory) -> None:
    memory.embedder.gate.close()
    found = await recall(memory, deadline=0.1)
    assert found.degraded[0].reason == "deadline"

    memory.embedder.down = True
    memory.embedder.gate.opened.set()
    for _ in range(10):
        await asyncio.sleep(0)

    memory.embedder.down = False
    assert (await recall(memory)).degraded == []


async def test_without_a_database_the_vectors_still_answer(memory: Memory) -> None:
    request = ContextRequest(query="green tea", user_id="alice")
    situation = await situation_of(memory, request)
    nowhere = open_database("sqlite+aiosqlite:////nowhere/foreword.db")
    recaller = replace(memory.recaller, store=SqlStore(nowhere))

    found = await recaller.recall(request, situation, now=NOON, limit=10)

    assert {each.source for each in found.degraded} == {Source.EPISODIC, Source.LEXICAL}
    assert {each.reason for each in found.degraded} == {"The database does not answer"}
    assert found.near.hits[0] == (TEA, 1.0)
    await nowhere.dispose()


async def test_a_situation_narrows_to_the_running_conversation(memory: Memory) -> None:
    conversation = await running(memory)
    request = ContextRequest(query="tea", conversation_id=conversation)
    situation = await situation_of(memory, request)
    inside = situation.in_conversation()
    assert inside is not None
    assert situation.conversation is not None
    key = situation.conversation.key
    assert inside.within.conversations == frozenset([key])

    def within(**about: Any) -> Situation:
        return replace(situation, within=replace(situation.within, **about))

    assert replace(situation, conversation=None).in_conversation() is None
    assert within(without_conversations=frozenset([key])).in_conversation() is None
    assert within(conversations=frozenset()).in_conversation() is None
    narrowed = within(conversations=frozenset([key])).in_conversation()
    assert narrowed is not None
    assert narrowed.within == inside.within


async def test_a_conversation_that_history_tells_whole_is_not_searched_besides(
    memory: Memory,
) -> None:
    conversation = await running(memory)
    request = ContextRequest(query="tea", conversation_id=conversation)
    situation = await situation_of(memory, request)
    running_one = situation.conversation
    assert running_one is not None
    count = running_one.message_count

    def besides(most: int, *, archived: bool = False, budget: int = 4_000) -> Situation | None:
        """What is searched besides, with a history of so many messages."""
        told = replace(situation, conversation=replace(running_one, archived=archived))
        history = HistoryOptions(max_messages=most)
        return told.searched_besides(replace(request, history=history, budget_tokens=budget))

    assert besides(count) is None
    inside = besides(count - 1)
    assert inside is not None
    assert inside.within.conversations == frozenset([running_one.key])
    assert besides(count, archived=True) is not None, "history tells nothing of an archived one"
    assert besides(count, budget=running_one.token_count) is not None, "half has no room for it"
    assert inside.searched_besides(request) is None, "nothing else is searched"
    assert replace(situation, conversation=None).searched_besides(request) is None


async def test_the_best_of_the_running_conversation_are_found_beside_the_best_of_all(
    memory: Memory,
) -> None:
    """However many elsewhere are nearer."""
    conversation = await running(memory)
    said = [NewMessage(role=Role.USER, content=f"green tea {n}") for n in range(40)]
    await memory.ingestor.ingest(ACME, NewConversation(user_id="alice", messages=said))
    await memory.index()

    async def near(most: int, conversation: ConversationId | None) -> set[ItemKey]:
        history = HistoryOptions(max_messages=most)
        found = await recall(
            memory, query="green tea 7", conversation_id=conversation, history=history
        )
        return {*dict(found.near.hits)}

    assert await near(2, conversation) >= {TEA, COFFEE}
    assert COFFEE not in await near(10, conversation), "history tells it"
    assert COFFEE not in await near(2, None)


class BrokenEmbedder(FakeEmbedder):
    async def read_query(self, text: str) -> Embedding:
        raise ZeroDivisionError(text)


async def test_a_mistake_in_one_source_is_named_and_costs_only_that_source(memory: Memory) -> None:
    found = await recall(memory, replace(memory.recaller, embedder=BrokenEmbedder()))
    assert found.degraded == [Degraded(source=Source.SEMANTIC, reason="internal error")]
    assert lexical_keys(found) == [TEA]


async def test_full_text_that_is_built_anew_answers_and_is_named(memory: Memory) -> None:
    recaller = replace(memory.recaller, lexical_complete=lambda: False)
    found = await recall(memory, recaller)
    assert lexical_keys(found) == [TEA]
    assert [(each.source, each.reason) for each in found.degraded] == [
        (Source.LEXICAL, "being rebuilt")
    ]


async def test_what_begins_to_be_embedded_is_held_until_it_is(memory: Memory) -> None:
    """The event loop itself holds a task only as long as something else does."""
    memory.embedder.gate.close()
    await memory.recaller.expect("green tea")
    (begun,) = asyncio.all_tasks() - {asyncio.current_task()}
    gc.collect()
    holders = [each for each in gc.get_referrers(begun) if isinstance(each, set)]
    assert any(each is memory.recaller._expected._tasks for each in holders)
    memory.embedder.gate.opened.set()
    await begun
    await asyncio.sleep(0)
    assert begun not in memory.recaller._expected._tasks
