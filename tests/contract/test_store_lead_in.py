"""What brief messages are embedded with, and that it is forgotten with what they tell of it."""

from collections.abc import Sequence

import pytest

from app.domain.conversation import Role, Way
from app.domain.ids import ItemKey
from app.ports.projecting import InContext, VectorItem
from app.ports.store import Store
from app.text.lead_in import BRIEF
from tests.stored import ACME, NOON, Kept, keep, outbox_keys, packed, said

MODEL = "mini"
TALK = ("Which cabin is it?", "the red one", "no, wait", "the one at the lake")
LONG = " ".join(f"word{number}" for number in range(BRIEF + 1))


async def items(store: Store, keys: Sequence[ItemKey]) -> Sequence[VectorItem]:
    async with store.observe() as observations:
        return await observations.to_index(keys, model=MODEL)


async def lead_ins(store: Store, kept: Kept) -> list[list[str]]:
    return [list(each.lead_in) for each in await items(store, kept.keys)]


async def embed(store: Store, several: Sequence[VectorItem]) -> None:
    """As the indexer does it, of items that it has read some time ago."""
    async with store.project() as projections:
        rows = await projections.claim(now=NOON, limit=100, lease=60)
        await projections.finish(rows)
        await projections.keep_vectors(
            packed({each.key: b"\1\2" for each in several}),
            in_context={
                each.key: InContext(vector=b"\3\4", lead_in=each.lead_in)
                for each in several
                if each.lead_in
            },
            model=MODEL,
            dimension=1,
            now=NOON,
        )


async def embedded(store: Store, kept: Kept) -> list[bool]:
    return [each.vector is not None for each in await items(store, kept.keys)]


async def erase(store: Store, kept: Kept, at: int) -> int:
    async with store.write(ACME) as transaction:
        return (await transaction.erase.message(kept.messages[at].id, now=NOON)).embeddings


async def test_what_was_said_right_before_leads_in_to_what_is_brief(store: Store) -> None:
    kept = await keep(store, said(TALK[0], name="Ann"), *TALK[1:], "yes")
    cabin = f"Ann: {TALK[0]}"
    assert await lead_ins(store, kept) == [
        [],
        [cabin],
        [cabin, TALK[1]],
        [cabin, TALK[1], TALK[2]],
        list(TALK[1:]),
    ]


async def test_nothing_leads_in_to_what_says_enough(store: Store) -> None:
    assert await lead_ins(store, await keep(store, "dogs", LONG, "cats")) == [
        [],
        [],
        ["dogs", LONG],
    ]


async def test_only_what_was_said_leads_in_and_only_there(store: Store) -> None:
    await keep(store, "elsewhere", external_id="before")
    told = (said("Be kind.", role=Role.SYSTEM), said("42", role=Role.TOOL), said(None), "dogs")
    assert (await lead_ins(store, await keep(store, *told, "cats")))[-1] == ["dogs"]


async def test_what_a_branch_holds_that_was_left_leads_in_to_itself(store: Store) -> None:
    told = [said(each, external_id=each) for each in ("trunk", "left", "left too", "current")]
    kept = await keep(store, *told)
    way = Way(current=frozenset({"trunk", "current"}), left=frozenset({"left", "left too"}))
    async with store.write(ACME) as transaction:
        await transaction.messages.take_ways([(kept.conversation, way)], now=NOON)
    assert await lead_ins(store, kept) == [[], ["trunk"], ["trunk", "left"], ["trunk"]]


async def test_what_is_embedded_is_not_read_again(store: Store) -> None:
    kept = await keep(store, *TALK)
    await embed(store, await items(store, kept.keys))
    assert await lead_ins(store, kept) == [[]] * 4
    first, *others = await items(store, kept.keys)
    assert (first.vector, first.in_context, first.indexed) == (b"\1\2", None, b"\1\2")
    for each in others:
        assert (each.vector, each.in_context, each.indexed) == (b"\1\2", b"\3\4", b"\3\4")


