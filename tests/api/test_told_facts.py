"""Facts that callers tell: the same merges, what changed supersedes, as of what is drawn."""

import asyncio
from typing import Any

import pytest
from httpx import AsyncClient

from tests.api.speaking import Json, distilled, erase, get, problem, store

FIRST, LATER = "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"


async def tell(client: AsyncClient, content: str, **about: Any) -> Json:
    body = {"type": "fact", "user_id": "alice", "content": content, **about}
    answer = await client.post("/memories", json=body)
    assert answer.status_code == 201, answer.text
    told: Json = answer.json()
    return told


async def hear(client: AsyncClient, *messages: str) -> Json:
    """Have it said, and wait until it is distilled."""
    stored = await store(client, *messages, user_id="alice")
    await distilled(client)
    return stored


async def facts(client: AsyncClient, **wanted: Any) -> list[str]:
    found = await get(client, "/memories", user_id="alice", type="fact", **wanted)
    return [each["content"] for each in found["items"]]


async def test_a_newer_fact_supersedes_and_does_not_erase(client: AsyncClient) -> None:
    old = await tell(client, "Alice lives in Lisbon.", valid_from=FIRST)
    new = await tell(client, "The user moved to Porto.", valid_from=LATER)
    assert (new["superseded"], new["known"]) == ([old["id"]], False)
    assert await facts(client) == ["The user moved to Porto."]
    assert await facts(client, as_of="2026-01-15T00:00:00Z") == ["Alice lives in Lisbon."]
    ended = await get(client, f"/memories/{old['id']}")
    assert (ended["superseded_by"], ended["valid_to"]) == (new["id"], LATER)
    await erase(client, f"/memories/{new['id']}")
    assert await facts(client) == ["Alice lives in Lisbon."]


async def test_a_fact_of_before_does_not_hold_beside_what_took_its_place(
    alone: AsyncClient,
) -> None:
    await tell(alone, "Alice lives in Porto.", valid_from=LATER)
    old = await tell(alone, "Alice lives in Lisbon.", valid_from=FIRST)
    assert (await get(alone, f"/memories/{old['id']}"))["valid_to"] == LATER
    await tell(alone, "Alice lives in Rome.", valid_from="2019-01-01T00:00:00Z", valid_to=FIRST)
    assert await facts(alone) == ["Alice lives in Porto."]


@pytest.mark.parametrize(
    "again", ["Alice lives in Lisbon.", "Alice lives in Lisbon", "The user lives in Lisbon."]
)
async def test_an_equal_fact_is_the_same(client: AsyncClient, again: str) -> None:
    first = await tell(client, "Alice lives in Lisbon.", metadata={"a": 1, "b": 1}, importance=3)
    more = await tell(
        client, again, metadata={"b": 2}, importance=8, expires_at="2090-01-01T00:00Z"
    )
    assert (more["id"], more["known"], more["superseded"]) == (first["id"], True, [])
    (item,) = (await get(client, "/memories", user_id="alice", type="fact"))["items"]
    assert (item["metadata"], item["importance"]) == ({"a": 1, "b": 2}, 8)
    assert item["expires_at"] == "2090-01-01T00:00:00Z"


async def test_an_equal_fact_may_tell_its_end(alone: AsyncClient) -> None:
    first = await tell(alone, "Alice lives in Lisbon.")
    end = "2090-01-01T00:00:00Z"
    assert (await tell(alone, "Alice lives in Lisbon.", valid_to=end))["id"] == first["id"]
    assert (await get(alone, f"/memories/{first['id']}"))["valid_to"] == end


async def test_what_is_not_understood_merges_by_its_words_alone(client: AsyncClient) -> None:
    said = "The office dog of Alice is loved, and the printer is not."
    first = await tell(client, said)
    assert (await tell(client, said))["id"] == first["id"]
    other = await tell(client, said.replace("dog", "cat"))
    assert (other["known"], other["superseded"]) == (False, [])
    assert len(await facts(client)) == 2


async def test_metadata_may_say_what_a_fact_is_about(client: AsyncClient) -> None:
    about = {"subject": "Team", "attribute": "mascot"}
    owl = await tell(client, "An owl it is.", metadata={**about, "value": "owl"})
    fox = await tell(client, "Now a fox.", metadata={**about, "subject": "team", "value": "fox"})
    assert fox["superseded"] == [owl["id"]]
    likes = {"subject": "Team", "attribute": "likes"}
    for value in ("tea", "cake"):
        told = await tell(client, f"They like {value}.", metadata={**likes, "value": value})
        assert told["superseded"] == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The customer's plan is Gold.", "The customer is on the Silver plan now."),
        ("The customer lives in Oslo.", "The user lives in Bergen."),
        ("Tom's phone number is 555 0101", "Tom's phone number is 555 0202"),
        ("Shipping address: Kirkegata 3, Oslo", "The customer's shipping address is Elvegata 5"),
    ],
)
async def test_as_agents_word_it_the_last_word_holds(
    alone: AsyncClient, old: str, new: str
) -> None:
    first = await tell(alone, old)
    assert (await tell(alone, new))["superseded"] == [first["id"]]
    assert await facts(alone) == [new]


