"""The graph as it is built, listed, and made true again by erasure."""

from dataclasses import replace

import pytest
from sqlalchemy import func, select
from uuid_utils.compat import uuid7

from app.adapters.sql.database import Database
from app.adapters.sql.schema import metadata
from app.domain.conversation import Message
from app.domain.entities import EntityFilter, EntityType
from app.domain.errors import EntityNotFound, InvalidCursor
from app.domain.ids import EntityId, MessageKey
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
)
from tests.stored_graph import around, edges, entities, link, names, tell_of

GRAPH = ("entity", "entity_alias", "mention", "edge", "edge_evidence")


async def rows(database: Database) -> dict[str, int]:
    async with database.read() as connection:
        return {
            name: (
                await connection.execute(select(func.count()).select_from(metadata.tables[name]))
            ).scalar_one()
            for name in GRAPH
        }


async def dump(database: Database) -> dict[str, list[tuple[object, ...]]]:
    async with database.read() as connection:
        return {
            name: sorted(map(tuple, await connection.execute(select(metadata.tables[name]))))
            for name in GRAPH
        }


async def erase(store: Store, kept: Kept, at: int) -> int:
    async with store.write(ACME) as transaction:
        return (await transaction.erase.message(kept.messages[at].id, now=NOON)).edges


async def test_messages_are_linked_with_what_they_speak_of(store: Store) -> None:
    await tell_of(store, "Anna works on Apollo.", "We met Anna in Leeds.", speaker="Tim")
    found = {each.name: each for each in await entities(store)}
    assert {name: (each.type, each.mentions) for name, each in found.items()} == {
        "Anna": (EntityType.PERSON, 2),
        "Apollo": (EntityType.UNKNOWN, 1),
        "Leeds": (EntityType.PLACE, 1),
    }
    assert edges(await around(store, "Anna")) == {
        ("Anna", "works on", "Apollo"): 1.0,
        ("Anna", "named together", "Apollo"): 0.2,
        ("Anna", "named together", "Leeds"): 0.2,
    }


async def test_who_speaks_of_themselves_is_an_entity(store: Store) -> None:
    await tell_of(store, "I work on Apollo.", speaker="Tim")
    found = await around(store, "Tim")
    assert edges(found) == {("Tim", "works on", "Apollo"): 1.0}
    assert (found.entity.type, found.entity.mentions) == (EntityType.PERSON, 1)


async def test_weights_and_times_add_up(store: Store) -> None:
    early = await keep(store, said("Anna met Tim.", NOON), said("Tim and Anna.", NOON + 9 * SECOND))
    await link(store, early)
    late = await keep(store, said("We saw Anna with Tim.", NOON - SECOND))
    await link(store, late)
    found = await around(store, "Anna")
    assert edges(found)["Anna", "named together", "Tim"] == pytest.approx(0.6)
    (together,) = [each for each in found.edges if each.relation == "named together"]
    assert (together.first_seen_at, together.last_seen_at) == (NOON - SECOND, NOON + 9 * SECOND)
    told = [each.id for each in together.lineage]
    expected = [late.messages[0].id, early.messages[1].id, early.messages[0].id]
    assert told == list(map(str, expected))
    (anna,) = [each for each in await entities(store) if each.name == "Anna"]
    assert (anna.mentions, anna.first_seen_at) == (3, NOON - SECOND)


async def test_the_same_messages_again_change_nothing(store: Store, database: Database) -> None:
    kept = await tell_of(store, "Bob met Anna.", "Bob Smith lives in Leeds.", "Bob agrees.")
    before = await dump(database)
    await link(store, kept)
    assert await dump(database) == before


async def test_names_of_one_person_are_one_entity(store: Store) -> None:
    await tell_of(store, "I asked Bob.", "We met Bob Smith.", "Mr. Smith agrees.")
    (bob,) = await entities(store)
    assert (bob.name, bob.mentions) == ("Bob Smith", 3)
    assert list(bob.names) == ["Bob Smith", "Bob", "Smith"]
    await tell_of(store, "We met Bob Stone.", "I asked Bob.", "and bob stone")
    assert await names(store) == {"Bob Smith": 3, "Bob Stone": 2, "Bob": 1}


