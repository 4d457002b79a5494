"""Storing, reading, listing and changing conversations."""

from uuid import UUID, uuid4

import pytest
from httpx import AsyncClient

from app.adapters.sql.cursors import encode_cursor
from tests.api.speaking import Json, contents, context, get, problem, said, search, store

WHOLE = {
    "external_id": "chat-42",
    "user_id": "alice",
    "label": "API design",
    "folder": "/work/backend",
    "importance": 7,
    "tags": ["rest", "http"],
    "metadata": {"source": {"app": "slack", "thread": [1, 2.5, None, True]}},
    "system_prompt": "Be brief.",
    "created_at": "2026-01-20T12:00:00+02:00",
}
CALL = {"id": "call-1", "type": "function", "function": {"name": "clock", "arguments": "{}"}}


async def stored_ids(client: AsyncClient, **parameters: object) -> list[str]:
    listed = await get(client, "/conversations", **parameters)
    return [each["id"] for each in listed["items"]]


async def test_storing_answers_with_ids_and_counts(client: AsyncClient) -> None:
    answer = await client.post(
        "/conversations", json={**WHOLE, "messages": [said("How should we structure it?")]}
    )

    assert answer.status_code == 201
    body = answer.json()
    assert set(body) == {
        *("id", "external_id", "message_ids", "message_count", "token_count", "indexed"),
        *("duplicates", "differing_ids"),
    }
    assert UUID(body["id"]).version == UUID(body["message_ids"][0]).version == 7
    assert body["external_id"] == "chat-42"
    assert (body["message_count"], body["token_count"]) == (1, 6)
    assert (body["indexed"], body["duplicates"], body["differing_ids"]) == (False, 0, [])


async def test_a_conversation_is_read_as_it_was_stored_in_utc(client: AsyncClient) -> None:
    stored = await store(client, "How should we structure it?", **WHOLE)

    read = await get(client, f"/conversations/{stored['id']}")

    updated_at = read.pop("updated_at")
    assert updated_at.endswith("Z")
    assert read == {
        **WHOLE,
        "id": stored["id"],
        "created_at": "2026-01-20T10:00:00Z",
        "archived": False,
        "last_message_at": "2026-01-20T10:00:00Z",
        "message_count": 1,
        "token_count": 6,
    }


async def test_a_message_is_read_as_it_was_stored(client: AsyncClient) -> None:
    message = {
        **said("It is noon.", "assistant", name="Clock", external_id="m1", importance=3),
        "tool_calls": [CALL],
        "tool_call_id": "call-0",
        "metadata": {"model": "none"},
        "created_at": "2026-01-20T12:00:05.123456+02:00",
    }
    stored = await store(client, message)

    (read,) = (await get(client, f"/conversations/{stored['id']}/messages"))["items"]

    assert read == {
        **message,
        "id": stored["message_ids"][0],
        "conversation_id": stored["id"],
        "created_at": "2026-01-20T10:00:05.123456Z",
        "tokens": read["tokens"],
        "echo": [],
        "rating": {"importance": 4, "kind": "statement", "topics": ["noon"]},
        "aside": False,
    }
    assert read["tokens"] > 4


async def test_one_message_is_read_by_its_id(client: AsyncClient) -> None:
    stored = await store(client, "The first one.", "The second one.", user_id="alice")
    listed = (await get(client, f"/conversations/{stored['id']}/messages"))["items"]
    for message in listed:
        assert await get(client, f"/messages/{message['id']}") == message
    problem(await client.get(f"/messages/{uuid4()}"), 404, "message-not-found")
    problem(await client.get(f"/messages/{stored['id']}"), 404, "message-not-found")


async def test_only_role_and_content_are_required(client: AsyncClient) -> None:
    stored = await store(
        client, said("What time is it?"), said(None, "assistant", tool_calls=[CALL])
    )

    read = await get(client, f"/conversations/{stored['id']}")
    messages = (await get(client, f"/conversations/{stored['id']}/messages"))["items"]

    assert (read["user_id"], read["external_id"], read["importance"]) == (None, None, 5)
    assert [each["content"] for each in messages] == ["What time is it?", None]


