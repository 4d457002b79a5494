"""What is switched while the service runs."""

from pathlib import Path

import pytest
from httpx import AsyncClient

from app.settings import Settings
from tests.api.speaking import Json, contents, context, get, problem, store, talking_to

ALICE: Json = {"user_id": "alice"}
OFF: Json = {
    "hybrid": False,
    "chunking": False,
    "profile": False,
    "graph": False,
    "rerank": False,
    "facts": False,
    "summaries": False,
}
ON: Json = {**dict.fromkeys(OFF, True), "token_budget": 4_000, "summary_frequency": 5}
SAID = ["The server is called Hugin.", "Our cat sleeps on the sofa.", "We drink green tea."]
QUERY = "What is the server called?"
LONG = " ".join(f"Sentence {n} of a message that is long." for n in range(200))
OTHER = " ".join(f"Line {n * 7} tells about something else at length." for n in range(200))


async def put(client: AsyncClient, **flags: object) -> Json:
    answer = await client.put("/flags", json=flags)
    assert answer.status_code == 200, answer.text
    told: Json = answer.json()
    return told


async def test_the_defaults_are_shown(alone: AsyncClient) -> None:
    told = await get(alone, "/flags")
    assert {name: told[name] for name in ON} == ON == told["defaults"]
    assert sorted(told["unavailable"]) == ["rerank"]


async def test_what_is_named_changes_and_null_is_the_default_again(client: AsyncClient) -> None:
    await put(client, hybrid=False, token_budget=500)
    told = await put(client, profile=False, token_budget=None)
    expected = {**ON, "hybrid": False, "profile": False}
    assert {name: told[name] for name in ON} == expected
    assert await get(client, "/flags") == told
    shown = (await get(client, "/memory/debug/retrieval", q=QUERY))["flags"]
    assert shown == {**expected, "rerank": False}


@pytest.mark.parametrize(
    "body",
    [
        {"unheard_of": True},
        {"hybrid": "yes"},
        {"hybrid": 1},
        {"token_budget": 0},
        {"token_budget": "500"},
        {"token_budget": True},
        {"summaries": 1},
        {"graph": "no"},
        {"summary_frequency": -1},
        {"summary_frequency": True},
        [],
    ],
)
async def test_what_is_no_flag_is_refused_as_a_whole(alone: AsyncClient, body: Json) -> None:
    problem(await alone.put("/flags", json=body), 422, "invalid-request")
    if isinstance(body, dict):
        both = await alone.put("/flags", json={**OFF, **body})
        problem(both, 422, "invalid-request")
    assert {name: (await get(alone, "/flags"))[name] for name in ON} == ON


async def test_with_all_off_it_is_plain_dense_retrieval(client: AsyncClient) -> None:
    await store(client, *SAID, **ALICE)
    both = await context(client, QUERY, explain=True, **ALICE)
    assert both["retrieved_memories"][0]["sources"] == ["lexical", "semantic"]

    await put(client, **OFF)
    bundle = await context(client, QUERY, explain=True, **ALICE)

    assert contents(bundle)[0] == SAID[0]
    cosines = [each["signals"]["semantic"] for each in bundle["retrieved_memories"]]
    assert cosines == sorted(cosines, reverse=True)
    for each in bundle["retrieved_memories"]:
        assert each["sources"] == ["semantic"]
        assert each["signals"]["lexical"] == 0
    assert bundle["metadata"]["degraded"] == []
    assert bundle["metadata"]["timings_ms"]["lexical"] == 0


async def test_flags_are_part_of_what_is_cached(client: AsyncClient) -> None:
    await store(client, *SAID, **ALICE)
    for flags in ({}, {"hybrid": False}, {"hybrid": True}):
        await put(client, **flags)
        bundle = await context(client, QUERY, **ALICE)
        sources = {name for each in bundle["retrieved_memories"] for name in each["sources"]}
        assert ("lexical" in sources) is flags.get("hybrid", True)
    assert bundle["metadata"]["cache_hit"] is True


async def test_the_budget_of_requests_that_name_none(client: AsyncClient) -> None:
    await store(client, *SAID, **ALICE)
    await put(client, token_budget=7)
    for user in ("alice", "nobody"):
        assert (await context(client, QUERY, user_id=user))["metadata"]["budget_tokens"] == 7
    named = await context(client, QUERY, budget_tokens=4_000, **ALICE)
    assert (named["metadata"]["budget_tokens"], len(contents(named))) == (4_000, 1)


async def test_without_chunking_messages_are_stored_whole(alone: AsyncClient) -> None:
    await put(alone, chunking=False)
    await store(alone, LONG, **ALICE)
    assert (await get(alone, "/memory/debug/stats"))["chunks"] == 0
    whole = await context(alone, "Sentence 3 of a message", **ALICE)
    assert whole["retrieved_memories"][0]["content"] == LONG
    await put(alone, chunking=True)
    await store(alone, OTHER, **ALICE)
    assert (await get(alone, "/memory/debug/stats"))["chunks"] > 1


async def test_without_the_flag_profiles_stay_out_of_bundles(alone: AsyncClient) -> None:
    await alone.put("/users/alice/consent", json={"purposes": {"profile": True}})
    await alone.put("/users/alice/profile", json={"notes": "Likes tea."})
    assert (await context(alone, QUERY, **ALICE))["user_profile"]["notes"] == "Likes tea."
    await put(alone, profile=False)
    assert (await context(alone, QUERY, **ALICE))["user_profile"] is None
    assert (await get(alone, "/users/alice/profile"))["notes"] == "Likes tea."


@pytest.mark.postgres
async def test_another_replica_follows_with_the_next_context(
    at_scale: Settings, tmp_path: Path
) -> None:
    there = at_scale.model_copy(update={"data_dir": tmp_path / "another"})
    async with talking_to(at_scale) as here, talking_to(there) as elsewhere:
        await store(here, *SAID, **ALICE)
        first = await context(elsewhere, QUERY, **ALICE)
        await put(here, hybrid=False)
        second = await context(elsewhere, QUERY, **ALICE)
    assert "lexical" in first["retrieved_memories"][0]["sources"]
    assert "lexical" not in second["retrieved_memories"][0]["sources"]
