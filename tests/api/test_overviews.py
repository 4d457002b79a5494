"""What is asked for by its time is told by the summaries of that time, on both pairs of engines."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from httpx import AsyncClient

from app.settings import Settings
from tests.api.speaking import (
    Json,
    context,
    erase,
    said,
    search,
    settled,
    store,
    store_soon,
    talking_to,
)

DAYS = {
    "2020-01-07": ("ledger", "We decided on PostgreSQL 16 for the ledger service."),
    "2020-01-09": ("office", "Berta agreed to bring the keys of the Lisbon office by train."),
    "2020-01-14": ("party", "We decided to rent the big hall in Porto for the spring party."),
    "2020-01-16": ("coffee", "Carlos promised to repair the coffee machine before Easter."),
    "2020-01-21": ("invoice", "We agreed that invoices go out on the first Monday of a month."),
    "2020-02-04": ("backup", "Dora decided to move the backups to the cellar in Geneva."),
}
LAST_WEEK = "What did I do last week?"
JANUARY = "What happened in January 2020?"
IN_JANUARY = {day for day in DAYS if day < "2020-02"}
WEDNESDAY = "2020-01-15T12:00:00Z"


def a_day(day: str) -> list[Json]:
    """Much about one thing, and a decision at the end."""
    about, decision = DAYS[day]
    talk = [
        said(
            f"About the {about}, note {turn}: the {about} looked as it did on most days before, so"
            f" nobody of the {about} crew had to change number {turn} of the {about} plan.",
            "assistant" if turn % 2 else "user",
            external_id=f"{day} {turn}",
            created_at=f"{day}T10:{turn:02}:00Z",
        )
        for turn in range(16)
    ]
    return [*talk, said(decision, external_id=f"{day} end", created_at=f"{day}T11:00:00Z")]


@pytest.fixture
async def told(settings: Settings) -> AsyncIterator[AsyncClient]:
    """Several weeks of chats, each day of which is a conversation, summed up."""
    async with talking_to(settings) as client:
        for day in DAYS:
            about: Json = {"external_id": day, "label": DAYS[day][0]}
            await store_soon(client, *a_day(day), user_id="alice", **about)
        await settled(client, at_most=180)
        yield client


async def ask(client: AsyncClient, query: str, **about: Any) -> Json:
    return await context(client, query, **{"user_id": "alice", "explain": True, **about})


def summaries(answer: Json) -> list[Json]:
    items = answer.get("retrieved_memories") or answer.get("results") or []
    return [each for each in items if each["type"] == "summary"]


def asked_for(answer: Json) -> list[Json]:
    return [each for each in summaries(answer) if each["signals"].get("period")]


def days_of(answer: Json) -> set[str]:
    """The days of which the summaries that are asked for tell a decision."""
    told = " ".join(each["content"] for each in asked_for(answer))
    return {day for day, (_, decision) in DAYS.items() if decision in told}


def said_of(answer: Json) -> list[str]:
    items = answer["retrieved_memories"]
    return [each["id"] for each in items if each["type"] in ("message", "chunk")]


async def test_what_is_asked_for_by_its_time_is_told(told: AsyncClient) -> None:
    await tells_a_week(told)
    await tells_as_much_as_there_is_room_for(told)
    await is_as_of_the_moment(told)
    await is_of_the_days_of_who_asks(told)
    await is_told_in_a_running_conversation(told)
    found = await search(told, LAST_WEEK, user_id="alice", as_of=WEDNESDAY, max_items=50)
    assert {"episodic"} <= {source for each in summaries(found) for source in each["sources"]}
    await a_specific_question_keeps_its_messages(told)
    await what_filters_keep_out_stays_out(told)
    await what_was_erased_is_not_told_with_its_time(told)


async def tells_a_week(told: AsyncClient) -> None:
    bundle = await ask(told, LAST_WEEK, as_of=WEDNESDAY)
    assert days_of(bundle) == {"2020-01-07", "2020-01-09"}
    assert bundle["metadata"]["sufficient"]
    for each in asked_for(bundle):
        assert "episodic" in each["sources"]
        assert each["conversation_id"] is None
        day = each["created_at"][:10]
        assert {edge["external_id"][:10] for edge in each["lineage"]} == {day}
    plain = await context(told, LAST_WEEK, user_id="alice", as_of=WEDNESDAY, format="markdown")
    assert all(DAYS[day][1] in plain["text"] for day in ("2020-01-07", "2020-01-09"))


async def tells_as_much_as_there_is_room_for(told: AsyncClient) -> None:
    fine = await ask(told, JANUARY)
    assert days_of(fine) == IN_JANUARY
    small = await ask(told, JANUARY, budget_tokens=1_200)
    assert 0 < len(asked_for(small)) < len(asked_for(fine))
    for bundle, budget in ((fine, 4_000), (small, 1_200)):
        cited = [edge["id"] for each in summaries(bundle) for edge in each["lineage"]]
        assert len(cited) == len(set(cited))
        assert bundle["metadata"]["total_tokens"] <= budget


async def is_as_of_the_moment(told: AsyncClient) -> None:
    bundle = await ask(told, LAST_WEEK, as_of="2020-01-22T12:00:00Z")
    assert days_of(bundle) == {"2020-01-14", "2020-01-16"}
    early = await ask(told, JANUARY, as_of=WEDNESDAY)
    assert days_of(early) == {"2020-01-07", "2020-01-09", "2020-01-14"}
    assert not any(each["created_at"] > WEDNESDAY for each in summaries(early))
    running = await ask(told, "What have I done this week?", as_of=WEDNESDAY)
    assert days_of(running) == {"2020-01-14"}
    assert days_of(await ask(told, LAST_WEEK, as_of="2020-01-07T23:00:00Z")) == set()


async def is_of_the_days_of_who_asks(told: AsyncClient) -> None:
    """At 11 in the evening there it is the morning of the next day in UTC."""
    query = "Summarise what we discussed yesterday"
    assert days_of(await ask(told, query, as_of="2020-01-16T09:00:00Z")) == set()
    there = await ask(told, query, as_of="2020-01-15T23:00:00-10:00")
    assert days_of(there) == {"2020-01-14"}


async def is_told_in_a_running_conversation(told: AsyncClient) -> None:
    about: Json = {"as_of": "2020-01-22T12:00:00Z", "conversation_external_id": "2020-01-21"}
    assert days_of(await ask(told, LAST_WEEK, **about)) == {"2020-01-14", "2020-01-16"}
    day = await ask(told, "Recap of yesterday", **about)
    assert {each["created_at"][:10] for each in asked_for(day)} == {"2020-01-21"}


SPECIFIC = [
    "Who agreed to bring the keys of the office in January 2020?",
    "Which hall was rented for the party in January 2020?",
    "What did we decide about invoices in January 2020?",
]


async def a_specific_question_keeps_its_messages(told: AsyncClient) -> None:
    asked = [(query, most) for query in SPECIFIC for most in (5, 20)]
    with_them = [await ask(told, query, max_items=most) for query, most in asked]
    assert [asked_for(each) for each in with_them] == [[]] * len(asked)
    await told.put("/flags", json={"summaries": False})
    without = [await ask(told, query, max_items=most) for query, most in asked]
    assert all(said_of(each) for each in without)
    assert [said_of(each) for each in with_them] == [said_of(each) for each in without]
    assert summaries(await ask(told, JANUARY)) == []
    await told.put("/flags", json={"summaries": True})


KEEPING_OUT: list[Json] = [
    {"types": ["message", "fact"]},
    {"labels": ["ledger"]},
    {"roles": ["user"]},
    {"after": "2020-03-01T00:00:00Z"},
    {"before": "2020-01-01T00:00:00Z"},
]


async def what_filters_keep_out_stays_out(told: AsyncClient) -> None:
    for filters in KEEPING_OUT:
        assert asked_for(await ask(told, JANUARY, filters=filters)) == [], filters
    conversations = (await told.get("/conversations", params={"user_id": "alice"})).json()["items"]
    left_out = {"exclude_conversation_ids": [conversations[0]["id"]]}
    assert asked_for(await ask(told, JANUARY, filters=left_out)) == []
    early = {"types": ["summary"], "before": "2020-01-10T00:00:00Z"}
    assert days_of(await ask(told, JANUARY, filters=early)) == {"2020-01-07", "2020-01-09"}
    unwanted = await ask(told, JANUARY, filters={"exclude_terms": ["ledger"]})
    assert days_of(unwanted) == IN_JANUARY - {"2020-01-07"}
    await store(told, said("I live in Rome.", created_at="2020-01-08T10:00:00Z"), user_id="bob")
    assert summaries(await ask(told, JANUARY, user_id="bob")) == []
    await told.put("/flags", json={"hybrid": False})
    assert asked_for(await ask(told, JANUARY)) == []
    await told.put("/flags", json={"hybrid": True})


async def what_was_erased_is_not_told_with_its_time(told: AsyncClient) -> None:
    before = await ask(told, LAST_WEEK, as_of=WEDNESDAY)
    decision = DAYS["2020-01-07"][1]
    (day,) = (each for each in asked_for(before) if decision in each["content"])
    found = await context(told, decision, user_id="alice", filters={"types": ["message"]})
    message = found["retrieved_memories"][0]
    assert message["content"] == decision
    await erase(told, f"/messages/{message['id']}")
    await settled(told)
    after = await ask(told, LAST_WEEK, as_of=WEDNESDAY)
    assert days_of(after) == {"2020-01-09"}
    assert day["id"] not in {each["id"] for each in summaries(after)}


YESTERDAY = "What did we talk about yesterday?"
QUIET = ("The kettle in the kitchen is broken.", "Lena will call back at six.")


def texts_of(answer: Json) -> list[str]:
    return sorted(each["content"] for each in answer["retrieved_memories"])


async def test_a_day_too_short_to_be_summed_up_is_told_by_its_messages(settings: Settings) -> None:
    async with talking_to(settings) as client:
        moments = ("2020-03-10T09:00:00Z", "2020-03-10T17:00:00Z")
        talk = [said(text, created_at=at) for text, at in zip(QUIET, moments, strict=True)]
        await store(client, *talk, user_id="alice", external_id="quiet")
        for user, day in (("alice", "2020-03-08"), ("bob", "2020-03-10")):
            other = said(f"Nothing of {user} matters here.", created_at=f"{day}T12:00:00Z")
            await store(client, other, user_id=user, external_id=f"other {user}")
        bundle = await ask(client, YESTERDAY, as_of="2020-03-11T08:00:00Z")
        assert texts_of(bundle) == sorted(QUIET)
        assert bundle["metadata"]["sufficient"]
        for each in bundle["retrieved_memories"]:
            assert "episodic" in each["sources"]
            assert each["signals"]["period"] == 1
        await keeps_to_the_filters(client)
        await says_nothing_twice(client)


async def keeps_to_the_filters(client: AsyncClient) -> None:
    about: Json = {"as_of": "2020-03-11T08:00:00Z"}
    late = {"filters": {"after": "2020-03-10T12:00:00Z"}}
    assert texts_of(await ask(client, YESTERDAY, **about, **late)) == [QUIET[1]]
    of_others = {"filters": {"roles": ["assistant"]}}
    assert texts_of(await ask(client, YESTERDAY, **about, **of_others)) == []
    soon = {"as_of": "2020-03-10T12:00:00Z"}
    assert texts_of(await ask(client, "What has happened today?", **soon)) == [QUIET[0]]
    empty = await ask(client, YESTERDAY, as_of="2020-03-21T08:00:00Z")
    assert texts_of(empty) == []
    assert not empty["metadata"]["sufficient"]


async def says_nothing_twice(client: AsyncClient) -> None:
    running: Json = {"conversation_external_id": "quiet", "as_of": "2020-03-11T08:00:00Z"}
    bundle = await ask(client, YESTERDAY, **running)
    assert sorted(each["content"] for each in bundle["recent_history"]) == sorted(QUIET)
    assert texts_of(bundle) == []


async def test_the_words_of_a_time_are_not_looked_for(alone: AsyncClient) -> None:
    """Neither "month" nor "last", said at another time, tells of last month."""
    cat, other = "Our cat takes her pills in the evening.", "One person for four months, at last."
    for text, day in ((cat, "2026-10-02"), (other, "2026-11-20")):
        at = f"{day}T10:00:00Z"
        await store(alone, said(text, created_at=at), user_id="alice", created_at=at)

    for query in ("What did I do last month?", "What was said last month?"):
        bundle = await ask(alone, query, as_of="2026-11-26T12:00:00Z")

        assert [each["content"] for each in bundle["retrieved_memories"]] == [cat], query
        assert bundle["metadata"]["sufficient"]


async def test_what_was_said_then_stands_before_what_is_worded_like_the_question(
    alone: AsyncClient,
) -> None:
    """The word "happened" is said at any time, and a few days later something may be told."""
    then = ["The deploy pipeline broke.", "Ann got her licence.", "We signed with Siemens."]
    later = "What happened with the server is that its disk was full."
    days = zip([*then, later], ("10-03", "10-10", "10-25", "11-03"), strict=True)
    told = [said(text, created_at=f"2026-{day}T10:00:00Z") for text, day in days]
    await store(alone, *told, user_id="alice")

    bundle = await ask(alone, "What happened in October?", as_of="2026-11-20T12:00:00Z")

    found = [each["content"] for each in bundle["retrieved_memories"]]
    assert {*found[:1]} < {*then}
    assert {*then} <= {*found}
