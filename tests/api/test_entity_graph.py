"""Who and what messages speak of, over HTTP on both pairs of engines."""

import asyncio
from uuid import uuid4

import pytest
from httpx import AsyncClient

from tests.api.speaking import Json, contents, context, distilled, erase, get, problem, said, store
from tests.api.test_flags import put

ALICE: Json = {"user_id": "alice"}
SAID = [
    "Anna works on Apollo.",
    "Apollo depends on Redis.",
    "Tim likes tea with lemon.",
    "Our cat sleeps on the sofa.",
    "The weather was nice and warm.",
]
WHO = "Who works on Apollo?"


async def tell(client: AsyncClient, *messages: Json | str, **about: object) -> Json:
    stored = await store(client, *messages, **{**ALICE, **about})
    await distilled(client)
    return stored


async def entities(client: AsyncClient, **wanted: object) -> dict[str, Json]:
    items = (await get(client, "/entities", **{**ALICE, **wanted}))["items"]
    return {each["name"]: each for each in items}


async def test_entities_are_listed_and_shown_with_what_is_around_them(client: AsyncClient) -> None:
    stored = await tell(client, *SAID)
    listed = await entities(client)
    assert set(listed) == {"Anna", "Apollo", "Redis", "Tim"}
    assert (listed["Anna"]["type"], listed["Anna"]["mentions"]) == ("person", 1)
    assert listed["Apollo"]["names"] == ["Apollo"]
    assert set(await entities(client, q="APOL")) == {"Apollo"}
    assert set(await entities(client, type="product")) == {"Redis"}

    found = await get(client, f"/entities/{listed['Apollo']['id']}")
    assert (found["name"], found["mentions"]) == ("Apollo", 2)
    assert [each["id"] for each in found["lineage"]] == stored["message_ids"][1::-1]
    assert {each["name"] for each in found["nodes"]} == {"Anna", "Redis"}
    stated = [each for each in found["edges"] if each["relation"] == "works on"]
    (works,) = stated
    assert (works["source"], works["target"]) == (listed["Anna"]["id"], listed["Apollo"]["id"])
    assert works["weight"] == 1.0
    assert works["lineage"] == [
        {"kind": "message", "id": stored["message_ids"][0], "external_id": None}
    ]
    few = await get(client, f"/entities/{listed['Apollo']['id']}", limit=1)
    assert len(few["nodes"]) == 1


