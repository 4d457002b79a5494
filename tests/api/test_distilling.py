"""What conversations come down to, behind the answers, over HTTP on both pairs of engines."""

import asyncio
from datetime import UTC, datetime
from uuid import uuid4

import pytest
from httpx import AsyncClient

from app.adapters.sql.database import open_database
from app.adapters.sql.store import SqlStore
from app.domain.ids import LOCAL_TENANT, ConversationKey
from app.services.common.pacing import Traffic
from app.settings import Settings
from tests.api.speaking import (
    Json,
    context,
    distilled,
    erase,
    get,
    problem,
    said,
    settled,
    store,
    talking_to,
)

LISBON = "I live in Lisbon."
DECIDED = "We decided on PostgreSQL 16 for the ledger service."


async def memories(client: AsyncClient, kind: str, **wanted: object) -> list[Json]:
    answer = await get(client, "/memories", user_id="alice", type=kind, **wanted)
    items: list[Json] = answer["items"]
    return items


async def tell(client: AsyncClient, *messages: Json | str) -> Json:
    stored = await store(client, *messages, user_id="alice", external_id="chat")
    await distilled(client)
    return stored


async def sum_up(client: AsyncClient, stored: Json, **headers: str) -> Json:
    answer = await client.post(
        f"/conversations/{stored['id']}/summaries?wait=indexed", headers=headers
    )
    assert answer.status_code == 201, answer.text
    summary: Json = answer.json()
    return summary


async def test_a_fact_is_drawn_found_and_forgotten_with_its_message(client: AsyncClient) -> None:
    stored = await tell(client, said(LISBON, name="Alice"), said("Good to know!", "assistant"))
    (fact,) = await memories(client, "fact")
    assert fact["content"] == "Alice lives in Lisbon"
    edges = (await get(client, f"/memories/{fact['id']}/lineage"))["items"]
    assert [each["id"] for each in edges] == [stored["message_ids"][0]]

    await store(client, "Something else.", user_id="alice")  # by now the fact is indexed as well
    found = await context(client, "Where does Alice live?", user_id="alice")
    kinds = {each["type"]: each for each in found["retrieved_memories"]}
    assert kinds["fact"]["id"] == fact["id"]
    assert kinds["message"]["content"] == LISBON

    receipt = await erase(client, f"/messages/{stored['message_ids'][0]}")
    assert receipt["erased"]["memory_items"] == 1
    assert receipt["remaining"] == 0
    await distilled(client)
    assert await memories(client, "fact") == []


async def test_a_fact_that_changed_is_known_as_of_before(client: AsyncClient) -> None:
    await tell(
        client,
        said("I live in Berlin.", created_at="2026-01-01T10:00:00Z"),
        said("I moved to Lisbon.", created_at="2026-02-01T10:00:00Z"),
    )
    assert [each["metadata"]["value"] for each in await memories(client, "fact")] == ["Lisbon"]
    then = await memories(client, "fact", as_of="2026-01-15T00:00:00Z")
    assert [each["metadata"]["value"] for each in then] == ["Berlin"]


async def test_where_somebody_lives_is_found_though_they_only_said_that_they_moved(
    client: AsyncClient,
) -> None:
    await tell(
        client,
        "I moved to Lisbon last week.",
        "My dog is called Rex, he is a beagle.",
        "We decided on PostgreSQL for the ledger.",
        said("Beagles are great.", "assistant"),
    )
    await settled(client)
    found = await context(client, "Where do I live?", user_id="alice")
    (fact,) = (each for each in found["retrieved_memories"] if each["type"] == "fact")
    assert fact["content"] == "User lives in Lisbon (moved there last week)"


async def test_who_asks_what_is_known_of_them_is_told_the_facts(client: AsyncClient) -> None:
    stored = await tell(client, *PORTRAIT, said("Owls are great.", "assistant"))
    await settled(client)
    for query in ("What do you know about me?", "who am i"):
        for where in ({}, {"conversation_id": stored["id"], "history": {"max_messages": 0}}):
            bundle = await context(client, query, user_id="alice", explain=True, **where)
            told = {each["content"] for each in bundle["retrieved_memories"] if told_whole(each)}
            assert told == {"User lives in Lisbon", "User likes owls", "User's dog is called Rex"}
            assert bundle["metadata"]["sufficient"]
    other = await context(client, "What do you know about me?", user_id="bob")
    assert other["retrieved_memories"] == []
    plain = await context(client, "What do you know about owls?", user_id="alice", explain=True)
    assert not any(map(told_whole, plain["retrieved_memories"]))
    await erase(client, f"/messages/{stored['message_ids'][0]}")
    left = await context(client, "What do you know about me?", user_id="alice")
    assert "Lisbon" not in str(left)


PORTRAIT = (LISBON, "I like owls.", "My dog is called Rex.", "Carlos works at Siemens.")


def told_whole(item: Json) -> bool:
    """Whether it is told for being about who asks."""
    return item["signals"].get("portrait") == 1 and "episodic" in item["sources"]


async def test_a_conversation_is_summed_up_on_demand(client: AsyncClient) -> None:
    stored = await tell(client, "Hi!", DECIDED, said("Noted.", "assistant"))
    summary = await sum_up(client, stored)
    assert summary["type"] == "summary"
    assert summary["content"] == f"- User: {DECIDED}"
    assert summary["metadata"]["bullets"][0]["message_ids"] == [stored["message_ids"][1]]
    assert summary["conversation_id"] == stored["id"]
    assert [each["id"] for each in await memories(client, "summary")] == [summary["id"]]

    receipt = await erase(client, f"/messages/{stored['message_ids'][1]}")
    assert receipt["rebuilt"] == {"summaries": 0}
    assert await memories(client, "summary") == []


