"""Looking through an SQLite file for damage, before anything is written to it."""

import asyncio
import math
import sqlite3
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from logging import getLogger
from pathlib import Path
from typing import Literal

from app.domain.errors import StoreAstray, StoreDamaged, StoreLogAstray

_log = getLogger(__name__)

_PRAGMAS = {"quick": "PRAGMA quick_check(100)", "full": "PRAGMA integrity_check(100)"}
_OF_FULL_TEXT = "FTS5 table"
"""What newer versions say of full text, which is no truth and is built anew by itself."""

_LOOK_AGAIN = 30.0
"""Seconds between looks while it serves: full text may be garbage in a file that is sound."""

_GONE = "was removed, moved or replaced while it was open, and what is written now would be lost"
_RESTORE = (
    "put it back; else save what the service holds, before it is stopped, with "
    "`foreword export FILE`, then start it and import that, or restore a backup."
)
_RESTART = (
    "put it back, or have the service end by itself (SIGTERM), which brings what it holds into the "
    "database, and start it again."
)
_WayBack = tuple[type[StoreDamaged], str]
_OF_LOG: _WayBack = StoreLogAstray, _RESTART
_WAYS_BACK: Mapping[str, _WayBack] = {
    "": (StoreAstray, _RESTORE),
    "-wal": _OF_LOG,
    "-shm": _OF_LOG,
}
"""What to do once a file of an open database is gone, by what follows the name of the database."""
_EMPTIED = "it is empty, but vectors were derived from it"
_WHAT_TO_DO = (
    "put a backup in its place, or save what can be read with "
    "`sqlite3 foreword.db .recover | sqlite3 saved.db`."
)

_Identity = tuple[int, int]
"""A device, and the number of a file there."""


def _identity(file: Path) -> _Identity | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


@dataclass(slots=True, kw_only=True)
class Checkup:
    """
    `quick` reads every page (0.2 s for 100,000 messages), `full` compares indexes with tables too.

    A file that takes longer than `patience` seconds is looked through while the service runs.
    """

    file: Path
    depth: Literal["quick", "full"]
    patience: float
    derived: Path | None = None
    """What is derived from the file. Where it is there, so was what is in the file."""
    _found: StoreDamaged | None = field(default=None, init=False)
    """What a look that ended after the start has found."""
    _open: Mapping[Path, tuple[_Identity, _WayBack]] = field(default_factory=dict, init=False)
    """What each file of it was, and what to do once it is gone."""
    _held: sqlite3.Connection | None = field(default=None, init=False)
    """Does nothing: as long as there is one, SQLite keeps its files beside the database."""
    _astray: tuple[Path, StoreDamaged] | None = field(default=None, init=False)
    _looking: asyncio.Task[Sequence[str]] | None = field(default=None, init=False)
    _suspected_at: float = field(default=-math.inf, init=False)
    _connection: sqlite3.Connection | None = field(default=None, init=False)

    @property
    def damage(self) -> StoreDamaged | None:
        """What a look has found, or that a file is not under its name, as long as it is not."""
        return self._found or self._not_there()

    def opened(self) -> None:
        """From now on the file is open: what is written goes into it, wherever its name leads."""
        if not self.file.is_file():
            return
        self._held = sqlite3.connect(self.file, check_same_thread=False)
        self._held.execute("PRAGMA schema_version").fetchall()
        parts = {self.file.with_name(self.file.name + end): way for end, way in _WAYS_BACK.items()}
        self._open = {
            part: (found, way) for part, way in parts.items() if (found := _identity(part))
        }

    async def begin(self) -> None:
        """
        Start looking, and wait for it for a while.

        Raises:
            StoreDamaged: The file is damaged; says where, and what to do.
        """
        looking = self._begin_to_look()
        done, _ = await asyncio.wait({looking}, timeout=self.patience)
        if not done:
            looking.add_done_callback(self._note)
        elif found := looking.result():
            raise StoreDamaged(f"{self._told(found)} Nothing was changed: {_WHAT_TO_DO}")

    def suspect(self) -> None:
        """Damage was met: look through the file, behind the requests, unless one just did."""
        looking = self._looking is not None and not self._looking.done()
        just_now = time.monotonic() - self._suspected_at < _LOOK_AGAIN
        if self._found is None and not looking and not just_now:
            self._suspected_at = time.monotonic()
            self._begin_to_look().add_done_callback(self._note)

    async def close(self) -> None:
        if self._connection is not None:
            self._connection.interrupt()
        if self._looking is not None:
            await asyncio.wait({self._looking})
        if self._held is not None:
            await asyncio.to_thread(self._held.close)

    def _begin_to_look(self) -> asyncio.Task[Sequence[str]]:
        self._looking = asyncio.create_task(asyncio.to_thread(self._look))
        return self._looking

    def _note(self, looking: asyncio.Task[Sequence[str]]) -> None:
        if looking.cancelled() or looking.exception() or not (found := looking.result()):
            return
        self._found = StoreDamaged(f"{self._told(found)} Stop the service, then {_WHAT_TO_DO}")
        _log.critical(str(self._found))

    def _not_there(self) -> StoreDamaged | None:
        """Told to the log once, each time that a file goes."""
        for part, (opened, way_back) in self._open.items():
            if _identity(part) != opened:
                return self._missed(part, way_back)
        self._astray = None
        return None

    def _missed(self, part: Path, way_back: _WayBack) -> StoreDamaged:
        if self._astray is not None and self._astray[0] == part:
            return self._astray[1]
        kind, what_to_do = way_back
        told = kind(f"The database {part} {_GONE}: {what_to_do}")
        self._astray = part, told
        _log.critical(str(told))
        return told

    def _look(self) -> Sequence[str]:
        """What is wrong, line by line."""
        if not self.file.exists():
            return ()
        if not self.file.stat().st_size:
            return (_EMPTIED,) if self.derived and self.derived.exists() else ()
        with closing(sqlite3.connect(self.file, check_same_thread=False)) as connection:
            self._connection = connection
            try:
                found = [str(line) for (line,) in connection.execute(_PRAGMAS[self.depth])]
            except sqlite3.OperationalError as error:  # locked, or told to stop: nothing is known
                _log.warning("the database could not be checked", extra={"reason": str(error)})
                return ()
            except sqlite3.DatabaseError as error:
                found = [str(error)]
            finally:
                self._connection = None
        return [line for line in found if line != "ok" and _OF_FULL_TEXT not in line]

    def _told(self, found: Sequence[str]) -> str:
        return f"The database {self.file} is damaged ({found[0].splitlines()[-1]})."
