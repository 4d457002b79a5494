"""Hydrating what was found, and what is pinned."""

import numpy as np
import pytest

from app.domain.conversation import ConversationChanges, Role
from app.domain.ids import ItemKey, ScopeKey
from app.domain.memory import ItemType, Table, item_key
from app.ports import RecallFilter
from app.ports.embedding import Packed
from app.ports.store import Store
from app.ranking.bm25 import pack_terms
from app.ranking.pool import Recalled, pack_vector
from app.services.writing.prepare import content_hash
from tests.stored import ACME, NOON, SECOND, Kept, append, keep, packed, row_of, said

MODEL = "mini"


def vector(number: int, dimension: int = 4) -> bytes:
    return pack_vector(np.full(dimension, number / 16, dtype=np.float32))


async def embed(store: Store, vectors: dict[ItemKey, bytes], model: str = MODEL) -> None:
    async with store.project() as projections:
        await projections.keep_vectors(packed(vectors), model=model, dimension=4, now=NOON)


async def hydrate(
    store: Store, keys: list[ItemKey], scopes: list[ScopeKey], model: str = MODEL
) -> Recalled:
    async with store.read(ACME) as snapshot:
        return await snapshot.recall.hydrate(keys, scopes=scopes, model=model)


async def pinned(store: Store, kept: Kept, limit: int = 100) -> list[int]:
    """The row keys of what is pinned in a scope."""
    async with store.read(ACME) as snapshot:
        keys = await snapshot.recall.pinned(kept.within, limit=limit)
    return [row_of(key) for key in keys]


async def test_what_is_embedded_anew_has_the_words_of_then(store: Store) -> None:
    kept = await keep(store, "the dog barks")
    (key,) = kept.keys
    for words in (b"\1", b"\3\4", None, b""):
        async with store.project() as projections:
            embedded = {key: Packed(vector(1), words)}
            await projections.keep_vectors(embedded, model=MODEL, dimension=4, now=NOON)
        assert list((await hydrate(store, [key], [kept.scope.key])).words) == [words]
    assert list((await hydrate(store, [key], [kept.scope.key], "other")).words) == [None]


async def test_what_was_found_comes_with_all_that_ranking_needs(store: Store) -> None:
    at = NOON.replace(microsecond=123_456)
    kept = await keep(
        store,
        said("the dog barks", at, name="Zoë", external_id="m1", role=Role.ASSISTANT),
        said("cats", importance=9),
        external_id="chat",
        label="Pets",
        folder="/home",
        importance=7,
    )
    async with store.project() as projections:
        embedded = {kept.keys[0]: Packed(vector(1), b"\1\2\3")}
        await projections.keep_vectors(embedded, model=MODEL, dimension=4, now=NOON)
    recalled = await hydrate(store, list(kept.keys), [kept.scope.key])
    assert list(recalled.keys) == list(kept.keys)
    assert list(recalled.created_at) == [at.timestamp(), NOON.timestamp()]
    assert list(recalled.tokens) == [3, 1]
    assert list(recalled.importance) == [7, 9]
    assert list(recalled.labels) == ["Pets", "Pets"]
    assert list(recalled.contents) == ["the dog barks", "cats"]
    assert list(recalled.hashes) == [
        content_hash("the dog barks", None),
        content_hash("cats", None),
    ]
    assert list(recalled.vectors) == [vector(1), None]
    assert list(recalled.words) == [b"\1\2\3", None]
    assert list(recalled.bags) == [pack_terms(["zoe", "dog", "bark"]), pack_terms(["cat"])]

    item = recalled.read(0)
    told = kept.messages[0]
    assert (item.key, str(item.id), item.type) == (kept.keys[0], str(told.id), ItemType.MESSAGE)
    assert (item.external_id, item.role, item.name) == ("m1", Role.ASSISTANT, "Zoë")
    assert (item.content, item.created_at, item.tokens) == (told.content, at, told.tokens)
    assert item.conversation_id == kept.conversation.id
    assert (item.conversation_external_id, item.label, item.folder) == ("chat", "Pets", "/home")
    assert (item.importance, recalled.read(1).importance) == (7, 9)
    (edge,) = item.lineage
    assert (edge.kind, edge.id, edge.external_id) == ("message", str(told.id), "m1")


async def test_items_come_once_and_by_key(store: Store) -> None:
    kept = await keep(store, "a cat", "b cat", "c cat")
    one, two, three = kept.keys
    recalled = await hydrate(store, [three, one, two, one], [kept.scope.key])
    assert list(recalled.keys) == [one, two, three]


async def test_what_is_not_there_is_left_out(store: Store) -> None:
    kept = await keep(store, "cat", said("be nice", role=Role.SYSTEM))
    chunk = item_key(Table.CHUNK, row_of(kept.keys[0]))
    system = ItemKey(kept.keys[0] + 4)
    recalled = await hydrate(
        store, [kept.keys[0], ItemKey(10**9 * 4), chunk, system], [kept.scope.key]
    )
    assert list(recalled.keys) == list(kept.keys)
    for nothing in ([], [chunk], [ItemKey(10**9 * 4)]):
        assert list((await hydrate(store, nothing, [kept.scope.key])).keys) == []


