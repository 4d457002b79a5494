"""
Import a ChatGPT-style export of many megabytes, twice, and tell how fast and at what cost.

    python -m loadtests.moving --megabytes 100

Starts its own server on loopback over a data directory of its own, and ends it. Linux only: memory
comes from /proc. The indexer of the server works meanwhile, as it always does.
"""

import argparse
import json
import random
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from app.client import Client
from loadtests.server import Server

_WORDS = (
    "the a of and to in is we have for with this that on be as are it from at by not but or "
    "database index query table cache server request answer token memory vector message deploy "
    "build test release branch merge review ticket customer invoice report garden kitchen travel "
    "train bread recipe Monday Tuesday March April Lisbon Hamburg Vienna python rust postgres"
).split()


def nodes(chance: random.Random, conversation: int, pairs: int) -> Iterator[dict[str, Any]]:
    """A root, a system message that says nothing, and pairs of question and answer."""
    yield {"id": "root", "message": None, "parent": None, "children": []}
    parent, at = "root", 1_600_000_000.0 + conversation * 3_600
    for number in range(2 * pairs):
        role = "assistant" if number % 2 else "user"
        words = chance.randint(60, 260) if number % 2 else chance.randint(8, 60)
        name = f"{conversation:08x}-{number:04x}-4000-8000-{chance.getrandbits(48):012x}"
        at += chance.uniform(5, 90)
        yield {
            "id": name,
            "parent": parent,
            "children": [],
            "message": {
                "id": name,
                "author": {"role": role, "name": None, "metadata": {}},
                "create_time": at,
                "update_time": None,
                "content": {
                    "content_type": "text",
                    "parts": [" ".join(chance.choices(_WORDS, k=words))],
                },
                "status": "finished_successfully",
                "end_turn": True,
                "weight": 1.0,
                "metadata": {"model_slug": "gpt-4o", "request_id": f"{chance.getrandbits(64):x}"},
                "recipient": "all",
                "channel": None,
            },
        }
        parent = name


def write(file: Path, megabytes: int) -> int:
    """How many messages it holds."""
    chance, messages = random.Random(7), 0
    with file.open("w") as opened:
        opened.write("[")
        while opened.tell() < megabytes * 1_000_000:
            number = messages
            told = list(nodes(chance, number, chance.randint(2, 30)))
            opened.write("," if messages else "")
            record = {
                "title": f"Talk {number}",
                "create_time": 1_600_000_000.0 + number * 3_600,
                "conversation_id": f"{number:08x}-0000-4000-8000-000000000000",
                "current_node": told[-1]["id"],
                "mapping": {each["id"]: each for each in told},
            }
            json.dump(record, opened)
            messages += len(told) - 1
        opened.write("]")
    return messages


def imported(server: Server, file: Path) -> tuple[dict[str, Any], float, float]:
    """What came of it, the seconds that it took, and the most memory meanwhile, in MB."""
    began, most = time.perf_counter(), server.rss_mb()
    told: dict[str, Any] = {}
    with Client(server.url) as client, file.open("rb") as opened:
        for line in client.import_file(opened, "alice"):
            told, most = line, max(most, server.rss_mb())
    return told, time.perf_counter() - began, most


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--foreword", type=Path, default=Path(".venv/bin/foreword"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="foreword-moving-") as directory:
        file, store = Path(directory, "conversations.json"), Path(directory, "store")
        store.mkdir()
        messages = write(file, options.megabytes)
        print(f"{file.stat().st_size / 1e6:,.0f} MB, {messages:,} messages", flush=True)
        server = Server(options.foreword, store)
        server.start()
        try:
            print(f"memory before: {server.rss_mb():,.0f} MB", flush=True)
            for name in ("first", "second"):
                told, seconds, most = imported(server, file)
                rate = (told["messages"] + told["duplicates"]) / seconds
                print(
                    f"{name} import: {told['messages']:,} new, {told['duplicates']:,} known, "
                    f"{len(told['rejected'])} rejected; {seconds:,.0f} s, {rate:,.0f} messages/s, "
                    f"memory at most {most:,.0f} MB",
                    flush=True,
                )
        finally:
            server.stop()


if __name__ == "__main__":
    main()
