"""
SIGKILL while conversations are distilled: they are distilled once more, with the same end.

`DURABILITY_ROUNDS` sets the rounds, `DURABILITY_SEED` what is said and when it is interrupted.
"""

import os
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest

from tests.api.serving import Server, eventually, run, serving
from tests.durability.watching import parts

ROUNDS = int(os.environ.get("DURABILITY_ROUNDS", "5"))
SEED = int(os.environ.get("DURABILITY_SEED", "4"))
TALKS = 2
"""Conversations stored in each round, each of a user of its own."""
TURNS = 12
PORTIONS = {"DISTIL__MESSAGES": "3", "DISTIL__BATCH": "2", "DISTIL__SHARE": "0.9"}
"""So that each conversation is distilled in many steps, and many are under way at a time."""

PEOPLE = ("Anna", "Bruno", "Clara", "Dmitri", "Elena", "Farid")
PLACES = ("Lisbon", "Porto", "Oslo", "Berlin", "Madrid", "Vienna")
PROJECTS = ("Apollo", "Zephyr", "Orion", "Nimbus")
TOOLS = ("PostgreSQL", "Redis", "Docker", "Kafka")
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)

pytestmark = pytest.mark.durability


def a_talk(user_id: str, random: Random) -> dict[str, Any]:
    """What states facts, names people and things, repeats itself, and is worth a summary."""
    said = []
    for turn in range(TURNS):
        user = random.choice(
            [
                f"I live in {random.choice(PLACES)}.",
                f"{random.choice(PEOPLE)} works on {random.choice(PROJECTS)}.",
                f"{random.choice(PROJECTS)} depends on {random.choice(TOOLS)}.",
                f"We decided on {random.choice(TOOLS)} for the ledger of {user_id}.",
                f"My sister is called {random.choice(PEOPLE)}.",
            ]
        )
        said += [("user", user), ("assistant", f"Noted as ticket OPS-{turn} for {user_id}.")]
    return {
        "external_id": f"talk of {user_id}",
        "user_id": user_id,
        "messages": [
            {
                "role": role,
                "content": content,
                "external_id": f"{user_id} {at}",
                "created_at": (NOON + timedelta(minutes=at)).isoformat(),
            }
            for at, (role, content) in enumerate(said)
        ],
    }


def test_what_was_half_distilled_ends_as_if_nothing_had_happened(
    tmp_path: Path, record_property: Any
) -> None:
    random = Random(SEED)
    rounds = [[a_talk(f"user {at}-{n}", random) for n in range(TALKS)] for at in range(ROUNDS)]
    told = [each for several in rounds for each in several]
    killed, calm = tmp_path / "killed", tmp_path / "calm"
    killed.mkdir()
    calm.mkdir()
    half = 0
    for several in rounds:
        with serving(killed, **PORTIONS) as server, server.client() as client:
            store_all(client, several)
            half += kill_while_distilling(server, client, several, random)
    assert half >= ROUNDS // 2, "nothing was interrupted in the middle"

    with serving(calm, **PORTIONS) as server, server.client() as client:
        store_all(client, told)
        expected = {each["user_id"]: distilled(client, each["user_id"]) for each in told}
        assert server.end() == 0
    with serving(killed, **PORTIONS) as server, server.client() as client:
        found = {each["user_id"]: distilled(client, each["user_id"]) for each in told}
        assert "Traceback" not in server.log
        assert server.end() == 0
    ended = run(killed, "doctor")

    assert found == expected
    for facts, _, entities, _ in found.values():
        assert facts
        assert max(Counter(facts).values()) == max(Counter(entities).values()) == 1
    assert ended.returncode == 0, ended.stdout
    figures = {"rounds": ROUNDS, "conversations": len(told), "killed half distilled": half}
    record_property("figures", figures)
    print(figures)  # noqa: T201  (shown with -s)


def store_all(client: httpx.Client, talks: list[dict[str, Any]]) -> None:
    for each in talks:
        client.post("/conversations", json=each).raise_for_status()


def kill_while_distilling(
    server: Server, client: httpx.Client, talks: list[dict[str, Any]], random: Random
) -> bool:
    """At a random moment, or as soon as some is distilled; whether more was still to come."""
    if random.random() < 0.3:
        time.sleep(random.uniform(0.0, 0.5))
    else:
        user_id = random.choice(talks)["user_id"]
        eventually(lambda: client.get("/memories", params={"user_id": user_id}).json()["items"])
    waiting = bool(parts(client)["distilling"]["lag"])
    server.kill()
    return waiting


def distilled(client: httpx.Client, user_id: str) -> tuple[Any, ...]:
    """Facts, summaries, entities and edges of a user, told without what is drawn by lot."""
    eventually(lambda: parts(client)["distilling"]["lag"] == 0)
    items = listed(client, "/memories", user_id=user_id, include_superseded="true")
    facts = [_fact(client, each) for each in items if each["type"] == "fact"]
    summaries = [
        (each["content"], each["valid_from"], each["valid_to"])
        for each in items
        if each["type"] == "summary"
    ]
    entities = listed(client, "/entities", user_id=user_id)
    edges = set()
    for each in entities:
        edges |= _edges(client.get(f"/entities/{each['id']}").json())
    names = sorted((each["type"], each["name"], each["mentions"]) for each in entities)
    return sorted(facts), sorted(summaries, key=str), names, sorted(edges)


def listed(client: httpx.Client, path: str, **wanted: str) -> list[dict[str, Any]]:
    answer = client.get(path, params={"limit": "200", **wanted}).raise_for_status().json()
    assert answer["next_cursor"] is None
    items: list[dict[str, Any]] = answer["items"]
    return items


def _fact(client: httpx.Client, fact: dict[str, Any]) -> tuple[str, ...]:
    lineage = client.get(f"/memories/{fact['id']}/lineage").json()["items"]
    messages = sorted(str(each["external_id"]) for each in lineage)
    return (fact["content"], fact["valid_from"], str(fact["valid_to"]), *messages)


def _edges(shown: dict[str, Any]) -> set[tuple[Any, ...]]:
    names = {each["id"]: each["name"] for each in [shown, *shown["nodes"]]}
    return {
        (
            *sorted((names[each["source"]], names[each["target"]])),
            each["relation"],
            each["weight"],
            *sorted(str(one["external_id"]) for one in each["lineage"]),
        )
        for each in shown["edges"]
    }
