"""A replica that lags: who must know what is so by now asks the primary."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy.engine import make_url

from app.adapters.sql.backup import write_backup
from app.adapters.sql.database import Database, open_database
from app.adapters.sql.store import SqlStore
from app.domain.errors import IndexingTimedOut
from app.domain.ids import ItemKey
from app.ports.store import Store
from app.services.waiting import IndexWaiter
from tests.databases import create_postgres_database, drop_postgres_database
from tests.factories import ACME, NOON
from tests.fakes import Memory

pytestmark = pytest.mark.postgres


@pytest.fixture
async def primary(postgres_template: str) -> AsyncIterator[str]:
    url = await create_postgres_database(postgres_template)
    yield url
    await drop_postgres_database(url)


@pytest.fixture
async def behind(primary: str) -> AsyncIterator[Database]:
    """With what the primary held before it was opened, and with nothing that came since."""
    replica = await create_postgres_database(str(make_url(primary).database))
    database = open_database(primary, replica_url=replica)
    yield database
    await database.dispose()
    await drop_postgres_database(replica)


@pytest.fixture
async def said_before(primary: str) -> Memory:
    """One message, in the primary and in the replica."""
    database = open_database(primary)
    memory = Memory(SqlStore(database))
    await memory.say("green tea")
    await memory.index()
    await database.dispose()
    return memory


async def messages(store: Store) -> int:
    async with store.read(ACME) as snapshot:
        return (await snapshot.counts()).messages


async def test_waiting_for_the_index_is_waiting_for_what_the_primary_has(behind: Database) -> None:
    memory = Memory(SqlStore(behind))
    stored = await memory.say("green tea")
    assert await messages(memory.store) == 0  # as far as the replica knows
    waiter = IndexWaiter(memory.store, memory.indexer)
    with pytest.raises(IndexingTimedOut):
        await waiter.wait(ACME, stored.outbox_key, seconds=0.05, facts={})
    await memory.index()
    await waiter.wait(ACME, stored.outbox_key, seconds=5.0, facts={})


@pytest.mark.parametrize("what", ["message", "user"])
async def test_what_is_erased_is_looked_for_where_it_was_erased(
    said_before: Memory, behind: Database, what: str
) -> None:
    memory = Memory(SqlStore(behind))
    async with memory.store.read_latest(ACME) as snapshot:
        scope = await snapshot.scopes.find("alice")
        assert scope is not None
        found = await snapshot.conversations.find(scope.key, "chat")
        assert found is not None
        (message,) = await snapshot.messages.tail(found.key, limit=1)
    if what == "message":
        receipt = await memory.forgetter.message(ACME, message.id)
    else:
        receipt = await memory.forgetter.user(ACME, "alice")
    assert (receipt.erased.messages, receipt.remaining) == (1, 0)
    assert await messages(memory.store) == 1  # as far as the replica knows


async def test_the_doctor_and_backups_see_what_the_primary_has(
    behind: Database, tmp_path: Path
) -> None:
    memory = Memory(store := SqlStore(behind))
    await memory.say("green tea")
    async with store.inspect() as inspection:
        assert len(await inspection.recallable(after=ItemKey(0), limit=9)) == 1
    manifest = await write_backup(behind, tmp_path / "backup.zip", foreword="1", now=NOON)
    assert manifest.rows["message"] == 1
