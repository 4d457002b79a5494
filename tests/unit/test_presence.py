import asyncio
import os
import socket
import stat
from pathlib import Path

import pytest

from app.adapters.presence import find_server, free_port, held, local_key, telling
from app.domain.errors import DataDirectoryInUse

URL = "http://127.0.0.1:4711"


def test_a_directory_is_had_by_one_at_a_time(tmp_path: Path) -> None:
    directory = tmp_path / "data"
    with held(directory), pytest.raises(DataDirectoryInUse), held(directory):
        pass
    with held(directory):
        pass


async def test_what_a_server_of_this_machine_says_does_not_wait_for_more() -> None:
    """Whatever loop it runs in: a piece that waits is acknowledged 40 ms later."""
    spoken: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = writer.get_extra_info("socket")
        spoken.set_result(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    with free_port() as listening:
        host, port = listening.getsockname()
        async with await asyncio.start_server(answer, sock=listening):
            reader, writer = await asyncio.open_connection(host, port)
            await reader.read()
            writer.close()
    assert host == "127.0.0.1"
    assert await spoken


def test_a_server_is_found_while_it_runs(tmp_path: Path) -> None:
    assert find_server(tmp_path) is None
    key = local_key()
    with held(tmp_path), telling(tmp_path, URL, key):
        found = find_server(tmp_path)
        assert found is not None
        assert (found.url, found.key, found.pid) == (URL, key, os.getpid())
        assert stat.S_IMODE((tmp_path / "server.json").stat().st_mode) == 0o600
        with pytest.raises(DataDirectoryInUse) as refused, held(tmp_path):
            pass
        assert URL in str(refused.value)
    assert find_server(tmp_path) is None


def test_what_a_killed_server_left_is_taken_for_nobodys(tmp_path: Path) -> None:
    (tmp_path / "server.json").write_text('{"url": "http://x", "key": "k", "pid": 1}')
    with held(tmp_path):
        assert find_server(tmp_path) is None


@pytest.mark.parametrize("told", ["", "no json", "[]", '{"url": "x"}', '{"odd": 1}'])
def test_an_address_that_cannot_be_read_is_none(tmp_path: Path, told: str) -> None:
    (tmp_path / "server.json").write_text(told)
    assert find_server(tmp_path) is None


def test_no_two_keys_are_alike() -> None:
    assert len({local_key() for _ in range(100)}) == 100


def test_what_killed_backups_and_restores_left_is_swept_by_who_opens_it(tmp_path: Path) -> None:
    left = [tmp_path / ".restore-a", tmp_path / ".backup-b", tmp_path / "backups" / ".backup-c"]
    for each in left:
        each.mkdir(parents=True)
        (each / "foreword.db").write_text("all that was said")
    backup = tmp_path / "backups" / "foreword.zip"
    backup.write_text("a backup")

    with held(tmp_path):
        assert [each.exists() for each in left] == [False] * 3
        left[0].mkdir()
        with pytest.raises(DataDirectoryInUse), held(tmp_path):
            pass
        assert (left[0].exists(), backup.exists()) == (True, True)
