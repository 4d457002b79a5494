"""Messages that are too long to be found as one: their chunks, from the first row to the last."""

from itertools import pairwise

import pytest

from app.domain.conversation import ConversationChanges, Role
from app.domain.ids import ItemKey, MessageKey
from app.domain.memory import ItemType, Table, rows_of, table_and_row
from app.ports import RecallFilter
from app.ports.store import Store
from app.ranking.bm25 import pack_terms
from app.ranking.pool import Recalled, pack_vector
from app.text.terms import indexed_text, terms_of
from tests.stored import (
    ACME,
    NOON,
    OTHER,
    SECOND,
    Kept,
    erase_the_rest,
    find,
    keep,
    outbox_keys,
    packed,
    row_of,
    said,
    scope_now,
)

WORDS = [f"word{number}" for number in range(900)]
LONG = " ".join(f"{word}." if at % 20 == 19 else word for at, word in enumerate(WORDS))
"""The words are tokens here (tests/stored.py): some four chunks."""

MODEL = "mini"


def chunk_keys(keys: object) -> list[ItemKey]:
    assert isinstance(keys, list | tuple)
    return [key for key in keys if table_and_row(key)[0] is Table.CHUNK]


async def hydrate(store: Store, kept: Kept, *keys: ItemKey) -> Recalled:
    async with store.read(ACME) as snapshot:
        return await snapshot.recall.hydrate(list(keys), scopes=[kept.scope.key], model=MODEL)


async def embed(store: Store, vectors: dict[ItemKey, bytes]) -> None:
    async with store.project() as projections:
        await projections.keep_vectors(packed(vectors), model=MODEL, dimension=1, now=NOON)


async def archive(store: Store, kept: Kept, *, archived: bool) -> None:
    changes = ConversationChanges(given=frozenset({"archived"}), archived=archived)
    async with store.write(ACME) as transaction:
        await transaction.conversations.change(kept.conversation.key, changes, now=NOON)
        act = transaction.messages.unindex if archived else transaction.messages.reindex
        await act(kept.conversation, now=NOON)


def only(*types: ItemType, kept: Kept) -> RecallFilter:
    return RecallFilter(scopes=[kept.scope.key], types=frozenset(types))


async def test_chunks_re_join_to_their_message(store: Store) -> None:
    kept = await keep(store, "short", said(LONG, name="Zoë", role=Role.ASSISTANT, importance=8))
    keys = chunk_keys(list(kept.keys))
    recalled = await hydrate(store, kept, *keys)
    assert len(recalled) == len(keys) >= 3
    end = 0
    for at, content in enumerate(recalled.contents):
        item = recalled.read(at)
        assert item.span is not None
        start, stop = item.span
        assert content == LONG[start:stop]
        assert start < max(end, 1)
        end = stop
    assert end == len(LONG)


async def test_a_scope_tells_that_messages_were_cut(store: Store) -> None:
    await keep(store, "short")
    assert not (await scope_now(store)).has_chunks
    await keep(store, LONG)
    assert (await scope_now(store)).has_chunks


async def test_a_chunk_comes_with_all_that_ranking_needs_of_it_and_its_message(
    store: Store,
) -> None:
    new = said(LONG, name="Zoë", role=Role.ASSISTANT, importance=8, external_id="m1")
    kept = await keep(store, new, external_id="chat", label="Pets", folder="/home")
    first, *_, message = kept.keys
    await embed(store, {first: pack_vector_of(1), message: pack_vector_of(2)})
    recalled = await hydrate(store, kept, message, first)
    assert list(recalled.keys) == sorted([first, message])
    chunk, whole = (list(recalled.keys).index(key) for key in (first, message))
    content = recalled.contents[chunk]
    assert recalled.bags[chunk] == pack_terms(terms_of(indexed_text(content, "Zoë")))
    assert recalled.bags[whole] == pack_terms(terms_of(indexed_text(LONG, "Zoë")))
    assert list(recalled.whole_bags) == [recalled.bags[whole]] * 2
    assert recalled.vectors[chunk] == pack_vector_of(1)
    assert list(recalled.whole_vectors) == [pack_vector_of(2)] * 2
    assert list(recalled.messages) == [row_of(message)] * 2
    assert (recalled.pieces[chunk], recalled.kinds[chunk]) == (0, "prose")
    assert (recalled.pieces[whole], recalled.kinds[whole]) == (len(kept.keys) - 1, None)

    item, told = recalled.read(chunk), kept.messages[0]
    assert (item.key, item.type, item.external_id) == (first, ItemType.CHUNK, None)
    assert (item.role, item.name, item.importance) == (Role.ASSISTANT, "Zoë", 8)
    assert (item.conversation_external_id, item.label, item.folder) == ("chat", "Pets", "/home")
    assert (item.tokens, item.created_at) == (len(content.split()), told.created_at)
    assert item.id != told.id
    (edge,) = item.lineage
    assert (edge.kind, edge.id, edge.external_id) == ("message", str(told.id), "m1")


