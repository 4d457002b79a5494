"""What the services need of the store to govern it: keys, and the log of what was done."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from app.domain.audit import Action, Deed, Entry
from app.domain.ids import KeyId, TenantId
from app.domain.keys import ApiKey
from app.ports.stored import Page


class KeyReader(Protocol):
    async def page(self, *, cursor: str | None, limit: int) -> Page[ApiKey]:
        """
        The tenant's keys, revoked ones too, newest first.

        Raises:
            InvalidCursor: The cursor is not one of this list's.
        """
        ...


class KeyWriter(Protocol):
    async def add(self, key: ApiKey, *, secret_hash: bytes) -> None:
        """Store a key of this tenant, which comes into being with its first key."""
        ...

    async def revoke(self, key_id: KeyId, *, now: datetime) -> tuple[ApiKey, bool]:
        """
        Close a key for good; the key, and whether it was open until now.

        Raises:
            KeyNotFound: There is none under this id in this tenant.
        """
        ...


class AuditReader(Protocol):
    async def page(
        self, *, action: Action | None, subject: str | None, cursor: str | None, limit: int
    ) -> Page[Entry]:
        """
        What was done in this tenant, newest first; `action` and `subject` narrow it.

        Raises:
            InvalidCursor: The cursor is not one of this list's.
        """
        ...


class AuditWriter(Protocol):
    async def note(self, deed: Deed, *more: Deed, now: datetime) -> None:
        """Add lines, on the account of whoever acts, that are there if this transaction is."""
        ...


class Admission(Protocol):
    """The only reads that are made before a tenant is known; never of a replica that lags."""

    async def find_key(self, secret_hash: bytes) -> ApiKey | None:
        """The key with this hash, whatever its state."""
        ...

    async def hashes(self) -> frozenset[bytes]:
        """Of all keys that were ever made."""
        ...

    async def any_key(self) -> bool:
        """Whether a key was ever made, revoked and expired ones included."""
        ...

    async def keys(self, tenant: TenantId | None) -> Sequence[ApiKey]:
        """Every key of one tenant, or of all, by tenant, oldest first: for the operator."""
        ...


class KeyUses(Protocol):
    async def note_uses(self, uses: Mapping[KeyId, datetime]) -> None:
        """Note when keys were last used, unless something later is noted already."""
        ...
