"""Consent, profiles and flags: kept by tenant, and read only as they may be."""

from datetime import timedelta

import pytest

from app.domain.conversation import Scope
from app.domain.flags import Flags, FlagState
from app.domain.ids import TenantId
from app.domain.profile import Grant, Profile, Purpose
from app.ports.store import Store
from app.services.common.flagging import FlagBoard
from tests.factories import HandClock
from tests.stored import ACME, MICROSECOND, NOON, OTHER

HOUR = timedelta(hours=1)
PROFILE = Profile(
    preferences={"a": 1.5, "b": ["x"], "c": {"y": None, "z": 2**40}},
    context={"domain": "tea"},
    notes="Likes \N{TEACUP WITHOUT HANDLE}.",
    updated_at=NOON,
)


def granted(*, expires: bool = False) -> Grant:
    return Grant(
        source="settings page", granted_at=NOON, expires_at=NOON + HOUR if expires else None
    )


async def keep(
    store: Store, *, tenant: TenantId = ACME, expires: bool = False, profile: bool = True
) -> Scope:
    """Alice's consent, and her profile."""
    async with store.write(tenant) as transaction:
        scope = await transaction.scopes.ensure("alice", now=NOON)
        await transaction.personal.grant(scope.key, [Purpose.PROFILE], granted(expires=expires))
        if profile:
            await transaction.personal.put_profile(scope.key, PROFILE)
    return await scope_now(store, tenant=tenant)


async def scope_now(store: Store, *, tenant: TenantId = ACME) -> Scope:
    async with store.read(tenant) as snapshot:
        scope = await snapshot.scopes.find("alice")
    assert scope is not None
    return scope


async def found(store: Store, scope: Scope, *, tenant: TenantId = ACME, late: timedelta) -> bool:
    async with store.read(tenant) as snapshot:
        return await snapshot.personal.find_profile(scope.key, now=NOON + late) is not None


async def test_a_profile_comes_back_as_it_was_put(store: Store) -> None:
    scope = await keep(store)
    async with store.read(ACME) as snapshot:
        profile = await snapshot.personal.find_profile(scope.key, now=NOON)
        consent = await snapshot.personal.consent(scope.key)
    assert profile == PROFILE
    assert consent == {Purpose.PROFILE: granted()}


async def test_keys_come_back_in_order(store: Store) -> None:
    unordered = {"bb": 1, "a": {"zz": 1, "y": 2}}
    async with store.write(ACME) as transaction:
        scope = await transaction.scopes.ensure("alice", now=NOON)
        await transaction.personal.grant(scope.key, [Purpose.PROFILE], granted())
        profile = Profile(preferences=unordered, updated_at=NOON)
        await transaction.personal.put_profile(scope.key, profile)
        read = await transaction.personal.find_profile(scope.key, now=NOON)
    assert read is not None
    assert str(read.preferences) == "{'a': {'y': 2, 'zz': 1}, 'bb': 1}"


async def test_a_profile_of_somebody_else_is_none_of_who_has_none(store: Store) -> None:
    await keep(store, tenant=OTHER)
    assert (await keep(store, profile=False)).profile_until is None


async def test_a_scope_tells_until_when_its_profile_may_be_read(store: Store) -> None:
    assert (await keep(store, profile=False)).profile_until is None
    forever = (await keep(store)).profile_until
    assert forever is not None
    assert forever.year == 9999
    assert (await keep(store, expires=True)).profile_until == NOON + HOUR
    async with store.write(ACME) as transaction:
        scope = await transaction.scopes.ensure("alice", now=NOON)
        await transaction.personal.grant(scope.key, [Purpose.FACTS], granted())
        await transaction.personal.revoke(scope.key, [Purpose.PROFILE])
    assert (await scope_now(store)).profile_until is None


async def test_consent_ends_at_its_moment(store: Store) -> None:
    scope = await keep(store, expires=True)
    assert await found(store, scope, late=HOUR - MICROSECOND)
    assert not await found(store, scope, late=HOUR)


