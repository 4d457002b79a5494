"""Writing a backup of what the service holds, and noting it."""

from collections.abc import Mapping
from typing import Any

from app import __version__
from app.adapters.rooms import BACKUPS
from app.adapters.sql.copies.backup import write_backup
from app.adapters.sql.store import SqlStore
from app.domain.audit import Action
from app.domain.watching import Step
from app.services.common.jobs import Progress
from app.services.common.logbook import Logbook
from app.settings import Settings
from app.wiring.deriving import now


async def back_up(
    settings: Settings, store: SqlStore, logbook: Logbook, progress: Progress
) -> Mapping[str, Any]:
    """Write a backup into the data directory; where, and what is in it."""
    taken_at = now()
    target = settings.data_dir / BACKUPS / f"foreword-{taken_at:%Y%m%dT%H%M%S%fZ}.zip"

    def watch(step: Step) -> None:
        progress.tell(step.done, step.total)

    async with logbook.noting(Action.BACKUP_WRITTEN) as facts:
        manifest = await write_backup(
            store.database, target, foreword=__version__, now=taken_at, watch=watch
        )
        facts.update(manifest.counts())
    return {"file": str(target.absolute()), "rows": dict(manifest.rows)}
