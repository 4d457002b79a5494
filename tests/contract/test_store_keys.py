"""Keys are stored by their hash, belong to one tenant, and are found before a tenant is known."""

from datetime import datetime, timedelta
from uuid import UUID

import pytest
from uuid_utils.compat import uuid7

from app.domain.errors import InvalidCursor, KeyNotFound
from app.domain.ids import KeyId, TenantId
from app.domain.keys import USUAL, ApiKey, Permission, hash_of, written
from app.ports.store import Store
from tests.stored import ACME, NOON, OTHER, SECOND

LATER = NOON + timedelta(days=1)


def spelled(number: int) -> str:
    return written(number.to_bytes(32))


async def a_key(
    store: Store,
    number: int,
    *,
    tenant: TenantId = ACME,
    permissions: frozenset[Permission] = USUAL,
    expires_at: datetime | None = None,
) -> ApiKey:
    key = ApiKey(
        id=KeyId(UUID(str(uuid7()))),
        tenant=tenant,
        name=f"number {number}",
        permissions=permissions,
        created_at=NOON,
        expires_at=expires_at,
    )
    async with store.write(tenant) as transaction:
        await transaction.keys.add(key, secret_hash=hash_of(spelled(number)))
    return key


async def found(store: Store, number: int) -> ApiKey | None:
    async with store.admit() as admission:
        return await admission.find_key(hash_of(spelled(number)))


async def test_a_key_is_found_by_its_hash_as_it_was_stored(store: Store) -> None:
    for number, permissions in enumerate(
        [USUAL, frozenset(Permission), frozenset([Permission.READ])]
    ):
        key = await a_key(store, number, permissions=permissions, expires_at=LATER)
        assert await found(store, number) == key
    assert await found(store, 99) is None


async def test_the_first_key_is_seen_and_stays_seen_when_it_is_revoked(store: Store) -> None:
    async with store.admit() as admission:
        assert not await admission.any_key()
    key = await a_key(store, 1)
    async with store.write(ACME) as transaction:
        await transaction.keys.revoke(key.id, now=LATER)
    async with store.admit() as admission:
        assert await admission.any_key()


async def test_a_key_is_revoked_once(store: Store) -> None:
    key = await a_key(store, 1)
    for at, first in ((LATER, True), (LATER + SECOND, False)):
        async with store.write(ACME) as transaction:
            revoked, closed = await transaction.keys.revoke(key.id, now=at)
        assert (revoked.revoked_at, closed) == (LATER, first)
    stored = await found(store, 1)
    assert stored is not None
    assert not stored.opens(LATER)


async def test_keys_of_others_cannot_be_revoked_or_listed(store: Store) -> None:
    theirs, mine = await a_key(store, 1), await a_key(store, 2, tenant=OTHER)
    async with store.write(OTHER) as transaction:
        with pytest.raises(KeyNotFound):
            await transaction.keys.revoke(theirs.id, now=LATER)
    async with store.read(OTHER) as snapshot:
        assert list((await snapshot.keys.page(cursor=None, limit=9)).items) == [mine]
    assert await found(store, 1) == theirs


async def test_keys_are_listed_newest_first_page_by_page(store: Store) -> None:
    keys = [await a_key(store, number) for number in range(5)]
    seen: list[ApiKey] = []
    cursor = None
    while True:
        async with store.read(ACME) as snapshot:
            page = await snapshot.keys.page(cursor=cursor, limit=2)
        seen += page.items
        cursor = page.next_cursor
        if cursor is None:
            break
    assert seen == keys[::-1]


async def test_a_cursor_of_elsewhere_is_refused(store: Store) -> None:
    async with store.read(ACME) as snapshot:
        with pytest.raises(InvalidCursor):
            await snapshot.keys.page(cursor="WzEsMl0", limit=2)
        with pytest.raises(InvalidCursor):
            await snapshot.audit.page(action=None, subject=None, cursor="x", limit=2)


async def test_the_operator_sees_keys_of_all_tenants_or_of_one(store: Store) -> None:
    theirs = await a_key(store, 1, tenant=OTHER)
    ours = [await a_key(store, number) for number in (2, 3)]
    async with store.admit() as admission:
        assert await admission.keys(None) == [*ours, theirs]
        assert await admission.keys(OTHER) == [theirs]
        assert await admission.keys(TenantId("nobody")) == []


async def test_the_last_use_is_noted_and_never_goes_back(store: Store) -> None:
    one, two = await a_key(store, 1), await a_key(store, 2)
    for uses in ({one.id: LATER}, {one.id: NOON, two.id: NOON}, {}, {KeyId(UUID(int=7)): NOON}):
        async with store.project() as projections:
            await projections.note_uses(uses)
    used = [await found(store, number) for number in (1, 2)]
    assert [each and each.last_used_at for each in used] == [LATER, NOON]
