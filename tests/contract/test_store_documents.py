"""Documents: every user's of a tenant, in versions, found by their parts."""

from dataclasses import replace

import pytest

from app.domain.context import MemoryItem
from app.domain.errors import DocumentReadOnly, MemoryNotFound
from app.domain.ids import ItemId, ItemKey, TenantId
from app.domain.memories import MemoryChanges
from app.domain.memory import ItemType, Table, rows_of
from app.ports import RecallFilter
from app.ports.store import Store
from app.ports.stored import Access
from app.ranking.pool import Recalled
from app.services.memories.placing import KeptMemory
from app.text.terms import query_terms
from tests.stored import ACME, NOON, OTHER, SECOND, find, items_of, keep, keeper, tell
from tests.stored_items import DAY, MODEL, get

LONG = " ".join(f"Word{n} stands here." if n % 9 else f"Word{n} stands.\n\n" for n in range(400))
"""The words are tokens here: some five parts."""


async def document(
    store: Store, content: str = LONG, source: str | None = "manual", tenant: TenantId = ACME
) -> KeptMemory:
    return await tell(store, content, type=ItemType.DOCUMENT, source=source, tenant=tenant)


async def readable(store: Store, user_id: str = "alice", tenant: TenantId = ACME) -> RecallFilter:
    async with store.read(tenant) as snapshot:
        scopes = await snapshot.scopes.readable(user_id, now=NOON)
    return RecallFilter(scopes=[each.key for each in scopes], now=NOON)


async def read(store: Store, query: str, within: RecallFilter) -> Recalled:
    keys = await find(store, query, within)
    async with store.read(ACME) as snapshot:
        found = await snapshot.recall.surrounded(keys, within=within, model=MODEL)
    return found.recalled


async def parts(store: Store, query: str, user_id: str = "alice") -> list[MemoryItem]:
    found = await read(store, query, await readable(store, user_id))
    return sorted(map(found.read, range(len(found))), key=lambda item: item.content)


async def test_every_user_reads_a_document_and_no_other_tenant_does(store: Store) -> None:
    await keep(store, "tea is said")
    told = await document(store, "tea is kept dry")
    assert [each.content for each in await parts(store, "tea")] == [
        "tea is kept dry",
        "tea is said",
    ]
    assert [each.content for each in await parts(store, "tea", "bob")] == ["tea is kept dry"]
    assert (await readable(store, tenant=OTHER)).scopes == []
    (listed,) = await items_of(store, user_id="bob")
    assert (listed.id, listed.user_id, listed.source) == (told.id, None, "manual")
    assert await items_of(store, tenant=OTHER) == []
    async with store.read(ACME) as snapshot:
        assert (await snapshot.counts()).users == 1
        assert await snapshot.scopes.find(None) is None


async def test_a_document_is_not_what_nobody_said(store: Store) -> None:
    await document(store, "tea is kept dry")
    await keep(store, "tea is said", user_id=None)
    async with store.read(ACME) as snapshot:
        own, shared = await snapshot.scopes.readable(None, now=NOON)
    assert (own.shared, shared.shared) == (False, True)
    assert (own.user_id, own.key) != (shared.user_id, shared.key)


async def test_a_long_document_is_found_in_the_middle_by_its_part(store: Store) -> None:
    told = await document(store)
    assert (told.parts > 3, told.tokens) == (True, len(LONG.split()))
    (item,) = await parts(store, "word200")
    (edge,) = item.lineage
    assert (item.type, item.span) == (ItemType.DOCUMENT, (edge.start, edge.stop))
    assert (edge.kind, edge.id, edge.external_id) == ("document", str(told.id), "manual")
    assert item.content == LONG[edge.start : edge.stop]
    assert "Word200" in item.content
    assert item.tokens == len(item.content.split()) <= 300


async def test_parts_cover_the_document_and_are_one_for_ranking(store: Store) -> None:
    told = await document(store)
    found = await read(store, "stands", await readable(store))
    assert len(found) == told.parts
    assert found.contents[0][:5] == LONG[:5]
    assert found.contents[-1][-6:] == LONG.rstrip()[-6:]
    assert len(set(found.messages)) == len(set(found.conversations)) == 1
    assert [*found.messages] == [*map(int, found.conversations)]
    assert found.messages[0] < 0
    assert list(found.positions) == list(range(told.parts))
    assert set(found.kinds) == {"prose"}
    whole = (await get(store, told)).key
    async with store.observe() as observations:
        assert await observations.belonging([whole, *found.keys]) == set(found.keys)


