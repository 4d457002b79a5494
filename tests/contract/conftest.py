import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from sqlalchemy.engine import make_url

from app.adapters.sql.database import Database, open_database
from app.adapters.sql.store import SqlStore
from app.ports.store import Store
from tests.databases import (
    BOTH,
    create_postgres_database,
    drop_postgres_database,
    empty_postgres_database,
    new_postgres_database,
    run_apart,
)


@pytest.fixture(scope="session")
def postgres_template() -> Iterator[str]:
    """A database with the schema, to be copied."""
    url = new_postgres_database(migrated=True)
    yield str(make_url(url).database)
    run_apart(drop_postgres_database(url))


@pytest.fixture
def sqlite_file(sqlite_template: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(sqlite_template, tmp_path / "store.db"))


@pytest.fixture(scope="session")
def postgres_shared(postgres_template: str) -> Iterator[str]:
    """A database that one test after the other uses: making one takes half a second."""
    url = new_postgres_database(postgres_template)
    yield url
    run_apart(drop_postgres_database(url))


@pytest.fixture
async def postgres_url(postgres_shared: str) -> str:
    await empty_postgres_database(postgres_shared)
    return postgres_shared


@pytest.fixture
async def postgres_own_url(postgres_template: str) -> AsyncIterator[str]:
    """A database for a test that breaks it."""
    url = await create_postgres_database(postgres_template)
    yield url
    await drop_postgres_database(url)


@pytest.fixture(params=BOTH)
def url(request: pytest.FixtureRequest) -> str:
    """Where a database with the schema and no row is."""
    if request.param == "sqlite":
        return f"sqlite+aiosqlite:///{request.getfixturevalue('sqlite_file')}"
    return str(request.getfixturevalue("postgres_url"))


@pytest.fixture
async def database(url: str) -> AsyncIterator[Database]:
    opened = open_database(url, durable=False)
    yield opened
    await opened.dispose()


@pytest.fixture
def store(database: Database) -> Store:
    return SqlStore(database)