async def test_consents_are_counted_while_they_hold(store: Store) -> None:
    await keep(store, expires=True)
    await keep(store, tenant=OTHER)
    async with store.read(ACME) as snapshot:
        assert (await snapshot.personal.consents(now=NOON))[Purpose.PROFILE] == 1
        later = await snapshot.personal.consents(now=NOON + HOUR)
    assert later == dict.fromkeys(Purpose, 0)


async def test_other_tenants_neither_read_nor_erase_any_of_it(store: Store) -> None:
    scope = await keep(store)
    assert not await found(store, scope, tenant=OTHER, late=timedelta())
    async with store.write(OTHER) as transaction:
        assert await transaction.personal.consent(scope.key) == {}
        assert await transaction.personal.remaining(scope.key) == (0, 0)
        assert (await transaction.personal.erase_profile(scope.key)).profiles == 0
        assert (await transaction.personal.revoke(scope.key, list(Purpose))).consents == 0
    assert await found(store, scope, late=timedelta())


async def test_what_is_erased_is_counted(store: Store) -> None:
    scope = await keep(store)
    async with store.write(ACME) as transaction:
        erased = await transaction.personal.erase_profile(scope.key)
        revoked = await transaction.personal.revoke(scope.key, list(Purpose))
        assert await transaction.personal.remaining(scope.key) == (0, 0)
    assert (erased.profiles, revoked.consents) == (1, 1)


async def test_with_a_user_go_profile_and_consent(store: Store) -> None:
    scope = await keep(store)
    async with store.write(ACME) as transaction:
        erased = await transaction.erase.user("alice", now=NOON)
        assert await transaction.personal.consent(scope.key) == {}
    assert (erased.profiles, erased.consents) == (1, 1)


async def test_flags_are_the_defaults_until_somebody_says_otherwise(store: Store) -> None:
    async with store.write(ACME) as transaction:
        assert await transaction.flags.get() == FlagState()
        first = await transaction.flags.change(
            {"hybrid": False, "token_budget": 500}, reset=[], now=NOON
        )
        second = await transaction.flags.change(
            {"rerank": False}, reset=["hybrid", "profile"], now=NOON
        )
    assert first == FlagState(version=1, flags=Flags(hybrid=False, token_budget=500))
    assert second == FlagState(version=2, flags=Flags(rerank=False, token_budget=500))
    async with store.read(OTHER) as snapshot:
        assert await snapshot.flags.get() == FlagState()


async def test_a_scope_tells_the_version_of_its_tenants_flags(store: Store) -> None:
    await keep(store)
    await keep(store, tenant=OTHER)
    async with store.write(ACME) as transaction:
        await transaction.flags.change({"hybrid": False}, reset=[], now=NOON)
    assert (await scope_now(store)).flags_version == 1
    assert (await scope_now(store, tenant=OTHER)).flags_version == 0


@pytest.fixture
def timer() -> list[float]:
    return [0.0]


def a_board(store: Store, timer: list[float]) -> FlagBoard:
    return FlagBoard(store=store, clock=HandClock(), timer=lambda: timer[0])


async def test_a_board_follows_the_version_that_a_scope_brings(
    store: Store, timer: list[float]
) -> None:
    here, elsewhere = a_board(store, timer), a_board(store, timer)
    await keep(store)
    assert await here.current(ACME) == Flags()
    await elsewhere.change(ACME, {"hybrid": False}, reset=[])
    scope = await scope_now(store)
    async with store.read(ACME) as snapshot:
        assert not (await here.at(scope.flags_version, ACME, snapshot)).hybrid
    async with store.read(OTHER) as nothing_to_read_here:
        assert not (await here.at(scope.flags_version, ACME, nothing_to_read_here)).hybrid


async def test_a_board_without_a_scope_looks_again_after_a_second(
    store: Store, timer: list[float]
) -> None:
    here, elsewhere = a_board(store, timer), a_board(store, timer)
    assert (await here.current(ACME)).chunking
    await elsewhere.change(ACME, {"chunking": False}, reset=[])
    timer[0] = 0.9
    assert (await here.current(ACME)).chunking
    timer[0] = 1.0
    assert not (await here.current(ACME)).chunking
    await here.change(ACME, {"chunking": True}, reset=[])
    assert (await here.current(ACME)).chunking
