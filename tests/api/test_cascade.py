"""What is long ago is told by day, week, month and year, over HTTP on both pairs of engines."""

import asyncio
from datetime import UTC, datetime

from httpx import AsyncClient

from app.adapters.sql.database import open_database
from app.adapters.sql.store import SqlStore
from app.domain.ids import LOCAL_TENANT
from app.domain.memories import MemoryFilter
from app.domain.periods import Period, span_of
from app.settings import Settings
from tests.api.speaking import (
    Json,
    contents,
    context,
    distilled,
    erase,
    get,
    problem,
    said,
    search,
    settled,
    store,
    talking_to,
)
from tests.api.test_distilling import LISBON, memories

LEDGER = "We decided on PostgreSQL 16 for the ledger service."
OFFICE = "Berta agreed to bring the keys of the Lisbon office by train."
ABOUT = "What was decided about the ledger and the keys of the office?"
SUMMARIES: Json = {"types": ["summary"]}


def a_day(day: str, decision: str) -> list[Json]:
    """Much of a day of January 2020, with a decision in it."""
    talk = [
        said(
            f"Rack {turn} hums as it did on most days before, so nobody had to look after it, and"
            f" the fan with number {turn} turns at the speed that we set it to last summer.",
            "assistant" if turn % 2 else "user",
            created_at=f"2020-01-{day}T10:{turn:02}:00Z",
        )
        for turn in range(16)
    ]
    return [*talk, said(decision, created_at=f"2020-01-{day}T11:00:00Z")]


async def old_chats(client: AsyncClient) -> Json:
    messages = [*a_day("07", LEDGER), *a_day("08", OFFICE)]
    return await store(client, *messages, user_id="alice", external_id="old")


async def periods(client: AsyncClient) -> dict[str, list[Json]]:
    found: dict[str, list[Json]] = {}
    for each in await memories(client, "summary"):
        found.setdefault(each["metadata"].get("period", "conversation"), []).append(each)
    return found


async def test_old_chats_are_summed_up_by_period(client: AsyncClient) -> None:
    stored = await old_chats(client)
    found = await periods(client)
    counted = {period: len(several) for period, several in found.items()}
    assert counted == {"conversation": 1, "day": 2, "week": 1, "month": 1, "year": 1}
    (week,) = found["week"]
    assert LEDGER in week["content"]
    assert OFFICE in week["content"]
    assert week["tokens"] <= 400
    assert week["conversation_id"] is None
    assert week["metadata"]["from"] == "2020-01-06T00:00:00+00:00"
    assert week["metadata"]["until"] == "2020-01-13T00:00:00+00:00"
    edges = (await get(client, f"/memories/{week['id']}/lineage"))["items"]
    cited = {each["id"] for each in edges}
    assert cited <= set(stored["message_ids"])
    bullets = week["metadata"]["bullets"]
    assert cited == {one for each in bullets for one in each["message_ids"]}


async def test_none_of_them_tells_twice(client: AsyncClient) -> None:
    await old_chats(client)
    bundle = await context(
        client, ABOUT, user_id="alice", filters=SUMMARIES, format="markdown", explain=True
    )
    shown = bundle["retrieved_memories"]
    cited = [edge["id"] for each in shown for edge in each["lineage"]]
    assert shown
    assert len(cited) == len(set(cited))
    assert all(each["content"].splitlines()[0] in bundle["text"] for each in shown)
    found = await search(client, ABOUT, user_id="alice", filters=SUMMARIES)
    assert len(contents(found)) > len(shown)


async def test_what_is_erased_is_told_by_none(client: AsyncClient) -> None:
    stored = await old_chats(client)
    receipt = await erase(client, f"/messages/{stored['message_ids'][16]}")
    assert receipt["remaining"] == 0
    await settled(client)
    found = await periods(client)
    assert len(found["day"]) == 2
    assert not any(LEDGER in each["content"] for several in found.values() for each in several)
    await erase(client, f"/conversations/{stored['id']}")
    await settled(client)
    assert await periods(client) == {}


async def test_what_is_switched_off_is_kept_and_not_recalled(client: AsyncClient) -> None:
    await old_chats(client)
    await store(client, said(LISBON, name="Alice"), user_id="alice", external_id="new")
    written = {"type": "fact", "content": "Alice lives by the sea.", "user_id": "alice"}
    await client.post("/memories?wait=indexed", json=written)
    stored = [len(await memories(client, kind)) for kind in ("summary", "fact")]

    async def recalled(kind: str) -> set[str]:
        asked: Json = {"user_id": "alice", "filters": {"types": [kind]}}
        query = "Where does Alice live?" if kind == "fact" else ABOUT
        bundle = await context(client, query, **asked)
        found = await search(client, query, **asked)
        assert set(contents(bundle)) <= set(contents(found))
        return set(contents(found))

    facts, gists = await recalled("fact"), await recalled("summary")
    assert len(facts) > 1
    assert gists
    await client.put("/flags", json={"facts": False, "summaries": False})
    assert await recalled("fact") == {"Alice lives by the sea."}
    assert await recalled("summary") == set()
    assert [len(await memories(client, kind)) for kind in ("summary", "fact")] == stored
    await client.put("/flags", json={"facts": None, "summaries": None})
    assert (await recalled("fact"), await recalled("summary")) == (facts, gists)


