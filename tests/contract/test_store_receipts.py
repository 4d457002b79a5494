"""Receipts, idempotency answers, and what operators see."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import select, text
from sqlalchemy.exc import IntegrityError
from uuid_utils.compat import uuid7

from app.adapters.sql import tables as t
from app.adapters.sql.database import Database
from app.domain.audit import user_subject
from app.domain.conversation import Role
from app.domain.errors import BundleNotFound
from app.domain.ids import BundleId, ItemKey
from app.domain.memory import PROFILE, ItemType, Table, item_key
from app.domain.profile import Profile
from app.ports.projecting import OutboxState
from app.ports.store import Store
from app.ports.stored import Counts, Receipt
from tests.databases import BOTH
from tests.stored import ACME, MICROSECOND, NOON, OTHER, keep, packed, said, tell

DAY = timedelta(days=1)
ANOTHER, A_THIRD = (item_key(Table.MEMORY, row) for row in (1_001, 1_002))
"""Items that are not there."""

ANSWER = {"items": [{"id": "ü", "score": 0.1}], "big": 2**60, "timings": {"total": 0.0125}}


def receipt(at: datetime = NOON, **about: Any) -> Receipt:
    told: dict[str, Any] = {
        "bundle_id": BundleId(UUID(str(uuid7()))),
        "tenant": ACME,
        "scope": None,
        "subject": user_subject(ACME, "alice"),
        "version": 0,
        "created_at": at,
        "request": {"query": "who?", "nested": [None, {"π": 3.5}]},
        "answer": ANSWER,
        "total_ms": 12.5,
        "facts": {"hit": True},
    }
    return Receipt(**told | about)


async def keep_receipts(store: Store, *receipts: Receipt) -> None:
    async with store.project() as projections:
        await projections.keep_receipts(receipts)


async def kept(store: Store, *receipts: Receipt) -> list[bool]:
    there = []
    async with store.read(ACME) as snapshot:
        for each in receipts:
            try:
                there.append((await snapshot.bundles.get(each.bundle_id)).bundle_id is not None)
            except BundleNotFound:
                there.append(False)
    return there


async def keys_of(database: Database, item: UUID) -> list[ItemKey]:
    """Of a memory item; its parts have keys of their own."""
    async with database.read() as connection:
        key = select(t.memory_item.c.key).where(t.memory_item.c.id == item)
        found = (await connection.execute(key)).scalars()
        return [item_key(Table.MEMORY, each) for each in found]


async def rows(database: Database, table: str) -> int:
    async with database.read() as connection:
        count = text(f"SELECT count(*) FROM {table}")  # noqa: S608
        return int((await connection.execute(count)).scalar_one())


async def test_a_receipt_comes_back_as_it_was_kept(store: Store) -> None:
    scope = (await keep(store, "dog")).scope
    told = receipt(NOON + 3 * MICROSECOND, scope=scope.key, version=scope.version)
    await keep_receipts(store, told, receipt())
    async with store.read(ACME) as snapshot:
        found = await snapshot.bundles.get(told.bundle_id)
    assert (found.tenant, found.scope, found.created_at) == (ACME, scope.key, told.created_at)
    assert (found.request, found.answer, found.total_ms) == (told.request, ANSWER, 12.5)


async def test_a_receipt_without_a_scope_is_kept(store: Store) -> None:
    told = receipt()
    await keep_receipts(store, told)
    async with store.read(ACME) as snapshot:
        assert (await snapshot.bundles.get(told.bundle_id)).scope is None


async def test_no_receipts_are_no_error(store: Store) -> None:
    await keep_receipts(store)


async def test_an_unknown_receipt_is_not_found(store: Store) -> None:
    unknown = BundleId(UUID(str(uuid7())))
    async with store.read(ACME) as snapshot:
        with pytest.raises(BundleNotFound) as caught:
            await snapshot.bundles.get(unknown)
    assert caught.value.facts == {"bundle_id": str(unknown)}


async def test_what_is_old_is_forgotten_and_nothing_else(store: Store, database: Database) -> None:
    ages = [6 * DAY, 7 * DAY, 7 * DAY + MICROSECOND, 30 * DAY, 30 * DAY + MICROSECOND]
    receipts = [receipt(NOON - age) for age in ages]
    await keep_receipts(store, *receipts)
    async with store.write(ACME) as transaction:
        for hours in (23, 24, 25):
            now = NOON - timedelta(hours=hours)
            await transaction.answers.keep("/p", str(hours), body_hash=b"h", answer={}, now=now)
    for _ in range(2):
        async with store.project() as projections:
            await projections.forget_old(now=NOON, limit=9)
    assert await kept(store, *receipts) == [True, True, False, False, False]
    assert await rows(database, "retrieval_metric") == 4
    async with store.write(ACME) as transaction:
        answers = [await transaction.answers.find("/p", hours) for hours in ("23", "24", "25")]
    assert answers == [(b"h", {}), (b"h", {}), None]


async def test_of_what_is_old_so_many_rows_of_each_kind_go_at_a_time(
    store: Store, database: Database
) -> None:
    ages = [30 * DAY + number * DAY for number in range(5)]
    scope = (await keep(store, "hello")).scope.key
    shown = [
        receipt(NOON - age, scope=scope, version=9, issued={ANOTHER: frozenset({number})})
        for number, age in enumerate(ages)
    ]
    await keep_receipts(store, *shown)
    left = []
    for more in (True, True, False):
        async with store.project() as projections:
            assert await projections.forget_old(now=NOON, limit=2) is more
        tables = ("bundle", "issued", "retrieval_metric")
        left.append([await rows(database, each) for each in tables])
    assert left == [[3, 3, 3], [1, 1, 1], [0, 0, 1]]
    async with store.project() as projections:
        assert await projections.forget_old(now=NOON, limit=2) is False


async def test_with_a_profile_goes_by_what_its_words_would_be_known(
    store: Store, database: Database
) -> None:
    scope = (await keep(store, "hello")).conversation.scope
    async with store.write(ACME) as transaction:
        await transaction.personal.put_profile(scope, Profile(notes="tea", updated_at=NOON))
    issued = {PROFILE: frozenset({1, 2**60}), ItemKey(4): frozenset({7})}
    await keep_receipts(store, receipt(scope=scope, issued=issued))
    assert (await rows(database, "issued"), await rows(database, "bundle")) == (3, 1)
    async with store.write(ACME) as transaction:
        erased = await transaction.personal.erase_profile(scope)
    assert (erased.profiles, erased.bundles) == (1, 1)
    assert (await rows(database, "issued"), await rows(database, "bundle")) == (1, 0)
    async with store.read(ACME) as snapshot:
        assert await snapshot.bundles.shown(scope, {1, 2**60, 7}) == {7: NOON}


async def test_what_two_items_said_is_known_since_it_was_first_shown(store: Store) -> None:
    kept = await keep(store, "dog", "dog")
    scope, (first, second) = kept.scope, kept.keys
    for item, at in ((second, NOON), (first, NOON + DAY)):
        issued = {item: frozenset({7})}
        await keep_receipts(store, receipt(at, scope=scope.key, issued=issued, version=9))
    async with store.read(ACME) as snapshot:
        assert await snapshot.bundles.shown(scope.key, {7}) == {7: NOON}
    for gone, left in ((kept.messages[1], {7: NOON + DAY}), (kept.messages[0], {})):
        async with store.write(ACME) as transaction:
            await transaction.erase.message(gone.id, now=NOON)
        async with store.read(ACME) as snapshot:
            assert await snapshot.bundles.shown(scope.key, {7}) == left


async def test_an_answer_is_replayed_under_its_path_and_key_only(store: Store) -> None:
    async with store.write(ACME) as transaction:
        assert await transaction.answers.find("/p", "k") is None
        await transaction.answers.keep("/p", "k", body_hash=b"\0" * 32, answer=ANSWER, now=NOON)
        assert await transaction.answers.find("/p", "k") == (b"\0" * 32, ANSWER)
    async with store.write(ACME) as transaction:
        assert await transaction.answers.find("/p", "k") == (b"\0" * 32, ANSWER)
        assert await transaction.answers.find("/q", "k") is None
        assert await transaction.answers.find("/p", "K") is None


async def test_an_answer_is_kept_once(store: Store) -> None:
    async with store.write(ACME) as transaction:
        await transaction.answers.keep("/p", "k", body_hash=b"1", answer={"n": 1}, now=NOON)
    with pytest.raises(IntegrityError):
        async with store.write(ACME) as transaction:
            await transaction.answers.keep("/p", "k", body_hash=b"2", answer={"n": 2}, now=NOON)
    async with store.write(ACME) as transaction:
        assert await transaction.answers.find("/p", "k") == (b"1", {"n": 1})


async def test_counts_are_those_of_the_tenant(store: Store) -> None:
    alice = await keep(store, "dog", said("rules", role=Role.SYSTEM))
    await keep(store, user_id="bob")
    await keep(store, "dog", user_id=None, tenant=OTHER)
    async with store.project() as projections:
        for model in ("one", "two"):
            await projections.keep_vectors(
                packed({alice.keys[0]: b"\0\0"}), model=model, dimension=1, now=NOON
            )
    async with store.read(ACME) as snapshot:
        assert await snapshot.counts() == Counts(
            conversations=2, messages=2, chunks=0, memory_items=0, embeddings=2, users=2
        )


async def test_operators_see_what_waits_and_how_long(store: Store) -> None:
    await keep(store, "dog", "cat")
    await keep(store, "dog", tenant=OTHER)
    async with store.observe() as observations:
        state = await observations.state(now=NOON + timedelta(milliseconds=1500))
    assert state == OutboxState(depth=3, oldest_age=1.5, dead=0)


async def test_operators_see_sizes_by_part(store: Store) -> None:
    await keep(store, "dog " * 10_000)
    async with store.observe() as observations:
        sizes = await observations.sizes()
    assert set(sizes) == {"full_text", "embeddings", "messages", "other"}
    assert all(size > 0 for size in sizes.values())


@pytest.fixture(params=BOTH)
def own_url(request: pytest.FixtureRequest) -> str:
    if request.param == "sqlite":
        return f"sqlite+aiosqlite:///{request.getfixturevalue('sqlite_file')}"
    return str(request.getfixturevalue("postgres_own_url"))


@pytest.mark.parametrize("kind", [ItemType.FACT, ItemType.DOCUMENT])
async def test_what_expires_takes_along_what_was_shown_of_it_and_nothing_else(
    store: Store, database: Database, kind: ItemType
) -> None:
    """A document was shown to every user of its tenant, a fact to its own."""
    users = [(ACME, "alice"), (ACME, "bob"), (OTHER, "alice")]
    scopes = [(await keep(store, "dog", user_id=user, tenant=of)).scope for of, user in users]
    item = (await tell(store, "tea", type=kind, expires_at=NOON)).id
    (key,) = await keys_of(database, item)
    told = {(ACME, "alice"): key, (ACME, "bob"): key if kind is ItemType.DOCUMENT else ANOTHER}
    shown = frozenset({1, 2**40})
    await keep_receipts(
        store,
        *(
            receipt(
                tenant=of,
                scope=scope.key,
                version=scope.version,
                issued={told.get((of, user), ANOTHER): shown, A_THIRD: frozenset({7, 1})},
            )
            for scope, (of, user) in zip(scopes, users, strict=True)
        ),
    )

    async with store.project() as projections:
        assert await projections.erase_expired(now=NOON, limit=9, new_id=uuid4) == 1

    left = []
    for scope, (of, _) in zip(scopes, users, strict=True):
        async with store.read(of) as snapshot:
            left.append(set(await snapshot.bundles.shown(scope.key, {*shown, 7})))
    everything = {*shown, 7}
    assert left == [{1, 7}, {1, 7} if kind is ItemType.DOCUMENT else everything, everything]
