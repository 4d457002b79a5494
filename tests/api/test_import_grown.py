"""Importing files of bare messages again, longer or shorter: on both pairs of engines."""

import csv
import io
import json
from collections.abc import Callable, Sequence

import pytest
from httpx import AsyncClient

from tests.api.importing import NOTHING, imported, said
from tests.exports import ASKED, HUGIN, MUNIN

Said = tuple[str, str]
THANKS = "Thank you, that was all."
TALK: Sequence[Said] = [
    ("user", ASKED),
    ("assistant", HUGIN),
    ("user", "Since when?"),
    ("assistant", "Since May."),
    ("user", THANKS),
]


def _messages(talk: Sequence[Said]) -> list[dict[str, str]]:
    return [{"role": role, "content": content} for role, content in talk]


def as_list(talk: Sequence[Said]) -> bytes:
    return json.dumps(_messages(talk), indent=1).encode()


def as_lines(talk: Sequence[Said]) -> bytes:
    return "\n".join(json.dumps(each) for each in _messages(talk)).encode()


def as_object(talk: Sequence[Said]) -> bytes:
    return json.dumps({"messages": _messages(talk)}, indent=1).encode()


def as_line(talk: Sequence[Said]) -> bytes:
    return json.dumps({"messages": _messages(talk)}).encode()


def as_sharegpt(talk: Sequence[Said]) -> bytes:
    told = [{"from": "human" if role == "user" else "gpt", "value": text} for role, text in talk]
    return json.dumps({"conversations": told}).encode()


def as_table(talk: Sequence[Said]) -> bytes:
    table = io.StringIO()
    csv.writer(table).writerows([("role", "content"), *talk])
    return table.getvalue().encode()


def as_table_without_an_end(talk: Sequence[Said]) -> bytes:
    return as_table(talk).removesuffix(b"\r\n")


Spelling = Callable[[Sequence[Said]], bytes]
SPELLINGS = (
    *(as_list, as_lines, as_object, as_line),
    *(as_sharegpt, as_table, as_table_without_an_end),
)


async def contents(client: AsyncClient) -> list[list[str]]:
    return [[each[1] for each in talk] for talk in await said(client, "alice")]


def texts(talk: Sequence[Said]) -> list[str]:
    return [content for _, content in talk]


@pytest.mark.parametrize("spelled", SPELLINGS)
async def test_a_list_that_grew_goes_on_with_what_came_in_before(
    alone: AsyncClient, spelled: Spelling
) -> None:
    assert (await imported(alone, spelled(TALK[:2]), user_id="alice"))["conversations"] == 1

    grown = await imported(alone, spelled(TALK[:3]), user_id="alice")
    again = await imported(alone, spelled(TALK[:3]), user_id="alice")
    further = await imported(alone, spelled(TALK), user_id="alice")
    older = await imported(alone, spelled(TALK[:2]), user_id="alice")

    assert grown == {**NOTHING, "messages": 1, "duplicates": 2}
    assert again == {**NOTHING, "duplicates": 3}
    assert further == {**NOTHING, "messages": 2, "duplicates": 3}
    assert older == {**NOTHING, "duplicates": 2}
    assert await contents(alone) == [texts(TALK)]


async def test_a_list_that_grew_goes_on_on_both_databases(client: AsyncClient) -> None:
    await imported(client, as_list(TALK[:3]), user_id="alice")

    assert await imported(client, as_list(TALK), user_id="alice") == {
        **NOTHING,
        "messages": 2,
        "duplicates": 3,
    }
    assert await contents(client) == [texts(TALK)]


@pytest.mark.parametrize("spelled", SPELLINGS)
async def test_a_list_that_is_the_beginning_of_what_is_there_adds_nothing(
    alone: AsyncClient, spelled: Spelling
) -> None:
    await imported(alone, spelled(TALK), user_id="alice")

    for end in (3, 2, 4):
        told = await imported(alone, spelled(TALK[:end]), user_id="alice")
        assert told == {**NOTHING, "duplicates": end}
    assert await contents(alone) == [texts(TALK)]


async def test_a_beginning_adds_nothing_on_both_databases(client: AsyncClient) -> None:
    await imported(client, as_table(TALK), user_id="alice")
    await imported(client, as_list(TALK[2:]), user_id="alice")

    told = await imported(client, as_list(TALK[:3]), user_id="alice")

    assert told == {**NOTHING, "duplicates": 3}
    assert sorted(await contents(client), key=len) == [texts(TALK[2:]), texts(TALK)]


async def test_a_long_beginning_adds_nothing_in_any_portion(alone: AsyncClient) -> None:
    talk = [("user" if at % 2 == 0 else "assistant", f"Word {at}.") for at in range(450)]
    await imported(alone, as_lines(talk), user_id="alice")

    told = await imported(alone, as_lines(talk[:405]), user_id="alice")
    other = await imported(alone, as_lines([*talk[:404], ("user", MUNIN)]), user_id="alice")

    assert told == {**NOTHING, "duplicates": 405}
    assert other == {**NOTHING, "conversations": 1, "messages": 405}


@pytest.mark.parametrize(
    "other",
    [TALK[:1], TALK[1:3], [TALK[0], ("user", HUGIN)], [*TALK[:2], ("user", "Since")]],
    ids=["one message", "the middle", "another role", "a part of a message"],
)
async def test_what_is_no_beginning_is_a_chat_of_its_own(
    alone: AsyncClient, other: Sequence[Said]
) -> None:
    await imported(alone, as_list(TALK), user_id="alice")
    await imported(alone, as_list(TALK), user_id="bob")

    told = await imported(alone, as_list(other), user_id="alice")

    assert told == {**NOTHING, "conversations": 1, "messages": len(other)}