async def test_a_list_goes_on_behind_its_cursor(client: AsyncClient) -> None:
    await tell(client, *SAID)
    seen, cursor = list[str](), None
    while True:
        more: Json = {"cursor": cursor} if cursor else {}
        page = await get(client, "/entities", limit=3, **ALICE, **more)
        seen += [each["name"] for each in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert len(seen) == 4
    assert seen[0] == "Apollo"
    problem(await client.get("/entities", params={**ALICE, "cursor": "x"}), 422, "invalid-cursor")


@pytest.mark.parametrize(
    "query", ["limit=0", "limit=501", "type=message", "color=red", "user_id=", "q=%00"]
)
async def test_what_makes_no_sense_is_refused(alone: AsyncClient, query: str) -> None:
    problem(await alone.get(f"/entities?{query}"), 422, "invalid-request")


async def test_entities_are_their_users_own(client: AsyncClient) -> None:
    await tell(client, *SAID)
    await tell(client, "Zoe works on Apollo.", user_id="bob")
    assert "Zoe" not in await entities(client)
    assert set(await entities(client, user_id="bob")) == {"Zoe", "Apollo"}
    assert (await get(client, "/entities"))["items"] == []
    problem(await client.get(f"/entities/{uuid4()}"), 404, "entity-not-found")
    bundle = await context(client, WHO, user_id="bob")
    told = {each["name"] for each in bundle["related_entities"]}
    assert told == {"Zoe", "Apollo"}


async def test_a_bundle_tells_what_is_related_with_its_lineage(client: AsyncClient) -> None:
    stored = await tell(client, *SAID)
    bundle = await context(client, WHO, explain=True, **ALICE)
    assert bundle["intent"] == "relation"
    related = bundle["related_entities"]
    assert [each["content"] for each in related] == [
        "Apollo",
        "Anna (person): works on Apollo",
        "Redis (product): Apollo depends on it",
    ]
    assert [(each["score"], each["distance"]) for each in related[:2]] == [(1.0, 0), (0.5, 1)]
    assert [each["id"] for each in related[1]["lineage"]] == [stored["message_ids"][0]]
    first = bundle["retrieved_memories"][0]
    assert first["content"] == SAID[0]
    assert "relational" in first["sources"]
    assert 0 < first["signals"]["relational"] <= 1
    assert "relational" in bundle["metadata"]["timings_ms"]
    whole = sum(each["tokens"] for each in [*bundle["retrieved_memories"], *related])
    assert bundle["metadata"]["total_tokens"] == whole <= bundle["metadata"]["budget_tokens"]


async def test_what_is_connected_is_found_without_a_word_in_common(client: AsyncClient) -> None:
    await tell(client, *SAID, *(f"Filler number {n} about gardens." for n in range(60)))
    bundle = await context(client, "What does Anna need?", explain=True, **ALICE)
    told = [each["name"] for each in bundle["related_entities"]]
    assert told[:2] == ["Anna", "Apollo"]
    assert "Redis" in told


async def test_what_is_said_to_be_the_same_is_one_until_that_is_erased(
    client: AsyncClient,
) -> None:
    await tell(client, "Kate works on Apollo.", *(f"Filler number {n} of tea." for n in range(30)))
    old = await tell(client, "Katherine lives in Leeds.", "Katherine knows Redis.")
    query = "Where does Kate live?"
    before = await context(client, query, explain=True, **ALICE)
    assert {each["name"] for each in before["related_entities"]} == {"Kate", "Apollo"}

    said_so = await tell(client, "By the way, Katherine is also known as Kate.")
    bundle = await context(client, query, explain=True, **ALICE)
    related = {each["name"]: each for each in bundle["related_entities"]}
    assert list(related)[:2] == ["Kate", "Katherine"]
    assert related["Katherine"]["content"] == "Katherine (person): same as Kate"
    assert (related["Katherine"]["score"], related["Katherine"]["distance"]) == (1.0, 0)
    assert related["Leeds"]["content"] == "Leeds (place): Katherine lives in it"
    (found,) = [
        each
        for each in bundle["retrieved_memories"]
        if each["lineage"][0]["id"] == old["message_ids"][0] and each["type"] == "message"
    ]
    assert "relational" in found["sources"]
    shown = await get(client, f"/entities/{related['Kate']['id']}")
    assert shown["names"] == ["Kate", "Katherine"]
    (same,) = [each for each in shown["edges"] if each["relation"] == "same as"]
    assert [each["id"] for each in same["lineage"]] == said_so["message_ids"]
    who = await context(client, "Who knows Redis?", **ALICE)
    assert {"Kate", "Katherine"} <= {each["name"] for each in who["related_entities"]}

    receipt = await erase(client, f"/conversations/{said_so['id']}")
    assert receipt["remaining"] == 0
    after = await context(client, query, explain=True, **ALICE)
    assert [each["content"] for each in after["related_entities"]] == [
        each["content"] for each in before["related_entities"]
    ]
    assert (await get(client, f"/entities/{related['Kate']['id']}"))["names"] == ["Kate"]


async def test_related_entities_never_exceed_the_budget(client: AsyncClient) -> None:
    await tell(client, *SAID)
    for budget in (1, 2, 5, 10, 20, 40, 80):
        for form in ("json", "markdown", "messages"):
            bundle = await context(client, WHO, budget_tokens=budget, format=form, **ALICE)
            assert bundle["metadata"]["total_tokens"] <= budget


async def test_a_query_of_nothing_known_has_nothing_related(client: AsyncClient) -> None:
    await tell(client, *SAID)
    bundle = await context(client, "Where does the cat sleep?", explain=True, **ALICE)
    assert bundle["related_entities"] == []
    assert all("relational" not in each["sources"] for each in bundle["retrieved_memories"])
    assert all("relational" not in each["signals"] for each in bundle["retrieved_memories"])


async def test_what_is_erased_is_related_to_nothing(client: AsyncClient) -> None:
    stored = await tell(client, *SAID)
    before = await context(client, WHO, **ALICE)
    receipt = await erase(client, f"/messages/{stored['message_ids'][0]}")
    assert receipt["erased"]["edges"] == 2
    assert receipt["remaining"] == 0
    assert set(await entities(client)) == {"Apollo", "Redis", "Tim"}
    after = await context(client, WHO, **ALICE)
    assert {each["name"] for each in after["related_entities"]} == {"Apollo", "Redis"}
    assert SAID[0] not in contents(after)
    anna = next(each for each in before["related_entities"] if each["name"] == "Anna")
    problem(await client.get(f"/entities/{anna['id']}"), 404, "entity-not-found")


async def test_a_replay_shows_the_entities_that_are_still_there(client: AsyncClient) -> None:
    await tell(client, *SAID)
    bundle = await context(client, WHO, **ALICE)
    again = await get(client, f"/bundles/{bundle['bundle_id']}")
    shown = [(each["id"], each["score"], each["tokens"]) for each in bundle["related_entities"]]
    told = [(each["id"], each["score"], each["tokens"]) for each in again["related_entities"]]
    assert told == shown
    assert len(shown) == 3


async def test_what_is_archived_is_in_no_bundle(client: AsyncClient) -> None:
    stored = await tell(client, "Anna works on Apollo.")
    await tell(client, "Apollo is late, says Tim.")
    await client.patch(f"/conversations/{stored['id']}", json={"archived": True})
    bundle = await context(client, WHO, **ALICE)
    assert {each["name"] for each in bundle["related_entities"]} == {"Apollo", "Tim"}
    assert "Anna" in await entities(client)


async def test_filters_hold_for_what_is_related(client: AsyncClient) -> None:
    work = await tell(client, "Anna works on Apollo.", label="work")
    await tell(client, "Tim works on Apollo.", label="home")
    filters = {"conversation_ids": [work["id"]]}
    bundle = await context(client, WHO, filters=filters, explain=True, **ALICE)
    assert {each["name"]: each["mentions"] for each in bundle["related_entities"]} == {
        "Apollo": 1,
        "Anna": 1,
    }
    assert contents(bundle) == ["Anna works on Apollo."]
    nothing = await context(client, WHO, filters={"exclude_terms": ["Apollo"]}, **ALICE)
    assert contents(nothing) == []
    assert nothing["related_entities"] == []


async def test_without_the_flag_nothing_is_noted_or_asked(client: AsyncClient) -> None:
    await put(client, graph=False)
    await tell(client, *SAID)
    assert await entities(client) == {}
    await put(client, graph=True)
    await tell(client, "Zoe works on Apollo.")
    assert set(await entities(client)) == {"Zoe", "Apollo"}
    assert (await context(client, WHO, **ALICE))["related_entities"]
    await put(client, graph=False)
    bundle = await context(client, WHO, explain=True, **ALICE)
    assert bundle["related_entities"] == []
    assert bundle["metadata"]["timings_ms"]["relational"] == 0


async def test_what_comes_back_from_a_bundle_is_no_evidence(client: AsyncClient) -> None:
    await tell(client, *SAID)
    bundle = await context(client, WHO, format="markdown", **ALICE)
    await tell(client, said(bundle["text"], "user"))
    assert (await entities(client))["Anna"]["mentions"] == 1


@pytest.mark.parametrize("projection", ["graph", "distilled"])
async def test_a_reindex_makes_the_same_graph_again(client: AsyncClient, projection: str) -> None:
    await tell(client, *SAID)
    before = await entities(client)
    answer = await client.post("/admin/reindex", json={"projection": projection})
    assert answer.status_code == 202, answer.text
    job = answer.json()
    while job["status"] in ("queued", "running"):
        await asyncio.sleep(0.05)
        job = await get(client, f"/jobs/{job['id']}")
    assert (job["status"], job["facts"]) == ("done", {"index": projection, "items": 1})
    assert await entities(client) == before


async def test_since_tells_which_entities_came_and_which_went(client: AsyncClient) -> None:
    await tell(client, *SAID)
    ids = {name: each["id"] for name, each in (await entities(client)).items()}
    before = await context(client, WHO, **ALICE)
    other = await context(client, "What does Tim like?", since=before["bundle_id"], **ALICE)
    same = await context(client, WHO, since=before["bundle_id"], **ALICE)
    shown = {each["name"] for each in before["related_entities"]}
    assert shown == {"Apollo", "Anna", "Redis"}
    assert other["since"]["entities_added"] == [ids["Tim"]]
    assert set(other["since"]["entities_removed"]) == {ids[name] for name in shown}
    assert same["since"]["entities_added"] == same["since"]["entities_removed"] == []
