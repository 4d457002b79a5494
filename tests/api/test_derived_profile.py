"""What facts add to profiles: with consent, beside what users wrote, while they hold."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from httpx import AsyncClient

from tests.api.speaking import Json, context, distilled, erase, get, problem, said, store

ALICE: Json = {"user_id": "alice"}
BOTH: Json = {"profile": True, "facts": True}
QUERY = "What should I wear?"


async def agree(client: AsyncClient, purposes: Json, **body: object) -> Json:
    answer = await client.put("/users/alice/consent", json={"purposes": purposes, **body})
    assert answer.status_code == 200, answer.text
    told: Json = answer.json()
    return told


async def tell(client: AsyncClient, *messages: Json | str, user: str = "alice") -> Json:
    """Have it said, and wait until it is distilled."""
    stored = await store(client, *messages, user_id=user)
    await distilled(client)
    return stored


async def profile(client: AsyncClient) -> Json:
    return await get(client, "/users/alice/profile")


async def facts(client: AsyncClient) -> dict[str, str]:
    """The ids of the facts that hold, by their values."""
    found = await get(client, "/memories", type="fact", **ALICE)
    return {each["metadata"]["value"]: each["id"] for each in found["items"]}


async def test_facts_of_before_and_after_the_consent_are_told_with_their_ids(
    client: AsyncClient,
) -> None:
    await tell(client, "I live in Lisbon.", "I love hiking.", "My wife lives in Rome.")
    await agree(client, BOTH)
    await tell(client, "I love cheese.", "Never use tabs.", "We use Kafka.")

    told = await profile(client)

    assert told["preferences"] == {"likes": ["cheese", "hiking"], "rule": ["never use tabs"]}
    assert told["context"] == {"lives_in": "Lisbon"}
    ids = await facts(client)
    assert told["derived"] == {
        "preferences": {"likes": [ids["cheese"], ids["hiking"]], "rule": [ids["use tabs"]]},
        "context": {"lives_in": [ids["Lisbon"]]},
    }
    bundle = await context(client, QUERY, **ALICE)
    assert bundle["user_profile"] == {
        "preferences": told["preferences"],
        "context": told["context"],
        "notes": "",
    }
    assert bundle["metadata"]["profile"]["derived"] == told["derived"]
    markdown = await context(client, QUERY, format="markdown", **ALICE)
    assert "> likes: cheese, hiking\n" in markdown["text"]


@pytest.mark.parametrize("purposes", [{}, {"profile": True}, {"facts": True}])
async def test_one_consent_alone_derives_nothing(alone: AsyncClient, purposes: Json) -> None:
    await agree(alone, {"learning": True, **purposes})
    await tell(alone, "I live in Lisbon.")
    assert (await get(alone, "/users/alice/consent"))["has_profile"] is False
    bundle = await context(alone, QUERY, **ALICE)
    assert (bundle["user_profile"], bundle["metadata"]["profile"]) == (None, None)


async def test_what_somebody_wrote_is_never_overridden(alone: AsyncClient) -> None:
    await agree(alone, BOTH)
    written: Json = {"preferences": {"livesIn": "Porto"}, "notes": "Short answers."}
    answer = await alone.put("/users/alice/profile", json=written)
    assert answer.status_code == 200
    await tell(alone, "I live in Lisbon.", "I work at Acme.")

    told = await profile(alone)

    assert (told["preferences"], told["notes"]) == (written["preferences"], "Short answers.")
    assert told["context"] == {"works_at": "Acme"}
    assert list(told["derived"]) == ["context"]
    changed = await alone.put("/users/alice/profile", json={"preferences": {"livesIn": None}})
    assert changed.json()["context"] == {"lives_in": "Lisbon", "works_at": "Acme"}
    assert changed.json()["preferences"] == {}


async def test_an_entry_goes_with_its_fact(client: AsyncClient) -> None:
    await agree(client, BOTH)
    stored = await tell(
        client,
        said("I live in Berlin.", created_at="2026-01-01T10:00:00Z"),
        said("I moved to Lisbon.", created_at="2026-02-01T10:00:00Z"),
        said("I love cheese.", created_at="2026-02-01T10:00:00Z"),
    )
    assert (await profile(client))["context"] == {"lives_in": "Lisbon"}
    then = await context(client, QUERY, as_of="2026-01-15T00:00:00Z", **ALICE)
    assert then["user_profile"]["context"] == {"lives_in": "Berlin"}
    cheese = await erase(client, f"/memories/{(await facts(client))['cheese']}")
    assert (await profile(client))["preferences"] == {}
    moved = await erase(client, f"/messages/{stored['message_ids'][1]}")
    assert [each["erased"]["profile_entries"] for each in (cheese, moved)] == [1, 1]
    assert (await profile(client))["context"] == {"lives_in": "Berlin"}
    await erase(client, f"/conversations/{stored['id']}")
    problem(await client.get("/users/alice/profile"), 404, "profile-not-found")
    assert (await context(client, QUERY, **ALICE))["user_profile"] is None


async def test_an_entry_ends_when_its_fact_does(alone: AsyncClient) -> None:
    await agree(alone, BOTH)
    for content, end in (("I love cheese.", "valid_to"), ("I love olives.", "expires_at")):
        fact = {"type": "fact", "content": content, end: "2090-01-01T00:00:00Z", **ALICE}
        assert (await alone.post("/memories", json=fact)).status_code == 201
    told = (await context(alone, QUERY, as_of="2089-12-31T00:00:00Z", **ALICE))["user_profile"]
    assert told["preferences"] == {"likes": ["cheese", "olives"]}
    later = await context(alone, QUERY, as_of="2090-01-01T00:00:00Z", **ALICE)
    assert later["user_profile"] is None


async def test_an_entry_says_what_its_fact_was_changed_to(client: AsyncClient) -> None:
    await agree(client, BOTH)
    await tell(client, "I live in Lisbon.")
    path = f"/memories/{(await facts(client))['Lisbon']}"
    for content, says in (("Alice lives in Porto", {"lives_in": "Porto"}), ("It rains.", None)):
        assert (await client.patch(path, json={"content": content})).status_code == 200
        bundle = await context(client, QUERY, **ALICE)
        assert (bundle["user_profile"] or {}).get("context") == says
    await agree(client, {"facts": True})
    problem(await client.get("/users/alice/profile"), 404, "profile-not-found")


async def test_revoking_facts_leaves_what_was_written(client: AsyncClient) -> None:
    await agree(client, BOTH)
    await client.put("/users/alice/profile", json={"notes": "Short answers."})
    await tell(client, "I live in Lisbon.", "I love cheese.")
    bundle = await context(client, QUERY, **ALICE)

    erasure = (await agree(client, {"facts": False}))["erasure"]

    erased = erasure["erased"]
    assert (erased["profile_entries"], erased["profiles"], erasure["remaining"]) == (2, 0, 0)
    assert (erased["bundles"], erased["cache_entries"], erased["consents"]) == (1, 1, 1)
    problem(await client.get(f"/bundles/{bundle['bundle_id']}"), 404, "bundle-not-found")
    left = (await context(client, QUERY, **ALICE))["user_profile"]
    assert left == {"preferences": {}, "context": {}, "notes": "Short answers."}
    assert len(await facts(client)) == 2


@pytest.mark.parametrize("path", ["/users/alice/consent", "/users/alice/profile", "/users/alice"])
async def test_with_the_profile_goes_what_facts_added(alone: AsyncClient, path: str) -> None:
    await agree(alone, BOTH)
    await tell(alone, "I live in Lisbon.")
    receipt = await erase(alone, path)
    assert (receipt["erased"]["profile_entries"], receipt["remaining"]) == (1, 0)
    assert (await context(alone, QUERY, **ALICE))["user_profile"] is None


async def test_an_expired_consent_to_facts_hides_them_until_it_is_given_anew(
    alone: AsyncClient,
) -> None:
    await agree(alone, BOTH)
    await tell(alone, "I live in Lisbon.")
    assert (await context(alone, QUERY, **ALICE))["user_profile"]
    past = datetime.now(UTC) - timedelta(seconds=1)
    await agree(alone, {"facts": True}, expires_at=past.isoformat())
    assert (await context(alone, QUERY, **ALICE))["user_profile"] is None
    await tell(alone, "I speak Greek.")
    await agree(alone, {"facts": True})
    assert (await profile(alone))["context"] == {"lives_in": "Lisbon", "speaks": ["Greek"]}


async def test_what_is_left_out_of_a_context_tells_nothing_of_the_user(alone: AsyncClient) -> None:
    await agree(alone, BOTH)
    secret = await tell(alone, "I live in Lisbon.")
    await tell(alone, "I love cheese.")
    filters = {"exclude_conversation_ids": [secret["id"]]}
    told = (await context(alone, QUERY, filters=filters, **ALICE))["user_profile"]
    assert (told["preferences"], told["context"]) == ({"likes": ["cheese"]}, {})
    await alone.patch(f"/conversations/{secret['id']}", json={"archived": True})
    assert (await profile(alone))["context"] == {}
    await alone.put("/flags", json={"facts": False})
    assert (await context(alone, QUERY, **ALICE))["user_profile"] is None


async def test_only_the_user_is_told_of(alone: AsyncClient) -> None:
    """Who else speaks in their conversations is somebody else."""
    await agree(alone, BOTH)
    await tell(alone, said("I live in Rome.", name="Bob"), said("I speak Greek.", name="Alice"))
    assert (await profile(alone))["context"] == {"speaks": ["Greek"]}


async def test_a_replay_shows_what_facts_said_then(client: AsyncClient) -> None:
    await agree(client, BOTH)
    await tell(client, "I live in Lisbon.")
    bundle = await context(client, QUERY, **ALICE)
    path = f"/bundles/{bundle['bundle_id']}"
    await tell(client, "I love cheese.", "I moved to Porto.")
    assert (await get(client, path))["user_profile"] == bundle["user_profile"]
    since = await context(client, QUERY, since=bundle["bundle_id"], **ALICE)
    assert since["since"]["profile_changed"] is True
    await agree(client, {"facts": False})
    problem(await client.get(path), 404, "bundle-not-found")


async def test_an_export_brings_facts_and_consent_and_so_the_entries(alone: AsyncClient) -> None:
    await agree(alone, BOTH)
    await alone.put("/users/alice/profile", json={"notes": "Short answers."})
    await tell(alone, "I live in Lisbon.")
    exported = (await alone.get("/export", params=ALICE)).text
    (user,) = (line for line in map(json.loads, exported.splitlines()) if line["record"] == "user")
    assert (user["profile"]["context"], user["profile"]["notes"]) == ({}, "Short answers.")
    await erase(alone, "/users/alice")
    answer = await alone.post("/import", content=exported.encode())
    assert answer.status_code == 200, answer.text
    there = await profile(alone)
    assert (there["context"], there["notes"]) == ({"lives_in": "Lisbon"}, "Short answers.")
    assert there["derived"] == {"context": {"lives_in": [(await facts(alone))["Lisbon"]]}}
