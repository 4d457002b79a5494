"""Statements find what they read by an index, however much other users have: SQLite tells how."""

import importlib
import pkgutil
import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from itertools import chain
from pathlib import Path
from types import ModuleType
from uuid import uuid4

import pytest
from sqlalchemy import Executable, TextClause, event, text
from sqlalchemy.dialects import sqlite
from sqlalchemy.sql import ClauseElement

import app.adapters.sql as adapters
from app.adapters.sql.database import Database, open_database
from app.adapters.sql.fetch import Constant
from app.adapters.sql.graph import showing as graph_showing
from app.adapters.sql.graph import statements as graph
from app.adapters.sql.recall.known_of import facts_held
from app.adapters.sql.recall.pinned import pinned_items, pinned_messages
from app.adapters.sql.recall.said_then import said_then
from app.adapters.sql.schema import metadata
from app.adapters.sql.store import SqlStore
from app.domain.conversation import PINNED
from app.domain.memory import ItemType
from app.ports.stored import Access
from tests.stored import ACME, NOON, erase_the_rest, items_of, keep, tell
from tests.stored_items import get, within

NARROWED = frozenset({"inside", "outside", "since"})
"""All ways but that of roles, which no memory item has: of these nothing is read then."""

TYPES = frozenset({ItemType.FACT})

SMALL = ("api_key",)
"""Tables that are read as a whole."""

MADE = {
    f"{make.__name__} {sorted(names)}": statement
    for names in (frozenset[str](), NARROWED)
    for make, statement in (
        (said_then, said_then(names)),
        (pinned_messages, pinned_messages(names)),
        (pinned_items, pinned_items(names, TYPES)),
        (facts_held, facts_held(names)),
        (graph.steps, graph.steps(names)),
        (graph.places, graph.places(names)),
        (graph.proofs, graph.proofs(names)),
        (graph.derived, graph.derived(names, TYPES)),
        (graph_showing.shown, graph_showing.shown(names)),
    )
}
"""Statements that are made once for each way of narrowing them."""


def _statements(name: str, value: object) -> Iterator[tuple[str, ClauseElement]]:
    """Those of SQLite in what a module has under a name, but for texts, which are full text's."""
    match value:
        case Constant():
            yield from _statements(name, value.sqlite)
        case TextClause():
            return
        case Executable() if isinstance(value, ClauseElement):
            yield name, value
        case Mapping():
            yield from chain(*(_statements(f"{name} {key}", value[key]) for key in value))
        case list() | tuple():
            yield from chain(*(_statements(f"{name} {at}", each) for at, each in enumerate(value)))


def _modules() -> Iterator[ModuleType]:
    for each in pkgutil.walk_packages(adapters.__path__, f"{adapters.__name__}."):
        yield importlib.import_module(each.name)


CONSTANTS = (
    {
        name: statement
        for module in _modules()
        for told, value in vars(module).items()
        if "TSVECTOR" not in told  # PostgreSQL's own
        for name, statement in _statements(
            f"{module.__name__.removeprefix(adapters.__name__)[1:]}.{told}", value
        )
    }
    | dict(chain(*(_statements(name, made) for name, made in MADE.items())))
)


