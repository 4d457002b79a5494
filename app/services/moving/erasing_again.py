"""Doing again, in what a backup brought back, what was erased and revoked since it was taken."""

from dataclasses import dataclass
from uuid import UUID

from app.domain.audit import Action, Deed, user_subject
from app.domain.errors import (
    ConversationNotFound,
    KeyNotFound,
    MemoryNotFound,
    MessageNotFound,
)
from app.domain.ids import ERASED, ConversationId, ItemId, KeyId, MessageId, ScopeKey, TenantId
from app.domain.profile import Purpose
from app.ports import Clock
from app.ports.moving import Owner
from app.ports.store import Store, Transaction
from app.ports.stored import Erased
from app.services.memories.stewarding import revoke

_AT_ONCE = 1_000
_OF_A_USER = (
    *(Action.USER_ERASED, Action.PROFILE_ERASED),
    *(Action.CONSENT_REVOKED, Action.CONSENT_CHANGED),
)

UNDOING = frozenset(
    {
        *(Action.MESSAGE_ERASED, Action.MEMORY_ERASED, Action.KEY_REVOKED),
        *(Action.CONVERSATION_ERASED, Action.CONVERSATION_PRUNED),
        *_OF_A_USER,
    }
)
"""What takes something away, for good. What expires does so again by itself."""

_NOT_THERE = (ConversationNotFound, MessageNotFound, MemoryNotFound, KeyNotFound)


@dataclass(frozen=True, slots=True, kw_only=True)
class EraserAgain:
    """Works on a store that nobody else has open, and that no index holds anything of."""

    store: Store
    clock: Clock

    async def again(self, tenant: TenantId, deed: Deed) -> bool:
        """Do it once more, if there is something of it; whether there was."""
        if deed.action in _OF_A_USER:
            return await self._of_user(tenant, deed)
        try:
            async with self.store.write(tenant) as transaction:
                erased = await self._of_one(transaction, deed)
        except _NOT_THERE:
            return False
        await self._rest(erased)
        return True

    async def _of_one(self, transaction: Transaction, deed: Deed) -> Erased:
        identity, now = UUID(deed.subject.partition(":")[2]), self.clock()
        match deed.action:
            case Action.MESSAGE_ERASED:
                return await transaction.erase.message(MessageId(identity), now=now)
            case Action.MEMORY_ERASED:
                return await transaction.erase.memory(ItemId(identity), now=now)
            case Action.KEY_REVOKED:
                await transaction.keys.revoke(KeyId(identity), now=now)
                return Erased()
            case _:
                return await transaction.erase.conversation(ConversationId(identity), now=now)

    async def _of_user(self, tenant: TenantId, deed: Deed) -> bool:
        owner = await self._owner(tenant, deed.subject)
        if owner is None:
            return False
        async with self.store.write(tenant) as transaction:
            if deed.action is Action.USER_ERASED:
                erased = await transaction.erase.user(owner.user_id, now=self.clock())
            else:
                erased = await _revoked(transaction, owner.scope, deed)
        await self._rest(erased)
        return erased.doomed is not None or any(erased.counts().values())

    async def _owner(self, tenant: TenantId, subject: str) -> Owner | None:
        """Whom the log names by a hash."""
        after = 0
        while True:
            async with self.store.read(tenant) as snapshot:
                several = await snapshot.export.owners(after=after, limit=_AT_ONCE)
            for each in several:
                if not each.shared and user_subject(tenant, each.user_id) == subject:
                    return each
            if len(several) < _AT_ONCE:
                return None
            after = several[-1].scope

    async def _rest(self, erased: Erased) -> None:
        more = erased.doomed is not None
        while more and erased.doomed is not None:
            async with self.store.write(ERASED) as transaction:
                _, more = await transaction.erase.portion(
                    erased.doomed, limit=_AT_ONCE, now=self.clock()
                )


async def _revoked(transaction: Transaction, scope: ScopeKey, deed: Deed) -> Erased:
    named = deed.facts.get("revoked", [])
    purposes = [each for each in Purpose if isinstance(named, list) and each.value in named]
    if deed.action is Action.CONSENT_REVOKED:
        purposes = list(Purpose)
    erased = await revoke(transaction, scope, purposes)
    if deed.action is Action.PROFILE_ERASED:
        erased += await transaction.personal.erase_profile(scope)
    await transaction.scopes.touch(scope, erased=True)
    return erased


def takes_away(deed: Deed) -> bool:
    """Whether something is gone by it: of a change of consent, not if it only grants."""
    only_grants = deed.action is Action.CONSENT_CHANGED and not deed.facts.get("revoked")
    return deed.action in UNDOING and not only_grants