async def test_a_name_of_two_is_neither_s(store: Store) -> None:
    await tell_of(store, "We met Bob Smith.", "We met Bob Stone.")
    await tell_of(store, "I asked Bob.", "We met Bob Lee.")
    assert await names(store) == {"Bob Smith": 1, "Bob Stone": 1, "Bob": 1, "Bob Lee": 1}


async def test_what_is_known_is_recognised_later_however_it_is_spelled(store: Store) -> None:
    await tell_of(store, "I work at Fable Labs.")
    await tell_of(store, "fable labs pays well", "the fable is old")
    assert await names(store) == {"Fable Labs": 2}


async def test_an_erased_message_takes_its_part_of_the_graph_along(
    store: Store, database: Database
) -> None:
    kept = await tell_of(
        store, "Anna works on Apollo.", "Anna works on Apollo, says Tim.", "Beds are far."
    )
    later = await keep(store, said("Anna met Apollo again.", NOON + SECOND))
    await link(store, later)
    assert await erase(store, kept, 1) > 0
    left = await around(store, "Anna")
    assert edges(left)["Anna", "works on", "Apollo"] == 1.0
    assert edges(left)["Anna", "named together", "Apollo"] == pytest.approx(0.4)
    assert await names(store) == {"Anna": 2, "Apollo": 2}
    await erase(store, kept, 0)
    left = await around(store, "Anna")
    assert (left.entity.mentions, left.entity.first_seen_at) == (1, NOON + SECOND)
    assert "works on" not in {relation for _, relation, _ in edges(left)}
    await erase(store, later, 0)
    assert set((await rows(database)).values()) == {0}


async def test_a_name_that_nobody_says_any_more_is_forgotten(
    store: Store, database: Database
) -> None:
    kept = await tell_of(store, "I asked Bob.", "We met Bob Smith.", "I asked Bob.")
    await erase(store, kept, 1)
    (bob,) = await entities(store)
    assert (bob.name, list(bob.names), bob.mentions) == ("Bob", ["Bob"], 2)
    assert not any("mith" in str(row) for table in (await dump(database)).values() for row in table)
    await tell_of(store, "We met Bob Stone.")
    assert await names(store) == {"Bob Stone": 3}


async def test_a_part_of_a_name_is_still_understood_once_nobody_says_it(store: Store) -> None:
    kept = await tell_of(store, "We met Bob Smith.", "I asked Bob.")
    await erase(store, kept, 1)
    await tell_of(store, "I asked Bob.")
    assert await names(store) == {"Bob Smith": 2}


async def test_two_can_end_up_with_the_same_name(store: Store) -> None:
    kept = await tell_of(store, "I asked Bob.", "We met Bob Smith.", "We met Bob Stone.")
    await tell_of(store, "I asked Bob.")
    await erase(store, kept, 1)
    await tell_of(store, "I asked Bob.")
    called = sorted(each.name for each in await entities(store))
    assert called == ["Bob", "Bob", "Bob Stone"]
    assert sum(each.mentions for each in await entities(store)) == 4


async def test_an_erased_conversation_is_out_of_reach_at_once(
    store: Store, database: Database
) -> None:
    kept = await tell_of(store, "Anna works on Apollo.")
    await tell_of(store, "She is here, Anna.")
    async with store.write(ACME) as transaction:
        doomed = await transaction.erase.conversation(kept.conversation.id, now=NOON)
    assert "Apollo" not in await names(store)
    assert edges(await around(store, "Anna")) == {}
    await erase_the_rest(store, doomed)
    assert await names(store) == {"Anna": 1}
    assert (await rows(database))["edge"] == 0


async def test_an_erased_user_leaves_nothing(store: Store, database: Database) -> None:
    await tell_of(store, "Anna works on Apollo.", "Bob Smith met Bob.")
    async with store.write(ACME) as transaction:
        doomed = await transaction.erase.user("alice", now=NOON)
    assert await entities(store) == []
    await erase_the_rest(store, doomed, limit=1)
    assert set((await rows(database)).values()) == {0}


