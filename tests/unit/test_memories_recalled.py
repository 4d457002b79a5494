"""Memory items between the services: cached no longer than they hold, counted, erased in time."""

from dataclasses import replace
from datetime import timedelta
from math import inf
from uuid import uuid4

import pytest

from app.adapters.cache import CacheLimits, TtlAnswerCache
from app.adapters.sql.store import SqlStore
from app.domain.context import ContextBundle, ContextRequest, part_of
from app.domain.conversation import Scope
from app.domain.ids import ItemId, ScopeKey
from app.domain.memories import Memory as Kept
from app.domain.memories import NewMemory
from app.domain.memory import ItemType, LineageEdge
from app.services.memories.placing import KeptMemory
from app.services.operating.workers import Janitor
from tests.factories import ACME, NOON, an_item
from tests.fakes import Memory

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
REQUEST = ContextRequest(query="green tea?", user_id="alice")


@pytest.fixture
async def memory(store: SqlStore) -> Memory:
    return Memory(store)


async def tell(memory: Memory, content: str, **about: object) -> KeptMemory:
    new = NewMemory(**{"type": ItemType.FACT, "user_id": "alice", "content": content, **about})  # type: ignore[arg-type]
    kept = await memory.keeper.keep(ACME, [new])
    await memory.index()
    return kept.memories[0]


async def build(memory: Memory, request: ContextRequest = REQUEST) -> ContextBundle:
    situation = await memory.surveyor.survey(ACME, request)
    bundle = await memory.forge.build(request, situation)
    memory.recorder.built(ACME, request, situation, bundle)
    return bundle


def shown(bundle: ContextBundle) -> list[str]:
    return [each.item.content for each in bundle.retrieved]


async def get(memory: Memory, item_id: ItemId) -> Kept:
    async with memory.store.read(ACME) as snapshot:
        return await snapshot.memories.get(item_id, now=None)


async def test_items_are_recalled_while_they_hold(memory: Memory) -> None:
    await memory.say("black coffee")
    await tell(memory, "green tea", valid_to=NOON + HOUR)
    assert shown(await build(memory)) == ["green tea"]
    memory.clock.forward(3_600)
    assert shown(await build(memory)) == []


async def test_what_ends_soon_is_found_by_its_vector_alone_only_until_then(memory: Memory) -> None:
    await tell(memory, "green tea", expires_at=NOON + HOUR)
    (found,) = (await build(memory)).retrieved
    assert {each.value for each in found.sources} == {"semantic", "lexical"}
    memory.clock.forward(3_600)
    assert (await build(memory)).candidates == 0


@pytest.mark.parametrize(
    ("about", "seconds"),
    [
        ({}, inf),
        ({"valid_to": NOON + HOUR}, 3_600),
        ({"expires_at": NOON + HOUR / 2}, 1_800),
        ({"valid_from": NOON - HOUR}, inf),
    ],
)
async def test_an_answer_is_kept_until_other_items_hold(
    memory: Memory, about: dict[str, object], seconds: float
) -> None:
    kept: list[float | None] = []
    put = memory.cache.put

    class Watched(TtlAnswerCache):
        def put(self, *given: object, seconds: float | None = None) -> None:
            kept.append(seconds)
            put(*given, seconds=seconds)  # type: ignore[arg-type]

    object.__setattr__(memory.cached, "cache", Watched(CacheLimits()))
    await tell(memory, "green tea", **about)
    await memory.cached.answer(ACME, REQUEST)
    assert [inf if each is None else each for each in kept] == [seconds]


async def test_an_answer_that_is_worth_no_time_is_not_kept() -> None:
    cache = TtlAnswerCache(CacheLimits())
    cache.put("a", [ScopeKey(1)], b"x", seconds=-1.0)
    cache.put("b", [ScopeKey(1)], b"x", seconds=9.0)
    cache.put("c", [ScopeKey(2), ScopeKey(1)], b"x")
    assert [cache.get(key) for key in "abc"] == [None, b"x", b"x"]
    assert cache.forget(ScopeKey(2)) == 1
    assert [cache.get(key) for key in "abc"] == [None, b"x", None]


async def test_a_document_that_changes_makes_old_answers_unreachable(memory: Memory) -> None:
    await memory.say("black coffee")
    about = {"type": ItemType.DOCUMENT, "source": "tea.md"}
    await tell(memory, "green tea is dry", **about)
    first = await memory.cached.answer(ACME, REQUEST)
    assert (await memory.cached.answer(ACME, REQUEST)).cache_hit
    await tell(memory, "green tea is cold", **about)
    second = await memory.cached.answer(ACME, REQUEST)
    assert not second.cache_hit
    assert (b"is dry" in first.body, b"is dry" in second.body) == (True, False)
    assert b"is cold" in second.body


