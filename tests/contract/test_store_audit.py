"""The audit log: one transaction with the write that it tells of, and never changed."""

from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from app.adapters.sql.database import Database
from app.adapters.sql.store import SqlStore
from app.domain.audit import COMMAND, Action, Actor, Deed, Entry
from app.domain.errors import ForewordError
from app.domain.ids import KeyId, TenantId
from app.ports.store import Store
from tests.stored import ACME, NOON, OTHER, SECOND

KEY = Actor(kind="key", key=KeyId(UUID(int=5)))


def a_deed(number: int = 1, action: Action = Action.CONVERSATION_STORED) -> Deed:
    return Deed(action=action, subject=f"conversation:{number}", facts={"messages": number})


async def note(store: Store, deed: Deed, tenant: TenantId = ACME) -> None:
    async with store.write(tenant) as transaction:
        await transaction.audit.note(deed, now=NOON)


async def read(store: Store, tenant: TenantId = ACME, **wanted: Any) -> list[Entry]:
    """All pages of it."""
    entries: list[Entry] = []
    cursor = None
    asked = {"action": None, "subject": None, "limit": 2, **wanted}
    while True:
        async with store.read(tenant) as snapshot:
            page = await snapshot.audit.page(cursor=cursor, **asked)
        entries += page.items
        cursor = page.next_cursor
        if cursor is None:
            return entries


async def test_it_tells_who_did_what_newest_first(database: Database) -> None:
    actors = [COMMAND, KEY, COMMAND]
    for number, actor in enumerate(actors):
        await note(SqlStore(database, lambda actor=actor: actor), a_deed(number))  # type: ignore[misc]
    entries = await read(SqlStore(database))
    assert [each.actor for each in entries] == actors[::-1]
    assert [each.deed for each in entries] == [a_deed(number) for number in (2, 1, 0)]
    assert {each.at for each in entries} == {NOON}


async def test_it_can_be_narrowed(store: Store) -> None:
    for number in range(3):
        await note(store, a_deed(number))
        await note(store, a_deed(number, Action.CONVERSATION_ERASED))
    erased = await read(store, action=Action.CONVERSATION_ERASED)
    assert [each.deed.subject for each in erased] == [f"conversation:{n}" for n in (2, 1, 0)]
    both = await read(store, subject="conversation:1")
    assert [each.deed.action for each in both] == [
        Action.CONVERSATION_ERASED,
        Action.CONVERSATION_STORED,
    ]
    assert await read(store, subject="conversation:1", action=Action.KEY_CREATED) == []


async def test_it_is_of_one_tenant(store: Store) -> None:
    await note(store, a_deed())
    assert await read(store, OTHER) == []


async def test_what_did_not_happen_is_not_told(store: Store) -> None:
    async def fail_after_noting() -> None:
        async with store.write(ACME) as transaction:
            await transaction.audit.note(a_deed(), now=NOON)
            raise ForewordError

    with pytest.raises(ForewordError):
        await fail_after_noting()
    assert await read(store) == []


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit_log SET subject = 'nobody'",
        "UPDATE audit_log SET at = 0 WHERE key = 1",
        "DELETE FROM audit_log",
        "DELETE FROM audit_log WHERE tenant = 'acme'",
        "TRUNCATE audit_log",
    ],
)
async def test_nobody_changes_it(database: Database, statement: str) -> None:
    store = SqlStore(database)
    await note(store, a_deed())
    told = "append-only"
    if statement.startswith("TRUNCATE") and database.writer.dialect.name == "sqlite":
        told = "syntax error"
    with pytest.raises((DBAPIError, ForewordError), match=told):
        async with database.write() as connection:
            await connection.execute(text(statement))
    await note(store, a_deed(2))
    assert len(await read(store)) == 2


async def test_no_line_takes_the_place_of_another(database: Database) -> None:
    store = SqlStore(database)
    await note(store, a_deed())
    (told,) = await read(store)
    insert = "INSERT INTO audit_log SELECT * FROM audit_log ON CONFLICT (key) DO UPDATE SET at = 0"
    if database.writer.dialect.name == "sqlite":
        insert = "INSERT OR REPLACE INTO audit_log SELECT * FROM audit_log"
    with pytest.raises((DBAPIError, ForewordError), match="append-only"):
        async with database.write() as connection:
            await connection.execute(text(insert))
    assert await read(store) == [told]


async def test_it_outlives_the_tenant_it_tells_of(database: Database) -> None:
    store = SqlStore(database)
    async with store.write(ACME) as transaction:
        await transaction.scopes.ensure("alice", now=NOON - SECOND)
        await transaction.audit.note(a_deed(), now=NOON)
    async with database.write() as connection:
        await connection.execute(text("DELETE FROM tenant WHERE id = 'acme'"))
    assert len(await read(store)) == 1