async def test_what_is_erased_leaves_a_summary_at_once(client: AsyncClient) -> None:
    other = "We agreed to release version 2.4.1 on 12 May."
    stored = await tell(client, DECIDED, other)
    await sum_up(client, stored)
    receipt = await erase(client, f"/messages/{stored['message_ids'][0]}")
    assert (receipt["rebuilt"], receipt["remaining"]) == ({"summaries": 1}, 0)
    (summary,) = await memories(client, "summary")
    assert summary["content"] == f"- User: {other}"


async def test_a_summary_is_made_once_under_one_key(client: AsyncClient) -> None:
    stored = await tell(client, DECIDED)
    key = {"Idempotency-Key": "once"}
    first = await sum_up(client, stored, **key)
    assert (await sum_up(client, stored, **key))["id"] == first["id"]


async def test_what_cannot_be_summed_up_is_refused(client: AsyncClient) -> None:
    missing = await client.post(f"/conversations/{uuid4()}/summaries")
    problem(missing, 404, "conversation-not-found")
    stored = await tell(client, "Hi!")
    nothing = await client.post(f"/conversations/{stored['id']}/summaries")
    problem(nothing, 409, "nothing-to-summarise")


async def test_enough_answers_bring_a_summary(client: AsyncClient) -> None:
    await client.put("/flags", json={"summary_frequency": 2})
    turns = [said("It is ticket OPS-1.", "assistant"), said("It is ticket OPS-2.", "assistant")]
    await tell(client, DECIDED, turns[0])
    assert await memories(client, "summary") == []
    await tell(client, turns[1])
    assert len(await memories(client, "summary")) == 1


async def test_with_the_flags_off_nothing_is_distilled(client: AsyncClient) -> None:
    await client.put("/flags", json={"facts": False, "summaries": False})
    stored = await tell(client, LISBON, DECIDED, *(said(f"T-{n}.", "assistant") for n in range(9)))
    assert await memories(client, "fact") == await memories(client, "summary") == []
    refused = await client.post(f"/conversations/{stored['id']}/summaries")
    problem(refused, 409, "summaries-off")


async def test_all_of_it_can_be_made_anew(client: AsyncClient) -> None:
    await client.put("/flags", json={"facts": False})
    await tell(client, LISBON)
    await client.put("/flags", json={"facts": None})
    job = (await client.post("/admin/reindex", json={"projection": "distilled"})).json()
    while job["status"] == "running":
        await asyncio.sleep(0.02)
        job = await get(client, f"/jobs/{job['id']}")
    assert (job["status"], job["facts"]) == ("done", {"index": "distilled", "items": 1})
    assert len(await memories(client, "fact")) == 1


async def test_what_is_archived_is_distilled_when_it_comes_back(client: AsyncClient) -> None:
    stored = await tell(client, "Hello there.")
    path = f"/conversations/{stored['id']}"
    await client.patch(path, json={"archived": True})
    await client.post(f"{path}/messages", json={"messages": [said(LISBON)]})
    await distilled(client)
    assert await memories(client, "fact") == []
    await client.patch(path, json={"archived": False})
    await distilled(client)
    assert len(await memories(client, "fact")) == 1


async def leave_out(settings: Settings) -> None:
    """As a worker leaves the messages that it stumbled over, beside the service."""
    database = open_database(settings.database_url)
    beside, at = SqlStore(database), datetime.now(UTC)
    try:
        async with beside.project() as projections:
            await projections.distil_anew(after=ConversationKey(0), limit=9, now=at)
            (due,) = await projections.claim_conversations(now=at, limit=9, lease=60)
        async with beside.observe() as observations:
            found = await observations.undistilled(due, messages=9, tokens=999)
        assert found is not None
        async with beside.write(LOCAL_TENANT) as transaction:
            without = {each.key: "odd" for each in found.messages}
            await transaction.distilling.leave_out(due, found, without)
            await transaction.distilling.advance(due, found, now=at)
    finally:
        await database.dispose()


async def test_what_was_left_out_is_a_job_to_retry(settings: Settings) -> None:
    async with talking_to(settings) as client:
        stored = await tell(client, LISBON, DECIDED)
    await leave_out(settings)
    async with talking_to(settings) as client:
        readyz = (await get(client, "/readyz"))["parts"]["distilling"]
        assert (readyz["lag"], readyz["dead_letters"]) == (0, 1)
        (failed,) = (await get(client, "/jobs"))["items"]
        assert (failed["kind"], failed["status"], failed["error"]) == ("distil", "failed", "odd")
        assert failed["facts"] == {
            "conversation_id": stored["id"],
            "message_ids": stored["message_ids"],
            "attempts": 0,
        }
        answer = await client.post(f"/jobs/{failed['id']}/retry")
        assert (answer.status_code, answer.json()["status"]) == (202, "running")
        await distilled(client)
        assert (await get(client, "/jobs"))["items"] == []
        assert (await get(client, "/readyz"))["parts"]["distilling"]["dead_letters"] == 0


async def test_there_is_no_job_to_retry(client: AsyncClient) -> None:
    problem(await client.post(f"/jobs/{uuid4()}/retry"), 404, "job-not-found")


async def test_it_gives_way_to_requests_but_not_to_looks(
    alone: AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[None] = []
    monkeypatch.setattr(Traffic, "seen", lambda _: seen.append(None))
    for path in ("/readyz", "/memory/debug/stats", "/jobs"):
        await get(alone, path)
    assert not seen
    await context(alone, "Where do I live?", user_id="alice")
    assert len(seen) == 2  # as it came and as it went
