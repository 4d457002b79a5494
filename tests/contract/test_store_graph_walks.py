"""Walking the graph: two hops, over what a filter lets be seen, and nothing else."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from app.domain.conversation import Role
from app.domain.ids import EntityKey, MessageKey
from app.domain.memory import ItemType, Table, table_and_row
from app.domain.walking import Walk
from app.ports import RecallFilter
from app.ports.store import Store
from tests.stored import (
    ACME,
    NOON,
    OTHER,
    SECOND,
    Kept,
    erase_the_rest,
    keep,
    last_of,
    said,
    scope_now,
    tell,
)
from tests.stored_graph import entities, link, tell_of, views, walk
from tests.stored_items import archive

CHAIN = ("Anna works on Apollo.", "Apollo depends on Redis.", "Redis depends on Linux.")


async def called(store: Store) -> Mapping[EntityKey, str]:
    return {each.key: each.name for each in await entities(store)}


async def steps(store: Store, found: Walk) -> set[tuple[str, str, str]]:
    """What is stated, by the names of its ends as they were walked."""
    names = await called(store)
    return {
        (names[each.near], each.relation if each.outwards else f"<{each.relation}", names[each.far])
        for each in found.steps
        if each.relation != "named together"
    }


def everywhere(kept: Kept, **narrowed: Any) -> RecallFilter:
    return replace(RecallFilter(scopes=[kept.scope.key]), **narrowed)


async def seen(store: Store, query: str, within: RecallFilter) -> set[tuple[str, int]]:
    """What is mentioned where: names, and the rows of messages."""
    names = await called(store)
    found = await views(store, query, within)
    return {(names[key], row) for key, messages in found.places.items() for row in messages}


async def rows(store: Store, kept: Kept) -> Sequence[MessageKey]:
    async with store.read(ACME) as snapshot:
        return [
            each.key for each in await last_of(snapshot.messages, kept.conversation.key, limit=99)
        ]


async def test_a_walk_takes_two_hops_in_both_directions(store: Store) -> None:
    kept = await tell_of(store, *CHAIN)
    found = await walk(store, "who works on apollo?", everywhere(kept))
    names = await called(store)
    assert [names[each.entity] for each in found.seeds] == ["Apollo"]
    assert await steps(store, found) == {
        ("Apollo", "<works on", "Anna"),
        ("Apollo", "depends on", "Redis"),
        ("Anna", "works on", "Apollo"),
        ("Redis", "<depends on", "Apollo"),
        ("Redis", "depends on", "Linux"),
    }


async def test_a_query_of_nothing_known_finds_nothing(store: Store) -> None:
    kept = await tell_of(store, *CHAIN)
    for query in ("", "who works on Zeus?", "what?", "%", "'"):
        assert await walk(store, query, everywhere(kept)) == Walk()


async def test_a_short_name_means_the_one_who_is_called_so(store: Store) -> None:
    kept = await tell_of(store, "We met Bob Smith.")
    names = await called(store)
    (seed,) = (await walk(store, "what did smith say?", everywhere(kept))).seeds
    assert names[seed.entity] == "Bob Smith"
    await tell_of(store, "We met Zoe Smith.")
    assert (await walk(store, "what did smith say?", everywhere(kept))).seeds == ()
    assert len((await walk(store, "bob smith and zoe smith", everywhere(kept))).seeds) == 2


async def test_nothing_is_walked_of_others(store: Store) -> None:
    kept = await tell_of(store, *CHAIN)
    await tell_of(store, "Zoe works on Apollo.", user_id="bob")
    query = "who works on apollo?"
    assert "Zoe" not in {name for name, _ in await seen(store, query, everywhere(kept))}
    assert await walk(store, query, everywhere(kept), tenant=OTHER) == Walk()
    bobs = await scope_now(store, "bob")
    found = await walk(store, query, RecallFilter(scopes=[bobs.key]))
    assert len(found.seeds) == 1
    assert not {each.entity for each in found.seeds} & set(await called(store))


async def test_what_is_archived_is_not_walked_until_it_is_back(store: Store) -> None:
    kept = await tell_of(store, "Apollo is late, says Anna.", "Anna works on Apollo.")
    other = await tell_of(store, "Tim works on Apollo.")
    query, within = "who works on apollo?", everywhere(kept)
    assert {name for name, _ in await seen(store, query, within)} >= {"Anna", "Tim", "Apollo"}
    await archive(store, other, archived=True)
    assert {name for name, _ in await seen(store, query, within)} == {"Anna", "Apollo"}
    await archive(store, other, archived=False)
    assert "Tim" in {name for name, _ in await seen(store, query, within)}


async def test_a_name_that_only_what_is_out_of_sight_says_is_not_told(store: Store) -> None:
    kept = await tell_of(store, "I asked Bob about Apollo.")
    other = await tell_of(store, "Bob Smith works on Apollo.")
    query, within = "who works on apollo?", everywhere(kept)

    async def told() -> set[str]:
        return {each.name for each in (await views(store, query, within)).entities}

    assert await told() == {"Bob Smith", "Apollo"}
    await archive(store, other, archived=True)
    assert await told() == {"Bob", "Apollo"}
    await archive(store, other, archived=False)
    assert await told() == {"Bob Smith", "Apollo"}
    async with store.write(ACME) as transaction:
        doomed = await transaction.erase.conversation(other.conversation.id, now=NOON)
    assert await told() == {"Bob", "Apollo"}
    await erase_the_rest(store, doomed)
    assert await told() == {"Bob", "Apollo"}


async def test_nothing_later_is_seen(store: Store) -> None:
    kept = await keep(
        store,
        said("Anna works on Apollo.", NOON),
        said("I asked Bob about Apollo.", NOON),
        said("Tim works on Apollo.", NOON + 9 * SECOND),
        said("Bob Smith works on Apollo.", NOON + 9 * SECOND),
    )
    await link(store, kept)
    first, second, *_ = await rows(store, kept)
    then = everywhere(kept, as_of=NOON + SECOND)
    found = await views(store, "who works on apollo?", then)
    assert set[int]().union(*found.places.values()) == {first, second}
    assert {each.name: each.mentions for each in found.entities} == {
        "Apollo": 2,
        "Anna": 1,
        "Bob": 1,
    }
    now = await views(store, "who works on apollo?", everywhere(kept))
    assert {each.name: each.mentions for each in now.entities} == {
        "Apollo": 4,
        "Anna": 1,
        "Tim": 1,
        "Bob Smith": 2,
    }


async def test_a_moment_before_which_all_was_said_hides_nothing(store: Store) -> None:
    kept = await tell_of(store, "Anna works on Apollo.", "Anna is back.")
    other = await tell_of(store, "Anna is off to Apollo, says Anna.")
    await archive(store, other, archived=True)
    later, earlier = everywhere(kept, as_of=NOON + SECOND), everywhere(kept, as_of=NOON - SECOND)
    found = (await views(store, "who works on apollo?", everywhere(kept))).entities
    assert found
    assert (await views(store, "who works on apollo?", later)).entities == found
    assert (await views(store, "who works on apollo?", earlier)).entities == []


async def test_the_last_messages_of_an_entity_are_told_where_they_name_it_first(
    store: Store,
) -> None:
    kept = await tell_of(store, *["Anna works on Apollo, says Anna."] * 5)
    (anna,) = [
        each
        for each in (await views(store, "apollo", everywhere(kept))).entities
        if each.name == "Anna"
    ]
    ids = [str(each.id) for each in kept.messages]
    assert [(each.id, each.start, each.stop) for each in anna.lineage] == [
        (each, 0, 4) for each in reversed(ids[2:])
    ]


@pytest.mark.parametrize("narrowed", ["inside", "outside", "roles", "before", "after"])
async def test_a_filter_hides_what_it_does_not_let_be_found(store: Store, narrowed: str) -> None:
    kept = await keep(
        store,
        said("Anna works on Apollo.", NOON, role=Role.ASSISTANT),
        external_id="one",
    )
    other = await keep(store, said("Tim works on Apollo.", NOON + 9 * SECOND), external_id="two")
    for each in (kept, other):
        await link(store, each)
    filters: Mapping[str, Mapping[str, Any]] = {
        "inside": {"conversations": frozenset([kept.conversation.key])},
        "outside": {"without_conversations": frozenset([other.conversation.key])},
        "roles": {"roles": frozenset([Role.ASSISTANT])},
        "before": {"before": NOON + SECOND},
        "after": {"after": NOON + SECOND},
    }
    query = "who works on apollo?"
    found = await seen(store, query, everywhere(kept, **filters[narrowed]))
    hidden = other if narrowed != "after" else kept
    assert not {row for _, row in found} & set(await rows(store, hidden))
    person = "Tim" if narrowed == "after" else "Anna"
    assert {name for name, _ in found} == {"Apollo", person}


async def test_facts_are_found_by_the_messages_that_they_cite(store: Store) -> None:
    kept = await tell_of(store, "Anna works on Apollo.")
    fact = await tell(store, "Anna is on Apollo", derived_from=[kept.messages[0].id])
    (row,) = await rows(store, kept)
    now = everywhere(kept, now=NOON + SECOND)
    found = await views(store, "who works on apollo?", now)
    (key,) = found.facts[row]
    assert table_and_row(key)[0] is Table.MEMORY
    only_facts = replace(now, types=frozenset([ItemType.FACT]))
    assert (await views(store, "apollo", only_facts)).facts == {row: [key]}
    only_tools = replace(now, types=frozenset([ItemType.TOOL]))
    assert (await views(store, "apollo", only_tools)).facts == {}
    assert (await views(store, "apollo", everywhere(kept))).facts == {}
    async with store.write(ACME) as transaction:
        await transaction.erase.memory(fact.id, now=NOON)
    assert (await views(store, "apollo", now)).facts == {}


async def test_a_walk_from_a_hub_is_bounded(store: Store) -> None:
    needed = [f"It is Apollo that needs REQ-{n}." for n in range(100, 160)]
    kept = await tell_of(store, *needed, *(f"See REQ-{n} and BUG-{n}." for n in range(100, 160)))
    found = await walk(store, "apollo", everywhere(kept))
    assert len(found.steps) <= 2 * 10 + 2 * 8 * 3
    seen_places = await views(store, "apollo", everywhere(kept))
    assert max(len(messages) for messages in seen_places.places.values()) == 8
    assert len(seen_places.entities) == 8


async def test_what_an_edge_rests_on_is_told_newest_first(store: Store) -> None:
    kept = await tell_of(store, *["Anna works on Apollo."] * 5)
    found = await views(store, "apollo", everywhere(kept))
    newest = list(reversed(await rows(store, kept)))
    assert [list(each) for each in found.stating.values()] == [newest[:3]] * 2
