"""Files that are damaged, hostile or no exports, on both pairs of engines."""

import pytest
from httpx import AsyncClient

from tests.api.importing import NOTHING, imported
from tests.api.speaking import problem
from tests.exports import (
    chatgpt_conversation,
    sharegpt_conversation,
    spelled,
    zipped,
)


async def test_what_is_malformed_is_told_by_its_place_and_the_rest_goes_in(
    client: AsyncClient,
) -> None:
    damaged = chatgpt_conversation("damaged")
    damaged["mapping"]["looked"]["message"]["author"] = "nobody"
    good = spelled(chatgpt_conversation("good"))
    file = b'[{"mapping": 3}, {"no" "json"}, %s, 7, %s, {"mapping": {"cut' % (
        spelled(damaged),
        good,
    )

    told = await imported(client, file, user_id="alice")

    assert {**told, "rejected": [each["at"] for each in told["rejected"]]} == {
        **NOTHING,
        "conversations": 2,
        "messages": 5,
        "rejected": ["[0]", "[1]", "[2].mapping.'looked'", "[3]", "[5]"],
    }


@pytest.mark.parametrize(
    "file",
    [
        b"",
        b"  \n",
        b"hello",
        b"%PDF-1.7 ...",
        b"PK\x03\x04 no zip",
        zipped(notes_txt=b"x"),
        b"{\n}x",
    ],
)
async def test_what_is_no_export_is_refused(alone: AsyncClient, file: bytes) -> None:
    answer = await alone.post("/import", content=file)
    assert (answer.status_code, answer.json()["type"]) == (422, "/problems/import-unreadable")


@pytest.mark.parametrize(
    "hostile",
    [
        b"[" * 100_000,
        b'[{"messages":' + b"[" * 5_000 + b"]" * 5_000 + b"}]",
        b'[{"messages":[{"role":"user","content":"a\\u0000b"}]}]',
        b'[{"messages":[{"role":"user","content":"\\ud800"}]}]',
        b'[{"messages":[{"role":"user","content":"\xff\xfe"}]}]',
        b'[{"messages":[{"role":"user","content":"x","created_at":NaN}]}]',
        b'[{"messages":[{"role":"user","content":"x","created_at":1e300}]}]',
        b'[{"messages":[{"role":["x"],"content":{}}]}]',
        b'[{"mapping":{"a":{"parent":["a"],"message":[]}},"current_node":{}}]',
        b'[{"mapping":{"a":{"parent":"b"},"b":{"parent":"a"},"c":5},"current_node":"c"}]',
        b'[{"chat_messages":[{"sender":5}]}]',
        b'{"record":"memory","type":"chunk","content":"x"}',
        b'{"record":["x"]}',
        b'{"record":"user","user_id":"a","consent":{"nothing":{}}}',
        b'{"record":"conversation","messages":[{"role":"user","content":"x","unwanted":["words"]}]}',
    ],
)
async def test_what_is_hostile_is_rejected_and_what_follows_goes_in(
    client: AsyncClient, hostile: bytes
) -> None:
    told = await imported(client, hostile, user_id="alice")
    assert told["messages"] == 0
    assert told["rejected"]
    assert (await imported(client, spelled([sharegpt_conversation()])))["messages"] == 2


async def test_ids_that_cannot_be_stored_stand_for_themselves_all_the_same(
    client: AsyncClient,
) -> None:
    hostile = chatgpt_conversation("x" * 5_000)
    hostile["mapping"]["q"]["message"]["id"] = "a\0'\"; DROP TABLE message"

    first = await imported(client, spelled([hostile]), user_id="alice")
    again = await imported(client, spelled([hostile]), user_id="alice")

    assert (first["messages"], again["messages"], again["duplicates"]) == (3, 0, 3)


@pytest.mark.parametrize("kind", ["application/zip", "text/csv", None])
async def test_a_parameter_that_is_misspelled_is_told_whatever_the_file(
    alone: AsyncClient, kind: str | None
) -> None:
    headers = {"Content-Type": kind} if kind else {}
    content = zipped(conversations_json=spelled([sharegpt_conversation()]))
    answer = await alone.post(
        "/import", params={"userid": "alice"}, content=content, headers=headers
    )
    (told,) = problem(answer, 422, "invalid-request")["errors"]
    assert told["pointer"] == "query:userid"


async def test_a_zip_that_is_a_bomb_is_refused_unread(alone: AsyncClient) -> None:
    bomb = zipped(conversations_json=b"[" + b" " * 70_000_000 + b"]")
    answer = await alone.post("/import", content=bomb)
    assert answer.status_code == 422
    assert "packed more tightly" in answer.json()["detail"]
