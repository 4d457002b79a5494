"""Messages: appended, read back to the letter, paged."""

from typing import Any

import pytest
from sqlalchemy.exc import IntegrityError
from uuid_utils.compat import uuid7

from app.adapters.sql.cursors import encode_cursor
from app.domain.conversation import Message, Role
from app.domain.errors import InvalidCursor, MessageNotFound
from app.domain.ids import MessageId
from app.domain.memory import Table, item_key
from app.ports.store import Store
from app.services.writing.prepare import content_hash
from tests.stored import (
    ACME,
    MICROSECOND,
    NOON,
    SECOND,
    Kept,
    append,
    keep,
    last_of,
    outbox_keys,
    prepare,
    row_of,
    said,
    scope_now,
)

ODD_JSON: list[Any] = [
    {},
    {"ü": "🧭", "": None, "quote'\"": "back\\slash", "line": "a\nb\u2028c\t"},
    {"big": 2**63, "bigger": 10**30, "negative": -(2**70), "exact": 2**53 + 1},
    {"float": 0.1, "small": 1e-7, "true": True, "false": False},
    {"deep": [[[{"deeper": [{"deepest": []}]}]]], "mixed": [1, "1", None, {}]},
    {"key order": {"b": 1, "a": 2}, "$ref": "x", "?": "?", ":name": "%s %(x)s"},
]


async def tail(store: Store, kept: Kept, limit: int = 100) -> list[Message]:
    async with store.read(ACME) as snapshot:
        return list(await last_of(snapshot.messages, kept.conversation.key, limit=limit))


def texts(messages: Any) -> list[str | None]:
    return [each.content for each in messages]


async def test_a_message_comes_back_as_it_was_told(store: Store) -> None:
    everything = said(
        "Überraschung! 🧭 'quoted' \\ \u200d \u2028 Z̸̢ end ",
        NOON + 7 * MICROSECOND,
        role=Role.ASSISTANT,
        external_id="m-1 ä",
        name="Zoë",
        tool_calls=[{"id": "call", "arguments": {"n": 2**53 + 1}}],
        tool_call_id="call-0",
        importance=10,
        metadata={"k": [1, {"v": None}]},
    )
    kept = await keep(store, everything)
    (message,) = await tail(store, kept)
    of_another_store = {"id", "echo"}
    names = set(everything.__slots__) - of_another_store
    told = {name: getattr(everything, name) for name in names}
    assert {name: getattr(message, name) for name in told} == told
    assert message.conversation_id == kept.conversation.id
    assert (message.id, message.position) == (kept.messages[0].id, 0)
    assert message.tokens == kept.messages[0].tokens


async def test_what_was_not_told_of_a_message_is_nothing(store: Store) -> None:
    (message,) = await tail(store, await keep(store, said("hello")))
    empty = (message.external_id, message.name, message.tool_calls, message.tool_call_id)
    assert (*empty, message.importance) == (None,) * 5
    assert message.metadata == {}


async def test_a_call_of_a_tool_needs_no_content(store: Store) -> None:
    kept = await keep(store, said(None, role=Role.ASSISTANT, tool_calls=[{"id": "1"}]))
    (message,) = await tail(store, kept)
    assert (message.content, message.tool_calls, list(kept.keys)) == (None, [{"id": "1"}], [])


@pytest.mark.parametrize("odd", ODD_JSON, ids=str)
async def test_json_comes_back_equal(store: Store, odd: dict[str, object]) -> None:
    kept = await keep(store, said("x", metadata=odd, tool_calls=[odd, {"args": [odd]}]))
    (message,) = await tail(store, kept)
    assert message.metadata == odd
    assert message.tool_calls == [odd, {"args": [odd]}]
    assert str(sorted(message.metadata)) == str(sorted(odd))


@pytest.mark.parametrize("year", [1, 1969, 1970, 9999])
async def test_times_are_exact_to_the_microsecond(store: Store, year: int) -> None:
    ends = [
        NOON.replace(year=year, month=1, day=1, hour=0),
        NOON.replace(
            year=year, month=12, day=31, hour=23, minute=59, second=59, microsecond=999_999
        ),
    ]
    kept = await keep(store, *(said("x", at) for at in ends))
    assert [each.created_at for each in await tail(store, kept)] == ends


async def test_a_large_message_comes_back_whole(store: Store) -> None:
    content = "wörd 🧭 " * 250_000
    (message,) = await tail(store, await keep(store, said(content)))
    assert message.content == content


