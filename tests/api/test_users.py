"""The list of users, over HTTP."""

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from httpx import AsyncClient

from app.settings import Settings
from tests.api.keyed import EVERYTHING, a_caller, a_key, the_service
from tests.api.speaking import erase, get, problem, said, store


async def names(client: AsyncClient, **parameters: object) -> list[str]:
    return [each["user_id"] for each in (await get(client, "/users", **parameters))["items"]]


async def bring(client: AsyncClient, *users: str) -> None:
    for user in users:
        await store(client, user_id=user)


async def test_whoever_said_anything_is_listed_until_erased(alone: AsyncClient) -> None:
    assert await get(alone, "/users") == {"items": [], "next_cursor": None}
    await store(alone, said("Hello.", created_at="2026-01-20T12:00:00+02:00"), user_id="bob")
    await store(alone, "Hello.")
    document = {"type": "document", "content": "House rules.", "source": "rules"}
    assert (await alone.post("/memories", json=document)).status_code == 201
    agreed = await alone.put("/users/ann/consent", json={"purposes": {"profile": True}})
    assert agreed.status_code == 200
    ann, bob = (await get(alone, "/users"))["items"]
    assert {**ann, "created_at": ""} == {
        "user_id": "ann",
        "created_at": "",
        "last_message_at": None,
    }
    assert (bob["user_id"], bob["last_message_at"]) == ("bob", "2026-01-20T10:00:00Z")
    assert datetime.fromisoformat(bob["created_at"]) <= datetime.now(UTC)
    await erase(alone, "/users/bob")
    assert await names(alone) == ["ann"]


async def test_pages_go_on_where_they_ended_and_ids_are_taken_to_the_letter(
    client: AsyncClient,
) -> None:
    mark = uuid4().hex
    longest = mark + "\x01" * (255 - len(mark))
    users = sorted(mark + end for end in ("%", "%a", "_", "A", "a", "\\", "é", "🧭"))
    await bring(client, *users, longest)
    first = await get(client, "/users", begins=mark, limit=1)
    assert [each["user_id"] for each in first["items"]] == [longest]
    rest = await get(client, "/users", begins=mark, cursor=first["next_cursor"], limit=500)
    assert [each["user_id"] for each in rest["items"]] == users
    assert rest["next_cursor"] is None
    assert await names(client, begins=f"{mark}%") == [f"{mark}%", f"{mark}%a"]
    assert await names(client, begins=f"{mark}_") == [f"{mark}_"]
    assert await names(client, begins=mark.upper()) == []
    assert await names(client, begins="", limit=1) == (await names(client))[:1]


WRONG: list[dict[str, Any]] = [
    {"limit": 0}, {"limit": 501}, {"limit": "x"}, {"begins": "a\0"}, {"begins": "a" * 256},
    {"cursor": "a" * 2_101}, {"user_id": "ann"},
]  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: next(iter(wrong)))
async def test_what_cannot_be_asked_is_told(client: AsyncClient, wrong: dict[str, Any]) -> None:
    told = problem(await client.get("/users", params=wrong), 422, "invalid-request")
    (name,) = wrong
    assert told["errors"][0]["pointer"].endswith(name)


@pytest.mark.parametrize("cursor", ["x", "W10", "WzEsMiwzXQ", "\0", "é", "W1tbW1tb" * 260])
async def test_a_cursor_that_is_none_is_refused(client: AsyncClient, cursor: str) -> None:
    problem(await client.get("/users", params={"cursor": cursor}), 422, "invalid-cursor")


async def test_only_admins_are_told_who_there_is_and_every_answer_tells_who_is_one(
    embedded: Settings,
) -> None:
    async with the_service(embedded) as app, a_caller(app) as anyone:
        open_to_all = await anyone.get("/users")
        assert open_to_all.headers["x-foreword-scopes"] == "read, write, admin"
        for scopes in ("read,write", EVERYTHING):
            _, key = await a_key(embedded, scopes=scopes)
            async with a_caller(app, key) as holder:
                told = await holder.get("/conversations")
                assert told.headers["x-foreword-scopes"] == scopes.replace(",", ", ")
                answer = await holder.get("/users")
                if scopes == EVERYTHING:
                    assert answer.status_code == 200
                else:
                    assert problem(answer, 403, "not-permitted")["needed"] == "admin"
                assert answer.headers["x-foreword-scopes"] == scopes.replace(",", ", ")
        refused = await anyone.get("/users")
        problem(refused, 401, "not-authenticated")
        assert "x-foreword-scopes" not in refused.headers
        assert "x-foreword-scopes" not in (await anyone.get("/healthz")).headers
