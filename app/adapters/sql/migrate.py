"""
Brings a database to the schema of this release.

Most starts find it there: only where it is not is Alembic imported, which costs a twentieth of the
memory that a service takes.
"""

import importlib.util
from collections.abc import AsyncIterator, Iterator, MutableMapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from sqlalchemy import Connection, inspect, text
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncEngine

from app.adapters.sql.database import Database, open_database, translated
from app.adapters.sql.dialect import wait_for_long
from app.domain.errors import StoreUnavailable

if TYPE_CHECKING:
    from alembic.config import Config

MIGRATING = 0x666F7265  # any number that nobody else takes

_PORT = 5432
"""Of PostgreSQL, where none is named."""

NameKind = Literal[
    "schema",
    "table",
    "column",
    "index",
    "unique_constraint",
    "foreign_key_constraint",
    "check_constraint",
]
ParentNames = MutableMapping[
    Literal["schema_name", "table_name", "schema_qualified_table_name"], str | None
]


@asynccontextmanager
async def migrated(url: str) -> AsyncIterator[Database]:
    """
    The database at `url`, with the schema of this release, for as long as the block runs.

    Raises:
        StoreUnavailable: It does not answer.
    """
    database = open_database(url)
    try:
        await upgrade(database.writer)
        yield database
    finally:
        await database.dispose()


@asynccontextmanager
async def as_it_is(url: str) -> AsyncIterator[Database | None]:
    """
    The database at `url`, None where nothing of ours is in it; no schema is made or changed.

    Raises:
        StoreUnavailable: It does not answer.
    """
    database = open_database(url)
    try:
        with translated(), _telling_where(database.writer.url):
            async with database.writer.connect() as connection:
                found = await connection.run_sync(revision_of)
        yield database if found else None
    finally:
        await database.dispose()


async def upgrade(engine: AsyncEngine, revision: str = "head") -> str:
    """
    Migrate up to `revision`, and return the one found, empty for none.

    Replicas that start at once wait for each other.

    Raises:
        StoreUnavailable: The database does not answer.
    """
    with translated(), _telling_where(engine.url):
        async with engine.begin() as connection:
            await wait_for_long(connection)
            return await connection.run_sync(_upgrade, revision)


@contextmanager
def _telling_where(address: URL) -> Iterator[None]:
    """Names the server that cannot be reached, if there is one; never who opens it, or how."""
    try:
        yield
    except OSError as error:
        if address.get_backend_name() == "sqlite":
            raise
        place = f"{address.database} at {address.host}:{address.port or _PORT}"
        reason = error.strerror or str(error) or "no answer in time"
        raise StoreUnavailable(f"no way to the database {place}: {reason}") from error


def _upgrade(connection: Connection, revision: str) -> str:
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": MIGRATING})
    found = revision_of(connection)
    if revision == "head" and found == head():
        return found
    from alembic import command  # noqa: PLC0415  (slow and large; most starts need it not)

    config = alembic_config()
    config.attributes["connection"] = connection
    command.upgrade(config, revision)
    return found


def revision_of(connection: Connection) -> str:
    """The schema that a database has; empty for none."""
    if not inspect(connection).has_table("alembic_version"):
        return ""
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar() or ""


def head() -> str:
    """The schema of this release."""
    return max(known_revisions())


def known_revisions() -> frozenset[str]:
    """Every schema that this release can bring to its own: each file's name begins with one."""
    scripts = (_migrations() / "versions").glob("[0-9]*_*.py")
    return frozenset(each.name.partition("_")[0] for each in scripts)


def alembic_config() -> "Config":
    from alembic.config import Config  # noqa: PLC0415  (as above)

    config = Config()
    config.set_main_option("script_location", str(_migrations()))
    return config


def _migrations() -> Path:
    package = importlib.util.find_spec("migrations")
    if package is None or package.origin is None:
        raise FileNotFoundError("the package `migrations` is not installed")
    return Path(package.origin).parent


def is_ours(name: str | None, kind: NameKind, parents: ParentNames) -> bool:  # noqa: ARG001  (the signature is Alembic's)
    """Whether a table is part of the metadata: full text lies beside it, in each dialect's way."""
    return not (kind == "table" and name is not None and name.startswith("full_text"))
