"""What a data directory holds, read while no server runs over it."""

import sqlite3
from pathlib import Path

SQLITE_MAGIC = b"SQLite format 3\x00"
LOGS = ("-wal", "-shm", "-journal")


def databases(data_dir: Path) -> list[Path]:
    """Every SQLite file, told by its first bytes."""
    return sorted(path for path in data_dir.rglob("*") if path.is_file() and _is_sqlite(path))


def bytes_of(paths: list[Path]) -> int:
    """With the logs beside each database."""
    beside = [path.with_name(path.name + log) for path in paths for log in LOGS]
    return sum(path.stat().st_size for path in (*paths, *beside) if path.exists())


def bytes_under(folder: Path) -> int:
    """On disk, so a sparse or preallocated file counts with what is written."""
    return sum(p.stat().st_blocks * 512 for p in folder.rglob("*") if p.is_file())


def bytes_by_table(database: Path) -> dict[str, int]:
    """Pages of each table; those of an index count under "<table> (index)"."""
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        try:
            rows = connection.execute(
                "SELECT iif(s.type = 'index', s.tbl_name || ' (index)', d.name), sum(d.pgsize)"
                " FROM dbstat d LEFT JOIN sqlite_schema s USING (name) GROUP BY 1"
            ).fetchall()
        except sqlite3.OperationalError:
            return {}  # built without dbstat
    return dict(rows)


def _is_sqlite(path: Path) -> bool:
    with path.open("rb") as opened:
        return opened.read(len(SQLITE_MAGIC)) == SQLITE_MAGIC
