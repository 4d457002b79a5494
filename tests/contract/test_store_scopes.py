"""Scopes: whose memory it is."""

import asyncio

import pytest

from app.domain.conversation import Scope
from app.domain.ids import ScopeKey
from app.ports.store import Store
from tests.stored import ACME, NOON, OTHER, scope_now


async def ensure(store: Store, user_id: str | None) -> Scope:
    async with store.write(ACME) as transaction:
        return await transaction.scopes.ensure(user_id, now=NOON)


async def test_a_user_unknown_has_no_scope(store: Store) -> None:
    async with store.read(ACME) as snapshot:
        assert await snapshot.scopes.find("alice") is None


async def test_a_new_scope_is_empty_and_found_again(store: Store) -> None:
    made = await ensure(store, "alice")
    assert (made.user_id, made.version, made.messages, made.terms) == ("alice", 0, 0, 0)
    assert await scope_now(store) == made


async def test_ensuring_twice_gives_the_same_scope(store: Store) -> None:
    assert await ensure(store, "alice") == await ensure(store, "alice")


async def test_no_user_is_a_scope_of_its_own(store: Store) -> None:
    nobody = await ensure(store, None)
    assert nobody.user_id is None
    assert (await ensure(store, "alice")).key != nobody.key
    assert await scope_now(store, None) == nobody


@pytest.mark.parametrize("user_id", ["Alice", "alice ", "älice", "ALICE", "a%", "a_ice", "'; --"])
async def test_users_are_told_apart_to_the_letter(store: Store, user_id: str) -> None:
    alice = await ensure(store, "alice")
    assert (await ensure(store, user_id)).key != alice.key
    assert (await scope_now(store, user_id)).user_id == user_id


async def test_tasks_that_ensure_at_once_get_one_row(store: Store) -> None:
    made = await asyncio.gather(*(ensure(store, "alice") for _ in range(6)))
    assert len({scope.key for scope in made}) == 1
    async with store.read(ACME) as snapshot:
        assert (await snapshot.counts()).users == 1


async def test_touching_raises_the_version_and_moves_the_counters(store: Store) -> None:
    scope = await ensure(store, "alice")
    async with store.write(ACME) as transaction:
        await transaction.scopes.touch(scope.key)
        await transaction.scopes.touch(scope.key, messages=3, terms=20)
        await transaction.scopes.touch(scope.key, messages=-1, terms=-5)
    now = await scope_now(store)
    assert (now.version, now.messages, now.terms) == (3, 2, 15)


async def test_touches_at_once_all_count(store: Store) -> None:
    scope = await ensure(store, "alice")

    async def touch() -> None:
        async with store.write(ACME) as transaction:
            await transaction.scopes.touch(scope.key, messages=1)

    await asyncio.gather(*(touch() for _ in range(8)))
    now = await scope_now(store)
    assert (now.version, now.messages) == (8, 8)


async def test_touching_a_scope_that_is_not_there_does_nothing(store: Store) -> None:
    scope = await ensure(store, "alice")
    async with store.write(ACME) as transaction:
        await transaction.scopes.touch(ScopeKey(scope.key + 1))
    assert await scope_now(store) == scope


async def test_the_same_user_of_another_tenant_is_another_scope(store: Store) -> None:
    ours = await ensure(store, "alice")
    async with store.write(OTHER) as transaction:
        assert await transaction.scopes.find("alice") is None
        theirs = await transaction.scopes.ensure("alice", now=NOON)
    assert theirs.key != ours.key


async def test_whose_a_scope_is_is_told_within_its_tenant(store: Store) -> None:
    alice, nobody = await ensure(store, "alice"), await ensure(store, None)
    async with store.read(ACME) as snapshot:
        assert await snapshot.scopes.find_user(alice.key) == "alice"
        assert await snapshot.scopes.find_user(nobody.key) is None
        assert await snapshot.scopes.find_user(ScopeKey(alice.key + 1_000)) is None
    async with store.read(OTHER) as snapshot:
        assert await snapshot.scopes.find_user(alice.key) is None
