"""Whoever comes second asks the one that serves meanwhile, which does not end before it has."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from queue import SimpleQueue
from threading import Thread

import pytest

from app.adapters.presence import free_port, held, held_or_visited, local_key, see_off, telling
from app.domain.errors import DataDirectoryInUse

PATIENCE = 60.0
NOBODY_LISTENS = "http://127.0.0.1:9"


@contextmanager
def a_server(directory: Path) -> Iterator[str]:
    """One that listens and tells so, of who has the directory."""
    with free_port() as listening:
        listening.listen()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        with telling(directory, url, local_key()):
            yield url


def test_whoever_comes_first_has_it_alone(tmp_path: Path) -> None:
    with (
        held_or_visited(tmp_path, seconds=0) as server,
        pytest.raises(DataDirectoryInUse),
        held(tmp_path),
    ):
        assert server is None


def test_whoever_comes_later_visits_the_one_that_serves(tmp_path: Path) -> None:
    with held(tmp_path), a_server(tmp_path) as url, held_or_visited(tmp_path, seconds=0) as server:
        assert server is not None
        assert server.url == url


def test_who_has_it_and_is_not_told_of_is_waited_for_in_vain(tmp_path: Path) -> None:
    with (
        held(tmp_path),
        pytest.raises(DataDirectoryInUse, match="has this data directory open"),
        held_or_visited(tmp_path, seconds=0),
    ):
        pass


def test_who_does_not_listen_is_named_by_the_address(tmp_path: Path) -> None:
    with (
        held(tmp_path),
        telling(tmp_path, NOBODY_LISTENS, local_key()),
        pytest.raises(DataDirectoryInUse, match=f"serves at {NOBODY_LISTENS}"),
        held_or_visited(tmp_path, seconds=0),
    ):
        pass


def test_a_server_that_begins_to_listen_is_waited_for(tmp_path: Path) -> None:
    found: SimpleQueue[str | None] = SimpleQueue()

    def come_later() -> None:
        with held_or_visited(tmp_path, seconds=PATIENCE) as server:
            found.put(None if server is None else server.url)

    later = Thread(target=come_later)
    with held(tmp_path):
        later.start()
        with a_server(tmp_path) as url:
            assert found.get(timeout=PATIENCE) == url
    later.join(PATIENCE)


def test_of_one_that_ends_before_it_listens_the_directory_is_taken(tmp_path: Path) -> None:
    found: SimpleQueue[object] = SimpleQueue()

    def come_later() -> None:
        with held_or_visited(tmp_path, seconds=PATIENCE) as server:
            found.put(server)

    later = Thread(target=come_later)
    with held(tmp_path):
        later.start()
    assert found.get(timeout=PATIENCE) is None
    later.join(PATIENCE)


def test_a_server_does_not_end_while_it_is_visited(tmp_path: Path) -> None:
    done: SimpleQueue[str] = SimpleQueue()

    def end() -> None:
        see_off(tmp_path, seconds=PATIENCE)
        done.put("ended")

    ending = Thread(target=end)
    with held(tmp_path):
        with ExitStack() as visit:
            with a_server(tmp_path):
                visit.enter_context(held_or_visited(tmp_path, seconds=0))
            ending.start()
            see_off(tmp_path, seconds=0)  # who waits no longer goes on
            done.put("left")
        ending.join(PATIENCE)
    assert [done.get(timeout=PATIENCE) for _ in range(2)] == ["left", "ended"]