def numbered(words: Sequence[str], **told: str) -> bytes:
    """Messages with ids that many files have."""
    listed = [
        {"id": str(at), "role": "user", "content": each, **told} for at, each in enumerate(words)
    ]
    return json.dumps(listed).encode()


async def test_a_beginning_says_the_same_under_its_ids(alone: AsyncClient) -> None:
    await imported(alone, numbered([ASKED, HUGIN, THANKS]), user_id="alice")

    known = await imported(alone, numbered([ASKED, HUGIN]), user_id="alice")
    other = await imported(alone, numbered([ASKED, MUNIN]), user_id="alice")

    assert known == {**NOTHING, "duplicates": 2}
    assert other == {**NOTHING, "conversations": 1, "messages": 2}


async def test_a_beginning_was_said_when_it_says(alone: AsyncClient) -> None:
    may, june = "2026-05-01T10:00:00Z", "2026-06-01T10:00:00Z"
    await imported(alone, numbered([ASKED, HUGIN, THANKS], created_at=may), user_id="alice")

    then = await imported(alone, numbered([ASKED, HUGIN], created_at=may), user_id="alice")
    untold = await imported(alone, numbered([ASKED, HUGIN]), user_id="alice")
    later = await imported(alone, numbered([ASKED, HUGIN], created_at=june), user_id="alice")

    assert then == untold == {**NOTHING, "duplicates": 2}
    assert later == {**NOTHING, "conversations": 1, "messages": 2}


async def test_a_conversation_with_a_name_of_its_own_is_none_of_a_list(alone: AsyncClient) -> None:
    named = json.dumps({"id": "chat-42", "messages": _messages(TALK)}).encode()
    await imported(alone, named, user_id="alice")

    told = await imported(alone, as_list(TALK[:2]), user_id="alice")

    assert told == {**NOTHING, "conversations": 1, "messages": 2}


async def test_chats_that_only_begin_alike_stay_two(alone: AsyncClient) -> None:
    other: Sequence[Said] = [*TALK[:2], ("user", MUNIN), ("assistant", "So it is.")]
    await imported(alone, as_list(TALK[:2]), user_id="alice")
    await imported(alone, as_list(TALK), user_id="alice")

    told = await imported(alone, as_list(other), user_id="alice")

    assert told == {**NOTHING, "conversations": 1, "messages": 4}
    assert sorted(await contents(alone), key=len) == [texts(other), texts(TALK)]


async def test_a_list_goes_on_with_no_more_than_it_says_itself(alone: AsyncClient) -> None:
    """Not with another user's, nor with a first message alone, which many chats begin with."""
    await imported(alone, as_list(TALK[:2]), user_id="bob")
    await imported(alone, as_list(TALK[:1]), user_id="alice")

    told = await imported(alone, as_list(TALK), user_id="alice")

    assert told == {**NOTHING, "conversations": 1, "messages": 5}


async def test_a_list_that_grew_does_not_go_on_where_somebody_added_something(
    alone: AsyncClient,
) -> None:
    await imported(alone, as_list(TALK[:2]), user_id="alice")
    (listed,) = (await alone.get("/conversations", params={"user_id": "alice"})).json()["items"]
    body = {"messages": [{"role": "user", "content": MUNIN}]}
    await alone.post(f"/conversations/{listed['id']}/messages", json=body)

    told = await imported(alone, as_list(TALK), user_id="alice")

    assert told == {**NOTHING, "conversations": 1, "messages": 5}


async def test_a_long_list_goes_on_in_portions(alone: AsyncClient) -> None:
    talk = [("user" if at % 2 == 0 else "assistant", f"Word {at}.") for at in range(450)]
    await imported(alone, as_lines(talk[:205]), user_id="alice")

    told = await imported(alone, as_lines(talk), user_id="alice")

    assert told == {**NOTHING, "messages": 245, "duplicates": 205}


def as_threads(*rows: tuple[str, str]) -> bytes:
    table = io.StringIO()
    csv.writer(table).writerows([("thread", "content"), *rows])
    return table.getvalue().encode()


async def test_rows_without_a_conversation_go_on_with_those_of_their_file(
    alone: AsyncClient,
) -> None:
    rows = [("t-1", ASKED), ("", "Since when?"), (" ", "Since May."), ("t-1", HUGIN)]
    await imported(alone, as_threads(*rows), user_id="alice")

    grown = await imported(alone, as_threads(*rows, ("", THANKS)), user_id="alice")
    other = await imported(alone, as_threads(("t-2", "Hello."), ("", MUNIN)), user_id="alice")

    assert grown == {**NOTHING, "messages": 1, "duplicates": 4}
    assert other == {**NOTHING, "conversations": 2, "messages": 2}
    assert sorted(await contents(alone)) == sorted(
        [[ASKED, HUGIN], ["Since when?", "Since May.", THANKS], ["Hello."], [MUNIN]]
    )


async def test_of_several_records_each_stays_what_it_is(alone: AsyncClient) -> None:
    """Sets of examples tell the same beginning on purpose."""
    file = b"\n".join(map(as_line, (TALK[:2], TALK[:3], TALK)))

    told = await imported(alone, file, user_id="alice")

    assert told == {**NOTHING, "conversations": 3, "messages": 10}
