"""What lies on disk is for its owner's eyes only."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.adapters.presence import held
from app.backups import restore
from app.domain.watching import unwatched
from app.settings import Settings
from tests.api.keyed import a_key
from tests.api.speaking import settings_for, store, talking_to
from tests.fakes_embedder import a_compiled_model

PRIVATE_DIRECTORY, PRIVATE_FILE = 0o700, 0o600


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Settings]:
    """A data directory that is not there yet, of a shell that shares what it makes."""
    a_compiled_model()
    before = os.umask(0o002)
    yield settings_for(tmp_path)
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def of_database(directory: Path) -> dict[str, int]:
    return {each.name: mode(each) for each in directory.glob("foreword.db*")}


async def test_the_service_makes_what_only_its_owner_reads(fresh: Settings) -> None:
    async with talking_to(fresh) as client:
        await store(client, "tea")
        made = of_database(fresh.data_dir)
    assert mode(fresh.data_dir) == PRIVATE_DIRECTORY
    assert {"foreword.db", "foreword.db-wal"} <= set(made)
    assert set(made.values()) == {PRIVATE_FILE}


async def test_commands_make_what_only_its_owner_reads(fresh: Settings) -> None:
    await a_key(fresh)
    assert mode(fresh.data_dir) == PRIVATE_DIRECTORY
    assert set(of_database(fresh.data_dir).values()) == {PRIVATE_FILE}


async def test_what_is_restored_only_its_owner_reads(fresh: Settings, tmp_path: Path) -> None:
    async with talking_to(fresh) as client:
        await store(client, "tea")
        await client.post("/admin/backup")
        while not (written := list(fresh.data_dir.glob("backups/*.zip"))):
            await client.get("/jobs")
    elsewhere = settings_for(tmp_path / "other")
    await restore(elsewhere, written[0], unwatched, force=False)
    assert mode(elsewhere.data_dir) == PRIVATE_DIRECTORY
    assert of_database(elsewhere.data_dir)["foreword.db"] == PRIVATE_FILE


async def test_what_an_operator_made_is_left_as_it_is(fresh: Settings) -> None:
    fresh.data_dir.mkdir(mode=0o755)
    file = fresh.data_dir / "foreword.db"
    file.touch(mode=0o640)
    with held(fresh.data_dir):
        async with talking_to(fresh) as client:
            await store(client, "tea")
    assert (mode(fresh.data_dir), mode(file)) == (0o755, 0o640)