async def test_messages_are_numbered_and_counted_as_they_come(store: Store) -> None:
    kept = await keep(store, "one", "two words")
    async with store.write(ACME) as transaction:
        await append(transaction, kept.conversation, "and three words")
    assert [(each.position, each.content) for each in await tail(store, kept)] == [
        (0, "one"),
        (1, "two words"),
        (2, "and three words"),
    ]
    async with store.read(ACME) as snapshot:
        conversation = await snapshot.conversations.get(kept.conversation.id)
    assert (conversation.message_count, conversation.token_count) == (3, 6)


async def test_an_append_moves_version_and_counters_and_notes_what_to_index(store: Store) -> None:
    kept = await keep(store, "dogs bark", said("be nice", role=Role.SYSTEM), "cats")
    assert (kept.scope.messages, kept.scope.terms) == (2, 3)
    async with store.write(ACME) as transaction:
        _, keys = await append(transaction, kept.conversation, "birds sing songs", "   ")
    assert len(kept.keys) == 2
    assert len(keys) == 1
    assert await outbox_keys(store) == [*kept.keys, *keys]
    scope = await scope_now(store)
    assert (scope.messages, scope.terms) == (3, 6)
    assert scope.version > kept.scope.version


async def test_appending_nothing_changes_nothing(store: Store) -> None:
    kept = await keep(store, "one")
    async with store.write(ACME) as transaction:
        assert list(await transaction.messages.append(kept.conversation, [], now=NOON)) == []
    assert await scope_now(store) == kept.scope


async def test_the_keys_returned_are_those_of_the_messages(store: Store) -> None:
    kept = await keep(store, *(f"message {number}" for number in range(120)))
    assert list(kept.keys) == [
        item_key(Table.MESSAGE, each.key) for each in await tail(store, kept, 120)
    ]


async def test_the_tail_is_the_last_ones_oldest_first(store: Store) -> None:
    kept = await keep(store, *(said(str(number), NOON + number * SECOND) for number in range(5)))
    assert texts(await tail(store, kept, 2)) == ["3", "4"]
    assert texts(await tail(store, kept, 9)) == ["0", "1", "2", "3", "4"]
    assert texts(await tail(store, kept, 0)) == []


async def test_the_order_is_that_of_the_telling_not_of_the_clock(store: Store) -> None:
    kept = await keep(store, said("late", NOON + SECOND), said("early", NOON))
    assert texts(await tail(store, kept)) == ["late", "early"]


async def test_messages_are_got_by_key_in_order_where_they_are(store: Store) -> None:
    kept = await keep(store, "a", "b", "c")
    rows = [each.key for each in await tail(store, kept)]
    async with store.read(ACME) as snapshot:
        got = await snapshot.messages.get([rows[2], type(rows[0])(10**9), rows[0], rows[2]])
        assert texts(got) == ["a", "c"]
        assert list(await snapshot.messages.get([])) == []


@pytest.mark.parametrize("order", ["newest first", "oldest first"])
@pytest.mark.parametrize("limit", [1, 2, 3, 7, 8])
async def test_pages_of_messages_walk_each_once(store: Store, limit: int, order: str) -> None:
    newest_first = order == "newest first"
    kept = await keep(store, *map(str, range(7)))
    walked: list[str | None] = []
    cursor = None
    async with store.read(ACME) as snapshot:
        while len(walked) < 100:
            page = await snapshot.messages.page(
                kept.conversation.key, cursor=cursor, limit=limit, newest_first=newest_first
            )
            walked += texts(page.items)
            cursor = page.next_cursor
            if cursor is None:
                break
    assert walked == sorted("0123456", reverse=newest_first)


@pytest.mark.parametrize("newest_first", [True, False])
@pytest.mark.parametrize(
    ("most_bytes", "pages"),
    [(1, ["0", "1", "2", "3", "4"]), (30, ["01", "23", "4"])],
)
async def test_a_page_ends_before_it_is_too_heavy(
    store: Store, most_bytes: int, pages: list[str], *, newest_first: bool
) -> None:
    heavy = [
        said("ü" * 5),  # ten bytes, and two of empty metadata
        said("x" * 10),
        said("", metadata={"a": "1234"}),
        said(None, role=Role.ASSISTANT, tool_calls=[{"a": "12"}], metadata={}),
        said("x" * 3),
    ]
    kept = await keep(store, *(heavy[::-1] if newest_first else heavy))
    told: list[list[int]] = []
    cursor = None
    async with store.read(ACME) as snapshot:
        while len(told) < 9:
            page = await snapshot.messages.page(
                kept.conversation.key,
                cursor=cursor,
                limit=3,
                newest_first=newest_first,
                most_bytes=most_bytes,
            )
            told.append([each.position for each in page.items])
            if (cursor := page.next_cursor) is None:
                break
    last = len(heavy) - 1
    expected = [[last - int(at) if newest_first else int(at) for at in each] for each in pages]
    assert told == expected


