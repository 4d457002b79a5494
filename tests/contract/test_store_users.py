"""The users of a tenant: who is one, their order, their pages, how their ids begin."""

from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from uuid import uuid4

import pytest
from sqlalchemy import text
from sqlalchemy.dialects import postgresql, sqlite

from app.adapters.sql.cursors import encode_cursor, encode_name
from app.adapters.sql.database import Database, open_database
from app.adapters.sql.said.users import listed
from app.adapters.sql.store import SqlStore
from app.domain.conversation import User
from app.domain.errors import InvalidCursor
from app.domain.ids import TenantId
from app.domain.memory import ItemType
from app.ports.store import Store
from app.ports.stored import Erased
from tests.databases import (
    SERVER,
    ask_server,
    drop_postgres_database,
    migrate,
    require_postgres,
    text_of,
)
from tests.stored import ACME, MICROSECOND, NOON, OTHER, SECOND, erase_the_rest, keep, said, tell

NAMES = (
    "a", "A", "ab", "Ab", "ann", "Ann", "anna", "anne", "ANN", "an n", "ann ", "a%", "a%b", "a_",
    "a_b", "axb", r"a\b", r"a\\b", "ä", "älice", "b", "Zoe", "zoe", "10", "9", "'; --", "\x01",
    "a\x7f", "e\u0301", "é", "\ud7ff", "\ud7ffx", "\ue000", "\uffff", "🧭", "🧭b", "\U0010ffff",
    "a\U0010ffff", "a\U0010ffff\U0010ffffb", "\U0010ffff\U0010ffff",
)  # fmt: skip


async def listed_of(
    store: Store, *, begins: str = "", limit: int = 100, tenant: TenantId = ACME
) -> list[User]:
    """A whole list, page after page."""
    everything: list[User] = []
    cursor = None
    async with store.read(tenant) as snapshot:
        while True:
            page = await snapshot.scopes.page(begins=begins, cursor=cursor, limit=limit)
            assert len(page.items) <= limit
            everything += page.items
            assert len(everything) < 1_000  # else the cursor goes round in circles
            if (cursor := page.next_cursor) is None:
                return everything


async def ids(store: Store, *, begins: str = "", limit: int = 100) -> list[str]:
    return [each.user_id for each in await listed_of(store, begins=begins, limit=limit)]


async def bring(store: Store, names: Sequence[str], *, tenant: TenantId = ACME) -> None:
    async with store.write(tenant) as transaction:
        for name in names:
            await transaction.scopes.ensure(name, now=NOON)


async def erase(store: Store, user_id: str) -> Erased:
    """Take a user out of everybody's reach."""
    async with store.write(ACME) as transaction:
        return await transaction.erase.user(user_id, now=NOON)


async def test_before_anything_is_stored_there_is_nobody(store: Store) -> None:
    assert await listed_of(store) == []


async def test_whoever_said_or_stored_anything_is_a_user(store: Store) -> None:
    await keep(store, "Hello.", said("Later.", NOON + SECOND), user_id="bob")
    await tell(store, "Ann lives in Lisbon.", user_id="ann")
    last: dict[str, datetime | None] = {
        each.user_id: each.last_message_at for each in await listed_of(store)
    }
    assert last == {"ann": None, "bob": NOON + SECOND}


async def test_what_was_said_first_is_not_what_was_said_last(store: Store) -> None:
    for at in (NOON + SECOND, NOON - MICROSECOND, NOON):
        await keep(store, said("Hello.", at))
    (alice,) = await listed_of(store)
    assert alice == User(user_id="alice", created_at=NOON, last_message_at=NOON + SECOND)


async def test_nobody_and_what_all_may_read_are_no_users(store: Store) -> None:
    await keep(store, "Hello.", user_id=None)
    await tell(store, "House rules.", type=ItemType.DOCUMENT, source="rules", user_id=None)
    assert await ids(store) == []


async def test_users_of_other_tenants_are_theirs(store: Store) -> None:
    await bring(store, ["ann", "bob"])
    await bring(store, ["anna"], tenant=OTHER)
    assert await ids(store, begins="ann") == ["ann"]
    assert [each.user_id for each in await listed_of(store, tenant=OTHER)] == ["anna"]


async def test_who_is_erased_is_no_user_from_that_moment_on(store: Store) -> None:
    for user in ("ann", "bob"):
        await keep(store, "Hello.", user_id=user)
    doomed = await erase(store, "bob")
    assert await ids(store) == ["ann"]
    await erase_the_rest(store, doomed)
    assert await ids(store) == ["ann"]


