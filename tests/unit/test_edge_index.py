"""The index in a directory of this machine: what lasts, what heals, who may open it."""

import asyncio
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from qdrant_edge import EdgeShard

from app.adapters.vectors import EdgeVectorIndex, open_edge_index
from app.domain.errors import VectorIndexUnavailable
from app.domain.ids import ItemKey
from app.ports import RecallFilter, VectorPoint
from app.ranking import Floats
from tests.fakes_vectors import DEFAULT_SCOPE, point

DIMENSION = 8
HERE = RecallFilter(scopes=[DEFAULT_SCOPE])


def vectors(count: int) -> Floats:
    drawn = np.random.default_rng(0).standard_normal((count, DIMENSION), dtype=np.float32)
    unit: Floats = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    return unit


def points(keys: Sequence[int]) -> list[VectorPoint]:
    return [point(key, vector) for key, vector in zip(keys, vectors(len(keys)), strict=True)]


async def all_keys(index: EdgeVectorIndex) -> list[int]:
    walk = index.keys()
    return [key async for batch in walk for key in batch]


async def filled(directory: Path) -> None:
    async with open_edge_index(directory, dimension=DIMENSION) as index:
        await index.upsert(points(range(300)))


async def test_what_was_stored_survives_closing(tmp_path: Path) -> None:
    await filled(tmp_path / "vectors")
    async with open_edge_index(tmp_path / "vectors", dimension=DIMENSION) as index:
        assert await all_keys(index) == list(range(300))
        ((key, cosine),) = await index.search(vectors(300)[7], within=HERE, limit=1)
        assert key == 7
        assert cosine == pytest.approx(1, abs=1e-3)


async def test_what_was_removed_stays_removed(tmp_path: Path) -> None:
    async with open_edge_index(tmp_path / "vectors", dimension=DIMENSION) as index:
        await index.upsert(points(range(300)))
        await index.remove([ItemKey(key) for key in range(299)])
    async with open_edge_index(tmp_path / "vectors", dimension=DIMENSION) as index:
        assert await all_keys(index) == [299]
        assert [key for key, _ in await index.search(vectors(1)[0], within=HERE, limit=9)] == [299]


KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from app.adapters.vectors import open_edge_index
from tests.unit.test_edge_index import DIMENSION, points

async def main() -> None:
    async with open_edge_index(Path(sys.argv[1]), dimension=DIMENSION) as index:
        await index.upsert(points(range(300)))
        os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


async def test_what_was_stored_survives_being_killed(tmp_path: Path) -> None:
    killed = await in_another_process(KILLED, tmp_path / "vectors")
    assert killed.returncode == -9, killed.stderr
    async with open_edge_index(tmp_path / "vectors", dimension=DIMENSION) as index:
        assert await all_keys(index) == list(range(300))


async def test_an_index_that_was_never_there_is_rebuilt(tmp_path: Path) -> None:
    async with open_edge_index(tmp_path / "deep" / "vectors", dimension=DIMENSION) as index:
        assert await index.count() == 0


async def test_a_directory_that_was_deleted_is_rebuilt(tmp_path: Path) -> None:
    await filled(tmp_path / "vectors")
    (tmp_path / "vectors").rename(tmp_path / "elsewhere")
    await assert_rebuilt_and_usable(tmp_path / "vectors")


async def test_an_index_of_another_dimension_is_rebuilt(tmp_path: Path) -> None:
    await filled(tmp_path / "vectors")
    async with open_edge_index(tmp_path / "vectors", dimension=DIMENSION + 1) as index:
        assert await index.count() == 0


def the_file(directory: Path, ending: str) -> Path:
    (found,) = (path for path in directory.rglob("*") if str(path).endswith(ending))
    return found


def cut(path: Path) -> None:
    os.truncate(path, 0)