@pytest.mark.parametrize("cursor", ["x", "🧭", "W10", "WzEsMl0", "WzEuNV0", "WyIxIl0", "W3RydWVd"])
async def test_a_cursor_from_elsewhere_is_refused(store: Store, cursor: str) -> None:
    kept = await keep(store, "one")
    async with store.read(ACME) as snapshot:
        with pytest.raises(InvalidCursor):
            await snapshot.messages.page(
                kept.conversation.key, cursor=cursor, limit=1, newest_first=False
            )


@pytest.mark.parametrize("number", [2**31, 2**63 - 1, -(2**63) + 1])
async def test_a_forged_cursor_is_refused_or_harmless(store: Store, number: int) -> None:
    kept = await keep(store, "one")
    async with store.read(ACME) as snapshot:
        try:
            page = await snapshot.messages.page(
                kept.conversation.key, cursor=encode_cursor([number]), limit=1, newest_first=True
            )
        except InvalidCursor:
            return
    assert len(page.items) <= 1


async def test_what_is_stored_is_told_by_id_hash_and_place(store: Store) -> None:
    kept = await keep(
        store,
        said("a", external_id="x"),
        "b",
        "c",
        said("d", name="Dora", role=Role.ASSISTANT),
    )
    other = await keep(store, said("b", external_id="x"))

    async def stored(ids: list[str], hashes: list[str], last: int) -> list[int]:
        async with store.read(ACME) as snapshot:
            found = await snapshot.messages.stored(
                kept.conversation.key,
                external_ids=ids,
                content_hashes=[content_hash(each, None) for each in hashes],
                last=last,
            )
        assert all(each.id != other.messages[0].id for each in found)
        return [each.position for each in found]

    assert await stored([], [], 0) == []
    assert await stored(["x", "y"], [], 0) == [0]
    assert await stored([], ["c", "b", "z"], 0) == [1, 2]
    assert await stored([], [], 2) == [2, 3]
    assert await stored(["x"], ["d", "b"], 1) == [0, 1, 3]
    async with store.read(ACME) as snapshot:
        (last,) = await snapshot.messages.stored(
            kept.conversation.key, external_ids=[], content_hashes=[], last=1
        )
    assert (last.id, last.role, last.name) == (kept.messages[3].id, "assistant", "Dora")
    assert (last.content_hash, last.created_at) == (content_hash("d", None), NOON)


async def test_a_callers_own_id_is_given_once_in_a_conversation(store: Store) -> None:
    kept = await keep(store, said("a", external_id="m"))
    await keep(store, said("a", external_id="m"))
    with pytest.raises(IntegrityError):
        async with store.write(ACME) as transaction:
            await append(transaction, kept.conversation, "b", said("c", external_id="m"))
    assert texts(await tail(store, kept)) == ["a"]
    assert (await scope_now(store)).messages == 2


async def test_a_position_is_given_once_in_a_conversation(store: Store) -> None:
    kept = await keep(store, "a")
    again = await prepare("b", conversation=kept.conversation.id, position=0)
    with pytest.raises(IntegrityError):
        async with store.write(ACME) as transaction:
            await transaction.messages.append(kept.conversation, again, now=NOON)


async def test_a_message_tells_where_it_belongs(store: Store) -> None:
    kept = await keep(store, "a")
    async with store.read(ACME) as snapshot:
        where = await snapshot.messages.scope_of(kept.messages[0].id)
        assert where == (kept.conversation.key, kept.scope.key)
        with pytest.raises(MessageNotFound):
            await snapshot.messages.scope_of(MessageId(uuid7()))


async def test_archived_messages_leave_full_text_and_come_back(store: Store) -> None:
    kept = await keep(store, "dogs bark", "cats")
    async with store.write(ACME) as transaction:
        await transaction.messages.unindex(kept.conversation, now=NOON)
    away = await scope_now(store)
    assert (away.messages, away.terms) == (0, 0)
    assert texts(await tail(store, kept)) == ["dogs bark", "cats"]
    async with store.write(ACME) as transaction:
        await transaction.messages.reindex(kept.conversation, now=NOON)
    back = await scope_now(store)
    assert (back.messages, back.terms) == (2, 3)
    assert await outbox_keys(store) == [*kept.keys] * 3
    assert [row_of(key) for key in kept.keys] == [each.key for each in await tail(store, kept)]