async def test_a_conversation_may_start_empty(client: AsyncClient) -> None:
    stored = await store(client)

    assert (stored["message_ids"], stored["message_count"], stored["indexed"]) == ([], 0, True)


async def test_messages_are_read_in_the_order_they_were_said_page_by_page(
    client: AsyncClient,
) -> None:
    stored = await store(client, *map(str, range(5)))
    path = f"/conversations/{stored['id']}/messages"

    first = await get(client, path, limit=2)
    second = await get(client, path, limit=2, cursor=first["next_cursor"])
    third = await get(client, path, limit=2, cursor=second["next_cursor"])
    newest = await get(client, path, order="desc", limit=2)
    older = await get(client, path, order="desc", limit=3, cursor=newest["next_cursor"])

    pages = [[each["content"] for each in page["items"]] for page in (first, second, third)]
    assert pages == [["0", "1"], ["2", "3"], ["4"]]
    assert third["next_cursor"] is None
    both = [each["content"] for page in (newest, older) for each in page["items"]]
    assert both == ["4", "3", "2", "1", "0"]
    assert older["next_cursor"] is None


async def test_conversations_are_listed_newest_first_page_by_page(client: AsyncClient) -> None:
    ids = [
        (await store(client, user_id="alice", created_at=f"2026-01-{day:02}T00:00:00Z"))["id"]
        for day in (3, 1, 2, 2)
    ]

    first = await get(client, "/conversations", user_id="alice", limit=3)
    last = await get(
        client, "/conversations", user_id="alice", limit=3, cursor=first["next_cursor"]
    )

    assert [each["id"] for each in first["items"]] == [ids[0], ids[3], ids[2]]
    assert [each["id"] for each in last["items"]] == [ids[1]]
    assert last["next_cursor"] is None


async def test_a_list_without_user_id_shows_those_of_no_user_only(client: AsyncClient) -> None:
    nobodys = await store(client, "hello")
    await store(client, "hello", user_id="alice")

    assert await stored_ids(client) == [nobodys["id"]]
    assert await stored_ids(client, user_id="bob") == []


NARROWED: list[tuple[dict[str, str], list[str]]] = [
    ({}, ["b", "a"]),
    ({"folder": "/work"}, ["a"]),
    ({"folder": "/work/"}, ["a"]),
    ({"folder": "/work/backend"}, ["a"]),
    ({"folder": "/workshop"}, ["b"]),
    ({"label": "API design"}, ["a"]),
    ({"label": "API"}, []),
    ({"tag": "rest"}, ["a"]),
    ({"tag": "HTTP"}, []),
    ({"q": "DESIGN"}, ["a"]),
    ({"q": "shop"}, ["b"]),
    ({"q": "%"}, []),
    ({"q": "b"}, ["b", "a"]),
    ({"after": "2026-01-02T00:00:00Z"}, ["b"]),
    ({"after": "2026-01-01T00:00:00Z"}, ["b", "a"]),
    ({"before": "2026-01-02T00:00:00Z"}, ["a"]),
    ({"before": "2026-01-02T01:00:00+01:00"}, ["a"]),
    ({"after": "2026-01-01T00:00:00.000001Z", "label": "API design"}, []),
]


async def test_a_list_is_narrowed(client: AsyncClient) -> None:
    who: Json = {"user_id": "alice"}
    await store(
        client,
        **who,
        external_id="a",
        label="API design",
        folder="/work/backend",
        tags=["rest", "http"],
        created_at="2026-01-01T00:00:00Z",
    )
    await store(
        client, **who, external_id="b", folder="/workshop", created_at="2026-01-02T00:00:00Z"
    )

    for wanted, expected in NARROWED:
        listed = await get(client, "/conversations", **who, **wanted)
        assert [each["external_id"] for each in listed["items"]] == expected, wanted


