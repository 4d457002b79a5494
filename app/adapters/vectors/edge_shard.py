"""Opening the directory of an Edge index: one process at a time, and never stuck on damage."""

import fcntl
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from logging import getLogger
from pathlib import Path
from typing import assert_never

from qdrant_edge import (
    DatetimeIndexParams,
    Distance,
    EdgeConfig,
    EdgeShard,
    EdgeVectorParams,
    IntegerIndexParams,
    KeywordIndexParams,
    Memory,
    Query,
    QueryRequest,
    ScrollRequest,
    UpdateOperation,
    VectorStorageDatatype,
)

from app.adapters.resident import give_back_files
from app.adapters.vectors.payload import INDEXES, SCOPE, FieldIndex
from app.domain.errors import DataDirectoryHeld, VectorIndexUnavailable

_log = getLogger(__name__)

_HELD_ELSEWHERE = "another process has this data directory open"
_ENGINE_LOCK = "WouldBlock"
_PROBED_POINTS = 16
_ROOM_TO_WRITE = 32 * 2**20
_ROOM_TO_CREATE = 96 * 2**20
"""Bytes. An empty index takes 47 MB, and its files grow by up to 32 MB at once."""


def whereabouts(directory: Path) -> Sequence[int]:
    """Changes when the directory of an index, or what it stands on, is removed or replaced."""
    parts = (directory, directory / "segments", directory / "wal")
    return [part.stat().st_ino if part.exists() else 0 for part in parts]


def check_room(place: Path, *, needed: int = _ROOM_TO_WRITE) -> None:
    """
    Raise VectorIndexUnavailable unless so many bytes are free where `place` lies.

    The engine writes into mapped files with holes: where there is no room for a page of them, the
    system does not return an error, it ends the process.
    """
    free = shutil.disk_usage(place).free
    if free < needed:
        raise VectorIndexUnavailable(f"the disk is nearly full: {free >> 20} MiB are free")


def written_out(directory: Path) -> None:
    """Have the system write the pages of an index to the disk; the files may change meanwhile."""
    for file in directory.rglob("*"):
        with suppress(FileNotFoundError):
            if file.is_file():
                _sync(file)


def _sync(file: Path) -> None:
    opened = os.open(file, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


@contextmanager
def opened_shard(directory: Path, *, dimension: int) -> Iterator[EdgeShard]:
    """
    The shard in `directory`, created if need be; flushed and closed at the end.

    Nothing in it is worth saving, since SQL has it all: what cannot be read is deleted.
    """
    directory.parent.mkdir(parents=True, exist_ok=True)
    with _only_here(directory.with_name(f"{directory.name}.lock")):
        check_room(directory.parent)
        shard = _loaded(directory, dimension)
        if shard is None:
            shard = _created(directory, dimension)
        give_back_files(directory)
        try:
            yield shard
            _flush(shard, directory)
        finally:
            shard.close()


def _flush(shard: EdgeShard, directory: Path) -> None:
    """If it can be; else the rest is in the log, and if that is lost too, in SQL."""
    try:
        check_room(directory)
        shard.flush()
    except BaseException as error:  # noqa: BLE001  (a panic of the engine is no Exception)
        _log.warning("the vector index was closed as it is", extra={"reason": str(error)})


@contextmanager
def _only_here(path: Path) -> Iterator[None]:
    """Hold the lock file `path`; the system frees it when the process ends, however it ends.

    The engine has a lock of its own, but says it in the same words as damage, and only once the
    directory exists. Before something is deleted, no doubt may remain.
    """
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise DataDirectoryHeld(_HELD_ELSEWHERE) from error
        yield


def _loaded(directory: Path, dimension: int) -> EdgeShard | None:
    """The shard in `directory`, or None when there is none that can be used."""
    if not directory.exists():
        return None
    try:
        shard = EdgeShard.load(str(directory), _config(dimension))
    except BaseException as error:  # a panic of the engine is no Exception
        if _ENGINE_LOCK in str(error):
            raise DataDirectoryHeld(_HELD_ELSEWHERE) from error
        return None
    if _usable(shard, dimension):
        return shard
    shard.close()
    return None


def _usable(shard: EdgeShard, dimension: int) -> bool:
    """Whether `shard` has the indexes of today and its vectors and payloads can be read."""
    everything = QueryRequest(limit=1, query=Query.Nearest([1.0] * dimension))
    try:
        about = shard.info()
        found = shard.query(everything)
        records, _ = shard.scroll(
            ScrollRequest(limit=_PROBED_POINTS, with_payload=True, with_vector=True)
        )
    except BaseException:  # noqa: BLE001 (a panic of the engine is no Exception)
        return False
    return (
        set(about.payload_schema) == set(INDEXES)
        and bool(found) == bool(about.points_count)
        and all(SCOPE in (record.payload or {}) for record in records)
    )


def _created(directory: Path, dimension: int) -> EdgeShard:
    if directory.exists():
        shutil.rmtree(directory)
    check_room(directory.parent, needed=_ROOM_TO_CREATE)
    directory.mkdir()
    shard = EdgeShard.create(str(directory), _config(dimension))
    for field, index in INDEXES.items():
        shard.update(UpdateOperation.create_field_index(field, _index_of(index)))
    shard.flush()
    return shard


def _config(dimension: int) -> EdgeConfig:
    """
    A byte per dimension, rotated first, finds what half-size floats find, in half the time and
    memory (0.4 against 0.9 ms among 10,000, recall@50 0.999). SQL keeps the half-size floats.
    """
    vectors = EdgeVectorParams(
        dimension,
        Distance.Cosine,
        datatype=VectorStorageDatatype.Turbo8,
        memory=Memory.Cached,
    )
    return EdgeConfig(vectors=vectors, payload_memory=Memory.Cached)


def _index_of(
    index: FieldIndex,
) -> KeywordIndexParams | IntegerIndexParams | DatetimeIndexParams:
    match index:
        case FieldIndex.TENANT:
            return KeywordIndexParams(is_tenant=True)
        case FieldIndex.KEYWORD:
            return KeywordIndexParams(enable_hnsw=False)
        case FieldIndex.LOOKUP:
            return IntegerIndexParams(lookup=True, range=False, enable_hnsw=False)
        case FieldIndex.MOMENT:
            return DatetimeIndexParams(enable_hnsw=False)
        case _:
            assert_never(index)