def halve(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def scramble(path: Path) -> None:
    path.write_bytes(b"\xa7\x13" * (path.stat().st_size // 2))


@pytest.mark.parametrize("harm", [cut, halve, scramble, Path.unlink])
@pytest.mark.parametrize(
    "part",
    [
        "segment.json",
        "payload_index/config.json",
        "payload_storage/config.json",
        "payload_storage/tracker.dat",
        "wal/first-index",
        "vector_storage/tq_vectors/config.json",
        "vector_storage/tq_vectors/status.dat",
        "version.info",
    ],
)
async def test_an_index_that_was_harmed_opens_whole_or_empty(
    tmp_path: Path, part: str, harm: Callable[[Path], None]
) -> None:
    await filled(tmp_path / "vectors")
    harm(the_file(tmp_path, part))
    async with open_edge_index(tmp_path / "vectors", dimension=DIMENSION) as index:
        kept = len(await all_keys(index))
        assert kept in {0, 300}
        assert len(await index.search(vectors(1)[0], within=HERE, limit=500)) == kept


@pytest.mark.parametrize(
    ("part", "harm"),
    [
        ("payload_storage/page_0.dat", cut),
        ("payload_storage/page_0.dat", scramble),
        ("vector_storage/tq_vectors/chunk_0.mmap", cut),
        ("vector_storage/tq_vectors/chunk_0.mmap", Path.unlink),
        ("vector_storage/tq_vectors/status.dat", cut),
    ],
)
async def test_harm_that_shows_only_in_use_is_found_at_opening(
    tmp_path: Path, part: str, harm: Callable[[Path], None]
) -> None:
    await filled(tmp_path / "vectors")
    harm(the_file(tmp_path, part))
    await assert_rebuilt_and_usable(tmp_path / "vectors")


async def test_files_of_something_else_are_no_index(tmp_path: Path) -> None:
    (tmp_path / "vectors").mkdir()
    (tmp_path / "vectors" / "edge_config.json").write_text("this is not an index")
    await assert_rebuilt_and_usable(tmp_path / "vectors")


async def assert_rebuilt_and_usable(directory: Path) -> None:
    async with open_edge_index(directory, dimension=DIMENSION) as index:
        assert await index.count() == 0
        await index.upsert(points([5]))
        assert [key for key, _ in await index.search(vectors(1)[0], within=HERE, limit=9)] == [5]
    async with open_edge_index(directory, dimension=DIMENSION) as index:
        assert await all_keys(index) == [5]


async def test_a_place_where_no_index_can_be_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(VectorIndexUnavailable):
        async with open_edge_index(tmp_path / "file" / "vectors", dimension=DIMENSION):
            pass
    with pytest.raises(VectorIndexUnavailable):
        async with open_edge_index(tmp_path / "file", dimension=DIMENSION):
            pass


OPENED = """
import asyncio, sys
from pathlib import Path
from app.adapters.vectors import open_edge_index
from app.domain.errors import VectorIndexUnavailable

async def main() -> None:
    try:
        async with open_edge_index(Path(sys.argv[1]), dimension=8) as index:
            print(await index.count())
    except VectorIndexUnavailable as error:
        print(error.detail)

asyncio.run(main())
"""


async def test_a_second_process_is_refused_and_does_no_harm(tmp_path: Path) -> None:
    async with open_edge_index(tmp_path / "vectors", dimension=DIMENSION) as index:
        await index.upsert(points([1, 2]))
        refused = await in_another_process(OPENED, tmp_path / "vectors")
        assert refused.stdout.strip() == "another process has this data directory open"
        assert await all_keys(index) == [1, 2]
    welcome = await in_another_process(OPENED, tmp_path / "vectors")
    assert welcome.stdout.strip() == "2"


async def test_a_second_opening_in_one_process_is_refused(tmp_path: Path) -> None:
    async with open_edge_index(tmp_path / "vectors", dimension=DIMENSION):
        with pytest.raises(VectorIndexUnavailable, match="another process"):
            async with open_edge_index(tmp_path / "vectors", dimension=DIMENSION):
                pass


async def test_the_engines_own_lock_is_respected_too(tmp_path: Path) -> None:
    async with open_edge_index(tmp_path / "vectors", dimension=DIMENSION) as index:
        await index.upsert(points([1]))
        (tmp_path / "vectors.lock").rename(tmp_path / "lost")
        with pytest.raises(VectorIndexUnavailable, match="another process"):
            async with open_edge_index(tmp_path / "vectors", dimension=DIMENSION):
                pass
        assert await all_keys(index) == [1]


async def in_another_process(code: str, directory: Path) -> subprocess.CompletedProcess[str]:
    return await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", code, str(directory)],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
    )


async def test_searches_and_writes_at_once_see_whole_points(tmp_path: Path) -> None:
    stored = points(range(1000))
    async with open_edge_index(tmp_path / "vectors", dimension=DIMENSION) as index:
        await index.upsert(stored[:500])

        async def searched(number: int) -> None:
            found = await index.search(stored[number].vector, within=HERE, limit=1)
            assert [key for key, _ in found] == [number]

        await asyncio.gather(
            index.upsert(stored[500:]),
            index.upsert(stored[:500]),
            index.remove([ItemKey(key) for key in range(2000, 3000)]),
            *(searched(number) for number in range(500)),
        )
        assert await index.count() == 1000
        await asyncio.gather(*(searched(number) for number in range(1000)))


async def test_the_loop_runs_on_between_the_batches_of_a_long_write(tmp_path: Path) -> None:
    async with open_edge_index(tmp_path / "vectors", dimension=DIMENSION) as index:
        writing = asyncio.create_task(index.upsert(points(range(2000))))
        seen = set()
        while not writing.done():
            seen.add(await index.count())
        assert len(seen) > 2


async def test_a_closed_index_is_unavailable(tmp_path: Path) -> None:
    async with open_edge_index(tmp_path / "vectors", dimension=DIMENSION) as index:
        await index.upsert(points([1]))
    for call in (index.count(), index.upsert(points([2])), index.flush()):
        with pytest.raises(VectorIndexUnavailable, match="closed"):
            await call


async def test_what_the_engine_refuses_is_unavailable(tmp_path: Path) -> None:
    async with open_edge_index(tmp_path / "vectors", dimension=DIMENSION) as index:
        await index.upsert(points([1]))
        with pytest.raises(VectorIndexUnavailable, match="expected dim: 8"):
            await index.search(np.ones(3, dtype=np.float32), within=HERE, limit=1)


async def test_a_search_given_up_leaves_the_index_usable(tmp_path: Path) -> None:
    async with open_edge_index(tmp_path / "vectors", dimension=DIMENSION) as index:
        await index.upsert(points(range(100)))
        given_up = asyncio.create_task(index.search(vectors(1)[0], within=HERE, limit=5))
        await asyncio.sleep(0)
        given_up.cancel()
        with pytest.raises(asyncio.CancelledError):
            await given_up
        assert len(await index.search(vectors(1)[0], within=HERE, limit=5)) == 5


async def test_an_index_can_be_flushed_at_any_time(tmp_path: Path) -> None:
    async with open_edge_index(tmp_path / "vectors", dimension=DIMENSION) as index:
        await index.flush()
        await index.upsert(points([1]))
        await index.flush()
        assert await all_keys(index) == [1]


def remove(directory: Path) -> None:
    shutil.rmtree(directory)


def swap(directory: Path) -> None:
    directory.rename(directory.with_name("elsewhere"))
    directory.mkdir()


def empty(directory: Path) -> None:
    shutil.rmtree(directory / "segments")


@pytest.mark.parametrize("lose", [remove, swap, empty])
async def test_a_directory_that_is_lost_in_use_is_noticed_and_closes_well(
    tmp_path: Path, lose: Callable[[Path], None]
) -> None:
    async with open_edge_index(tmp_path / "vectors", dimension=DIMENSION) as index:
        await index.upsert(points([1, 2]))
        assert await index.intact()
        lose(tmp_path / "vectors")
        assert not await index.intact()
    await assert_rebuilt_and_usable(tmp_path / "vectors")


async def test_where_there_is_no_room_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine would end the process; tests/durability fills a real disk."""
    async with open_edge_index(tmp_path / "vectors", dimension=DIMENSION) as index:
        await index.upsert(points([1]))
        with monkeypatch.context() as full:
            told = SimpleNamespace(free=31 * 2**20)
            full.setattr(shutil, "disk_usage", lambda _: told)
            for work in (index.upsert(points([2])), index.remove([ItemKey(1)]), index.flush()):
                with pytest.raises(VectorIndexUnavailable, match="nearly full: 31 MiB are free"):
                    await work
            assert await all_keys(index) == [1]
        await index.upsert(points([2]))
        assert await all_keys(index) == [1, 2]


async def test_a_search_that_nobody_waits_for_any_more_holds_up_no_one_at_the_end(
    tmp_path: Path,
) -> None:
    begun, may_end = threading.Event(), threading.Event()

    class Slow:
        def query(self, _: object) -> list[object]:
            begun.set()
            ended.append(may_end.wait(timeout=20))
            return []

    ended: list[bool] = []
    async with open_edge_index(tmp_path / "vectors", dimension=DIMENSION) as index:
        slow = EdgeVectorIndex(
            cast("EdgeShard", Slow()),
            tmp_path / "vectors",
            writer=index._writer,
            readers=index._readers,
        )
        searching = asyncio.create_task(slow.search(vectors(1)[0], within=HERE, limit=1))
        await asyncio.to_thread(begun.wait)
        searching.cancel()
        asyncio.get_running_loop().call_later(0.05, may_end.set)
    assert ended == [True]
