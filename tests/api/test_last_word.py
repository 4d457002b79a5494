"""Of what contradicts each other the last word holds, in whatever order it comes in."""

from datetime import datetime
from typing import Any

import pytest
from httpx import AsyncClient

from tests.api.speaking import Json, distilled, erase, get, said, store

MONDAY, FRIDAY = "2026-03-02T09:00:00Z", "2026-03-06T09:00:00Z"
MOVED = "I moved to Porto last week."
Told = tuple[str, str]


async def tell(client: AsyncClient, *told: Told) -> list[Json]:
    """Each in a conversation of its own, in this order."""
    kept = []
    for content, when in told:
        message = said(content, created_at=when)
        kept.append(await store(client, message, user_id="ada"))
        await distilled(client)
    return kept


async def homes(client: AsyncClient, **at: Any) -> list[str]:
    items = (await get(client, "/memories", type="fact", user_id="ada", **at))["items"]
    return sorted(each["metadata"]["value"] for each in items)


@pytest.mark.parametrize("order", [1, -1])
async def test_what_was_said_last_holds_though_it_began_before(
    alone: AsyncClient, order: int
) -> None:
    told = [("I live in Berlin.", MONDAY), (MOVED, FRIDAY)]
    await tell(alone, *told[::order])
    assert await homes(alone) == ["Porto"]
    assert await homes(alone, as_of="2026-03-04T09:00:00Z") == ["Berlin"]
    items = (await get(alone, "/memories", type="fact", user_id="ada", include_superseded=True))[
        "items"
    ]
    ended = {each["metadata"]["value"]: each for each in items}
    assert ended["Berlin"]["superseded_by"] == ended["Porto"]["id"]
    assert moment(ended["Berlin"]["valid_to"]) == moment(FRIDAY)


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize(
    "later",
    [
        "I moved to Porto last spring.",
        "I moved to Porto eight months ago.",
        "I have lived in Porto since June.",
        "I've been living in Porto since 2019.",
        "Correction: I moved to Porto in 2019.",
    ],
)
async def test_what_began_of_late_or_goes_on_is_the_last_word(
    alone: AsyncClient, later: str, order: int
) -> None:
    await tell(alone, *[("I live in Berlin.", MONDAY), (later, FRIDAY)][::order])
    assert await homes(alone) == ["Porto"]


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize(
    "later", ["I moved to Porto in May for two months.", "I moved to Porto in May but came back."]
)
async def test_what_was_for_a_while_ends_nothing(
    alone: AsyncClient, later: str, order: int
) -> None:
    await tell(alone, *[("I live in Berlin.", MONDAY), (later, FRIDAY)][::order])
    assert "Berlin" in await homes(alone)


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize(
    "earlier", ["I live in Berlin.", "I have lived in Berlin since last Sunday."]
)
async def test_a_tale_of_former_times_ends_nothing(
    alone: AsyncClient, earlier: str, order: int
) -> None:
    later = MOVED if "since" in earlier else "I moved to Porto in 2019."
    await tell(alone, *[(earlier, MONDAY), (later, FRIDAY)][::order])
    assert await homes(alone) == ["Berlin"]


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize(
    ("first", "then", "left"),
    [
        ("I live in Berlin.", "We moved to Porto.", "Porto"),
        ("We live in Lisbon.", "I moved to Ghent.", "Ghent"),
        ("We've been living in Oslo since 2019.", "My wife and I moved to Graz.", "Graz"),
    ],
)
async def test_where_we_live_is_where_who_says_so_lives(
    alone: AsyncClient, first: str, then: str, left: str, order: int
) -> None:
    await tell(alone, *[(first, MONDAY), (then, FRIDAY)][::order])
    assert await homes(alone) == [left]


async def test_told_again_it_is_one_fact_and_without_it_the_former_holds(
    alone: AsyncClient,
) -> None:
    kept = await tell(alone, ("I live in Berlin.", MONDAY), (MOVED, FRIDAY), (MOVED, FRIDAY))
    assert await homes(alone) == ["Porto"]
    for each in kept[1:]:
        await erase(alone, f"/conversations/{each['id']}")
    assert await homes(alone) == ["Berlin"]
    await erase(alone, f"/conversations/{kept[0]['id']}")
    assert await homes(alone) == []


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("lost", ["My dog died.", "One of my dogs died.", "My dog Rex died."])
async def test_a_count_of_which_one_is_gone_holds_no_more(
    alone: AsyncClient, lost: str, order: int
) -> None:
    await tell(alone, *[("I have two dogs, Rex and Bo.", MONDAY), (lost, FRIDAY)][::order])
    assert "two dogs" not in await homes(alone)
    assert await homes(alone, as_of="2026-03-04T09:00:00Z") == ["two dogs"]


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
