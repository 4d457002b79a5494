"""A damaged SQLite file is found to be, whatever the damage; a sound one is not."""

import asyncio
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from app.adapters.sql.health.checkup import Checkup
from app.domain.errors import StoreAstray, StoreDamaged, StoreLogAstray

ROWS = 5_000


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "some.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE talk (key INTEGER PRIMARY KEY, said TEXT)")
        connection.execute("CREATE INDEX ix_said ON talk (said)")
        rows = [(key, f"number {key} of {ROWS}") for key in range(ROWS)]
        connection.executemany("INSERT INTO talk VALUES (?, ?)", rows)
        connection.commit()
    return path


def scramble(file: Path) -> None:
    with file.open("r+b") as opened:
        opened.seek(10 * 4_096)
        opened.write(b"\xa7\x13" * 4_096)


def cut(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)


def replace(file: Path) -> None:
    file.write_bytes(b"This is no database at all. " * 1_000)


def swap_entries(file: Path) -> None:
    """An index that does not say what its table says: only a full check compares them."""
    content = file.read_bytes()
    at = content.rindex(b"number 4999")
    file.write_bytes(content[:at] + b"number 4998" + content[at + 11 :])


def checkup(file: Path, *, thorough: bool = False, patience: float = 60.0) -> Checkup:
    return Checkup(file=file, depth="full" if thorough else "quick", patience=patience)


@pytest.mark.parametrize("thorough", [False, True])
async def test_a_sound_file_is_sound(file: Path, *, thorough: bool) -> None:
    checking = checkup(file, thorough=thorough)
    await checking.begin()
    assert checking.damage is None


async def test_a_file_that_is_not_there_yet_is_not_made(tmp_path: Path) -> None:
    await checkup(tmp_path / "none.db").begin()
    assert not (tmp_path / "none.db").exists()


async def test_a_file_that_was_emptied_is_damaged_where_something_was_in_it(
    tmp_path: Path,
) -> None:
    emptied, vectors = tmp_path / "foreword.db", tmp_path / "vectors"
    emptied.touch()
    checking = Checkup(file=emptied, depth="quick", patience=60.0, derived=vectors)
    await checking.begin()
    vectors.mkdir()
    with pytest.raises(StoreDamaged, match="vectors were derived from it"):
        await checking.begin()


@pytest.mark.parametrize("harm", [scramble, cut, replace])
async def test_damage_is_told_with_what_to_do(file: Path, harm: Callable[[Path], None]) -> None:
    harm(file)
    with pytest.raises(StoreDamaged, match=r"is damaged .*put a backup in its place"):
        await checkup(file).begin()


async def test_a_thorough_check_compares_indexes_with_their_tables(file: Path) -> None:
    swap_entries(file)
    await checkup(file).begin()
    with pytest.raises(StoreDamaged):
        await checkup(file, thorough=True).begin()


async def test_damage_that_is_found_after_the_start_is_remembered(file: Path) -> None:
    scramble(file)
    checking = checkup(file, patience=0.0)
    await checking.begin()
    await found(checking)
    assert "Stop the service" in str(checking.damage)


async def found(checking: Checkup) -> None:
    async with asyncio.timeout(60):
        while checking.damage is None:  # noqa: ASYNC110  (it tells nobody)
            await asyncio.sleep(0.001)


async def test_damage_that_is_met_while_serving_is_looked_for(file: Path) -> None:
    checking = checkup(file)
    await checking.begin()
    scramble(file)
    checking.suspect()
    await found(checking)
    assert "is damaged" in str(checking.damage)
    await checking.close()


async def test_a_sound_file_is_not_looked_through_again_and_again(file: Path) -> None:
    checking = checkup(file)
    checking.suspect()
    await checking.close()
    scramble(file)
    checking.suspect()  # full text may be garbage for as long as it is built anew
    await checking.close()
    assert checking.damage is None


async def test_a_file_that_somebody_holds_is_let_in(file: Path) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        checking = Checkup(file=file, depth="quick", patience=0.0)
        await checking.begin()
        await checking.close()
        assert checking.damage is None


@pytest.mark.parametrize("suffix", ["", "-wal", "-shm"])
@pytest.mark.parametrize("elsewhere", ["moved", "removed", "replaced"])
async def test_a_file_that_goes_while_it_is_open_is_damage_until_it_is_back(
    file: Path, elsewhere: str, suffix: str, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    checking = checkup(file)
    checking.opened()
    assert checking.damage is None
    part, aside = file.with_name(file.name + suffix), file.with_name("aside.db")
    if elsewhere == "removed":
        aside.hardlink_to(part)
        part.unlink()
    else:
        part.rename(aside)
    if elsewhere == "replaced":
        part.write_bytes(aside.read_bytes())
    assert f"{part} was removed, moved or replaced" in str(checking.damage)
    assert checking.damage is checking.damage
    assert len(caplog.records) == 1
    aside.replace(part)
    assert checking.damage is None
    await checking.close()


async def test_of_files_that_go_each_is_told_by_what_brings_it_back(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    checking = checkup(file)
    checking.opened()
    whole, log = (file.with_name(file.name + suffix) for suffix in ("", "-wal"))
    aside = whole.rename(file.with_name("aside.db"))
    log.unlink()
    assert isinstance(checking.damage, StoreAstray)
    aside.rename(whole)
    assert isinstance(checking.damage, StoreLogAstray)
    assert f"{log} was removed" in str(checking.damage)
    await checking.close()


async def test_the_log_of_an_open_file_stays_though_every_other_closes_it(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        checking = checkup(file)
        checking.opened()
    assert checking.damage is None
    await checking.close()
    assert [each.name for each in file.parent.iterdir()] == [file.name]


def test_a_file_that_is_not_open_is_not_missed(tmp_path: Path) -> None:
    assert checkup(tmp_path / "none.db").damage is None