async def test_only_the_scopes_asked_for_are_read(store: Store) -> None:
    alice, bob = await keep(store, "dog"), await keep(store, "dog", user_id="bob")
    both = [*alice.keys, *bob.keys]
    assert list((await hydrate(store, both, [alice.scope.key])).keys) == list(alice.keys)
    assert list((await hydrate(store, both, [bob.scope.key])).keys) == list(bob.keys)
    assert list((await hydrate(store, both, [alice.scope.key, bob.scope.key])).keys) == both
    assert list((await hydrate(store, both, [])).keys) == []


async def test_the_vector_is_that_of_the_model(store: Store) -> None:
    kept = await keep(store, "dog")
    (key,) = kept.keys
    await embed(store, {key: vector(1)}, "one")
    await embed(store, {key: vector(2)}, "two")
    vectors = [
        list((await hydrate(store, [key], [kept.scope.key], model)).vectors)
        for model in ("one", "two", "three")
    ]
    assert vectors == [[vector(1)], [vector(2)], [None]]


async def test_archived_items_are_not_read(store: Store) -> None:
    kept = await keep(store, said("dog", importance=10))
    given = ConversationChanges(given=frozenset({"archived"}), archived=True)
    async with store.write(ACME) as transaction:
        await transaction.conversations.change(kept.conversation.key, given, now=NOON)
    assert list((await hydrate(store, list(kept.keys), [kept.scope.key])).keys) == []
    assert await pinned(store, kept) == []


async def test_many_items_are_hydrated_at_once(store: Store) -> None:
    kept = await keep(store, *["dog"] * 1_500)
    recalled = await hydrate(store, list(kept.keys), [kept.scope.key])
    assert list(recalled.keys) == list(kept.keys)


async def test_pins_are_items_of_importance_ten_newest_first(store: Store) -> None:
    kept = await keep(
        store,
        said("old", NOON, importance=10),
        said("new", NOON + SECOND, importance=10),
        said("same time", NOON, importance=10),
        said("nearly", importance=9),
        said("plain"),
        said("system", importance=10, role=Role.SYSTEM),
    )
    old, new, same, *_ = map(row_of, kept.keys)
    assert await pinned(store, kept) == [new, same, old]
    assert await pinned(store, kept, limit=2) == [new, same]


@pytest.mark.parametrize("count", [3, 10, 14])
async def test_the_tail_of_a_pinned_conversation_is_pinned(store: Store, count: int) -> None:
    kept = await keep(
        store, *(said(f"cat {n}", NOON + n * SECOND) for n in range(count)), importance=10
    )
    assert await pinned(store, kept) == [row_of(key) for key in reversed(kept.keys[-10:])]


async def test_a_messages_own_importance_wins_over_its_conversations(store: Store) -> None:
    kept = await keep(store, said("less", importance=3), said("same"), importance=10)
    assert await pinned(store, kept) == [row_of(kept.keys[1])]


async def test_the_tail_moves_on_with_what_is_appended(store: Store) -> None:
    kept = await keep(store, *["cat"] * 10, importance=10)
    async with store.write(ACME) as transaction:
        _, keys = await append(transaction, kept.conversation, *["dog"] * 4)
    assert set(await pinned(store, kept)) == {row_of(key) for key in (*kept.keys[4:], *keys)}


async def test_pins_of_several_scopes_come_together(store: Store) -> None:
    alice = await keep(store, said("a", importance=10))
    bob = await keep(store, said("b", NOON + SECOND, importance=10), user_id="bob")
    within = RecallFilter(scopes=[alice.scope.key, bob.scope.key])
    async with store.read(ACME) as snapshot:
        assert list(await snapshot.recall.pinned(within, limit=9)) == [*bob.keys, *alice.keys]
        assert list(await snapshot.recall.pinned(RecallFilter(scopes=[]), limit=9)) == []


async def test_terms_are_counted_in_the_scopes_that_are_asked(store: Store) -> None:
    kept = await keep(store, said("green tea"), said("black tea"), external_id="chat")
    other = await keep(store, said("white tea"), external_id="chat", user_id="bob")
    async with store.read(ACME) as snapshot:
        own = await snapshot.recall.frequencies(["tea", "green", "cup"], scopes=[kept.scope.key])
        both = [kept.scope.key, other.scope.key]
        all_of_them = await snapshot.recall.frequencies(["tea", "white"], scopes=both)
        none = await snapshot.recall.frequencies([], scopes=both)
    assert own == {"tea": 2, "green": 1}
    assert all_of_them == {"tea": 3, "white": 1}
    assert none == {}