async def test_what_says_more_than_one_thing_supersedes_nothing(alone: AsyncClient) -> None:
    await tell(alone, "Alice lives in Lisbon. Her project is due on Friday.")
    await tell(alone, "Alice lives in Porto, and she works at Acme.")
    await tell(alone, "Bob lives in Rome.")
    assert len(await facts(alone)) == 3


async def test_other_users_and_other_types_are_not_concerned(alone: AsyncClient) -> None:
    await tell(alone, "Alice lives in Lisbon.")
    other = await tell(alone, "Alice lives in Porto.", user_id="bob")
    kinds = [await tell(alone, "Alice lives in Porto.", type="procedure") for _ in range(2)]
    assert not any(each["known"] or each["superseded"] for each in (other, *kinds))


async def test_what_is_told_supersedes_what_was_drawn_and_outlives_it(client: AsyncClient) -> None:
    said = await hear(client, "I live in Lisbon.")
    told = await tell(client, "Alice lives in Lisbon.")
    assert (len(told["superseded"]), told["known"]) == (1, False)
    assert await facts(client) == ["Alice lives in Lisbon."]
    await erase(client, f"/messages/{said['message_ids'][0]}")
    assert await facts(client, include_superseded=True) == ["Alice lives in Lisbon."]


async def test_what_is_said_supersedes_what_was_told_or_leaves_it_as_it_is(
    client: AsyncClient,
) -> None:
    told = await tell(client, "Alice lives in Lisbon.")
    said = await hear(client, "I live in Lisbon.")
    assert await facts(client, include_superseded=True) == ["Alice lives in Lisbon."]
    await erase(client, f"/conversations/{said['id']}")
    assert await facts(client) == ["Alice lives in Lisbon."]
    await hear(client, "I moved to Porto.")
    assert await facts(client) == ["User lives in Porto (moved there)"]
    assert (await get(client, f"/memories/{told['id']}"))["superseded_by"]


async def test_in_a_conversation_it_is_the_conversations_user(alone: AsyncClient) -> None:
    first = await tell(alone, "Alice lives in Lisbon.")
    stored = await store(alone, "Hello!", user_id="alice")
    inside = {"user_id": None, "conversation_id": stored["id"]}
    assert (await tell(alone, "The user lives in Lisbon.", **inside))["id"] == first["id"]


async def patch(client: AsyncClient, item_id: str, **changes: Any) -> Json:
    answer = await client.patch(f"/memories/{item_id}", json=changes)
    assert answer.status_code == 200, answer.text
    told: Json = answer.json()
    return told


async def test_nobody_tells_more_of_a_fact_in_another_users_conversation(
    alone: AsyncClient,
) -> None:
    known = await tell(alone, "Alice lives in Lisbon.", metadata={"from": "alice"})
    chat = await store(alone, "Hello!", user_id="alice")
    body = {
        "type": "fact",
        "content": "Alice lives in Lisbon.",
        "user_id": "bob",
        "conversation_id": chat["id"],
        "metadata": {"from": "bob"},
        "importance": 10,
    }
    problem(await alone.post("/memories", json=body), 404, "conversation-not-found")
    found = await get(alone, f"/memories/{known['id']}")
    assert (found["metadata"], found["importance"]) == ({"from": "alice"}, 5)


async def test_what_is_told_of_a_fact_bit_by_bit_has_a_limit(alone: AsyncClient) -> None:
    told = {f"key {at}": "x" * 400_000 for at in range(3)}
    for at, (key, value) in enumerate(told.items()):
        body = {"type": "fact", "user_id": "alice", "content": "I like tea."}
        answer = await alone.post("/memories", json={**body, "metadata": {key: value}})
        if at < 2:
            assert answer.status_code == 201, answer.text
        else:
            problem(answer, 413, "metadata-too-large")
    ((item,),) = [(await get(alone, "/memories", user_id="alice"))["items"]]
    assert set(item["metadata"]) == {"key 0", "key 1"}