async def test_what_is_moved_tells_its_periods_too(client: AsyncClient) -> None:
    await old_chats(client)
    before = await periods(client)
    exported = await client.get("/export", params={"user_id": "alice"})
    answer = await client.post("/import", params={"user_id": "bob"}, content=exported.content)
    assert answer.json()["rejected"] == []
    await distilled(client)
    theirs = await get(client, "/memories", user_id="bob", type="summary")
    counted = [each["metadata"].get("period") for each in theirs["items"]]
    assert sorted(map(str, counted)) == ["None", "day", "day", "month", "week", "year"]
    assert len(before["day"]) == 2


KINDS = ("fact", "tool", "summary")
CALL: Json = {
    "id": "call-1",
    "type": "function",
    "function": {"name": "weather", "arguments": '{"city": "Lisbon"}'},
}


async def told(client: AsyncClient) -> dict[str, list[str]]:
    return {
        kind: sorted(each["content"] for each in await memories(client, kind)) for kind in KINDS
    }


async def lose_what_is_derived(settings: Settings) -> None:
    """As if it had never been distilled, beside the service."""
    database = open_database(settings.database_url)
    store = SqlStore(database)
    now = datetime.now(UTC)
    wanted = MemoryFilter(user_id="alice", now=now, at=None)
    try:
        async with store.write(LOCAL_TENANT) as transaction:
            page = await transaction.memories.page(wanted, cursor=None, limit=200)
            for each in page.items:
                await transaction.memories.drop(each, now=now)
    finally:
        await database.dispose()


async def test_all_that_was_lost_comes_with_distilling_anew(settings: Settings) -> None:
    async with talking_to(settings) as client:
        await old_chats(client)
        asked = said("", "assistant", tool_calls=[CALL])
        answer = said("18 degrees and sunny", "tool", tool_call_id="call-1")
        await store(client, LISBON, asked, answer, user_id="alice", external_id="new")
        await distilled(client)
        before = await told(client)
    assert [len(before[kind]) for kind in KINDS] == [2, 1, 6]

    await lose_what_is_derived(settings)
    async with talking_to(settings) as client:
        assert await told(client) == {kind: [] for kind in KINDS}
        job = (await client.post("/admin/reindex", json={"projection": "distilled"})).json()
        while job["status"] == "running":
            await asyncio.sleep(0.02)
            job = await get(client, f"/jobs/{job['id']}")
        await distilled(client)
        assert await told(client) == before


async def give_up(settings: Settings, *, user_id: str) -> None:
    """As a worker leaves what failed for the last time, beside the service."""
    database = open_database(settings.database_url)
    store = SqlStore(database)
    week = span_of(Period.WEEK, datetime(2020, 1, 8, tzinfo=UTC))
    at = datetime.now(UTC)
    try:
        async with store.write(LOCAL_TENANT) as transaction:
            scope = await transaction.scopes.ensure(user_id, now=at)
            await transaction.periods.note(scope.key, [week], now=at)
        async with store.project() as projections:
            due = await projections.claim_periods(now=at, limit=9, lease=60)
            await projections.leave_periods(due, due_at=at, error="no", dead=True)
    finally:
        await database.dispose()


async def test_what_was_given_up_is_a_job_to_retry(settings: Settings) -> None:
    async with talking_to(settings) as client:
        await old_chats(client)
    await give_up(settings, user_id="alice")
    async with talking_to(settings) as client:
        readyz = (await get(client, "/readyz"))["parts"]["distilling"]
        assert (readyz["lag"], readyz["dead_letters"]) == (0, 1)
        metrics = (await client.get("/metrics")).text
        assert "\nforeword_undistilled_dead 1.0\n" in metrics
        assert "\nforeword_undistilled_periods 0.0\n" in metrics

        (failed,) = (await get(client, "/jobs"))["items"]
        assert (failed["kind"], failed["status"], failed["error"]) == ("summarise", "failed", "no")
        assert failed["facts"] == {
            "user_id": "alice",
            "period": "week",
            "from": "2020-01-06T00:00:00+00:00",
            "until": "2020-01-13T00:00:00+00:00",
            "attempts": 1,
        }
        path = f"/jobs/{failed['id']}"
        assert await get(client, path) == failed
        answer = await client.post(f"{path}/retry")
        assert (answer.status_code, answer.json()["status"]) == (202, "running")
        await settled(client)
        assert (await get(client, "/jobs"))["items"] == []
        assert (await get(client, "/readyz"))["parts"]["distilling"]["dead_letters"] == 0
        problem(await client.get(path), 404, "job-not-found")
        problem(await client.post(f"{path}/retry"), 404, "job-not-found")
