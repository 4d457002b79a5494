"""Full text that is dropped, emptied or harmed is seen to be, and made anew from the messages."""

from collections.abc import Sequence

import pytest
from sqlalchemy import text

from app.adapters.sql.database import Database
from app.adapters.sql.store import SqlStore
from app.domain.errors import StoreUnavailable
from app.services.indexing.rebuilding import Rebuilder
from tests.databases import BOTH
from tests.stored import find, keep, scope_now

TALK = tuple(f"tea number {number}" for number in range(7))
ON_POSTGRES = {"dropped": ["DROP TABLE full_text"], "emptied": ["TRUNCATE full_text"]}
ON_SQLITE = {
    "dropped": ["DROP TABLE full_text"],
    "emptied": ["INSERT INTO full_text (full_text) VALUES ('delete-all')"],
    "without its pages": ["DELETE FROM full_text_data"],
    "without a table of its own": ["DROP TABLE full_text_data"],
    "without an index of its own": ["DROP TABLE full_text_idx"],
    "without its vocabulary": ["DROP TABLE full_text_vocabulary"],
    "of garbage": ["UPDATE full_text_data SET block = randomblob(50)"],
    "of garbage that asks for memory": [
        "UPDATE full_text_data SET block = x'00000000010100008fffffff7f00000000' WHERE id = 10"
    ],
}
HARMS = [
    *(pytest.param("sqlite", each, id=f"sqlite {name}") for name, each in ON_SQLITE.items()),
    *(
        pytest.param("postgres", each, id=f"postgres {name}", marks=pytest.mark.postgres)
        for name, each in ON_POSTGRES.items()
    ),
]


@pytest.fixture
def url(request: pytest.FixtureRequest, kind: str) -> str:
    """Of a database of the test's own, since it is broken."""
    if kind == "sqlite":
        return f"sqlite+aiosqlite:///{request.getfixturevalue('sqlite_file')}"
    return str(request.getfixturevalue("postgres_own_url"))


async def finish(rebuilder: Rebuilder) -> None:
    while not rebuilder.complete:
        await rebuilder.tick()


async def sound(store: SqlStore) -> bool:
    async with store.observe() as observations:
        return await observations.full_text_sound()


@pytest.mark.parametrize("reopened", [False, True], ids=["serving", "reopened"])
@pytest.mark.parametrize(("kind", "harm"), HARMS)
async def test_what_was_lost_is_noticed_and_found_again(
    database: Database, harm: Sequence[str], *, reopened: bool
) -> None:
    store = SqlStore(database)
    rebuilder = Rebuilder(store=store, batch=3)
    await rebuilder.begin()
    await finish(rebuilder)
    kept = await keep(store, *TALK)
    counted = (await scope_now(store)).messages
    assert len(await find(store, "tea", kept.within)) == counted == len(TALK)
    await rebuilder.tick()
    assert rebuilder.complete

    async with database.write() as connection:
        for statement in harm:
            await connection.execute(text(statement))
    if reopened:  # FTS5 tells other things of the same harm to who has not opened it yet
        await database.dispose()
    assert not await sound(store)
    await rebuilder.tick()
    assert not rebuilder.complete
    await keep(store, "tea once more", external_id="later")
    await finish(rebuilder)

    assert await sound(store)
    assert len(await find(store, "tea", kept.within)) == counted + 1
    assert (await scope_now(store)).messages == counted + 1


@pytest.mark.parametrize("kind", BOTH)
async def test_a_restart_in_the_middle_goes_on(database: Database) -> None:
    store = SqlStore(database)
    first = Rebuilder(store=store, batch=3)
    await first.begin()
    await finish(first)
    kept = await keep(store, *TALK)
    async with database.write() as connection:
        await connection.execute(text("DROP TABLE full_text"))
    await first.tick()
    await first.tick()
    assert len(await find(store, "tea", kept.within)) == 3

    second = Rebuilder(store=store, batch=3)
    await second.begin()
    assert not second.complete
    assert len(await find(store, "tea", kept.within)) == 3
    await finish(second)

    assert len(await find(store, "tea", kept.within)) == len(TALK)


@pytest.mark.parametrize("kind", BOTH)
async def test_a_write_while_full_text_is_gone_stores_nothing(database: Database) -> None:
    store = SqlStore(database)
    async with database.write() as connection:
        await connection.execute(text("DROP TABLE full_text"))
    with pytest.raises(StoreUnavailable):
        await keep(store, "tea")
    async with database.read() as connection:
        assert (await connection.execute(text("SELECT count(*) FROM message"))).scalar_one() == 0
