"""Conversations: stored, found, changed and listed."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy.exc import IntegrityError
from uuid_utils.compat import uuid7

from app.domain.context import Filters
from app.domain.conversation import (
    Conversation,
    ConversationChanges,
    NewConversation,
    NewMessage,
)
from app.domain.errors import ConversationNotFound
from app.domain.ids import ConversationId, ScopeKey
from app.ports.store import Store
from tests.stored import ACME, MICROSECOND, NOON, SECOND, Kept, append, keep, said, scope_now

UNKNOWN = ConversationId(uuid7())
EVERYTHING: dict[str, Any] = {
    "external_id": "chat-42",
    "label": "Überblick 🧭",
    "folder": "/work/api",
    "importance": 7,
    "tags": ["rest", "api", "rest"],
    "metadata": {"id": 2**53 + 1, "nested": {"list": [1, None, "ü", {"": False}]}, "π": 3.25},
    "system_prompt": "Be terse.",
    "created_at": NOON - SECOND,
}


async def get(store: Store, conversation_id: ConversationId) -> Conversation:
    async with store.read(ACME) as snapshot:
        return await snapshot.conversations.get(conversation_id)


async def count(store: Store) -> int:
    async with store.read(ACME) as snapshot:
        return (await snapshot.counts()).conversations


async def test_a_conversation_comes_back_as_it_was_told(store: Store) -> None:
    kept = await keep(store, "hello there", "hi", **EVERYTHING)
    found = await get(store, kept.conversation.id)
    told = {name: getattr(found, name) for name in EVERYTHING}
    assert told == EVERYTHING | {"tags": ["rest", "api"]}
    assert (found.user_id, found.scope, found.archived) == ("alice", kept.scope.key, False)
    assert (found.message_count, found.token_count, found.updated_at) == (2, 3, NOON)


async def test_a_conversation_tells_when_the_last_message_was_said(store: Store) -> None:
    early, late = NOON - timedelta(days=9), NOON - timedelta(days=2)
    kept = await keep(store, said("hello", early), said("bye", late))
    silent = await keep(store)
    assert (await get(store, kept.conversation.id)).last_message_at == late
    assert (await get(store, silent.conversation.id)).last_message_at is None


async def test_what_was_said_before_and_comes_late_is_not_the_last(store: Store) -> None:
    early, late = NOON - timedelta(days=9), NOON - timedelta(days=2)
    kept = await keep(store, said("hello", early), said("bye", late))
    async with store.write(ACME) as transaction:
        await append(transaction, kept.conversation, said("how are you?", early + SECOND))
    assert (await get(store, kept.conversation.id)).last_message_at == late
    async with store.write(ACME) as transaction:
        await transaction.erase.message(kept.messages[1].id, now=NOON)
    assert (await get(store, kept.conversation.id)).last_message_at == early + SECOND


async def test_what_was_not_told_is_nothing(store: Store) -> None:
    kept = await keep(store, user_id=None, created_at=None)
    found = await get(store, kept.conversation.id)
    empty = (found.user_id, found.external_id, found.label, found.folder, found.system_prompt)
    assert empty == (None,) * 5
    assert (list(found.tags), found.metadata, found.created_at) == ([], {}, NOON)
    assert (found.message_count, found.token_count, found.importance) == (0, 0, 5)


@pytest.mark.parametrize("year", [1, 9999])
async def test_times_are_exact_at_the_ends_of_time(store: Store, year: int) -> None:
    told = NOON.replace(year=year) + 7 * MICROSECOND
    kept = await keep(store, created_at=told)
    assert (await get(store, kept.conversation.id)).created_at == told


async def test_an_unknown_conversation_is_not_found(store: Store) -> None:
    with pytest.raises(ConversationNotFound) as caught:
        await get(store, UNKNOWN)
    assert caught.value.facts == {"conversation_id": str(UNKNOWN)}


async def test_a_callers_own_id_finds_a_conversation_inside_its_scope_only(store: Store) -> None:
    alice = await keep(store, external_id="chat", label="hers")
    bob = await keep(store, external_id="chat", label="his", user_id="bob")
    async with store.read(ACME) as snapshot:
        found = [
            await snapshot.conversations.find(scope, external_id)
            for scope in (alice.scope.key, bob.scope.key)
            for external_id in ("chat", "Chat", "cha%")
        ]
    assert [each and each.label for each in found] == ["hers", None, None, "his", None, None]


async def test_a_callers_own_id_is_given_once_in_a_scope(store: Store) -> None:
    await keep(store, external_id="chat")
    with pytest.raises(IntegrityError):
        await keep(store, external_id="chat")
    assert await count(store) == 1


async def test_conversations_without_an_id_of_the_callers_are_many(store: Store) -> None:
    for _ in range(3):
        await keep(store)
    assert await count(store) == 3


async def change(store: Store, kept: Kept, **changes: Any) -> Conversation:
    given = ConversationChanges(given=frozenset(changes), **changes)
    async with store.write(ACME) as transaction:
        await transaction.conversations.change(kept.conversation.key, given, now=NOON + SECOND)
        return await transaction.conversations.get(kept.conversation.id)


async def test_a_change_sets_what_is_given_and_leaves_the_rest(store: Store) -> None:
    kept = await keep(store, **EVERYTHING)
    changed = await change(store, kept, label=None, importance=10, archived=True)
    assert (changed.label, changed.importance, changed.archived) == (None, 10, True)
    untouched = [name for name in EVERYTHING if name not in {"label", "importance"}]
    for name in untouched:
        assert getattr(changed, name) == getattr(kept.conversation, name)
    assert changed.updated_at == NOON + SECOND


async def test_tags_are_replaced_as_a_whole(store: Store) -> None:
    kept = await keep(store, tags=["a", "b"])
    assert (await change(store, kept, tags=["c", "b", "c"])).tags == ["c", "b"]
    assert (await change(store, kept, tags=[])).tags == []


async def test_filters_of_a_search_give_the_conversations_they_allow(store: Store) -> None:
    one = await keep(store, label="one", tags=["x"], folder="/work")
    two = await keep(store, label="two", tags=["x", "y"], folder="/work/api")
    his = await keep(store, label="one", tags=["x"], user_id="bob")
    a, b = one.conversation, two.conversation

    async def matching(**filters: Any) -> set[int] | None:
        async with store.read(ACME) as snapshot:
            keys = await snapshot.conversations.matching(one.scope.key, Filters(**filters))
        return None if keys is None else set(keys)

    assert await matching() is None
    assert await matching(exclude_terms=["x"], after=NOON) is None
    assert await matching(labels=["one", "two"]) == {a.key, b.key}
    assert await matching(labels=["one"], tags=["y"]) == set()
    assert await matching(tags=["y", "z"]) == {b.key}
    assert await matching(conversation_ids=[a.id, his.conversation.id, UNKNOWN]) == {a.key}
    assert await matching(folder="/work", conversation_ids=[b.id]) == {b.key}


async def test_ids_give_the_keys_inside_the_scope(store: Store) -> None:
    hers, his = await keep(store), await keep(store, user_id="bob")
    ids = [hers.conversation.id, his.conversation.id, UNKNOWN]
    async with store.read(ACME) as snapshot:
        assert await snapshot.conversations.keys(hers.scope.key, ids) == {hers.conversation.key}
        assert await snapshot.conversations.keys(hers.scope.key, []) == frozenset()
        assert await snapshot.conversations.keys(ScopeKey(0), ids) == frozenset()


async def test_those_of_several_names_are_found_inside_the_scope(store: Store) -> None:
    first, second = await keep(store, external_id="b"), await keep(store, external_id="a")
    await keep(store, external_id="c")
    await keep(store, external_id="a", user_id="bob")
    names = ["a", "b", *(f"none-{at}" for at in range(600))]
    async with store.read(ACME) as snapshot:
        found = await snapshot.conversations.named(first.scope.key, names)
        assert [each.id for each in found] == [first.conversation.id, second.conversation.id]
        assert await snapshot.conversations.named(first.scope.key, []) == []


async def test_those_that_go_beyond_a_message_are_found_inside_the_scope(store: Store) -> None:
    def talk(*ids: str) -> list[NewMessage]:
        return [said("hello", external_id=each) for each in ids]

    first, second = await keep(store, *talk("a", "b", "c")), await keep(store, *talk("x", "b", "y"))
    await keep(store, *talk("a", "b"))
    await keep(store, *talk("b", "c", "d"))
    await keep(store, *talk("a", "b", "c"), user_id="bob")
    async with store.read(ACME) as snapshot:
        found = await snapshot.conversations.going_beyond(first.scope.key, "b", position=1)
        assert [each.id for each in found] == [first.conversation.id, second.conversation.id]
        assert await snapshot.conversations.going_beyond(first.scope.key, "z", position=1) == []


async def test_a_lock_tells_the_next_free_position(store: Store) -> None:
    kept = await keep(store)
    for expected in (0, 2, 4):
        async with store.write(ACME) as transaction:
            assert await transaction.conversations.lock(kept.conversation.key) == expected
        async with store.write(ACME) as transaction:
            await append(transaction, kept.conversation, "one", "two")


async def test_adding_uses_now_where_no_time_is_given(store: Store) -> None:
    now = NOON + timedelta(days=1)
    async with store.write(ACME) as transaction:
        scope = await transaction.scopes.ensure("alice", now=now)
        added = await transaction.conversations.add(
            NewConversation(), conversation_id=UNKNOWN, scope=scope, now=now
        )
    assert (added.id, added.created_at, added.updated_at) == (UNKNOWN, now, now)
    assert isinstance(added.created_at, datetime)
    assert (await scope_now(store)).key == added.scope
