"""A replica that lags: who must know what is so by now asks the primary."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.engine import make_url

from app.adapters.sql.copies.backup import write_backup
from app.adapters.sql.copies.replica import Replica, replica_of
from app.adapters.sql.database import Database, open_database
from app.adapters.sql.store import SqlStore
from app.domain.errors import IndexingTimedOut
from app.domain.ids import ConversationId, ItemKey, MessageId
from app.ports.store import Store
from app.services.erasing.erasure import Left
from app.services.writing.waiting import IndexWaiter
from tests.databases import ask_server, create_postgres_database, drop_postgres_database
from tests.factories import ACME, NOON
from tests.fakes import Memory
from tests.stored import last_of

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


async def what_alice_said(store: Store) -> tuple[ConversationId, MessageId]:
    async with store.read_latest(ACME) as snapshot:
        scope = await snapshot.scopes.find("alice")
        assert scope is not None
        found = await snapshot.conversations.find(scope.key, "chat")
        assert found is not None
        (message,) = await last_of(snapshot.messages, found.key, limit=1)
    return found.id, message.id


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
    if what == "message":
        _, message = await what_alice_said(memory.store)
        receipt = await memory.forgetter.message(ACME, message)
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


RECOVERED = """
CREATE TABLE replayed (at pg_lsn);
INSERT INTO replayed VALUES ('0/0');
CREATE FUNCTION public.pg_last_wal_replay_lsn() RETURNS pg_lsn LANGUAGE sql
AS 'SELECT at FROM replayed'
"""
STANDING_BY = """
CREATE FUNCTION public.pg_is_in_recovery() RETURNS boolean LANGUAGE sql AS 'SELECT true'
"""
OURS_FIRST = "SET search_path = public, pg_catalog"


@pytest.fixture
async def standby(primary: str) -> AsyncIterator[Database]:
    """What is behind as above, and tells how far it is as a standby does: not far."""
    replica = await create_postgres_database(str(make_url(primary).database))
    at = make_url(replica)
    await ask_server(
        f"{RECOVERED}; {STANDING_BY}; ALTER DATABASE {at.database} {OURS_FIRST}", at=at
    )
    database = open_database(primary, replica_url=replica)
    yield database
    await database.dispose()
    await drop_postgres_database(replica)


async def catch_up(standby: Database) -> None:
    async with standby.reader.begin() as connection:
        await connection.execute(
            text("UPDATE replayed SET at = pg_current_wal_insert_lsn() + 2^20::numeric")
        )


async def erase(standby: Database, what: str, *, patience: float) -> Left:
    """What is said to be left of one message, for which the replica was waited."""
    memory = Memory(SqlStore(standby))
    desk = replace(memory.forgetter.desk, replica=Replica(standby, patience=patience))
    forgetter = replace(memory.forgetter, desk=desk)
    if what == "user":
        return (await forgetter.user(ACME, "alice")).left
    conversation, message = await what_alice_said(memory.store)
    if what == "conversation":
        return (await forgetter.conversation(ACME, conversation)).left
    return (await forgetter.message(ACME, message)).left


ERASED = ["message", "conversation", "user"]


@pytest.mark.parametrize("what", ERASED)
async def test_what_a_replica_may_still_show_remains(
    said_before: Memory, standby: Database, what: str
) -> None:
    assert await erase(standby, what, patience=0.1) == Left(count=1, unasked=frozenset({"replica"}))


@pytest.mark.parametrize("what", ERASED)
async def test_a_receipt_waits_until_a_replica_shows_it_no_more(
    said_before: Memory, standby: Database, what: str
) -> None:
    erasing = asyncio.create_task(erase(standby, what, patience=60.0))
    done, _ = await asyncio.wait({erasing}, timeout=1.0)
    assert not done
    await catch_up(standby)
    assert await erasing == Left()


async def test_one_that_was_too_late_is_waited_for_no_more_until_it_has_followed(
    standby: Database,
) -> None:
    replica = Replica(standby, patience=0.05)
    assert not await replica.follows()
    replica.patience = 3_600.0
    async with asyncio.timeout(60):
        assert not await replica.follows()
        await catch_up(standby)
        assert await replica.follows()


async def test_one_that_does_not_answer_has_not_followed(primary: str) -> None:
    nowhere = make_url(primary).set(port=1).render_as_string(hide_password=False)
    database = open_database(primary, replica_url=nowhere)
    assert not await Replica(database).follows()
    await database.dispose()


async def test_without_a_replica_there_is_none_to_wait_for(
    primary: str, behind: Database, sqlite_file: Path
) -> None:
    for url in (primary, f"sqlite+aiosqlite:///{sqlite_file}"):
        alone = open_database(url)
        assert replica_of(alone) is None
        await alone.dispose()
    copy = replica_of(behind)
    assert copy is not None
    assert await copy.follows(), "it is no standby, and cannot tell"


async def test_one_that_once_recovered_from_a_crash_is_no_standby_either(behind: Database) -> None:
    at = behind.reader.url
    await ask_server(f"{RECOVERED}; ALTER DATABASE {at.database} {OURS_FIRST}", at=at)
    async with behind.reader.connect() as connection:
        ended = await connection.execute(text("SELECT pg_last_wal_replay_lsn()"))
        assert ended.scalar_one() is not None
    assert await Replica(behind, patience=0.1).follows()
