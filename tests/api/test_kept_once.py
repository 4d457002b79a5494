"""What is no conversation and no memory item, and is yet stored once under an idempotency key."""

import asyncio
from typing import Any

from httpx import AsyncClient, Response

from app.settings import Settings
from tests.api.keyed import EVERYTHING, a_caller, a_key, the_service
from tests.api.speaking import get, problem
from tests.exports import spelled

ONCE = {"Idempotency-Key": "4711"}
FILE = spelled([{"id": "chat", "messages": [{"role": "user", "content": "Hugin is ours."}]}])
OTHER = spelled([{"id": "chat", "messages": [{"role": "user", "content": "Munin is not."}]}])
IN_LINES = {"Accept": "application/x-ndjson"}


async def bring(client: AsyncClient, file: bytes = FILE, **about: Any) -> Response:
    headers = ONCE | about.pop("headers", {})
    return await client.post("/import", content=file, headers=headers, params=about)


async def test_an_import_is_answered_again_as_the_first_time(client: AsyncClient) -> None:
    first = await bring(client, user_id="alice")
    again = await bring(client, user_id="alice")
    in_lines = await bring(client, user_id="alice", headers=IN_LINES)
    in_a_form = await client.post(
        "/import", files={"file": FILE}, headers=ONCE, params={"user_id": "alice"}
    )

    assert (first.json()["messages"], first.json()["duplicates"]) == (1, 0)
    assert "idempotency-replayed" not in first.headers
    for replay in (again, in_lines, in_a_form):
        assert (replay.status_code, replay.json()) == (200, first.json())
        assert replay.headers["idempotency-replayed"] == "true"


async def test_another_file_or_user_under_the_same_key_is_refused(client: AsyncClient) -> None:
    assert (await bring(client, user_id="alice")).status_code == 200
    for refused in (await bring(client, OTHER, user_id="alice"), await bring(client)):
        problem(refused, 409, "idempotency-conflict")
    assert (await get(client, "/memory/debug/stats"))["messages"] == 1


async def test_two_imports_at_once_under_one_key_are_answered_alike(client: AsyncClient) -> None:
    answers = await asyncio.gather(*(bring(client, user_id="alice") for _ in range(4)))
    assert [each.json() for each in answers] == [answers[0].json()] * 4
    assert (await get(client, "/memory/debug/stats"))["messages"] == 1


async def test_what_was_refused_is_tried_anew(client: AsyncClient) -> None:
    problem(await bring(client, b"no export"), 422, "import-unreadable")
    assert (await bring(client)).json()["messages"] == 1


async def test_an_import_that_was_erased_comes_in_anew(client: AsyncClient) -> None:
    await bring(client, user_id="alice")
    assert (await client.delete("/users/alice")).status_code == 200
    again = await bring(client, user_id="alice")
    assert (again.json()["messages"], "idempotency-replayed" in again.headers) == (1, False)


async def test_a_key_is_made_once_and_shown_once(embedded: Settings) -> None:
    body = {"name": "reader", "scopes": ["read"]}
    _, key = await a_key(embedded, "ours", scopes=EVERYTHING)
    async with the_service(embedded) as app, a_caller(app, key) as admin:
        made = await admin.post("/admin/keys", json=body, headers=ONCE)
        again = await admin.post("/admin/keys", json=body, headers=ONCE)
        other = await admin.post("/admin/keys", json={"name": "x"}, headers=ONCE)
        listed = (await get(admin, "/admin/keys"))["items"]
    assert made.status_code == 201
    told = problem(again, 409, "key-shown-before")
    assert told["key_id"] == made.json()["id"]
    problem(other, 409, "idempotency-conflict")
    assert [each["name"] for each in listed] == ["reader", "of ours"]
    kept = b"".join(each.read_bytes() for each in embedded.data_dir.glob("foreword.db*"))
    assert made.json()["id"].encode() in kept
    assert made.json()["key"].encode() not in kept
