"""What no user may be called: what is blank, and what HTTP clients take out of a path."""

import sqlite3
from contextlib import closing
from urllib.parse import quote

import pytest
from httpx import AsyncClient

from app.settings import Settings
from tests.api.importing import imported
from tests.api.listening import listening_to
from tests.api.proxied import Service
from tests.api.speaking import Json, erase, get, problem, said, store, talking_to
from tests.api.test_mcp import a_model, refused
from tests.exports import spelled

NOBODY = (".", "..", " ", "\n")
IN_A_PATH = "must not be . or .., which HTTP clients take out of a path"
FACT = {"type": "fact", "content": "The key is under the mat."}


def why(user: str) -> str:
    return IN_A_PATH if user.strip() else "must not be blank"


def raw(user: str) -> str:
    """As a part of a path that no client shortens."""
    return quote(user, safe="").replace(".", "%2E")


async def wrong(client: AsyncClient, method: str, path: str, body: Json | None = None) -> str:
    """What is wrong with a request, in the one place that is."""
    answer = await client.request(method, path, json=body)
    assert answer.status_code == 422, answer.text
    (place,) = answer.json()["errors"]
    assert place["pointer"] in {"#/user_id", "query:user_id", "path:user_id"}
    return str(place["detail"])


@pytest.mark.parametrize("user", NOBODY)
async def test_nobody_is_called_so_wherever_a_user_is_told_or_asked_for(
    alone: AsyncClient, user: str
) -> None:
    whose = {"user_id": user}
    bodies: dict[str, Json] = {
        "/conversations": {"messages": [said("Hello.")]},
        "/memories": FACT,
        "/context": {"query": "q"},
        "/search": {"query": "q"},
    }
    for path, body in bodies.items():
        assert await wrong(alone, "POST", path, {**body, **whose}) == why(user)
    for path in ("/conversations?", "/memories?", "/entities?", "/memory/debug/retrieval?q=q&"):
        assert await wrong(alone, "GET", f"{path}user_id={quote(user)}") == why(user)
    assert await wrong(alone, "POST", f"/import?user_id={quote(user)}") == why(user)
    for about, change in (
        ("consent", {"purposes": {"profile": True}}),
        ("profile", {"notes": "Tea."}),
    ):
        path = f"/users/{raw(user)}/{about}"
        assert await wrong(alone, "PUT", path, change) == why(user)
        assert await wrong(alone, "GET", path) == why(user)
    assert (await get(alone, "/users"))["items"] == []


@pytest.mark.parametrize("user", ["...", ".a", "a.", ". .", " a "])
async def test_who_is_called_nearly_so_is_a_user_like_any_other(
    alone: AsyncClient, user: str
) -> None:
    await store(alone, "Hello.", user_id=user)
    agreed = {"purposes": {"profile": True}}
    answer = await alone.put(f"/users/{quote(user)}/consent", json=agreed)
    assert answer.json()["user_id"] == user
    assert (await erase(alone, f"/users/{quote(user)}"))["erased"]["messages"] == 1


@pytest.mark.parametrize("user", NOBODY)
async def test_what_was_stored_under_such_an_id_before_can_be_exported_and_erased(
    embedded: Settings, user: str
) -> None:
    async with talking_to(embedded) as client:
        await store(client, "Hello.", user_id="before")
        await store(client, "Hello.", user_id="profile")
    with closing(sqlite3.connect(embedded.data_dir / "foreword.db")) as database, database:
        database.execute("UPDATE scope SET user_id = ? WHERE user_id = 'before'", [user])
    async with talking_to(embedded) as client:
        whose = {"user_id": user}
        file = (await client.get("/export", params=whose)).content
        assert b'"content":"Hello."' in file
        for about in ("consent", "profile"):
            assert (await client.delete(f"/users/{raw(user)}/{about}")).status_code == 200
        assert (await erase(client, f"/users/{raw(user)}"))["erased"]["messages"] == 1
        assert (await client.get("/export", params=whose)).content.count(b"\n") == 1
        assert [each["user_id"] for each in (await get(client, "/users"))["items"]] == ["profile"]

        told = await imported(client, file)
        assert (told["messages"], {each["reason"] for each in told["rejected"]}) == (
            0,
            {f"user_id {why(user)}"},
        )
        assert (await imported(client, file, user_id="after"))["rejected"] == []


@pytest.mark.parametrize("user", NOBODY)
async def test_a_record_of_such_a_user_is_rejected_by_its_place_and_the_rest_goes_in(
    alone: AsyncClient, user: str
) -> None:
    good, bad = [
        {"id": name, "user_id": whose, "messages": [said("Hello.")]}
        for name, whose in (("good", "ann"), ("bad", user))
    ]
    told = await imported(alone, spelled([good, bad]))
    assert told["rejected"] == [{"at": "[1]", "reason": f"user_id {why(user)}"}]
    assert (told["conversations"], told["messages"]) == (1, 1)
    table = f'user_id,content\nann,"Hello, Ann."\n"{user}",Hello.\n'.encode()
    told = await imported(alone, table)
    assert [each["reason"] for each in told["rejected"]] == [f"user_id {why(user)}"]
    assert told["messages"] == 1


@pytest.mark.parametrize("user", [".", ".."])
async def test_the_proxy_takes_no_such_user(service: Service, user: str) -> None:
    chat = {"model": "gpt-x", "messages": [said("Hello.")]}
    for more, headers, where in (
        ({}, {"X-Foreword-User": user}, "x-foreword-user"),
        ({"user": user}, {}, "user"),
        ({"metadata": {"user_id": user}}, {}, "metadata.user_id"),
    ):
        answer = await service.plain.post(
            "/v1/chat/completions", json={**chat, **more}, headers=headers
        )
        told = problem(answer, 422, "unusable-header" if headers else "unusable-field")
        assert told["title"].startswith("A header" if headers else "A field of the body")
        assert told["detail"] == f"{where} {IN_A_PATH}"


async def test_models_can_name_no_such_user(embedded: Settings) -> None:
    async with listening_to(embedded) as listening:
        async with a_model(listening) as client:
            for user in NOBODY:
                told = await refused(client, "remember", content="Hello.", user_id=user)
                assert told == f"user_id: {why(user)}."
        async with a_model(listening, user=".") as client:
            assert IN_A_PATH in await refused(client, "remember", content="Hello.")
