"""A key that was good stands while the store does not answer: for a while, where it may."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, cast

import pytest
from cachetools import TTLCache

from app.adapters.sql.store import SqlStore
from app.domain.errors import NotAuthenticated, StoreUnavailable
from app.domain.keys import ANYONE_HERE, Caller, permissions_named
from app.ports.store import Store
from app.services.access.admit import Doorkeeper
from app.services.access.rates import Rate, Rates
from app.wiring.keys import key_ring
from tests.factories import ACME, HandClock

REMEMBERED = 2.0
STANDS = 300.0


@dataclass
class Away:
    """A store that says nothing, or late, or that it cannot, when it is asked for keys."""

    store: SqlStore
    is_away: bool = False
    is_silent: bool = False
    is_late: bool = False
    asked: int = 0
    has_read: asyncio.Event = field(default_factory=asyncio.Event)
    goes_on: asyncio.Event = field(default_factory=asyncio.Event)

    @asynccontextmanager
    async def admit(self) -> AsyncIterator[Any]:
        self.asked += 1
        if self.is_silent:
            await self.goes_on.wait()
        elif self.is_away:
            raise StoreUnavailable
        async with self.store.admit() as admission:
            yield admission
            if self.is_late:
                self.has_read.set()
                await self.goes_on.wait()

    @asynccontextmanager
    async def late(self) -> AsyncIterator[None]:
        """What was read when this begins is told when it ends."""
        await self.has_read.wait()
        yield
        self.is_late = False
        self.goes_on.set()


@dataclass
class House:
    """A doorkeeper, and what decides what it knows."""

    clock: HandClock
    away: Away
    door: Doorkeeper

    async def a_key(self, *, lasts: float | None = None) -> tuple[Any, str]:
        made, spelled = await key_ring(self.away.store, self.clock).create(
            ACME,
            name="k",
            permissions=permissions_named("read,write"),
            expires_at=None if lasts is None else self.clock() + timedelta(seconds=lasts),
        )
        return made.id, spelled

    async def revoke(self, key_id: Any) -> None:
        await key_ring(self.away.store, self.clock).revoke(ACME, key_id)

    async def holder(self, key: str, *, may_stand: bool = True) -> Caller:
        return await self.door.holder(key, address="here", may_stand=may_stand)


@pytest.fixture
def house(store: SqlStore) -> House:
    clock, away = HandClock(), Away(store)

    def seconds() -> float:
        return clock().timestamp()

    door = Doorkeeper(
        store=cast("Store", away),
        clock=clock,
        known=TTLCache(maxsize=9, ttl=REMEMBERED, timer=seconds),
        trusted={},
        guesses=Rates(rate=Rate(per_second=0.0, burst=1), full_at={}, timer=seconds),
        remembered=timedelta(seconds=REMEMBERED),
        standing=TTLCache(maxsize=9, ttl=STANDS, timer=seconds),
        stands=timedelta(seconds=STANDS),
        patience=1.0,
    )
    return House(clock, away, door)


async def test_a_key_that_was_good_stands_while_the_store_is_away(house: House) -> None:
    _, key = await house.a_key()
    before = await house.holder(key)
    house.clock.forward(REMEMBERED + 1)
    house.away.is_away = True
    assert await house.holder(key) == before
    with pytest.raises(StoreUnavailable):
        await house.holder(key, may_stand=False)
    house.clock.forward(STANDS)
    with pytest.raises(StoreUnavailable):
        await house.holder(key)


async def test_a_key_that_was_never_seen_does_not(house: House) -> None:
    _, key = await house.a_key()
    house.away.is_away = True
    with pytest.raises(StoreUnavailable):
        await house.holder(key)


async def test_nor_one_that_expires_meanwhile(house: House) -> None:
    _, key = await house.a_key(lasts=10)
    await house.holder(key)
    house.clock.forward(11)
    house.away.is_away = True
    with pytest.raises(NotAuthenticated):
        await house.holder(key)


async def test_nor_one_that_was_found_revoked(house: House) -> None:
    key_id, key = await house.a_key()
    await house.holder(key)
    await house.revoke(key_id)
    house.clock.forward(REMEMBERED + 1)
    with pytest.raises(NotAuthenticated):
        await house.holder(key)
    house.clock.forward(REMEMBERED + 1)
    house.away.is_away = True
    with pytest.raises(StoreUnavailable):
        await house.holder(key)


async def test_nor_any_after_keys_were_changed_here(house: House) -> None:
    _, key = await house.a_key()
    await house.holder(key)
    house.door.forget()
    house.away.is_away = True
    with pytest.raises(StoreUnavailable):
        await house.holder(key)


async def test_nor_what_was_read_of_it_before_it_was_revoked_here(house: House) -> None:
    key_id, key = await house.a_key()
    house.away.is_late = True
    asking = asyncio.create_task(house.holder(key))
    async with house.away.late():
        await house.revoke(key_id)
        house.door.forget()
    assert (await asking).tenant == ACME  # it came before
    with pytest.raises(NotAuthenticated):
        await house.holder(key)


async def test_nor_that_there_was_no_key_before_one_was_made_here(house: House) -> None:
    house.away.is_late = True
    asking = asyncio.create_task(house.door.anyone())
    async with house.away.late():
        await house.a_key()
        house.door.forget()
    assert await asking == ANYONE_HERE
    with pytest.raises(NotAuthenticated):
        await house.door.anyone()


async def test_that_there_is_no_key_stands_as_long(house: House) -> None:
    assert await house.door.anyone() == ANYONE_HERE
    house.clock.forward(REMEMBERED + 1)
    house.away.is_away = True
    assert await house.door.anyone(may_stand=True) == ANYONE_HERE
    with pytest.raises(StoreUnavailable):
        await house.door.anyone()
    house.clock.forward(STANDS)
    with pytest.raises(StoreUnavailable):
        await house.door.anyone(may_stand=True)


async def test_a_silent_store_is_waited_for_once_in_a_while(house: House) -> None:
    key_id, key = await house.a_key()
    await house.holder(key)
    house.clock.forward(REMEMBERED + 1)
    house.away.is_silent, asked = True, house.away.asked
    for _ in range(5):
        await house.holder(key)
    assert house.away.asked == asked + 1
    await house.revoke(key_id)
    house.away.goes_on.set()  # what comes late is heard all the same
    await house.door.drain()
    with pytest.raises(NotAuthenticated):
        await house.holder(key)


async def test_what_stays_silent_is_given_up_at_the_end(house: House) -> None:
    _, key = await house.a_key()
    await house.holder(key)
    house.clock.forward(REMEMBERED + 1)
    house.away.is_silent = True
    await house.holder(key)
    async with asyncio.timeout(60):
        await house.door.drain()
