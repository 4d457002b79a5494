"""The real application, on the embedded engines and on those for scale."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from httpx import AsyncClient
from sqlalchemy import text

from app.adapters.sql.database import open_database
from app.settings import DatabaseSettings, QdrantSettings, Settings
from tests.api.speaking import settings_for, talking_to
from tests.databases import (
    create_postgres_database,
    drop_postgres_database,
    migrate,
    require_postgres,
    run_apart,
)
from tests.fakes_embedder import a_compiled_model
from tests.stand_in_qdrant import StandInQdrant, stand_in_qdrant

EMBEDDED = "embedded"
AT_SCALE = pytest.param("at scale", marks=pytest.mark.postgres)


@pytest.fixture(params=[EMBEDDED, AT_SCALE])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    """SQLite and Qdrant Edge; PostgreSQL and a Qdrant server spoken to over HTTP."""
    a_compiled_model()
    if request.param == EMBEDDED:
        return settings_for(tmp_path)
    url: str = request.getfixturevalue("session_postgres_url")
    stand_in: StandInQdrant = request.getfixturevalue("stand_in")
    run_apart(_empty(url))
    stand_in.forget()
    return settings_for(
        tmp_path,
        database=DatabaseSettings.model_validate({"url": url}),
        qdrant=QdrantSettings(url=stand_in.url),
    )


@pytest.fixture
async def client(settings: Settings) -> AsyncIterator[AsyncClient]:
    async with talking_to(settings) as client:
        yield client


@pytest.fixture
def embedded(tmp_path: Path) -> Settings:
    """For what does not depend on the engines."""
    a_compiled_model()
    return settings_for(tmp_path)


@pytest.fixture
async def alone(embedded: Settings) -> AsyncIterator[AsyncClient]:
    """A client of the embedded engines only."""
    async with talking_to(embedded) as client:
        yield client


@pytest.fixture(scope="session")
def stand_in() -> Iterator[StandInQdrant]:
    with stand_in_qdrant() as running:
        yield running


@pytest.fixture(scope="session")
def session_postgres_url() -> Iterator[str]:
    """A migrated database of this session's own, dropped at its end."""
    run_apart(require_postgres())
    made: list[str] = []

    async def make() -> None:
        made.append(await create_postgres_database())
        await migrate(made[0])

    run_apart(make())
    yield made[0]
    run_apart(drop_postgres_database(made[0]))


async def _empty(url: str) -> None:
    """Empty every table but those that tell of the schema, tenants of before included."""
    database = open_database(url)
    try:
        async with database.write() as connection:
            found = text("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
            tables = set((await connection.execute(found)).scalars()) - {"alembic_version"}
            names = ", ".join(f'"{table}"' for table in sorted(tables))
            await connection.execute(text(f"TRUNCATE {names} RESTART IDENTITY CASCADE"))
    finally:
        await database.dispose()
