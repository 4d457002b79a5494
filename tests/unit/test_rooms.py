"""Folders in which backups are made do not stay."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from app.adapters.rooms import BACKUP, room_in


def held(folder: Path) -> list[Path]:
    return [*folder.iterdir()]


async def test_a_room_is_removed_though_nobody_waits_for_it_any_more(tmp_path: Path) -> None:
    loop = asyncio.get_running_loop()
    loop.set_default_executor(ThreadPoolExecutor(1))
    may_go_on = threading.Event()
    loop.run_in_executor(None, may_go_on.wait)
    made = asyncio.Event()

    async def stay() -> None:
        async with room_in(tmp_path, BACKUP) as room:
            (room / "large").write_text("x")
            made.set()

    staying = asyncio.create_task(stay())
    await made.wait()
    await asyncio.sleep(0)
    staying.cancel()
    with pytest.raises(asyncio.CancelledError):
        await staying
    assert held(tmp_path)
    may_go_on.set()
    await loop.shutdown_default_executor()
    assert not held(tmp_path)


async def test_a_room_is_gone_once_it_is_left(tmp_path: Path) -> None:
    async with room_in(tmp_path, BACKUP) as room:
        assert room.parent == tmp_path
    assert not held(tmp_path)
