"""What is PostgreSQL's own: many writers, and a server that can be away."""

import asyncio
import socket
from contextlib import AsyncExitStack

import pytest
from sqlalchemy import text
from sqlalchemy.engine import make_url

from app.adapters.sql.database import open_database
from app.adapters.sql.migrate import MIGRATING, head, upgrade
from app.adapters.sql.store import SqlStore
from app.domain.errors import StoreUnavailable
from app.domain.ids import ItemKey
from app.ports.store import Store
from tests.databases import ask_server, text_of
from tests.stored import ACME, NOON, SECOND, append, find, keep, scope_now, scope_of, tell


@pytest.fixture
def url(postgres_url: str) -> str:
    return postgres_url


async def refuses(url: str) -> None:
    database = open_database(url, busy_timeout=2)
    store = SqlStore(database)
    with pytest.raises(StoreUnavailable):
        async with store.read(ACME) as snapshot:
            await snapshot.counts()
    with pytest.raises(StoreUnavailable):
        async with store.write(ACME):
            pass
    await database.dispose()


async def test_a_server_that_is_not_there_is_unavailable() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    await refuses(f"postgresql+asyncpg://nobody@127.0.0.1:{port}/none")


async def test_a_name_that_is_no_host_is_unavailable() -> None:
    await refuses("postgresql+asyncpg://nobody@no-such-host.invalid:5432/none")


async def test_a_port_that_never_answers_is_unavailable() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        await refuses(f"postgresql+asyncpg://nobody@127.0.0.1:{silent.getsockname()[1]}/none")


@pytest.mark.postgres
async def test_a_database_that_is_not_there_is_unavailable(postgres_shared: str) -> None:
    await refuses(text_of(make_url(postgres_shared).set(database="foreword_test_none")))


@pytest.mark.postgres
async def test_a_database_that_takes_no_connections_is_unavailable(postgres_own_url: str) -> None:
    name = make_url(postgres_own_url).database
    await ask_server(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
    await refuses(postgres_own_url)


@pytest.mark.postgres
async def test_a_session_that_is_ended_amid_a_write_is_unavailable_and_replaced(
    postgres_own_url: str,
) -> None:
    database = open_database(postgres_own_url)
    store = SqlStore(database)
    kept = await keep(store, "dog")
    others = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )

    async def cut_off() -> None:
        async with store.write(ACME) as transaction:
            await append(transaction, kept.conversation, "lost")
            await ask_server(others, at=make_url(postgres_own_url))
            await append(transaction, kept.conversation, "lost")

    with pytest.raises(StoreUnavailable):
        await cut_off()
    assert list(await find(store, "dog lost", kept.within)) == list(kept.keys)
    assert await scope_now(store) == kept.scope
    await database.dispose()


@pytest.mark.postgres
async def test_every_connection_busy_is_unavailable(postgres_url: str) -> None:
    database = open_database(postgres_url, readers=1, busy_timeout=0.2)
    store = SqlStore(database)
    async with store.read(ACME), store.read(ACME):
        with pytest.raises(StoreUnavailable):
            async with store.read(ACME):
                pass
    await database.dispose()


@pytest.mark.postgres
async def test_a_lock_that_is_not_given_up_in_time_is_unavailable(
    postgres_url: str, store: Store
) -> None:
    await keep(store, "dog")
    database = open_database(postgres_url, busy_timeout=0.2)
    async with store.write(ACME) as transaction:
        await transaction.scopes.touch((await scope_of(transaction)).key)
        with pytest.raises(StoreUnavailable, match="lock timeout"):
            await asyncio.wait_for(tell(SqlStore(database), "dogs bark"), 30)
    await tell(SqlStore(database), "dogs bark")
    await database.dispose()


@pytest.mark.postgres
async def test_who_migrates_waits_for_who_does_already(postgres_url: str) -> None:
    database = open_database(postgres_url, busy_timeout=0.2)
    async with database.write() as connection:
        await connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": MIGRATING})
        migrating = asyncio.create_task(upgrade(database.writer))
        await asyncio.sleep(0.5)
    assert await migrating == head()
    await database.dispose()


@pytest.mark.postgres
async def test_no_two_claimers_get_the_same_row(store: Store) -> None:
    kept = await keep(store, *["dog"] * 9)
    claimed: list[list[ItemKey]] = []
    async with AsyncExitStack() as together:
        for _ in range(4):
            claimer = await together.enter_async_context(store.project())
            rows = await claimer.claim(now=NOON, limit=4, lease=60)
            claimed.append([row.item_key for row in rows])
    assert [len(each) for each in claimed] == [4, 4, 1, 0]
    assert [key for each in claimed for key in each] == list(kept.keys)


@pytest.mark.postgres
async def test_claimers_at_once_share_the_rows(store: Store) -> None:
    kept = await keep(store, *["dog"] * 40)

    async def claim() -> list[ItemKey]:
        async with store.project() as projections:
            rows = await projections.claim(now=NOON, limit=7, lease=60)
            await asyncio.sleep(0.01)
            return [row.item_key for row in rows]

    claimed = await asyncio.gather(*(claim() for _ in range(6)))
    assert sorted(key for each in claimed for key in each) == list(kept.keys)


@pytest.mark.postgres
async def test_a_message_cannot_be_erased_between_finishing_and_the_commit(store: Store) -> None:
    kept = await keep(store, "dog")

    async def erase() -> None:
        async with store.write(ACME) as transaction:
            await transaction.erase.message(kept.messages[0].id, now=NOON + SECOND)

    async with store.project() as projections:
        rows = await projections.claim(now=NOON, limit=9, lease=60)
        assert await projections.finish(rows) == frozenset()
        erasing = asyncio.create_task(erase())
        await asyncio.sleep(0.1)
        assert not erasing.done()
    await erasing
    async with store.project() as projections:
        rows = await projections.claim(now=NOON + SECOND, limit=9, lease=60)
        assert await projections.finish(rows) == set(kept.keys)


@pytest.mark.postgres
async def test_finishing_in_any_order_ends_well(store: Store) -> None:
    """Two workers that touch the same scopes the other way round must not lock each other out."""
    users = [f"user {number}" for number in range(12)]
    for user in (*users, *reversed(users)):
        await keep(store, "dog", user_id=user)

    async def work() -> int:
        async with store.project() as projections:
            rows = await projections.claim(now=NOON, limit=12, lease=60)
        async with store.project() as projections:
            await projections.finish(rows)
        return len(rows)

    assert list(await asyncio.gather(work(), work())) == [12, 12]


@pytest.mark.postgres
async def test_reads_can_go_to_a_replica(postgres_own_url: str, postgres_url: str) -> None:
    database = open_database(postgres_own_url, replica_url=postgres_url)
    async with database.read() as reader, database.write() as writer:
        asked = [
            (await each.execute(text("SELECT current_database()"))).scalar_one()
            for each in (reader, writer)
        ]
    await database.dispose()
    assert asked == [make_url(each).database for each in (postgres_url, postgres_own_url)]


@pytest.mark.postgres
async def test_what_waits_is_read_where_it_was_written(url: str, postgres_own_url: str) -> None:
    """A replica that lags would tell the indexer that the messages of its rows are gone."""
    database = open_database(url, replica_url=postgres_own_url)
    store = SqlStore(database)
    kept = await keep(store, "I moved")
    async with store.observe() as observations:
        state = await observations.state(now=NOON)
        waiting = await observations.to_index(kept.keys, model="mini")
    await database.dispose()
    assert (state.depth, len(waiting)) == (1, 1)
