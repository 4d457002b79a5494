"""Which messages of a tree are aside of the way that is current."""

from collections.abc import Collection

from app.domain.conversation import Conversation, Way
from app.ports.store import Store
from tests.stored import ACME, NOON, Kept, keep, last_of, said, scope_now


async def talk(store: Store, name: str, *names: str) -> Kept:
    told = [said(f"{each} of {name}", NOON, external_id=each) for each in names]
    return await keep(store, *told, external_id=name)


async def take(store: Store, *ways: tuple[Conversation, Collection[str], Collection[str]]) -> None:
    async with store.write(ACME) as transaction:
        await transaction.messages.take_ways(
            [
                (conversation, Way(current=frozenset(current), left=frozenset(left)))
                for conversation, current, left in ways
            ],
            now=NOON,
        )


async def aside(store: Store, kept: Kept) -> set[str | None]:
    async with store.read(ACME) as snapshot:
        told = await last_of(snapshot.messages, kept.conversation.key, limit=100)
    return {each.external_id for each in told if each.aside}


async def test_of_several_trees_each_goes_its_way(store: Store) -> None:
    one, other = await talk(store, "one", "a", "b", "c"), await talk(store, "other", "a", "b")

    await take(store, (other.conversation, "b", "a"), (one.conversation, "ac", "b"))
    assert (await aside(store, one), await aside(store, other)) == ({"b"}, {"a"})

    await take(store, (one.conversation, "ab", "c"))
    assert (await aside(store, one), await aside(store, other)) == ({"c"}, {"a"})


async def test_what_no_tree_knows_is_not_marked(store: Store) -> None:
    kept = await talk(store, "one", "a", "b", "own")
    many = [f"node-{number}" for number in range(1_200)]
    await take(store, (kept.conversation, "b", [*many, "a"]))
    assert await aside(store, kept) == {"a"}


async def test_only_a_turn_makes_answers_of_before_unreachable(store: Store) -> None:
    kept = await talk(store, "one", "a", "b")
    before = (await scope_now(store, "alice")).version

    await take(store, (kept.conversation, "ab", "z"))
    assert (await scope_now(store, "alice")).version == before
    await take(store, (kept.conversation, "a", "b"))
    assert (await scope_now(store, "alice")).version == before + 1
