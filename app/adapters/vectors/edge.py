"""The vector index inside this process: Qdrant Edge, the engine of Qdrant without its server.

Edge holds the GIL in every call (0.9.0), whatever thread it is made in, so what one call may cost
is bounded here: writes and walks go in small batches, with the loop running between them.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TypeVar

from qdrant_edge import (
    EdgeShard,
    Filter,
    Point,
    Query,
    QueryRequest,
    ScrollRequest,
    SearchParams,
    UpdateOperation,
)

from app.adapters.vectors.edge_filter import edge_filter
from app.adapters.vectors.edge_shard import (
    check_room,
    opened_shard,
    whereabouts,
    written_out,
)
from app.adapters.vectors.nearest import Found, as_cosine, nearest
from app.adapters.vectors.payload import conditions, misplaced, payload_of
from app.domain.errors import VectorIndexUnavailable
from app.domain.ids import ItemKey
from app.ports import RecallFilter, VectorPlace, VectorPoint
from app.ranking import Floats

T = TypeVar("T")

_READERS = 2
_POINTS_PER_CALL = 64
"""About 1 ms of the GIL at 384 dimensions; more would not be faster."""
_KEYS_PER_CALL = 1_000
"""About 1 ms of the GIL."""
_PLACES_PER_CALL = 200
"""About 3 ms of the GIL; of more the engine makes far more."""
_EXACT = SearchParams(exact=True)


class EdgeVectorIndex:
    """
    An exact index in one directory, held by one process.

    Writes are serialised in one thread and seen by every search that starts after them; they
    survive a killed process (the engine's log), and a power cut once flushed.
    """

    def __init__(
        self, shard: EdgeShard, directory: Path, *, writer: Executor, readers: Executor
    ) -> None:
        self._shard = shard
        self._directory = directory
        self._opened = whereabouts(directory)
        self._writer = writer
        self._readers = readers

    async def upsert(self, points: Sequence[VectorPoint]) -> None:
        for start in range(0, len(points), _POINTS_PER_CALL):
            batch = points[start : start + _POINTS_PER_CALL]
            await self._write(partial(_upsert, self._shard, batch))

    async def remove(self, keys: Sequence[ItemKey]) -> None:
        for start in range(0, len(keys), _KEYS_PER_CALL):
            batch = keys[start : start + _KEYS_PER_CALL]
            await self._write(partial(_remove, self._shard, batch))

    async def search(self, query: Floats, *, within: RecallFilter, limit: int) -> Found:
        wanted = conditions(within)
        if wanted is None:
            return []
        fetch = partial(_search, self._shard, query.tolist(), edge_filter(wanted))
        return await nearest(lambda n: _call(self._readers, partial(fetch, n)), limit)

    async def known(self, keys: Sequence[ItemKey]) -> frozenset[ItemKey]:
        found: set[ItemKey] = set()
        for start in range(0, len(keys), _KEYS_PER_CALL):
            batch = keys[start : start + _KEYS_PER_CALL]
            found |= await _call(self._readers, partial(_known, self._shard, batch))
        return frozenset(found)

    async def misplaced(self, places: Sequence[VectorPlace]) -> frozenset[ItemKey]:
        found: set[ItemKey] = set()
        for start in range(0, len(places), _PLACES_PER_CALL):
            batch = places[start : start + _PLACES_PER_CALL]
            found |= await _call(self._readers, partial(_misplaced, self._shard, batch))
        return frozenset(found)

    async def keys(self) -> AsyncIterator[Sequence[ItemKey]]:
        start: ItemKey | None = ItemKey(0)
        while start is not None:
            batch, start = await _call(self._readers, partial(_scroll, self._shard, start))
            if batch:
                yield batch

    async def count(self) -> int:
        """Of points; counted by the engine as it writes, since its exact count walks them all."""
        return await _call(self._readers, lambda: self._shard.info().points_count)

    async def flush(self) -> None:
        """
        Make writes survive a power cut. Holds the GIL for 15 ms and more: not per request.

        What the engine has written goes to the disk before, while nobody waits.
        """
        await _call(self._writer, partial(written_out, self._directory))
        await self._write(self._shard.flush)

    async def _write(self, work: Callable[[], None]) -> None:
        await _call(self._writer, partial(_where_room_is, self._directory, work))

    async def intact(self) -> bool:
        """Whether the directory is the one that was opened; the engine would not notice."""
        return await asyncio.to_thread(lambda: whereabouts(self._directory) == self._opened)


@asynccontextmanager
async def open_edge_index(directory: Path, *, dimension: int) -> AsyncIterator[EdgeVectorIndex]:
    """
    The index in `directory`, created where it is missing, damaged or of another shape.

    Raises VectorIndexUnavailable when another process (or another opening in this one) has it
    open, or when it can be neither read nor created.
    """
    with (
        ThreadPoolExecutor(1, "vector-write") as writer,
        ThreadPoolExecutor(_READERS, "vector-read") as readers,
    ):
        opening = opened_shard(directory, dimension=dimension)
        shard = await _call(writer, opening.__enter__)
        try:
            yield EdgeVectorIndex(shard, directory, writer=writer, readers=readers)
        finally:
            await asyncio.to_thread(readers.shutdown)  # searches that nobody waits for any more
            await _call(writer, partial(opening.__exit__, None, None, None))


async def _call(threads: Executor, work: Callable[[], T]) -> T:
    """Do `work` off the loop, with every failure as VectorIndexUnavailable."""
    try:
        running = asyncio.get_running_loop().run_in_executor(threads, partial(_translated, work))
    except RuntimeError as error:
        raise VectorIndexUnavailable("The vector index is closed.") from error
    return await running


def _translated(work: Callable[[], T]) -> T:
    try:
        return work()
    except VectorIndexUnavailable:
        raise
    except BaseException as error:  # the engine's panics are no Exception
        raise VectorIndexUnavailable(f"The vector index failed: {error}") from error


def _where_room_is(directory: Path, work: Callable[[], None]) -> None:
    check_room(directory)
    work()


def _upsert(shard: EdgeShard, points: Sequence[VectorPoint]) -> None:
    stored = [Point(point.key, point.vector.tolist(), payload_of(point)) for point in points]
    shard.update(UpdateOperation.upsert_points(stored))


def _remove(shard: EdgeShard, keys: Sequence[ItemKey]) -> None:
    shard.update(UpdateOperation.delete_points(list(keys)))


def _search(shard: EdgeShard, query: list[float], within: Filter, limit: int) -> Found:
    found = shard.query(
        QueryRequest(limit=limit, query=Query.Nearest(query), filter=within, params=_EXACT)
    )
    return [(_key(point.id), as_cosine(point.score)) for point in found]


def _known(shard: EdgeShard, keys: Sequence[ItemKey]) -> set[ItemKey]:
    found = shard.retrieve(list(keys), with_payload=False, with_vector=False)
    return {_key(record.id) for record in found}


def _misplaced(shard: EdgeShard, places: Sequence[VectorPlace]) -> set[ItemKey]:
    keys = [each.key for each in places]
    found = shard.retrieve([*keys], with_payload=True, with_vector=False)
    return misplaced({_key(each.id): each.payload or {} for each in found}, places)


def _scroll(shard: EdgeShard, start: ItemKey) -> tuple[Sequence[ItemKey], ItemKey | None]:
    """Up to `_KEYS_PER_CALL` keys from `start` on, and where the next walk starts."""
    records, following = shard.scroll(
        ScrollRequest(offset=start, limit=_KEYS_PER_CALL, with_payload=False, with_vector=False)
    )
    return [_key(record.id) for record in records], None if following is None else _key(following)


def _key(point_id: object) -> ItemKey:
    return ItemKey(int(str(point_id)))