async def test_what_tells_of_an_erased_message_is_embedded_again(store: Store) -> None:
    kept = await keep(store, "first", *TALK, "and now?")
    await embed(store, await items(store, kept.keys))
    assert await erase(store, kept, 1) == 1
    assert await embedded(store, kept) == [True, False, False, False, True]
    assert sorted(await outbox_keys(store)) == [kept.keys[at] for at in (1, 2, 3, 4)]
    told = [word for each in await lead_ins(store, kept) for word in each]
    assert "first" in told
    assert TALK[0] not in told


async def test_nothing_else_is_embedded_again(store: Store) -> None:
    kept = await keep(store, "dogs", LONG, *TALK)
    other = await keep(store, *TALK, external_id="other")
    for each in (kept, other):
        await embed(store, await items(store, each.keys))
    await erase(store, kept, 5)
    assert all(await embedded(store, kept))
    assert await embedded(store, other) == [True] * 4
    assert await outbox_keys(store) == [kept.keys[5]]


@pytest.mark.parametrize("at", [0, 2])
async def test_no_vector_is_kept_that_tells_of_what_is_gone_meanwhile(
    store: Store, at: int
) -> None:
    kept = await keep(store, *TALK)
    read = await items(store, kept.keys)
    await erase(store, kept, at)
    await embed(store, read)
    left = await items(store, kept.keys)
    assert [each.vector for each in left] == [b"\1\2"] * 3
    told = [each.in_context for each in left if each.key > kept.keys[at]]
    assert told == [None] * (3 - at)
    assert left[0].in_context is None
    assert at == 0 or left[1].in_context == b"\3\4"


def turning() -> tuple[Way, Way]:
    """Behind the trunk, the one branch and the other."""
    one, other = frozenset({"trunk", "one"}), frozenset({"trunk", "other", "more"})
    return Way(current=one, left=other - one), Way(current=other, left=one - other)


async def turn(store: Store, kept: Kept, way: Way) -> None:
    async with store.write(ACME) as transaction:
        await transaction.messages.take_ways([(kept.conversation, way)], now=NOON)


async def branches(store: Store) -> Kept:
    told = [said(each, external_id=each) for each in ("trunk", "one", "other", "more")]
    return await keep(store, *told)


async def whole(store: Store, kept: Kept) -> bool:
    """Whether all are embedded, with what leads in to them."""
    return all(each.is_embedded for each in await items(store, kept.keys))


async def test_what_something_else_leads_in_to_since_a_turn_is_embedded_with_that(
    store: Store,
) -> None:
    kept, (one, other) = await branches(store), turning()
    await turn(store, kept, one)
    await embed(store, await items(store, kept.keys))
    assert await whole(store, kept)

    await turn(store, kept, other)

    assert await embedded(store, kept) == [True] * 4
    assert await lead_ins(store, kept) == [[], [], ["trunk"], ["trunk", "other"]]
    assert sorted(await outbox_keys(store)) == kept.keys[2:]
    await embed(store, await items(store, kept.keys[2:]))
    assert await whole(store, kept)
    await turn(store, kept, other)
    assert sorted(await outbox_keys(store)) == kept.keys[2:]


async def test_what_is_turned_while_it_is_embedded_is_embedded_again(store: Store) -> None:
    kept, (one, other) = await branches(store), turning()
    await turn(store, kept, one)
    read = await items(store, kept.keys)
    async with store.project() as projections:
        claimed = await projections.claim(now=NOON, limit=100, lease=60)

    await turn(store, kept, other)

    in_context = {
        each.key: InContext(vector=b"\3\4", lead_in=each.lead_in) for each in read if each.lead_in
    }
    late = {each.key: b"\1\2" for each in read}
    async with store.project() as projections:
        await projections.finish(claimed)
        await projections.keep_vectors(
            packed(late), in_context=in_context, model=MODEL, dimension=1, now=NOON
        )
    assert not await whole(store, kept)
    noted = sorted(set(await outbox_keys(store)))
    assert noted == kept.keys[2:]
    await embed(store, await items(store, noted))
    assert await whole(store, kept)
    async with store.project() as projections:  # somebody is later still
        await projections.keep_vectors(
            packed(late), in_context=in_context, model=MODEL, dimension=1, now=NOON
        )
    assert await whole(store, kept)