@pytest.mark.parametrize("cursor", ["x", "W10", "WzEsMiwzXQ", "\0", "é", "WzFlOTld"])
async def test_a_cursor_that_is_none_is_refused(client: AsyncClient, cursor: str) -> None:
    stored = await store(client, "hello")
    for path in ("/conversations", f"/conversations/{stored['id']}/messages"):
        answer = await client.get(path, params={"cursor": cursor})
        assert answer.status_code == 422, path
        assert answer.headers["content-type"] == "application/problem+json"


async def test_a_cursor_beyond_all_times_is_no_accident(client: AsyncClient) -> None:
    await store(client, "hello")
    for place, expected in ((2**62, 1), (-(2**62), 0)):
        listed = await get(client, "/conversations", cursor=encode_cursor([place, 1]))
        assert len(listed["items"]) == expected


async def test_a_patch_sets_what_is_given_and_leaves_the_rest(client: AsyncClient) -> None:
    stored = await store(client, "hello", **WHOLE)
    path = f"/conversations/{stored['id']}"
    before = await get(client, path)

    changed = await client.patch(path, json={"label": None, "tags": ["b", "a", "b"]})

    assert changed.status_code == 200
    after = changed.json()
    assert await get(client, path) == after
    assert (after["label"], after["tags"]) == (None, ["b", "a"])
    assert after["updated_at"] > before["updated_at"]
    untouched = set(WHOLE) - {"label", "tags"}
    assert {name: after[name] for name in untouched} == {name: before[name] for name in untouched}


async def test_every_field_that_a_patch_knows_can_be_set(client: AsyncClient) -> None:
    stored = await store(client, "hello")
    new: Json = {
        "label": "L",
        "folder": "/f",
        "importance": 1,
        "tags": ["t"],
        "metadata": {"k": "v"},
        "archived": True,
    }

    changed = (await client.patch(f"/conversations/{stored['id']}", json=new)).json()

    assert {name: changed[name] for name in new} == new


@pytest.mark.parametrize("path", ["", "/messages"])
async def test_what_is_not_there_is_not_found(client: AsyncClient, path: str) -> None:
    nobody = uuid4()
    document = problem(
        await client.get(f"/conversations/{nobody}{path}"), 404, "conversation-not-found"
    )
    assert document["conversation_id"] == str(nobody)
    patched = await client.patch(f"/conversations/{nobody}", json={"label": "x"})
    problem(patched, 404, "conversation-not-found")


async def test_an_archived_conversation_is_readable_but_in_no_context(client: AsyncClient) -> None:
    secret = "The launch code of the rocket is 4711."
    stored = await store(client, secret, user_id="alice", importance=10)
    path = f"/conversations/{stored['id']}"
    query: Json = {"query": "launch code of the rocket", "user_id": "alice"}
    assert contents(await context(client, **query)) == [secret]

    await client.patch(path, json={"archived": True})

    assert contents(await context(client, **query)) == []
    assert contents(await search(client, **query)) == []
    assert (await get(client, f"{path}/messages"))["items"][0]["content"] == secret
    assert await stored_ids(client, user_id="alice") == [stored["id"]]

    await client.patch(path, json={"archived": False})
    await store(client, user_id="alice")

    assert contents(await context(client, **query)) == [secret]


async def test_what_is_said_in_an_archived_conversation_stays_out_too(client: AsyncClient) -> None:
    stored = await store(client, "hello", user_id="alice")
    path = f"/conversations/{stored['id']}"
    await client.patch(path, json={"archived": True})

    added = await client.post(
        f"{path}/messages?wait=indexed", json={"messages": [said("The launch code is 4711.")]}
    )

    assert added.status_code == 201
    assert contents(await search(client, "launch code", user_id="alice")) == []
    await client.patch(path, json={"archived": False})
    assert contents(await search(client, "launch code", user_id="alice")) == [
        "The launch code is 4711."
    ]
