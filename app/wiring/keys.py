"""The ring that API keys hang on, wired: for the service, and for commands without one."""

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import partial

from uuid_utils.compat import uuid7

from app.adapters.private import own_directory
from app.adapters.sql.migrate import migrated
from app.adapters.sql.store import SqlStore
from app.domain.keys import SECRET_BYTES
from app.ports import Clock
from app.services.access.keys import KeyRing
from app.settings import Settings


def key_ring(store: SqlStore, clock: Clock) -> KeyRing:
    return KeyRing(
        store=store,
        clock=clock,
        new_id=uuid7,
        new_secret=partial(secrets.token_bytes, SECRET_BYTES),
    )


@asynccontextmanager
async def a_key_ring(settings: Settings) -> AsyncIterator[KeyRing]:
    """The keys in the database of `settings`, which is made and migrated if need be."""
    own_directory(settings.data_dir)
    async with migrated(settings.database_url) as database:
        yield key_ring(SqlStore(database), _now)


async def any_key(settings: Settings) -> bool:
    """Whether a key was ever made."""
    async with a_key_ring(settings) as ring, ring.store.admit() as admission:
        return await admission.any_key()


def _now() -> datetime:
    return datetime.now(UTC)
