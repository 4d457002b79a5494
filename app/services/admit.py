"""Who is asking: a key is looked up once in a while, and remembered in between."""

from collections.abc import Hashable, MutableMapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hmac import compare_digest
from logging import getLogger

from app.domain.audit import Actor
from app.domain.errors import ForewordError, NotAuthenticated, TooManyGuesses
from app.domain.ids import KeyId, TenantId
from app.domain.keys import ANYONE_HERE, OPERATOR, ApiKey, Caller, hash_of, looks_like_a_key
from app.ports import Clock
from app.ports.store import Store
from app.services.rates import Rates

_log = getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class Doorkeeper:
    """
    Tells callers by their keys.

    `known` forgets by itself: what was found holds as long as an entry there, so a key that is
    revoked, here or by another process, is refused that much later at most.

    While no key was ever made, whoever is here may ask without one. That ends with the first key,
    and does not come back when keys are revoked or expire.
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
    local: bytes | None = None
    """The hash of a key for commands on this machine, if there is one."""
    operators: TenantId | None = None
    """The tenant whose keys may do what concerns every tenant, if there is one."""
    _no_key_until: datetime | None = None
    _key_seen: bool = False
    _uses: dict[KeyId, datetime] = field(default_factory=dict)

    async def holder(self, presented: str, *, address: Hashable) -> Caller:
        """
        The caller who presents a key, from an address.

        Raises:
            NotAuthenticated: It is none, or is revoked or expired: which, is not told.
            TooManyGuesses: Too many of that address were none.
            StoreUnavailable: The database does not answer.
        """
        now = self.clock()
        hashed = hash_of(presented)
        if self._is_local(hashed):
            return OPERATOR
        if not looks_like_a_key(presented):
            raise NotAuthenticated
        key = self.known.get(hashed) or await self._look_up(hashed, address)
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

    async def anyone(self) -> Caller:
        """
        The caller who presents no key, on this machine.

        Raises:
            NotAuthenticated: There are keys, so one is needed.
            StoreUnavailable: The database does not answer.
        """
        if await self.needs_keys():
            raise NotAuthenticated
        return ANYONE_HERE

    async def needs_keys(self) -> bool:
        """Whether a key was ever made."""
        now = self.clock()
        if self._key_seen:
            return True
        if self._no_key_until is not None and now < self._no_key_until:
            return False
        async with self.store.admit() as admission:
            self._key_seen = await admission.any_key()
        self._no_key_until = now + self.remembered
        return self._key_seen

    def forget(self) -> None:
        """Look everything up again: keys were made or revoked here."""
        self.known.clear()
        self._no_key_until = None

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

    async def _look_up(self, hashed: bytes, address: Hashable) -> ApiKey | None:
        if hashed in self.trusted:
            return await self._found(hashed)
        allowance = self.guesses.take(address)
        if allowance is not None and allowance.retry_after is not None:
            raise TooManyGuesses(retry_after_s=allowance.retry_after)
        key = await self._found(hashed)
        if key is not None:
            self.guesses.give_back(address)
            self.trusted[hashed] = None
        return key

    async def _found(self, hashed: bytes) -> ApiKey | None:
        async with self.store.admit() as admission:
            key = await admission.find_key(hashed)
        if key is not None:
            self.known[hashed] = key
            self._key_seen = True
        return key