async def test_linking_makes_what_caches_hold_unreachable(store: Store) -> None:
    kept = await keep(store, "Anna works on Apollo.")
    before = await scope_now(store)
    assert not before.has_entities
    await link(store, kept)
    after = await scope_now(store)
    assert after.version > before.version
    assert after.has_entities
    quiet = await keep(store, "nothing to see here")
    before = await scope_now(store)
    await link(store, quiet)
    assert (await scope_now(store)).version == before.version


async def test_messages_that_are_gone_or_another_user_s_are_not_linked(store: Store) -> None:
    kept = await keep(store, "Anna works on Apollo.")
    bobs = await keep(store, "Anna works on Zeus.", user_id="bob")
    keys = [each.key for each in await tail(store, kept)]
    others = [each.key for each in await tail(store, bobs)]
    async with store.write(ACME) as transaction:
        relinked = await transaction.graph.begin(
            kept.scope.key, [*keys, *others, MessageKey(10**6)]
        )
    assert relinked.messages == frozenset(keys)


async def tail(store: Store, kept: Kept) -> list[Message]:
    async with store.read(ACME) as snapshot:
        return list(await last_of(snapshot.messages, kept.conversation.key, limit=9))


async def test_entities_are_their_users_and_tenants_own(store: Store) -> None:
    await tell_of(store, "Anna works on Apollo.")
    await tell_of(store, "Zoe is here, Anna.", user_id="bob")
    await tell_of(store, "We met Mia and Anna.", tenant=OTHER)
    assert set(await names(store)) == {"Anna", "Apollo"}
    assert "Anna" in await names(store, user_id="bob")
    assert await names(store, user_id=None) == {}
    assert "Mia" in await names(store, tenant=OTHER)
    (found,) = [each for each in await entities(store) if each.name == "Apollo"]
    async with store.read(OTHER) as snapshot:
        for ask in (
            snapshot.graph.get(found.id),
            snapshot.graph.around(found.id, limit=9),
            snapshot.graph.get(EntityId(uuid7())),
        ):
            with pytest.raises(EntityNotFound):
                await ask
        assert await snapshot.graph.known((await scope_now(store)).key, ["apollo"]) == []


async def test_a_list_is_narrowed_by_name_and_type_and_goes_on(store: Store) -> None:
    await tell_of(store, "Anna works on Apollo.", "Anna met Dr. Hannah Moss.", "See app/x_y.py now")
    assert set(await names(store, text="anna")) == {"Anna", "Hannah Moss"}
    assert set(await names(store, text="MOSS")) == {"Hannah Moss"}
    assert set(await names(store, text="x_y")) == {"app/x_y.py"}
    assert await names(store, text="x%y") == {}
    assert set(await names(store, type=EntityType.FILE)) == {"app/x_y.py"}
    every = [each.id for each in await entities(store)]
    paged, cursor = list[EntityId](), None
    async with store.read(ACME) as snapshot:
        wanted = EntityFilter(user_id="alice")
        while True:
            page = await snapshot.graph.page(wanted, cursor=cursor, limit=1)
            paged += [each.id for each in page.items]
            cursor = page.next_cursor
            if cursor is None:
                break
        assert paged == every
        with pytest.raises(InvalidCursor):
            await snapshot.graph.page(replace(wanted, text="x"), cursor="nonsense", limit=1)


async def test_a_neighbourhood_is_bounded_and_tells_edges_between_neighbours(store: Store) -> None:
    await tell_of(store, "Anna met Tim.", "Anna met Zoe.", "Tim met Zoe.", "Tim met Mia.")
    found = await around(store, "Anna", limit=100)
    assert {each.name for each in found.nodes} == {"Tim", "Zoe"}
    assert ("Tim", "knows", "Zoe") in edges(found)
    assert len((await around(store, "Anna", limit=1)).nodes) == 1
    assert len(found.lineage) == 2