def _plan(file: Path, statement: str, values: Sequence[object]) -> list[str]:
    with closing(sqlite3.connect(file)) as connection:
        return [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", values)]


def _walks(statement: str, steps: Sequence[str]) -> list[str]:
    """Steps that go through a table, or through whole items where their parts are indexed."""
    named = dict.fromkeys(metadata.tables, "") | {
        alias: table
        for table, alias in re.findall(r"\b(\w+) AS (\w+)", statement)
        if table in metadata.tables
    }
    through = [each for each in steps if each.startswith("SCAN ") and each.split()[1] in named]
    of_parts = [each for each in steps if "ix_memory_item_parent_key" in each]
    return [
        *(each for each in through if each.split()[1] not in SMALL),
        *(of_parts if "parent_key IS NULL" in statement else ()),
    ]


def test_the_statements_of_the_adapters_are_found() -> None:
    assert len(CONSTANTS) > 60
    assert {"recall.hydrating.HYDRATE", "writing.aging._COUNTED"} <= CONSTANTS.keys()


@pytest.mark.parametrize("name", CONSTANTS)
def test_no_constant_statement_goes_through_a_table(name: str, sqlite_template: Path) -> None:
    compiled = CONSTANTS[name].compile(dialect=sqlite.dialect())
    statement = re.sub(r"\(__\[POSTCOMPILE_\w+\]\)", "(1, 2)", str(compiled))
    steps = _plan(sqlite_template, statement, ["[1]"] * statement.count("?"))
    assert _walks(statement, steps) == []


def _asked_of(database: Database) -> list[tuple[str, Sequence[object]]]:
    """What SQLAlchemy asks it from now on, with the values; of many rows, those of the first."""
    asked: list[tuple[str, Sequence[object]]] = []

    def note(*told: object) -> None:
        _, _, statement, values, _, several = told
        assert isinstance(statement, str)
        assert isinstance(values, Sequence)
        if statement.startswith(("SELECT", "UPDATE", "DELETE", "WITH")):
            asked.append((statement, values[0] if several else values))

    for engine in (database.reader, database.writer):
        event.listen(engine.sync_engine, "before_cursor_execute", note)
    return asked


async def test_no_statement_about_memory_items_goes_through_a_table(sqlite_file: Path) -> None:
    database = open_database(f"sqlite+aiosqlite:///{sqlite_file}", durable=False)
    store, asked = SqlStore(database), _asked_of(database)
    await keep(store, "Hello.")
    told = await tell(store, "Ann lives in Lisbon.", subject="ann:home", importance=PINNED)
    await tell(store, "Ann drinks tea.", subject="ann:tea", expires_at=NOON, user_id="ann")
    kept = await get(store, told)
    assert [each.id for each in await items_of(store)] == [kept.id]
    async with store.read(ACME) as snapshot:
        assert await snapshot.recall.pinned(await within(store), limit=9) == [kept.key]
        assert len(await snapshot.memories.stored(kept.scope, after=0, limit=9)) == 1
        assert await snapshot.memories.superseded([kept], now=NOON) == {kept.id: []}
        assert await snapshot.recall.size(kept.scope) == 2
    async with store.write(ACME) as transaction:
        of = transaction.memories
        assert await of.newest(kept.scope, ItemType.FACT, "ann:home") == kept
        assert await of.about(kept.scope, ItemType.FACT, "ann:home") == [kept]
        assert await of.of_subjects(kept.scope, ItemType.FACT, ["ann:home"], now=NOON) == [kept]
        doomed = await transaction.erase.user("alice", now=NOON)
    async with store.project() as projections:
        await projections.count_accesses([Access(key=kept.key, at=NOON)])
        assert await projections.erase_expired(now=NOON, limit=9, new_id=uuid4) == 1
        await projections.forget_old(now=NOON, limit=9)
    assert (await erase_the_rest(store, doomed)).memory_items == 1
    await database.dispose()
    walks = {
        statement: found
        for statement, values in asked
        if (found := _walks(statement, _plan(sqlite_file, statement, values)))
    }
    assert walks == {}


async def test_what_is_known_of_a_subject_is_read_by_how_it_begins(database: Database) -> None:
    store, asked = SqlStore(database), _asked_of(database)
    kept = await get(store, await tell(store, "Ann drinks tea.", subject="ann|drinks"))
    async with store.write(ACME) as transaction:
        of, begins = transaction.memories, ["an", "\U0010ffff"]
        asked.clear()
        assert await of.under(kept.scope, ItemType.FACT, ["b"], beginnings=begins) == [kept]
        assert await of.alike(kept.scope, ItemType.FACT, ["c"], groups=["a"], telling="x") == []
    explain = "EXPLAIN QUERY PLAN" if database.embedded else "EXPLAIN"
    async with database.read() as connection:
        if not database.embedded:
            await connection.execute(text("SET LOCAL enable_seqscan = off"))
        for statement, values in asked:
            found = await connection.exec_driver_sql(f"{explain} {statement}", tuple(values))
            steps = [str(row[-1]) for row in found]
            seeks = [
                each for each in steps if re.search(r"Cond: \(+scope_key =|\(scope_key=", each)
            ]
            assert len(seeks) > 1
            assert all("subject" in each for each in seeks), steps


async def test_parts_go_with_their_document_by_their_index(database: Database) -> None:
    """As the foreign key looks for them: on PostgreSQL in a plan that is made for every value."""
    on_sqlite = database.embedded
    async with database.write() as connection:
        if on_sqlite:
            asked = text("EXPLAIN QUERY PLAN DELETE FROM memory_item WHERE parent_key = 7")
        else:
            for each in (
                "SET LOCAL enable_seqscan = off",
                "SET LOCAL plan_cache_mode = force_generic_plan",
                "PREPARE parts (bigint) AS DELETE FROM ONLY memory_item WHERE $1 = parent_key",
            ):
                await connection.execute(text(each))
            asked = text("EXPLAIN EXECUTE parts (7)")
        steps = [row[-1] for row in await connection.execute(asked)]
    assert any("ix_memory_item_parent_key" in each for each in steps), steps