async def test_what_is_shown_is_counted_with_the_receipts(memory: Memory) -> None:
    told = await tell(memory, "green tea")
    await memory.say("green tea, too")
    await memory.index()
    for _ in range(2):
        await build(memory)
    assert (await get(memory, told.id)).access_count == 0
    await memory.recorder.flush()
    read = await get(memory, told.id)
    assert (read.access_count, read.last_accessed_at) == (2, NOON)


async def test_the_janitor_erases_what_has_expired(memory: Memory) -> None:
    for number in range(3):
        await tell(memory, f"green tea {number}", expires_at=NOON + number * HOUR)
    assert await memory.vectors.count() == 3
    memory.clock.forward(3_600)
    janitor = Janitor(
        store=memory.store, recorder=memory.recorder, clock=memory.clock, new_id=uuid4
    )
    await janitor.tick()
    await memory.index()
    assert await memory.vectors.count() == 1
    async with memory.store.read(ACME) as snapshot:
        assert (await snapshot.counts()).memory_items == 1


async def test_what_an_expired_item_superseded_holds_again_a_minute_later(memory: Memory) -> None:
    janitor = Janitor(
        store=memory.store, recorder=memory.recorder, clock=memory.clock, new_id=uuid4
    )
    await janitor.tick()
    first = await tell(memory, "green tea in Berlin", subject="tea")
    await tell(memory, "green tea in Lisbon", subject="tea", expires_at=NOON + MINUTE)
    assert (await get(memory, first.id)).superseded_by is not None
    memory.clock.forward(60)
    await janitor.tick()
    held = await get(memory, first.id)
    assert (held.valid_to, held.superseded_by) == (None, None)


async def test_the_vectors_hear_when_an_item_ends(memory: Memory) -> None:
    await tell(memory, "green tea in Berlin", subject="tea")
    memory.clock.forward(60)
    await tell(memory, "green tea in Lisbon", subject="tea")
    assert memory.embedder.embedded == ["green tea in Berlin", "green tea in Lisbon"]
    vector = (await memory.embedder.read_query("green tea")).vector
    situation = await memory.surveyor.survey(ACME, REQUEST)
    assert situation is not None
    found = await memory.vectors.search(vector, within=situation.within, limit=9)
    assert len(found) == 1


def test_a_part_of_an_item_tells_of_the_item_and_of_all_that_it_was_derived_from() -> None:
    message, source = LineageEdge(kind="message", id="m"), LineageEdge(kind="source", id="s")
    fact = replace(
        an_item(1, "Green tea. Black tea.", conversation=None, role=None), type=ItemType.FACT
    )
    for lineage in ((), (message,), (message, source)):
        part = part_of(replace(fact, lineage=lineage), 10, 21)
        own = LineageEdge(kind="memory", id=str(fact.id), start=11, stop=21)
        assert (part.content, part.span) == ("Black tea.", (11, 21))
        assert part.lineage == (own, *lineage)
        less = part_of(part, 17, 21)
        assert (less.content, less.span, less.lineage[1:]) == ("tea.", (17, 21), lineage)


async def test_a_long_item_that_does_not_fit_is_there_with_an_excerpt(memory: Memory) -> None:
    filler = " ".join(f"Sentence {n} tells nothing of it at all." for n in range(40))
    told = await tell(memory, f"{filler} Green tea is kept in the cellar. {filler}")
    bundle = await build(memory, replace(REQUEST, budget_tokens=150))
    (found,) = bundle.retrieved
    assert "Green tea is kept in the cellar." in found.item.content
    assert found.item.lineage[0].id == str(told.id)
    assert bundle.total_tokens <= 150


def test_documents_are_counted_with_who_reads_them() -> None:
    own = Scope(key=ScopeKey(1), user_id="alice", version=5, messages=2, terms=10)
    shared = Scope(
        key=ScopeKey(2), user_id=None, version=7, messages=3, terms=30, has_items=True, shared=True
    )
    both = own.with_documents(shared)
    assert (both.key, both.user_id, both.version) == (ScopeKey(1), "alice", 5)
    assert (both.messages, both.terms, both.documents_version) == (5, 40, 7)
    assert (both.has_items, both.has_pinned) == (True, False)
