"""What others answer from is not replaced under them: a PostgreSQL database tells who they are."""

from pathlib import Path

import pytest

from app.adapters.sql.copies.in_use import others_at
from app.adapters.sql.database import open_database
from app.backups import restore
from app.domain.errors import RestoreRefused
from app.domain.watching import unwatched
from app.settings import Settings
from app.settings.storing import DatabaseSettings

pytestmark = pytest.mark.postgres


async def test_a_backup_is_not_brought_back_while_a_server_runs(
    postgres_own_url: str, tmp_path: Path
) -> None:
    settings = Settings(data_dir=tmp_path, database=DatabaseSettings(url=postgres_own_url))
    running = open_database(postgres_own_url)
    async with running.read():
        pass
    with pytest.raises(RestoreRefused, match=r"is running on the database \(.+, process \d+\)"):
        await restore(settings, tmp_path / "backup.zip", unwatched, force=True)
    await running.dispose()
    assert await others_at(postgres_own_url, patience=60) == []
