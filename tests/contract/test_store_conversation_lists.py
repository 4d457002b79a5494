"""Lists of conversations: their order, their pages, their filters."""

from collections.abc import Sequence
from typing import Any

import pytest

from app.adapters.sql.cursors import encode_cursor
from app.domain.context import Filters
from app.domain.conversation import Conversation, ConversationFilter
from app.domain.errors import InvalidCursor
from app.ports.store import Store
from tests.stored import ACME, MICROSECOND, NOON, SECOND, keep


async def listed(store: Store, *, limit: int = 100, **wanted: Any) -> list[Conversation]:
    """A whole list, page after page."""
    everything: list[Conversation] = []
    cursor = None
    async with store.read(ACME) as snapshot:
        while True:
            page = await snapshot.conversations.page(
                ConversationFilter(**{"user_id": "alice", **wanted}), cursor=cursor, limit=limit
            )
            assert len(page.items) <= limit
            everything += page.items
            assert len(everything) < 1_000  # else the cursor goes round in circles
            cursor = page.next_cursor
            if cursor is None:
                return everything


async def labels(store: Store, **wanted: Any) -> set[str | None]:
    return {each.label for each in await listed(store, **wanted)}


async def test_the_newest_comes_first_and_ties_the_other_way_round(store: Store) -> None:
    first = await keep(store, label="first")
    await keep(store, label="older", created_at=NOON - MICROSECOND)
    await keep(store, label="second", created_at=first.conversation.created_at)
    assert [each.label for each in await listed(store)] == ["second", "first", "older"]


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 8])
async def test_pages_walk_everything_once_also_with_equal_times(store: Store, limit: int) -> None:
    for number in range(7):
        await keep(store, label=str(number), created_at=NOON + number // 3 * MICROSECOND)
    walked = [each.label for each in await listed(store, limit=limit)]
    assert walked == ["6", "5", "4", "3", "2", "1", "0"]


async def test_a_page_goes_on_where_it_ended_although_newer_ones_came(store: Store) -> None:
    for number in range(4):
        await keep(store, label=str(number))
    wanted = ConversationFilter(user_id="alice")
    async with store.read(ACME) as snapshot:
        page = await snapshot.conversations.page(wanted, cursor=None, limit=2)
    await keep(store, label="new")
    async with store.read(ACME) as snapshot:
        rest = await snapshot.conversations.page(wanted, cursor=page.next_cursor, limit=9)
    assert [each.label for each in (*page.items, *rest.items)] == ["3", "2", "1", "0"]


@pytest.mark.parametrize(
    "cursor", ["x", "🧭", "W10", "WzFd", "WzEsMiwzXQ", "WzEuNSwyXQ", "W3RydWUsMV0", "e30", "bnVsbA"]
)
async def test_a_cursor_from_elsewhere_is_refused(store: Store, cursor: str) -> None:
    await keep(store)
    wanted = ConversationFilter(user_id="alice")
    async with store.read(ACME) as snapshot:
        with pytest.raises(InvalidCursor):
            await snapshot.conversations.page(wanted, cursor=cursor, limit=1)


@pytest.mark.parametrize("number", [2**63 - 1, -(2**63) + 1, 10**17 * 9, 2**80])
async def test_a_forged_cursor_is_refused_or_harmless(store: Store, number: int) -> None:
    await keep(store)
    wanted = ConversationFilter(user_id="alice")
    async with store.read(ACME) as snapshot:
        try:
            page = await snapshot.conversations.page(
                wanted, cursor=encode_cursor([number, number]), limit=1
            )
        except InvalidCursor:
            return
    assert len(page.items) <= 1


FOLDERS: Sequence[str | None] = (
    "/work", "/work/api", "/work/api/v1", "/workshop", "/Work", "/Work/api", "/w_rk", "/w_rk/a",
    "/50%", "/50%/a", "/500/a", "work/api", r"/a\b", r"/a\b/c", "/Käse", "/Käse/x", "/käse/x",
    "", None,
)  # fmt: skip


@pytest.mark.parametrize(
    ("folder", "inside"),
    [
        ("/work", {"/work", "/work/api", "/work/api/v1"}),
        ("/work/", {"/work", "/work/api", "/work/api/v1"}),
        ("/work/api", {"/work/api", "/work/api/v1"}),
        ("/wor", set()),
        ("/Work", {"/Work", "/Work/api"}),
        ("/WORK", set()),
        ("/Käse", {"/Käse", "/Käse/x"}),
        ("/w_rk", {"/w_rk", "/w_rk/a"}),
        ("/50%", {"/50%", "/50%/a"}),
        ("/%", set()),
        (r"/a\b", {r"/a\b", r"/a\b/c"}),
        ("work", {"work/api"}),
    ],
)
async def test_a_folder_holds_itself_and_what_is_below(
    store: Store, folder: str, inside: set[str]
) -> None:
    keys = {}
    for each in FOLDERS:
        kept = await keep(store, folder=each)
        keys[kept.conversation.key] = each
    assert {each.folder for each in await listed(store, folder=folder)} == inside
    async with store.read(ACME) as snapshot:
        matching = await snapshot.conversations.matching(kept.scope.key, Filters(folder=folder))
    assert matching is not None
    assert {keys[key] for key in matching} == inside


async def test_a_list_can_be_narrowed_by_label_tag_and_time(store: Store) -> None:
    await keep(store, label="one", tags=["x", "y"], created_at=NOON)
    await keep(store, label="two", tags=["y"], created_at=NOON + SECOND)
    await keep(store, label="three", created_at=NOON + 2 * SECOND)
    await keep(store, label="his", tags=["y"], user_id="bob")
    await keep(store, label="nobody's", tags=["y"], user_id=None)
    assert await labels(store, label="one") == {"one"}
    assert await labels(store, label="One") == set()
    assert await labels(store, tag="y") == {"one", "two"}
    assert await labels(store, tag="_") == set()
    assert await labels(store, after=NOON + SECOND) == {"two", "three"}
    assert await labels(store, before=NOON + SECOND) == {"one"}
    assert await labels(store, after=NOON + MICROSECOND, before=NOON + 2 * SECOND) == {"two"}
    assert await labels(store, tag="y", label="two", before=NOON) == set()
    assert await labels(store, user_id=None) == {"nobody's"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("plan", {"Planning 100%", "b", "c"}),
        ("PLAN", {"Planning 100%", "b", "c"}),
        ("%", {"Planning 100%"}),
        ("_", {"under_score"}),
        ("\\", {"back\\slash"}),
        ("' OR 1=1 --", set()),
        ("", {"Planning 100%", "b", "c", "under_score", "back\\slash", "grün"}),
        ("grün", {"grün"}),
    ],
)
async def test_a_list_can_be_searched_by_name(store: Store, text: str, found: set[str]) -> None:
    await keep(store, label="Planning 100%")
    await keep(store, label="b", external_id="plan-7")
    await keep(store, label="c", folder="/plans")
    await keep(store, label="under_score")
    await keep(store, label="back\\slash")
    await keep(store, label="grün")
    assert await labels(store, text=text) == found
