"""Who is asking: a key is looked up once in a while, and remembered in between."""

import asyncio
from collections.abc import Callable, Coroutine, Hashable, MutableMapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from hmac import compare_digest
from logging import getLogger
from typing import Any, TypeVar

from app.domain.audit import Actor
from app.domain.errors import ForewordError, NotAuthenticated, StoreUnavailable, TooManyGuesses
from app.domain.ids import KeyId, TenantId
from app.domain.keys import ANYONE_HERE, OPERATOR, ApiKey, Caller, hash_of, looks_like_a_key
from app.ports import Clock
from app.ports.store import Store
from app.services.access.rates import Rates
from app.services.common.unawaited import Unawaited

T = TypeVar("T")

_log = getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class Doorkeeper:
    """
    Tells callers by their keys.

    `known` forgets by itself: what was found holds as long as its entry there, so a key that
    another process revokes is refused that much later at most.

    While no key was ever made, whoever is here may ask without one. That ends with the first key,
    and does not come back when keys are revoked or expire.

    Where a caller `may_stand`, what was found before holds while the store does not answer: that a
    key opens, or that none exists. It holds for so long after it was found, and no longer than
    until the key expires, or is found revoked.
    """

    store: Store
    clock: Clock
    known: MutableMapping[bytes, ApiKey]
    trusted: MutableMapping[bytes, None]
    """Keys that were good once: looking them up again is nobody's guessing."""
    guesses: Rates
    """How often an address may present what turns out to be no key."""
    remembered: timedelta
    """How long it is taken for granted that still no key exists."""
    standing: MutableMapping[bytes, ApiKey] = field(default_factory=dict)
    """Keys that opened when they were last looked up; it forgets by itself, as `known`, later."""
    stands: timedelta = timedelta(0)
    """How long it stands that no key exists."""
    patience: float = 0.5
    """Seconds that the store gets to answer about what could stand."""
    local: bytes | None = None
    """The hash of a key for commands on this machine, if there is one."""
    operators: TenantId | None = None
    """The tenant whose keys may do what concerns every tenant, if there is one."""
    _no_key_until: datetime | None = None
    _no_key_stands_until: datetime | None = None
    _away_until: datetime | None = None
    _asking: Unawaited = field(default_factory=Unawaited)
    _key_seen: bool = False
    _changes: int = 0
    """How often keys were made or revoked here: what was read before that is not remembered."""
    _hashes: frozenset[bytes] = frozenset()
    _made_until: datetime | None = None
    _uses: dict[KeyId, datetime] = field(default_factory=dict)

    async def holder(self, presented: str, *, address: Hashable, may_stand: bool = False) -> Caller:
        """
        The caller who presents a key, from an address.

        Raises:
            NotAuthenticated: It is none, or is revoked or expired: which, is not told.
            TooManyGuesses: It is none, and so were too many of that address.
            StoreUnavailable: The database does not answer.
        """
        now = self.clock()
        hashed = hash_of(presented)
        if self._is_local(hashed):
            return OPERATOR
        if not looks_like_a_key(presented):
            raise NotAuthenticated
        key = self.known.get(hashed)
        if key is None:
            key = await self._look_up(hashed, address, may_stand=may_stand)
        if key is None or not key.opens(now):
            raise NotAuthenticated
        self._uses[key.id] = now
        return Caller(
            tenant=key.tenant,
            permissions=key.permissions,
            actor=Actor(kind="key", key=key.id),
            operates=key.tenant == self.operators,
        )

    def is_ours(self, presented: str) -> bool:
        """Whether this can be nothing but a key of ours; any other opens while no key exists."""
        return looks_like_a_key(presented) or self._is_local(hash_of(presented))

    def _is_local(self, hashed: bytes) -> bool:
        return self.local is not None and compare_digest(hashed, self.local)

    async def anyone(self, *, may_stand: bool = False) -> Caller:
        """
        The caller who presents no key, on this machine.

        Raises:
            NotAuthenticated: There are keys, so one is needed.
            StoreUnavailable: The database does not answer.
        """
        if await self.needs_keys(may_stand=may_stand):
            raise NotAuthenticated
        return ANYONE_HERE

    async def needs_keys(self, *, may_stand: bool = False) -> bool:
        """
        Whether a key was ever made.

        Raises:
            StoreUnavailable: The database does not answer.
        """
        now = self.clock()
        if self._key_seen:
            return True
        if self._no_key_until is not None and now < self._no_key_until:
            return False
        stands = self._no_key_stands_until
        if may_stand and stands is not None and now < stands:
            return await self._answered(self._any_key, otherwise=False)
        return await self._any_key()

    def forget(self) -> None:
        """Look everything up again: keys were made or revoked here."""
        self._changes += 1
        self.known.clear()
        self.standing.clear()
        self._no_key_until = self._no_key_stands_until = self._made_until = None

    async def drain(self) -> None:
        """Wait a moment for late answers, and give up the others: the store is closed next."""
        silent = await self._asking.drain(self.patience)
        for each in silent:
            each.cancel()
        await asyncio.gather(*silent, return_exceptions=True)

    async def tick(self) -> None:
        """Write down which keys were used since the last time."""
        uses, self._uses = self._uses, {}
        if not uses:
            return
        try:
            async with self.store.project() as projections:
                await projections.note_uses(uses)
        except ForewordError as error:
            self._uses = uses | self._uses
            _log.warning("uses of keys are noted later", extra={"reason": str(error)})

    async def _look_up(self, hashed: bytes, address: Hashable, *, may_stand: bool) -> ApiKey | None:
        before = self.standing.get(hashed) if may_stand else None
        if before is not None:
            return await self._answered(partial(self._found, hashed), otherwise=before)
        if hashed in self.trusted:
            return await self._found(hashed)
        allowance = self.guesses.take(address)
        wait = None if allowance is None else allowance.retry_after
        if wait is not None and hashed not in await self._made():
            raise TooManyGuesses(retry_after_s=wait)
        key = await self._found(hashed)
        if key is not None:
            if wait is None:
                self.guesses.give_back(address)
            self.trusted[hashed] = None
        return key

    async def _made(self) -> frozenset[bytes]:
        """
        The hashes of all keys, read at most once in `remembered`.

        Who shares an address with somebody who guesses, as behind a proxy, is not kept out by that.
        """
        now = self.clock()
        if self._made_until is None or now >= self._made_until:
            async with self.store.admit() as admission:
                self._hashes = await admission.hashes()
            self._made_until = self.clock() + self.remembered
        return self._hashes

    async def _found(self, hashed: bytes) -> ApiKey | None:
        changes = self._changes
        async with self.store.admit() as admission:
            key = await admission.find_key(hashed)
        self.standing.pop(hashed, None)
        if key is not None:
            self._key_seen = True
        if key is not None and changes == self._changes:
            self.known[hashed] = key
            if key.opens(self.clock()):
                self.standing[hashed] = key
        return key

    async def _any_key(self) -> bool:
        now, changes = self.clock(), self._changes
        async with self.store.admit() as admission:
            self._key_seen = await admission.any_key()
        if changes == self._changes:
            self._no_key_until = now + self.remembered
            self._no_key_stands_until = now + self.stands
        return self._key_seen

    async def _answered(self, ask: Callable[[], Coroutine[Any, Any, T]], otherwise: T) -> T:
        """
        What the store answers; `otherwise` where it does not, or not in time.

        It is asked again a moment later. An answer that comes late is of use to those who come
        after it.
        """
        now = self.clock()
        if self._away_until is not None and now < self._away_until:
            return otherwise
        asking = asyncio.create_task(ask())
        self._asking.hold(asking)
        done, _ = await asyncio.wait({asking}, timeout=self.patience)
        try:
            if done:
                return asking.result()
        except StoreUnavailable:
            pass
        self._away_until = now + self.remembered
        return otherwise