async def test_a_part_is_read_as_what_it_is(store: Store) -> None:
    told = await document(store)
    (item,) = await parts(store, "word200")
    async with store.read(ACME) as snapshot:
        part = await snapshot.memories.get(item.id, now=NOON)
        (edge,) = await snapshot.memories.lineage(part)
    assert (part.parent, part.parts, part.content) == (told.id, 0, item.content)
    assert edge == item.lineage[0]
    assert [each.id for each in await items_of(store)] == [told.id]


async def test_the_same_source_again_is_the_next_version(store: Store) -> None:
    first = await document(store)
    second = await tell(
        store, "All is new: word777", NOON + SECOND, type=ItemType.DOCUMENT, source="manual"
    )
    other = await document(store, "Another one: word777", source="other")
    assert (second.superseded, other.superseded) == ([first.id], [])
    within = await readable(store)
    now = replace(within, now=NOON + SECOND)
    assert len(await read(store, "word200", now)) == 0
    assert len(await read(store, "word777", now)) == 2
    assert len(await read(store, "word200", replace(now, as_of=NOON))) == 1
    assert len(await items_of(store, at=NOON + SECOND)) == 2
    assert len(await items_of(store, at=None)) == 3


async def test_the_same_text_again_is_the_same_document(store: Store) -> None:
    first, again = await document(store), await document(store)
    assert (again.id, again.known, again.parts) == (first.id, True, first.parts)
    assert (await document(store, source=None)).id != (await document(store, source=None)).id


async def test_a_source_of_any_length_has_versions(store: Store) -> None:
    source = "x" * 5_000
    first = await document(store, "one", source)
    assert (await document(store, "two", source)).superseded == [first.id]
    assert (await document(store, "two", f"{source}y")).superseded == []


async def test_an_erased_document_takes_parts_and_older_versions_along(store: Store) -> None:
    await document(store, "word1 first")
    await document(store)
    last = await document(store, "word1 last")
    keep_this = await document(store, "word1 garden", source="other")
    async with store.write(ACME) as transaction:
        erased = await transaction.erase.memory(last.id, now=NOON)
    assert erased.memory_items == 3
    assert len(erased.keys) == erased.full_text + 1 > 5
    async with store.read(ACME) as snapshot:
        assert await snapshot.recall.remaining(erased.keys, [], erased.items) == 0
        documents = await snapshot.scopes.find(None, shared=True)
    assert [each.id for each in await items_of(store, at=None)] == [keep_this.id]
    assert documents is not None
    assert (documents.messages, documents.terms) == (1, 2)


async def test_erasing_a_part_erases_its_document(store: Store) -> None:
    told = await document(store)
    (item,) = await parts(store, "word200")
    async with store.write(ACME) as transaction:
        erased = await transaction.erase.memory(ItemId(item.id), now=NOON)
    assert (erased.memory_items, len(erased.keys)) == (1, told.parts + 1)


async def test_a_document_is_not_changed(store: Store) -> None:
    told = await document(store)
    with pytest.raises(DocumentReadOnly):
        await keeper(store).change(
            ACME, told.id, MemoryChanges(given=frozenset({"importance"}), importance=9)
        )
    with pytest.raises(MemoryNotFound):
        await keeper(store).change(OTHER, told.id, MemoryChanges(given=frozenset()))


async def test_showing_a_part_is_an_access_to_its_document(store: Store) -> None:
    told = await document(store)
    (item,) = await parts(store, "word200")
    async with store.project() as projections:
        await projections.count_accesses([Access(key=ItemKey(item.key), at=NOON + DAY)])
    document_now = await get(store, told)
    assert (document_now.access_count, document_now.last_accessed_at) == (1, NOON + DAY)


async def test_words_are_weighed_over_what_a_user_reads_together(store: Store) -> None:
    await keep(store, "tea one", "tea two")
    await document(store, "tea three")
    within = await readable(store)
    async with store.read(ACME) as snapshot:
        own, shared = await snapshot.scopes.readable("alice", now=NOON)
        both = own.with_documents(shared)
        answer = await snapshot.recall.find(
            query_terms("tea thr*"), scope=both, within=within, limit=9
        )
    assert answer.document_frequency["tea"] == 3
    assert (both.messages, both.terms, both.key) == (3, 6, own.key)
    assert len(answer.keys) == 3
    assert len(rows_of(Table.MEMORY, answer.keys)) == 1


async def test_only_short_documents_are_pinned(store: Store) -> None:
    for content, source in (("short rules", "a"), (LONG, "b")):
        await tell(store, content, type=ItemType.DOCUMENT, source=source, importance=10)
    within = await readable(store)
    async with store.read(ACME) as snapshot:
        assert len(await snapshot.recall.pinned(within, limit=99)) == 1
