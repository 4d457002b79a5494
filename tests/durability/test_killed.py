"""
SIGKILL at random moments, round after round: nothing acknowledged is lost, nothing is there twice.

`DURABILITY_ROUNDS` sets the rounds, `DURABILITY_SEED` what is written and when it is interrupted.
A quarter of the rounds are played with PostgreSQL and a server of vectors, too: what runs on beside
the killed process is left in the middle of what it was told.
"""

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest

from tests.api.serving import Server, eventually_equal, serving, store
from tests.databases import (
    create_postgres_database,
    drop_postgres_database,
    require_postgres,
    run_apart,
)
from tests.durability.writing import Talk, Writer
from tests.stand_in_qdrant import stand_in_qdrant

ROUNDS = int(os.environ.get("DURABILITY_ROUNDS", "24"))
SEED = int(os.environ.get("DURABILITY_SEED", "4"))
SAMPLE = 150
"""Messages, and deleted ones, that are searched for at the end."""

pytestmark = pytest.mark.durability


@dataclass(frozen=True, slots=True)
class Engines:
    """What a server keeps its things in, and how often it is killed."""

    settings: dict[str, str]
    rounds: int


@pytest.fixture(params=["embedded", pytest.param("at scale", marks=pytest.mark.postgres)])
def engines(request: pytest.FixtureRequest) -> Iterator[Engines]:
    if request.param == "embedded":
        yield Engines({}, ROUNDS)
        return
    run_apart(require_postgres())
    made: list[str] = []

    async def make() -> None:
        made.append(await create_postgres_database())

    run_apart(make())
    with stand_in_qdrant() as vectors:
        settings = {"DATABASE__URL": made[0], "QDRANT__URL": vectors.url}
        yield Engines(settings, max(ROUNDS // 4, 1))
    run_apart(drop_postgres_database(made[0]))


def test_whatever_is_killed_what_was_acknowledged_stays_once(
    engines: Engines, tmp_path: Path, record_property: Any
) -> None:
    random = Random(SEED)
    writers = [Writer(f"writer {n}", SEED * 100 + n) for n in range(4)]
    for _ in range(engines.rounds):
        with serving(tmp_path, **engines.settings) as server:
            look_after_a_restart(server, writers)
            threads = [each.write_until_killed(server) for each in writers]
            time.sleep(random.choice([0.02, 0.2, 0.5, 1.0]) * random.uniform(0.5, 1.5))
            server.kill()
            for thread in threads:
                thread.join()
        for each in writers:
            assert each.failure is None, each.failure

    with serving(tmp_path, **engines.settings) as server:
        look_after_a_restart(server, writers)
        with server.client() as client:
            store(client, user_id="nobody")  # waits until everything is indexed
            everything = [text for w in writers for talk in w.talks.values() for text in talk.texts]
            assert_counted(client, len(everything))
            for writer in writers:
                assert_stored(client, writer, set(writer.talks))
                assert_recalled(client, writer, random)
        assert "full text was lost" not in server.log
        assert "Traceback" not in server.log
    figures = {
        "rounds": engines.rounds,
        "acknowledged requests": sum(each.acknowledged for each in writers),
        "of them replayed": sum(each.replayed for each in writers),
        "messages": len(everything),
        "deleted": sum(len(each.deleted) for each in writers),
    }
    record_property("figures", figures)
    print(figures)  # noqa: T201  (shown with -s)


def look_after_a_restart(server: Server, writers: list[Writer]) -> None:
    """The interrupted request is done or not, never half; sent again, it is done once."""
    with server.client() as client:
        for each in writers:
            pending = each.pending
            if pending is not None and pending.talk is not None:
                assert_all_or_nothing(client, each, pending.talk, pending.adds)
            each.send_again(client)
            assert_stored(client, each, each.touched & each.talks.keys())
            each.touched.clear()


def assert_all_or_nothing(
    client: httpx.Client, writer: Writer, talk: Talk, adds: tuple[str, ...]
) -> None:
    there = {each["external_id"]: each["id"] for each in conversations(client, writer.name)}
    if talk.external_id not in there:
        assert not talk.id
        return
    found = texts_of(client, there[talk.external_id])
    assert found in (talk.texts, [*talk.texts, *adds])
    assert found or talk.id, "a conversation without the messages that it came with"


def assert_stored(client: httpx.Client, writer: Writer, names: set[str]) -> None:
    for name in sorted(names):
        talk = writer.talks[name]
        assert texts_of(client, talk.id) == talk.texts
    if names:
        there = {each["external_id"] for each in conversations(client, writer.name)}
        assert there == set(writer.talks)


def assert_counted(client: httpx.Client, messages: int) -> None:
    """The indexes hold what is stored: no more, no less."""

    def parts() -> set[str]:
        return {part["status"] for part in client.get("/readyz").json()["parts"].values()}

    def counted() -> dict[str, Any]:
        stats: dict[str, Any] = client.get("/memory/debug/stats").json()
        return {name: stats[name] for name in whole}

    whole = {"messages": messages, "vectors": messages, "index_lag": 0, "dead_letters": 0}
    eventually_equal(parts, {"ok"})
    # An erasure whose process was killed is gone on with once nobody is seen at it, and what it
    # takes out of the indexes is taken out behind it.
    eventually_equal(counted, whole)


def assert_recalled(client: httpx.Client, writer: Writer, random: Random) -> None:
    """By words, by meaning, and as history; what was deleted by none."""
    texts = [(talk, text) for talk in writer.talks.values() for text in talk.texts]
    for talk, text in random.sample(texts, min(len(texts), SAMPLE)):
        first = search(client, text, writer.name)[0]
        assert first["content"] == text
        assert {"lexical", "semantic"} <= set(first["sources"]), (talk.external_id, text)
    for text in random.sample(writer.deleted, min(len(writer.deleted), SAMPLE)):
        assert text not in {each["content"] for each in search(client, text, writer.name)}
    for talk in random.sample(list(writer.talks.values()), min(len(writer.talks), 20)):
        body = {"query": "?", "conversation_id": talk.id, "user_id": writer.name}
        bundle = client.post("/context", json=body).json()
        assert [each["content"] for each in bundle["recent_history"]] == talk.texts[-10:]
        assert bundle["metadata"]["degraded"] == []


def search(client: httpx.Client, query: str, user_id: str) -> list[dict[str, Any]]:
    answer = client.post("/search", json={"query": query, "user_id": user_id, "max_items": 5})
    found: list[dict[str, Any]] = answer.json()["results"]
    return found


def conversations(client: httpx.Client, user_id: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    while True:
        page = client.get("/conversations", params={"user_id": user_id, "limit": 200, **cursor})
        found += page.json()["items"]
        if page.json()["next_cursor"] is None:
            return found
        cursor = {"cursor": page.json()["next_cursor"]}


def texts_of(client: httpx.Client, conversation: str) -> list[str]:
    answer = client.get(f"/conversations/{conversation}/messages", params={"limit": 500})
    return [each["content"] for each in answer.json()["items"]]