def pack_vector_of(number: int) -> bytes:
    import numpy as np  # noqa: PLC0415

    return pack_vector(np.array([number], dtype=np.float32))


async def test_what_is_not_embedded_yet_has_its_own_vector_for_the_whole(store: Store) -> None:
    kept = await keep(store, LONG)
    first = kept.keys[0]
    await embed(store, {first: pack_vector_of(1)})
    recalled = await hydrate(store, kept, first)
    assert list(recalled.whole_vectors) == list(recalled.vectors) == [pack_vector_of(1)]


async def test_all_chunks_of_a_message_can_be_read(store: Store) -> None:
    kept = await keep(store, LONG, "short", LONG)
    one, other = rows_of(Table.MESSAGE, kept.keys)[0::2]
    async with store.read(ACME) as snapshot:
        read = snapshot.recall.chunks
        first = await read([MessageKey(one)], scopes=[kept.scope.key], model=MODEL)
        both = await read(
            [MessageKey(one), MessageKey(other)], scopes=[kept.scope.key], model=MODEL
        )
        assert len(await read([MessageKey(one)], scopes=[], model=MODEL)) == 0
        assert len(await read([], scopes=[kept.scope.key], model=MODEL)) == 0
    assert set(first.messages) == {one}
    assert len(both) == 2 * len(first)
    for at in range(len(first) - 1):
        assert first.read(at).span < first.read(at + 1).span  # type: ignore[operator]  # chunks have one
    async with store.read(OTHER) as snapshot:
        stolen = await snapshot.recall.chunks(
            [MessageKey(one)], scopes=[kept.scope.key], model=MODEL
        )
    assert len(stolen) == 0


async def test_full_text_holds_the_chunks_and_not_the_message(store: Store) -> None:
    kept = await keep(store, "word450 is said here too", LONG)
    found = await find(store, "word450", kept.within)
    short = rows_of(Table.MESSAGE, found)
    assert short == [row_of(kept.keys[-2])]
    chunks = await hydrate(store, kept, *chunk_keys(list(found)))
    assert 1 <= len(chunks) <= 2
    assert all("word450" in content for content in chunks.contents)


async def test_the_counters_are_those_of_what_full_text_holds(store: Store) -> None:
    kept = await keep(store, "green tea", LONG)
    chunks = await hydrate(store, kept, *chunk_keys(list(kept.keys)))
    scope = await scope_now(store)
    assert scope.messages == 1 + len(chunks)
    assert scope.terms == 2 + sum(len(terms_of(content)) for content in chunks.contents)


async def test_messages_and_chunks_alone_can_be_asked_for(store: Store) -> None:
    kept = await keep(store, "word450 and word5", LONG)
    *_, short, long = kept.keys
    chunks = set(kept.keys) - {short, long}
    asked = "word450 word5"
    both = set(await find(store, asked, only(ItemType.MESSAGE, ItemType.CHUNK, kept=kept)))
    assert both == set(await find(store, asked, kept.within))
    assert short in both
    assert both - {short} <= chunks
    messages = await find(store, asked, only(ItemType.MESSAGE, kept=kept))
    assert sorted(messages) == [short, long]
    only_chunks = await find(store, asked, only(ItemType.CHUNK, kept=kept))
    assert set(only_chunks) == both - {short}
    assert await find(store, asked, only(ItemType.FACT, kept=kept)) == []


@pytest.mark.parametrize("limit", [1, 2, 100])
async def test_filters_of_messages_hold_for_their_chunks(store: Store, limit: int) -> None:
    kept = await keep(store, said(LONG, NOON), said(LONG, NOON + SECOND, role=Role.ASSISTANT))
    scopes = [kept.scope.key]
    users = RecallFilter(scopes=scopes, roles=frozenset({Role.USER}))
    late = RecallFilter(scopes=scopes, after=NOON + SECOND)
    early = RecallFilter(scopes=scopes, as_of=NOON)
    first, second = rows_of(Table.MESSAGE, kept.keys)
    for within, row in ((users, first), (early, first), (late, second)):
        keys = await find(store, "word450", within, limit=limit)
        recalled = await hydrate(store, kept, *keys)
        assert keys
        assert set(recalled.messages) == {row}


async def test_all_pieces_wait_to_be_indexed_chunks_first(store: Store) -> None:
    kept = await keep(store, LONG, "short")
    waiting = await outbox_keys(store)
    assert waiting == list(kept.keys)
    tables = [table_and_row(key)[0] for key in waiting]
    assert tables == sorted(tables, reverse=True)


