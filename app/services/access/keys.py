"""Making and closing API keys."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from app.domain.audit import Action, Deed, subject
from app.domain.errors import KeyShownBefore
from app.domain.ids import KeyId, TenantId
from app.domain.keys import ApiKey, Permission, hash_of, in_order, written
from app.ports import Clock, NewId
from app.ports.store import Store
from app.ports.stored import NOBODY
from app.services.common.once import IdempotencyKey, answered, keep_answer

NewSecret = Callable[[], bytes]
"""32 fresh random bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRing:
    store: Store
    clock: Clock
    new_id: NewId
    new_secret: NewSecret

    async def create(
        self,
        tenant: TenantId,
        *,
        name: str,
        permissions: frozenset[Permission],
        expires_at: datetime | None,
        once: IdempotencyKey | None = None,
    ) -> tuple[ApiKey, str]:
        """
        A new key, and how it is written: only now, since only its hash is kept.

        Raises:
            KeyShownBefore: It was made under this idempotency key, and shown.
            IdempotencyConflict: Another one was.
        """
        now = self.clock()
        spelled = written(self.new_secret())
        key = ApiKey(
            id=KeyId(self.new_id()),
            tenant=tenant,
            name=name,
            permissions=permissions,
            created_at=now,
            expires_at=expires_at,
        )
        async with self.store.write(tenant) as transaction:
            if before := await answered(transaction, once):
                raise KeyShownBefore(None, **before)
            await transaction.keys.add(key, secret_hash=hash_of(spelled))
            scopes = [each.value for each in in_order(permissions)]
            await transaction.audit.note(_deed(Action.KEY_CREATED, key.id, scopes=scopes), now=now)
            await keep_answer(transaction, once, {"key_id": str(key.id)}, about=NOBODY, now=now)
        return key, spelled

    async def revoke(self, tenant: TenantId, key_id: KeyId) -> ApiKey:
        """
        Close a key for good; a second time changes nothing.

        Raises:
            KeyNotFound: There is none under this id.
        """
        now = self.clock()
        async with self.store.write(tenant) as transaction:
            key, closed = await transaction.keys.revoke(key_id, now=now)
            if closed:
                await transaction.audit.note(_deed(Action.KEY_REVOKED, key_id), now=now)
        return key


def _deed(action: Action, key_id: KeyId, **facts: object) -> Deed:
    return Deed(action=action, subject=subject("key", key_id), facts=facts)
