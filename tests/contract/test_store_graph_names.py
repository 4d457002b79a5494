"""What is said to be the same: one edge, as far as it is said, and walked first."""

from collections.abc import Sequence
from dataclasses import replace

from app.adapters.sql.database import Database
from app.domain.walking import Walk
from app.ports.store import Store
from app.ranking.proximity import nearest
from tests.contract.test_store_graph import dump, erase
from tests.stored import NOON, SECOND, keep, said
from tests.stored_graph import around, edges, entities, link, names, tell_of, walk
from tests.stored_items import archive

SAME = "It is Katherine, also known as Kate."
TOLD = ("It is Kate who depends on Redis.", "In Leeds lives Katherine, on Apollo Street.")


async def called(store: Store, found: Walk) -> Sequence[tuple[str, float, int]]:
    """What a walk leads to, with its score and distance."""
    name = {each.key: each.name for each in await entities(store)}
    return [
        (name[each.entity], each.score, each.distance)
        for each in nearest(found, asked=(), messages=100)
    ]


async def test_two_names_are_joined_by_one_edge_whichever_comes_first(store: Store) -> None:
    await tell_of(store, SAME, "It is Kate, short for Katherine. It is Katherine (aka Kate).")
    found = await around(store, "Kate")
    ((_, relation, _), weight), *more = sorted(edges(found).items(), key=lambda each: -each[1])
    assert (relation, weight) == ("same as", 2.0)
    assert [relation for (_, relation, _), _ in more] == ["named together"]
    assert list(found.entity.names) == ["Kate", "Katherine"]
    assert list((await around(store, "Katherine")).entity.names) == ["Katherine", "Kate"]
    assert [list(each.names) for each in found.nodes] == [["Katherine", "Kate"]]


async def test_what_is_said_to_be_the_same_is_listed_by_either_name(store: Store) -> None:
    kept = await tell_of(store, SAME, *TOLD)
    await tell_of(store, "It is Katelyn of Leeds.", user_id="bob")
    listed = {each.name: list(each.names) for each in await entities(store, text="KATHER")}
    assert listed == {"Katherine": ["Katherine", "Kate"], "Kate": ["Kate", "Katherine"]}
    assert set(await names(store, text="kate")) == {"Kate", "Katherine"}
    assert set(await names(store, text="redis")) == {"Redis"}
    await erase(store, kept, 0)
    assert set(await names(store, text="kate")) == {"Kate"}
    assert [list(each.names) for each in await entities(store, text="kate")] == [["Kate"]]


async def test_what_a_message_says_of_two_twice_is_stored_once(
    store: Store, database: Database
) -> None:
    kept = await tell_of(store, "We met Bob Smith and Lee Ann and Smith.", SAME)
    before = await dump(database)
    await link(store, kept)
    assert await dump(database) == before
    assert edges(await around(store, "Bob Smith")) == {
        ("Bob Smith", "named together", "Lee Ann"): 0.2
    }


async def test_what_is_the_same_is_walked_as_one_for_both_hops(store: Store) -> None:
    kept = await tell_of(store, SAME, *TOLD, "It is Redis that depends on Linux.")
    found = await called(store, await walk(store, "what about katherine?", kept.within))
    assert [(name, distance) for name, _, distance in found[:2]] == [("Katherine", 0), ("Kate", 0)]
    assert [score for _, score, _ in found[:2]] == [1.0, 1.0]
    far = {name: distance for name, _, distance in found}
    assert (far["Redis"], far["Linux"], far["Apollo Street"]) == (1, 2, 1)
    back = {
        name: distance
        for name, _, distance in await called(store, await walk(store, "redis", kept.within))
    }
    assert (back["Kate"], back["Katherine"], back["Apollo Street"]) == (1, 1, 2)


async def test_what_is_two_hops_away_brings_its_other_name_along(store: Store) -> None:
    needed = "It is Redis that depends on Linux.", "It is Anna who depends on Redis."
    kept = await tell_of(store, *needed, "It is Linux, also known as Tux.", "It is Tux, aka Pingu.")
    found = await called(store, await walk(store, "anna", kept.within))
    near = {name: (score, distance) for name, score, distance in found}
    assert near["Linux"][1] == 2
    assert near["Tux"] == near["Pingu"] == near["Linux"]


async def test_another_name_two_hops_away_is_seen_only_where_it_is_said(store: Store) -> None:
    told = "It is Redis that depends on Linux.", "It is Anna who depends on Redis."
    same = said("It is Linux, also known as Tux.", NOON + 9 * SECOND)
    kept = await keep(store, *(said(each, NOON) for each in told), same)
    await link(store, kept)
    for as_of, count in ((NOON + SECOND, 0), (NOON + 10 * SECOND, 1)):
        found = await called(store, await walk(store, "anna", replace(kept.within, as_of=as_of)))
        assert [name for name, *_ in found].count("Tux") == count


async def test_names_in_a_row_are_one(store: Store) -> None:
    row = ["It is Anna, aka Berta.", "It is Berta, aka Clara.", "It is Clara, aka Dora."]
    kept = await tell_of(store, *row, "It is Dora who met Emil.")
    found = await called(store, await walk(store, "anna", kept.within))
    assert {name: distance for name, _, distance in found} == {
        **dict.fromkeys(["Anna", "Berta", "Clara", "Dora"], 0),
        "Emil": 1,
    }


async def test_it_comes_before_any_number_of_heavier_edges(store: Store) -> None:
    needed = [f"It is Kate that needs REQ-{n}." for n in range(100, 140) for _ in range(3)]
    kept = await tell_of(store, *needed, SAME)
    for query in ("kate", "katherine"):
        found = await called(store, await walk(store, query, kept.within))
        assert {name for name, _, distance in found if distance == 0} == {"Kate", "Katherine"}
    assert list((await around(store, "Kate", limit=1)).entity.names) == ["Kate", "Katherine"]


async def test_it_holds_only_where_it_is_seen_to_be_said(store: Store) -> None:
    kept = await keep(store, *(said(each, NOON) for each in TOLD), said(SAME, NOON + 9 * SECOND))
    await link(store, kept)
    other = await tell_of(store, "It is Katherine, also known as Kitty.")
    then = replace(kept.within, as_of=NOON + SECOND)
    assert {name for name, *_ in await called(store, await walk(store, "kate", then))} == {
        "Kate",
        "Redis",
    }
    now = await called(store, await walk(store, "kate", kept.within))
    assert {"Katherine", "Kitty"} <= {name for name, _, distance in now if distance == 0}
    await archive(store, other, archived=True)
    less = await called(store, await walk(store, "kate", kept.within))
    assert "Kitty" not in {name for name, *_ in less}


async def test_once_nobody_says_so_they_are_strangers_again(store: Store) -> None:
    kept = await tell_of(store, *TOLD, SAME)
    reached = {name for name, *_ in await called(store, await walk(store, "kate", kept.within))}
    assert reached == {"Kate", "Katherine", "Redis", "Leeds", "Apollo Street"}
    await erase(store, kept, 2)
    reached = {name for name, *_ in await called(store, await walk(store, "kate", kept.within))}
    assert reached == {"Kate", "Redis"}
    assert list((await around(store, "Kate")).entity.names) == ["Kate"]
    assert (await names(store))["Katherine"] == 1
