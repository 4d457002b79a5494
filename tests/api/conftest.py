"""The real application, on the embedded engines and on those for scale."""

import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from httpx import AsyncClient

from app.settings import DatabaseSettings, QdrantSettings, Settings
from tests.api.proxied import Service, in_front_of
from tests.api.speaking import settings_for, talking_to
from tests.databases import (
    drop_postgres_database,
    empty_postgres_database,
    new_postgres_database,
    run_apart,
)
from tests.fakes_embedder import a_compiled_model
from tests.stand_in_model import StandInModel, stand_in_model
from tests.stand_in_qdrant import StandInQdrant, stand_in_qdrant

EMBEDDED = "embedded"
AT_SCALE = pytest.param("at scale", marks=pytest.mark.postgres)


@pytest.fixture(params=[EMBEDDED, AT_SCALE])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    """SQLite and Qdrant Edge; PostgreSQL and a Qdrant server spoken to over HTTP."""
    chosen: Settings = request.getfixturevalue(
        "embedded" if request.param == EMBEDDED else "at_scale"
    )
    return chosen


@pytest.fixture
def at_scale(session_postgres_url: str, stand_in: StandInQdrant, tmp_path: Path) -> Settings:
    a_compiled_model()
    run_apart(empty_postgres_database(session_postgres_url))
    stand_in.forget()
    return settings_for(
        tmp_path,
        database=DatabaseSettings.model_validate({"url": session_postgres_url}),
        qdrant=QdrantSettings(url=stand_in.url),
    )


@pytest.fixture
async def client(settings: Settings) -> AsyncIterator[AsyncClient]:
    async with talking_to(settings) as client:
        yield client


@pytest.fixture
async def elsewhere(settings: Settings, tmp_path: Path) -> AsyncIterator[AsyncClient]:
    """Another store, empty, on the same engines."""
    directory = tmp_path / "elsewhere"
    if settings.qdrant.url is None:
        async with talking_to(settings_for(directory)) as client:
            yield client
        return
    url = new_postgres_database(migrated=True)
    chosen = settings_for(
        directory,
        database=DatabaseSettings.model_validate({"url": url}),
        qdrant=QdrantSettings(url=settings.qdrant.url, collection="elsewhere"),
    )
    try:
        async with talking_to(chosen) as client:
            yield client
    finally:
        run_apart(drop_postgres_database(url))


@pytest.fixture
def embedded(sqlite_template: Path, tmp_path: Path) -> Settings:
    """For what does not depend on the engines. The database is there, migrated and empty."""
    a_compiled_model()
    chosen = settings_for(tmp_path)
    chosen.data_dir.mkdir()
    shutil.copy(sqlite_template, chosen.data_dir / "foreword.db")
    return chosen


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
    url = new_postgres_database(migrated=True)
    yield url
    run_apart(drop_postgres_database(url))


@pytest.fixture
def model() -> Iterator[StandInModel]:
    """A stand-in for a model behind the proxy."""
    with stand_in_model() as running:
        yield running


@pytest.fixture
async def service(embedded: Settings, model: StandInModel) -> AsyncIterator[Service]:
    """The service as a proxy in front of it."""
    async with in_front_of(model, embedded) as running:
        yield running
