"""A problem says what is wrong with this request, beside what kind of problem it is."""

from uuid import uuid4

import pytest
from httpx import AsyncClient, Response

from app.settings import Settings
from tests.api.keyed import a_caller, a_key, the_service
from tests.api.speaking import Json, problem, said, store

JSON = {"content-type": "application/json"}
ID = str(uuid4())


def detail(answer: Response, status: int, slug: str) -> str:
    document = problem(answer, status, slug)
    assert document["detail"] != document["title"]
    return str(document["detail"])


@pytest.mark.parametrize(
    ("path", "slug", "name"),
    [
        ("conversations", "conversation-not-found", "conversation_id"),
        ("messages", "message-not-found", "message_id"),
        ("memories", "memory-not-found", "memory_id"),
        ("entities", "entity-not-found", "entity_id"),
        ("bundles", "bundle-not-found", "bundle_id"),
    ],
)
async def test_what_is_not_there_is_told_by_the_name_of_its_id(
    alone: AsyncClient, path: str, slug: str, name: str
) -> None:
    told = detail(await alone.get(f"/{path}/{ID}"), 404, slug)
    assert told.startswith(f"There is none with this {name}, or it was erased")


async def test_what_is_misshapen_is_told_with_its_first_place(alone: AsyncClient) -> None:
    body: Json = {"query": "q", "limit": 5}
    one = detail(await alone.post("/search", json=body), 422, "invalid-request")
    assert one == "#/limit: Extra inputs are not permitted; here it is called max_items."
    body |= {"min_score": "x", "as_of": 1}
    several = detail(await alone.post("/search", json=body), 422, "invalid-request")
    assert several.endswith(" (and 2 more in `errors`).")
    unreadable = detail(await alone.get("/conversations?q=%FF"), 422, "invalid-request")
    assert unreadable == "query: must be in UTF-8, percent-encoded."


@pytest.mark.parametrize("filled", ["", "x" * 60_000])
async def test_what_is_no_json_is_told_by_the_place(alone: AsyncClient, filled: str) -> None:
    body = f'{{"query": "{filled}", "a": nope}}'
    told = detail(await alone.post("/context", content=body, headers=JSON), 400, "not-json")
    assert told == f"Expecting value, at character {body.index('nope')}."


async def test_what_does_not_reach_a_route_is_told_why(alone: AsyncClient) -> None:
    assert "/docs" in detail(await alone.get("/nothing"), 404, "not-found")
    wrong_method = await alone.put("/context", json={})
    assert detail(wrong_method, 405, "method-not-allowed") == "This path takes POST."
    plain = await alone.post("/context", content=b"{}", headers={"content-type": "text/plain"})
    assert "Content-Type" in detail(plain, 415, "unsupported-media-type")
    packed = await alone.post("/context", content=b"", headers={"content-encoding": "gzip"})
    assert "Content-Encoding" in detail(packed, 415, "body-compressed")
    large = {"content-length": "999999999999"}
    answer = await alone.post("/context", content=b"", headers=large)
    assert " bytes" in detail(answer, 413, "body-too-large")


async def test_what_contradicts_something_is_told_what(alone: AsyncClient) -> None:
    key = {"Idempotency-Key": "k-1"}
    await alone.post("/conversations", json={"messages": [said("a")]}, headers=key)
    again = await alone.post("/conversations", json={"messages": [said("b")]}, headers=key)
    assert "k-1" in detail(again, 409, "idempotency-conflict")
    profile = await alone.put("/users/ann/profile", json={"notes": "x"})
    assert "`profile`" in detail(profile, 403, "consent-missing")
    assert "next_cursor" in detail(
        await alone.get("/conversations?cursor=x"), 422, "invalid-cursor"
    )
    fact = {"type": "fact", "content": "x", "valid_to": "2020-01-01T00:00:00Z"}
    assert "begins to hold at 20" in detail(
        await alone.post("/memories", json=fact), 422, "never-valid"
    )
    document = {"type": "document", "content": "Text.", "source": "a.md"}
    kept = (await alone.post("/memories", json=document)).json()["id"]
    changed = await alone.patch(f"/memories/{kept}", json={"importance": 7})
    assert "POST /memories" in detail(changed, 409, "document-read-only")


async def test_what_cannot_be_summed_up_is_told_why(alone: AsyncClient) -> None:
    silent = await store(alone, said("Be kind.", "system"))
    path = f"/conversations/{silent['id']}/summaries"
    assert "no user or assistant" in detail(
        await alone.post(path, json={}), 409, "nothing-to-summarise"
    )
    await alone.put("/flags", json={"summaries": False})
    assert "`summaries`" in detail(await alone.post(path, json={}), 409, "summaries-off")


async def test_who_has_no_key_is_told_how_one_is_given(embedded: Settings) -> None:
    await a_key(embedded)
    async with the_service(embedded) as app, a_caller(app, address="203.0.113.7") as stranger:
        answer = await stranger.get("/conversations")
        assert "Authorization" in detail(answer, 401, "not-authenticated")