@pytest.mark.parametrize("limit", [1, 3, 100])
async def test_they_are_in_order_of_their_code_points(store: Store, limit: int) -> None:
    await bring(store, NAMES)
    assert await ids(store, limit=limit) == sorted(NAMES)


@pytest.mark.parametrize("limit", [1, 100])
async def test_how_an_id_begins_is_taken_to_the_letter(store: Store, limit: int) -> None:
    await bring(store, NAMES)
    beginnings = {name[:end] for name in NAMES for end in range(len(name) + 1)}
    for begins in sorted(beginnings | {"zz", "annx", "\U0010ffff" * 3}):
        expected = sorted(name for name in NAMES if name.startswith(begins))
        assert await ids(store, begins=begins, limit=limit) == expected, begins


async def test_a_page_goes_on_where_it_ended_although_that_user_is_gone(store: Store) -> None:
    await bring(store, ["ann", "bob", "cy", "di"])
    async with store.read(ACME) as snapshot:
        page = await snapshot.scopes.page(begins="", cursor=None, limit=2)
    await erase(store, "bob")
    async with store.read(ACME) as snapshot:
        rest = await snapshot.scopes.page(begins="", cursor=page.next_cursor, limit=2)
    assert [each.user_id for each in rest.items] == ["cy", "di"]
    assert rest.next_cursor is None


CURSORS = ["x", "🧭", "W10", "MQ", "bnVsbA", encode_cursor([1]), encode_name("a\0b")]
CURSORS += ["IlxkODAwIg", "W1tbW1tb" * 2_000]


@pytest.mark.parametrize("cursor", CURSORS, ids=range(len(CURSORS)))
async def test_a_cursor_from_elsewhere_is_refused(store: Store, cursor: str) -> None:
    await bring(store, ["ann"])
    async with store.read(ACME) as snapshot:
        with pytest.raises(InvalidCursor):
            await snapshot.scopes.page(begins="", cursor=cursor, limit=1)


async def plan(database: Database) -> str:
    """How the database would find some users, if it had many."""
    statement = listed(ACME, after="ann", begins="an", limit=20)
    dialect = sqlite.dialect() if database.embedded else postgresql.dialect()  # type: ignore[no-untyped-call]
    spelled = str(statement.compile(dialect=dialect, compile_kwargs={"literal_binds": True}))
    async with database.read() as connection:
        if database.embedded:
            asked = await connection.execute(text(f"EXPLAIN QUERY PLAN {spelled}"))
            return "\n".join(row[3] for row in asked)
        for way in ("seqscan", "bitmapscan", "sort"):
            await connection.execute(text(f"SET enable_{way} = off"))
        return "\n".join((await connection.execute(text(f"EXPLAIN {spelled}"))).scalars())


async def test_they_are_a_range_of_an_index_and_their_messages_the_end_of_one(
    database: Database,
) -> None:
    steps = await plan(database)
    assert "ix_message_scope_key_created_at" in steps
    if database.embedded:
        assert "(tenant=? AND user_id>? AND user_id<?)" in steps
        assert "SCAN" not in steps
        assert "B-TREE" not in steps
    else:
        assert "(user_id)::text > 'ann'::text) AND ((user_id)::text < 'ao'::text)" in steps
        assert "Index Only Scan Backward using ix_message_scope_key_created_at" in steps
        assert "Sort" not in steps


@pytest.fixture
async def in_english() -> AsyncIterator[Store]:
    """On a server whose texts are in the order of a language: "a" before "B"."""
    await require_postgres()
    url = SERVER.set(database=f"foreword_test_{uuid4().hex[:12]}")
    of_language = "TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en' LOCALE 'C'"
    await ask_server(f"CREATE DATABASE {url.database} ENCODING 'UTF8' {of_language}")
    await migrate(text_of(url))
    database = open_database(text_of(url))
    yield SqlStore(database)
    await database.dispose()
    await drop_postgres_database(text_of(url))


@pytest.mark.postgres
async def test_their_order_is_that_of_no_language(in_english: Store) -> None:
    await bring(in_english, NAMES)
    assert await ids(in_english, limit=7) == sorted(NAMES)
    for begins in ("a", "A", "an", "a_", "\U0010ffff"):
        expected = sorted(name for name in NAMES if name.startswith(begins))
        assert await ids(in_english, begins=begins, limit=2) == expected
