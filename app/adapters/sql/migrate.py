"""Brings a database to the schema of this release."""

import importlib.util
from collections.abc import MutableMapping
from pathlib import Path
from typing import Literal

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text
from sqlalchemy.ext.asyncio import AsyncEngine

from app.adapters.sql.database import translated

_ADVISORY_LOCK = 0x666F7265  # any number that nobody else takes

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


async def upgrade(engine: AsyncEngine, revision: str = "head") -> None:
    """
    Migrate up to `revision`. Replicas that start at once wait for each other.

    Raises:
        StoreUnavailable: The database does not answer.
    """
    with translated():
        async with engine.begin() as connection:
            await connection.run_sync(_run, "upgrade", revision)


async def downgrade(engine: AsyncEngine, revision: str = "base") -> None:
    async with engine.begin() as connection:
        await connection.run_sync(_run, "downgrade", revision)


def _run(connection: Connection, direction: str, revision: str) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _ADVISORY_LOCK})
    config = alembic_config()
    if direction == "upgrade" and revision == "head" and _is_current(connection, config):
        return
    config.attributes["connection"] = connection
    getattr(command, direction)(config, revision)


def _is_current(connection: Connection, config: Config) -> bool:
    heads = MigrationContext.configure(connection).get_current_heads()
    return set(heads) == set(ScriptDirectory.from_config(config).get_heads())


def alembic_config() -> Config:
    package = importlib.util.find_spec("migrations")
    if package is None or package.origin is None:
        raise FileNotFoundError("the package `migrations` is not installed")
    config = Config()
    config.set_main_option("script_location", str(Path(package.origin).parent))
    return config


def is_ours(name: str | None, kind: NameKind, parents: ParentNames) -> bool:  # noqa: ARG001  (the signature is Alembic's)
    """Whether a table is part of the metadata: full text lies beside it, in each dialect's way."""
    return not (kind == "table" and name is not None and name.startswith("full_text"))