async def test_chunks_are_embedded_by_themselves_and_their_message_by_its_beginning(
    store: Store,
) -> None:
    kept = await keep(store, said(LONG, name="Zoë"))
    async with store.observe() as observations:
        items = await observations.to_index(list(kept.keys), model=MODEL)
    assert [item.key for item in items] == sorted(kept.keys)
    by_key = {item.key: item for item in items}
    *chunks, message = kept.keys
    assert by_key[message].type is ItemType.MESSAGE
    assert indexed_text(LONG, "Zoë").startswith(by_key[message].text)
    assert len(by_key[message].text) == len("Zoë: ") + 1_000
    recalled = await hydrate(store, kept, *chunks)
    for key, content in zip(recalled.keys, recalled.contents, strict=True):
        assert by_key[key].type is ItemType.CHUNK
        assert by_key[key].text == f"Zoë: {content}"
        assert by_key[key].conversation == kept.conversation.key


async def test_pieces_are_walked_in_the_order_of_their_keys(store: Store) -> None:
    kept = await keep(store, LONG, "short", LONG, "short too")
    walked: list[ItemKey] = []
    async with store.observe() as observations:
        while portion := await observations.recallable(
            after=walked[-1] if walked else ItemKey(0), limit=3
        ):
            walked += portion
        assert await observations.belonging(walked) == frozenset(walked)
    assert walked == sorted(kept.keys)
    assert all(one < other for one, other in pairwise(walked))


async def test_lost_pieces_are_noted_again(store: Store) -> None:
    kept = await keep(store, LONG)
    late = NOON.replace(year=9000)
    async with store.project() as projections:
        rows = await projections.claim(now=late, limit=1_000, lease=0)
        assert await projections.finish(rows) == frozenset()
    assert await outbox_keys(store) == []
    for _ in range(2):
        async with store.project() as projections:
            await projections.enqueue(list(kept.keys), now=NOON)
    assert sorted(await outbox_keys(store)) == sorted(kept.keys)


async def test_deleting_a_message_takes_its_chunks_along(store: Store) -> None:
    kept = await keep(store, "green tea", LONG)
    *chunks, _, long = kept.keys
    await embed(store, {chunks[0]: pack_vector_of(1), long: pack_vector_of(2)})
    async with store.write(ACME) as transaction:
        erased = await transaction.erase.message(kept.messages[1].id, now=NOON)
    assert set(erased.keys) == {*chunks, long}
    assert (erased.messages, erased.chunks) == (1, len(chunks))
    assert (erased.embeddings, erased.full_text) == (2, len(chunks))
    assert await find(store, "word450", kept.within) == []
    assert len(await hydrate(store, kept, *chunks, long)) == 0
    scope = await scope_now(store)
    assert (scope.messages, scope.terms) == (1, 2)
    async with store.read(ACME) as snapshot:
        assert await snapshot.recall.remaining(erased.keys, erased.conversations) == 0
        counts = await snapshot.counts()
    assert (counts.messages, counts.chunks, counts.embeddings) == (1, 0, 0)


async def test_deleting_a_user_takes_all_chunks_along(store: Store) -> None:
    kept = await keep(store, LONG, "green tea", LONG)
    async with store.write(ACME) as transaction:
        doomed = await transaction.erase.user("alice", now=NOON)
    erased = await erase_the_rest(store, doomed)
    assert set(erased.keys) == set(kept.keys)
    assert erased.chunks == len(kept.keys) - 3


async def test_an_archived_conversation_keeps_its_chunks_for_later(store: Store) -> None:
    kept = await keep(store, LONG)
    before = await scope_now(store)
    found = await find(store, "word450", kept.within)
    await archive(store, kept, archived=True)
    assert await find(store, "word450", kept.within) == []
    assert len(await hydrate(store, kept, *kept.keys)) == 0
    async with store.observe() as observations:
        assert await observations.belonging(list(kept.keys)) == frozenset()
    gone = await scope_now(store)
    assert (gone.messages, gone.terms) == (0, 0)
    await archive(store, kept, archived=False)
    assert await find(store, "word450", kept.within) == found
    back = await scope_now(store)
    assert (back.messages, back.terms) == (before.messages, before.terms)


async def test_an_archived_message_is_deleted_without_a_trace(store: Store) -> None:
    kept, other = await keep(store, LONG), await keep(store, LONG)
    await archive(store, kept, archived=True)
    async with store.write(ACME) as transaction:
        doomed = await transaction.erase.conversation(kept.conversation.id, now=NOON)
    erased = await erase_the_rest(store, doomed)
    assert (erased.full_text, erased.chunks) == (0, len(kept.keys) - 1)
    scope = await scope_now(store)
    assert scope.messages == len(other.keys) - 1


async def test_counts_tell_of_chunks_and_their_embeddings(store: Store) -> None:
    kept = await keep(store, LONG, "short")
    await embed(store, dict.fromkeys(kept.keys, pack_vector_of(1)))
    async with store.read(ACME) as snapshot:
        counts = await snapshot.counts()
    assert (counts.messages, counts.chunks) == (2, len(kept.keys) - 2)
    assert counts.embeddings == len(kept.keys)


async def test_what_no_index_holds_has_no_chunks(store: Store) -> None:
    kept = await keep(store, said(LONG, role=Role.SYSTEM))
    assert list(kept.keys) == []
    async with store.read(ACME) as snapshot:
        assert (await snapshot.counts()).chunks == 0