@pytest.mark.parametrize(
    ("first", "changed", "after"),
    [
        ("I like tea.", "I like coffee.", "I like tea."),
        ("Jo lives in Rome.", "Jo works at Acme.", "Jo lives in Bonn."),
        ("The code is blue-whale.", "The code is green.", "The code is blue-whale."),
    ],
)
async def test_a_changed_fact_is_what_it_says_now(
    alone: AsyncClient, first: str, changed: str, after: str
) -> None:
    told = await tell(alone, first)
    await patch(alone, told["id"], content=changed)
    later = await tell(alone, after)
    assert (later["superseded"], later["known"]) == ([], False)
    assert set(await facts(alone)) == {changed, after}
    again = await tell(alone, changed)
    assert (again["id"], again["known"]) == (told["id"], True)


async def test_a_changed_fact_ends_what_it_ends_and_is_there_once(alone: AsyncClient) -> None:
    await tell(alone, "Alice lives in Rome.", valid_from=FIRST)
    await tell(alone, "The code is green.", valid_from=FIRST)
    for before, now in (
        ("Alice likes tea.", "Alice lives in Bonn."),
        ("The code is blue.", "The code is green."),
    ):
        told = await tell(alone, before, valid_from=LATER)
        await patch(alone, told["id"], content=now)
    assert sorted(await facts(alone)) == ["Alice lives in Bonn.", "The code is green."]
    assert "Alice lives in Rome." in await facts(alone, as_of="2026-01-15T00:00:00Z")


@pytest.mark.parametrize(
    "changes",
    [
        {"content": "Lee works at Globex"},
        {"metadata": {"subject": "Lee", "attribute": "works_at", "value": "Globex"}},
    ],
)
async def test_what_a_fact_superseded_holds_again_once_it_is_about_somebody_else(
    alone: AsyncClient, changes: Json
) -> None:
    acme = await tell(alone, "Kim works at Acme", valid_from=FIRST)
    globex = await tell(alone, "Kim works at Globex", valid_from=LATER)
    assert (await patch(alone, globex["id"], **changes))["superseded"] == []
    held = await get(alone, f"/memories/{acme['id']}")
    assert (held["valid_to"], held["superseded_by"]) == (None, None)
    last = await tell(alone, "Kim works at Initech", valid_from="2026-03-01T00:00:00Z")
    assert last["superseded"] == [acme["id"]]
    lee = await get(alone, f"/memories/{globex['id']}")
    assert (lee["valid_to"], lee["superseded_by"]) == (None, None)


async def test_a_fact_that_began_earlier_ends_where_what_it_superseded_begins(
    alone: AsyncClient,
) -> None:
    acme = await tell(alone, "Kim works at Acme", valid_from=FIRST)
    globex = await tell(alone, "Kim works at Globex", valid_from=LATER)
    changed = await patch(alone, globex["id"], valid_from="2025-05-01T00:00:00Z")
    assert (changed["valid_to"], changed["superseded_by"]) == (FIRST, acme["id"])
    held = await get(alone, f"/memories/{acme['id']}")
    assert (held["valid_to"], held["superseded_by"]) == (None, None)
    assert held["superseded"] == [globex["id"]]


@pytest.mark.parametrize("end", [None, "2026-03-01T00:00:00Z"])
async def test_a_superseded_fact_holds_no_longer_whatever_end_it_is_told(
    alone: AsyncClient, end: str | None
) -> None:
    acme = await tell(alone, "Kim works at Acme", valid_from=FIRST)
    globex = await tell(alone, "Kim works at Globex", valid_from=LATER)
    path = f"/memories/{acme['id']}"
    told = problem(await alone.patch(path, json={"valid_to": end}), 409, "still-superseded")
    assert (told["superseded_by"], told["memory_id"]) == (globex["id"], acme["id"])
    sooner = "2026-01-15T00:00:00Z"
    assert (await patch(alone, acme["id"], valid_to=sooner))["valid_to"] == sooner
    assert (await patch(alone, acme["id"], valid_to=end))["valid_to"] == LATER
    lee = await patch(alone, acme["id"], content="Lee works at Acme", valid_to=None)
    assert (lee["valid_to"], lee["superseded_by"]) == (None, None)


async def test_what_was_corrected_is_not_drawn_again_from_what_said_it(
    client: AsyncClient,
) -> None:
    await hear(client, "I like tea.")
    ((drawn,),) = [(await get(client, "/memories", user_id="alice", type="fact"))["items"]]
    changed = await patch(client, drawn["id"], content="User likes coffee")
    assert changed["metadata"]["value"] == "coffee"
    job = (await client.post("/admin/reindex", json={"projection": "distilled"})).json()
    while job["status"] in ("queued", "running"):
        await asyncio.sleep(0.05)
        job = await get(client, f"/jobs/{job['id']}")
    assert await facts(client, include_superseded=True) == ["User likes coffee"]
    await hear(client, "I like tea.")
    assert set(await facts(client)) == {"User likes coffee", "User likes tea"}
