"""
Messages per second through the whole chain (stored, indexed, distilled) against without distilling.

`python -m loadtests.chain --set FILE` starts a server of its own for each, one after the other.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx

from app.evaluation.sets import read_set

Json = dict[str, Any]
OFF = {"facts": False, "summaries": False}


def sessions(file: Path) -> list[Json]:
    """Each session as a request, every other message by the assistant."""
    requests = []
    for memory in read_set(file).memories:
        for session in memory.sessions:
            roles = ("user", "assistant")
            messages = [
                {"role": roles[at % 2], "name": each.name, "content": each.content}
                for at, each in enumerate(session.messages)
                if each.content
            ]
            user = f"user-{memory.id}"
            requests.append({"user_id": user, "external_id": session.id, "messages": messages})
    return requests


async def chain(url: str, requests: list[Json], flags: Json) -> Json:
    """Store all, then wait for the indexes, and for what is distilled."""
    async with httpx.AsyncClient(base_url=url, timeout=600, trust_env=False) as client:
        (await client.put("/flags", json=flags)).raise_for_status()
        began = time.perf_counter()
        for request in requests:
            (await client.post("/conversations", json=request)).raise_for_status()
        stored = time.perf_counter() - began
        waiting = True
        while waiting:
            await asyncio.sleep(0.1)
            parts = (await client.get("/readyz")).json()["parts"]
            waiting = any(parts[name]["lag"] for name in ("vectors", "distilling"))
        whole = time.perf_counter() - began
        counted = (await client.get("/memory/debug/stats")).json()
    messages = sum(len(each["messages"]) for each in requests)
    return {
        "messages": messages,
        "memory_items": counted["memory_items"],
        "stored_per_s": round(messages / stored, 1),
        "whole_chain_per_s": round(messages / whole, 1),
    }


def serve(directory: Path, requests: list[Json], flags: Json) -> Json:
    output = directory / "output"
    command = Path(sys.executable).with_name("foreword")
    with output.open("wb") as out:
        process = subprocess.Popen(  # noqa: S603  (our own command)
            [command, "serve", "--port", "0", "--data-dir", directory / "data"],
            stdout=out,
            stderr=subprocess.DEVNULL,
        )
    try:
        while "Docs: " not in output.read_text() or not output.read_text().endswith("\n"):
            time.sleep(0.1)
        url = output.read_text().split("Docs: ")[1].split("/docs")[0]
        while not answers(url):
            time.sleep(0.1)
        return asyncio.run(chain(url, requests, flags))
    finally:
        process.terminate()
        process.wait()


def answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/readyz", trust_env=False).status_code == 200
    except httpx.TransportError:
        return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", type=Path, required=True)
    requests = sessions(parser.parse_args().set)
    for name, flags in (("without", OFF), ("distilled", {}), ("without", OFF), ("distilled", {})):
        with tempfile.TemporaryDirectory() as directory:
            print(name, json.dumps(serve(Path(directory), requests, flags)), flush=True)


if __name__ == "__main__":
    main()
