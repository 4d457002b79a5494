"""Opening the parts that may be missing, late or damaged; what is missing may come later."""

import asyncio
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, contextmanager
from logging import getLogger
from pathlib import Path

from sqlalchemy.engine import make_url

from app.adapters.late import LateEmbedder, LateVectorIndex
from app.adapters.sql.claim import Claim
from app.adapters.sql.health.checkup import Checkup
from app.adapters.vectors import load_server_client, open_edge_index, open_server_index
from app.domain.errors import (
    DataDirectoryHeld,
    EmbedderUnavailable,
    RerankerUnavailable,
    StorageFull,
    StoreUnavailable,
    VectorIndexUnavailable,
)
from app.ports import Mendable, VectorIndex
from app.ports.embedding import Embedder
from app.settings import Settings, revealed

_log = getLogger(__name__)

PATIENCE = 2.0
"""Seconds that the start waits for another server, or for the check of a large database."""

_ROOM = 2**20
"""Bytes without which nobody can open an SQLite database: it makes files beside it."""

_MISSING = (EmbedderUnavailable, RerankerUnavailable, VectorIndexUnavailable)


@contextmanager
def telling_of_no_room(directory: Path) -> Iterator[None]:
    """
    Names the disk that is full, where something cannot be opened for that.

    Raises:
        StorageFull: There is no room.
    """
    try:
        yield
    except (StorageFull, StoreUnavailable, sqlite3.Error, OSError) as error:
        if not directory.is_dir() or shutil.disk_usage(directory).free >= _ROOM:
            raise
        told = f"there is no room on the disk of {directory} ({error}): make some, and start again"
        raise StorageFull(told) from error


async def check_database(settings: Settings, stack: AsyncExitStack) -> Checkup | None:
    """Look for damage before anything is written; a large file is looked through while serving."""
    address = make_url(settings.database_url)
    if address.get_backend_name() != "sqlite":
        return None
    depth = settings.database.check
    checkup = Checkup(
        file=Path(address.database or ""),
        depth="quick" if depth == "off" else depth,
        patience=PATIENCE,
        derived=settings.vectors_dir,
    )
    stack.push_async_callback(checkup.close)
    if depth != "off":
        await checkup.begin()
    return checkup


async def try_to_open(part: Mendable, lack: str, *, within: float | None) -> None:
    """
    Open a part, if that can be done before the start, else log the `lack` of it.

    What lies elsewhere is waited for so many seconds only: a server may never answer.

    Raises:
        DataDirectoryHeld: Starting would do harm.
    """
    try:
        async with asyncio.timeout(within):
            await part.mend()
    except DataDirectoryHeld:
        raise
    except (*_MISSING, TimeoutError) as error:
        reason = str(error) or f"no answer within {within} s"
        _log.error(lack, extra={"reason": reason})


def claim_of(settings: Settings, stack: AsyncExitStack) -> Claim | None:
    """What is to be had alone: a database that others reach, and an index that they do not."""
    if settings.database_file is not None or settings.qdrant.url is not None:
        return None
    claim = Claim(settings.database_url)
    stack.push_async_callback(claim.aclose)
    return claim


async def open_vectors(
    settings: Settings, embedder: LateEmbedder, stack: AsyncExitStack, claim: Claim | None
) -> LateVectorIndex:
    def opening() -> AbstractAsyncContextManager[VectorIndex]:
        if embedder.missing:
            raise VectorIndexUnavailable("there is no embedder")
        return _vectors_of(embedder, settings)

    vectors = LateVectorIndex(opening, claim)
    stack.push_async_callback(vectors.aclose)
    lack = "no vector index: semantic search is off"
    within = None
    if settings.qdrant.url is not None:
        within = max(PATIENCE, settings.qdrant.timeout_s)
        await asyncio.to_thread(load_server_client)  # which says nothing of the server
    await try_to_open(vectors, lack, within=within)
    return vectors


def _vectors_of(embedder: Embedder, settings: Settings) -> AbstractAsyncContextManager[VectorIndex]:
    """One index per model: vectors of two models cannot be compared."""
    name = index_name(embedder.model)
    chosen = settings.qdrant
    if chosen.url is None:
        directory = settings.vectors_dir / name
        return open_edge_index(directory, dimension=embedder.dimension)
    return open_server_index(
        chosen.url,
        collection=f"{chosen.collection}-{name}",
        dimension=embedder.dimension,
        api_key=revealed(chosen.api_key),
        timeout=chosen.timeout_s,
        on_disk=chosen.on_disk,
    )


def index_name(model: str) -> str:
    """The name of a model's index, for a directory or a collection."""
    return re.sub(r"[^A-Za-z0-9]+", "-", model).strip("-")
