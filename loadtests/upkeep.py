"""
Fill a store, look after it, and tell how long that took and what a health check felt of it.

    python -m loadtests.upkeep --messages 100000

Each job runs on the server while a caller asks `GET /healthz` again and again; then the store is
backed up while it is served, restored elsewhere, and compared by `foreword doctor`.
"""

import argparse
import asyncio
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Coroutine, Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx

from loadtests.needles import DEEDS, ENDINGS, MATTERS, SUBJECTS
from loadtests.server import Server

POST_SIZE = 50
WRITERS = 4
BETWEEN_CHECKS_S = 0.005
JOBS: Mapping[str, tuple[str, Mapping[str, object]]] = {
    "reindex vectors": ("/admin/reindex", {"projection": "vectors"}),
    "reindex fts": ("/admin/reindex", {"projection": "fts"}),
    "doctor": ("/admin/doctor", {"fix": False}),
    "backup": ("/admin/backup", {}),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=100_000)
    command = Path(sys.executable).with_name("foreword")
    parser.add_argument("--command", type=Path, default=command)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        server = Server(chosen.command, Path(directory) / "data")
        server.start()
        try:
            asyncio.run(_measure(server.url, chosen.messages))
            backup = Path(directory) / "backup.zip"
            _timed(chosen.command, "backup", str(backup), data_dir=server.data_dir)
            asyncio.run(_erase(server.url))
        finally:
            server.stop()
        elsewhere = Path(directory) / "elsewhere"
        _timed(chosen.command, "restore", str(backup), data_dir=elsewhere)
        print(f"backup: {backup.stat().st_size / 1e6:.0f} MB")
        restored = Server(chosen.command, elsewhere)
        restored.start()
        try:
            asyncio.run(_until_whole(restored.url, chosen.messages))
            print(_timed(chosen.command, "doctor", data_dir=elsewhere))
        finally:
            restored.stop()


async def _measure(url: str, messages: int) -> None:
    async with httpx.AsyncClient(base_url=url, timeout=700, trust_env=False) as client:
        began = time.perf_counter()
        left = iter(range(0, messages, POST_SIZE))
        await asyncio.gather(*(_fill(client, left, messages) for _ in range(WRITERS)))
        await _until_whole(url, messages)
        print(f"stored, indexed and distilled {messages:,} in {time.perf_counter() - began:.0f} s")
        await _watched(client, "nothing", asyncio.sleep(5))
        for name, (path, body) in JOBS.items():
            await _watched(client, name, _job(client, path, body))


async def _erase(url: str) -> None:
    """Erase a user of 10,000 messages; a writer, instead of a health check, feels it."""
    async with httpx.AsyncClient(base_url=url, timeout=700, trust_env=False) as client:
        deleting = asyncio.create_task(_forget(client, "user-0"))
        took: list[float] = []
        while not deleting.done():
            asked = time.perf_counter()
            body = {"user_id": "writer", "messages": [_message(len(took))]}
            (await client.post("/conversations", json=body)).raise_for_status()
            took.append(time.perf_counter() - asked)
        seconds, receipt = await deleting
        print(
            f"erased {receipt['erased']['messages']:,} messages, {receipt['remaining']} left, in "
            f"{seconds:.1f} s; a post meanwhile at most {max(took) * 1e3:.0f} ms of {len(took):,}",
            flush=True,
        )


async def _forget(client: httpx.AsyncClient, user_id: str) -> tuple[float, Any]:
    began = time.perf_counter()
    receipt = (await client.delete(f"/users/{user_id}")).raise_for_status().json()
    return time.perf_counter() - began, receipt


async def _fill(client: httpx.AsyncClient, left: Iterator[int], messages: int) -> None:
    for start in left:
        said = [_message(number) for number in range(start, min(messages, start + POST_SIZE))]
        body = {"user_id": f"user-{start // 10_000}", "messages": said}
        (await client.post("/conversations", json=body)).raise_for_status()


def _message(number: int) -> Mapping[str, str]:
    chance = random.Random(number)
    parts = (chance.choice(each) for each in (SUBJECTS, DEEDS, MATTERS, ENDINGS))
    return {"role": "user", "content": f"Note {number}: {' '.join(parts)}."}


async def _until_whole(url: str, messages: int) -> None:
    """Wait until all is indexed and distilled."""
    async with httpx.AsyncClient(base_url=url, timeout=60, trust_env=False) as client:
        while True:
            parts = (await client.get("/readyz")).json()["parts"]
            vectors, waiting = parts["vectors"], parts["distilling"]["lag"]
            if vectors["points"] >= messages and not (vectors["lag"] or waiting):
                return
            await asyncio.sleep(0.5)


async def _job(client: httpx.AsyncClient, path: str, body: Mapping[str, object]) -> None:
    job = (await client.post(path, json=body)).json()
    while job["status"] == "running":
        await asyncio.sleep(0.2)
        job = (await client.get(f"/jobs/{job['id']}")).json()
    if job["status"] != "done":
        raise RuntimeError(f"{path}: {job['error']}")


async def _watched(client: httpx.AsyncClient, name: str, work: Coroutine[None, None, None]) -> None:
    """Do `work` and ask for the server's health meanwhile."""
    began = time.perf_counter()
    task = asyncio.create_task(work)
    took: list[float] = []
    while not task.done():
        asked = time.perf_counter()
        (await client.get("/healthz")).raise_for_status()
        took.append(time.perf_counter() - asked)
        await asyncio.sleep(BETWEEN_CHECKS_S)
    await task
    took.sort()
    seconds = time.perf_counter() - began
    print(
        f"{name}: {seconds:.1f} s; health check p50 {took[len(took) // 2] * 1e3:.1f} ms, "
        f"p99 {took[len(took) * 99 // 100] * 1e3:.1f} ms, longest {took[-1] * 1e3:.1f} ms"
        f" of {len(took):,}",
        flush=True,
    )


def _timed(command: Path, *arguments: str, data_dir: Path) -> str:
    """Run a command; its verdict, and on the way how long it took."""
    began = time.perf_counter()
    done = subprocess.run(  # noqa: S603  (the command under test)
        [command, *arguments, "--data-dir", str(data_dir), "--json"],
        capture_output=True,
        check=True,
        text=True,
    )
    print(f"foreword {arguments[0]}: {time.perf_counter() - began:.1f} s", flush=True)
    told = json.loads(done.stdout)
    return "all agrees" if told.get("sound") else "it differs"


if __name__ == "__main__":
    main()
