"""Who may get in is no content: what a backup replaces keeps its keys, on either database."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from sqlalchemy import delete

from app.adapters.sql import tables as t
from app.adapters.sql.migrate import migrated
from app.backups import Since, back_up, restore
from app.domain.errors import RestoreRefused
from app.domain.keys import ApiKey, hash_of
from app.domain.watching import unwatched
from app.settings import Settings
from app.settings.storing import DatabaseSettings
from app.wiring.keys import a_key_ring, any_key
from tests.api.keyed import a_key, revoke
from tests.api.speaking import settings_for
from tests.databases import BOTH, settings_of_own


@pytest.fixture(params=BOTH)
def here(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    """Of the store that is replaced."""
    url = settings_of_own(request).get("DATABASE__URL")
    return settings_for(tmp_path / "here", database=DatabaseSettings(url=url))


@pytest.fixture
def elsewhere(tmp_path: Path) -> Settings:
    return settings_for(tmp_path / "elsewhere")


async def a_backup(settings: Settings) -> Path:
    file = settings.data_dir.with_suffix(".zip")
    async with a_key_ring(settings):
        pass  # there is a database to take one of
    await back_up(settings, file, unwatched)
    return file


async def restored(settings: Settings, file: Path, *, bring_back_erased: bool = False) -> Since:
    _, since = await restore(
        settings, file, unwatched, force=True, bring_back_erased=bring_back_erased
    )
    return since


async def keys_of(settings: Settings) -> Sequence[ApiKey]:
    async with a_key_ring(settings) as ring, ring.store.admit() as admission:
        return await admission.keys(None)


async def lose_keys(settings: Settings) -> None:
    """As restoring did, before it kept them."""
    async with migrated(settings.database_url) as database, database.write() as connection:
        await connection.execute(delete(t.api_key))


async def test_the_first_key_since_the_backup_still_opens_and_ends_access_without_one(
    here: Settings,
) -> None:
    backup = await a_backup(here)
    made, spelled = await a_key(here, "unknown-to-the-backup")
    since = await restored(here, backup)
    assert (since.keys_kept, since.counts()["keys_kept"]) == (1, 1)
    assert await any_key(here)
    async with a_key_ring(here) as ring, ring.store.admit() as admission:
        found = await admission.find_key(hash_of(spelled))
    assert found is not None
    assert (found.id, found.tenant) == (made, "unknown-to-the-backup")


@pytest.mark.parametrize("bring_back_erased", [False, True])
async def test_keys_stay_as_they_are_revoked_and_expired_ones_too(
    here: Settings, *, bring_back_erased: bool
) -> None:
    closed, _ = await a_key(here)
    await a_key(here)
    backup = await a_backup(here)
    await revoke(here, "acme", closed)
    await a_key(here, "later")
    before = await keys_of(here)
    since = await restored(here, backup, bring_back_erased=bring_back_erased)
    assert await keys_of(here) == before
    assert (since.keys_kept, since.undone) == (3, [])
    added, _ = await a_key(here, "later")
    assert [each.id for each in await keys_of(here)] == [*(each.id for each in before), added]


async def test_the_keys_of_the_backup_do_not_come_beside_others(
    here: Settings, elsewhere: Settings
) -> None:
    await a_key(elsewhere)
    backup = await a_backup(elsewhere)
    closed, _ = await a_key(here)
    await revoke(here, "acme", closed)
    before = await keys_of(here)
    await restored(here, backup)
    assert await keys_of(here) == before


async def test_where_there_never_was_a_key_those_of_the_backup_come(
    here: Settings, elsewhere: Settings
) -> None:
    closed, _ = await a_key(elsewhere)
    await a_key(elsewhere, "other")
    await revoke(elsewhere, "acme", closed)
    backup = await a_backup(elsewhere)
    await a_backup(here)
    since = await restored(here, backup)
    assert await keys_of(here) == await keys_of(elsewhere)
    assert since.keys_kept == 0


async def test_a_revoked_key_that_only_the_log_knows_does_not_come_back_with_what_was_erased(
    here: Settings,
) -> None:
    closed, _ = await a_key(here)
    backup = await a_backup(here)
    await revoke(here, "acme", closed)
    await lose_keys(here)
    since = await restored(here, backup, bring_back_erased=True)
    (found,) = await keys_of(here)
    assert found.revoked_at is not None
    assert (len(since.done_again), since.undone) == (1, [])


async def test_where_nobody_can_read_the_keys_those_of_the_backup_come_only_unrefused(
    elsewhere: Settings,
) -> None:
    await a_key(elsewhere)
    backup = await a_backup(elsewhere)
    async with migrated(elsewhere.database_url) as database, database.write() as connection:
        await connection.exec_driver_sql("ALTER TABLE api_key RENAME TO lost")
    with pytest.raises(RestoreRefused, match="keys to what is there cannot be read"):
        await restored(elsewhere, backup)
    told: list[str] = []
    _, since = await restore(
        elsewhere, backup, unwatched, force=True, bring_back_erased=True, warn=told.append
    )
    assert since.counts()["keys_unread"] is True
    assert [each for each in told if "the keys to what is there cannot be read" in each] == told
    assert len(await keys_of(elsewhere)) == 1
