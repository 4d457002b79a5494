"""What every vector index promises, whichever engine is behind it."""

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.adapters.vectors import open_edge_index, open_server_index
from app.domain.conversation import Role
from app.domain.ids import ConversationKey, ItemKey, ScopeKey
from app.domain.memory import ItemType, Table, item_key
from app.ports import RecallFilter, VectorIndex, VectorPoint
from app.ranking import Floats
from tests.fakes_vectors import DEFAULT_SCOPE, NOON, FakeVectorIndex, place_of, point, towards
from tests.stand_in_qdrant import StandInQdrant, stand_in_qdrant

DIMENSION = 4
MICROSECOND = timedelta(microseconds=1)
BEGINNING = datetime.min.replace(tzinfo=UTC)
END = datetime.max.replace(tzinfo=UTC)
ALICE, BOB = DEFAULT_SCOPE, ScopeKey(2)
HALF_PRECISION = 1e-3


EAST, NORTH, NORTH_EAST = towards(1, 0, 0, 0), towards(0, 1, 0, 0), towards(1, 1, 0, 0)


@pytest.fixture(scope="module")
def stand_in() -> Iterator[StandInQdrant]:
    with stand_in_qdrant() as running:
        yield running


@pytest.fixture(params=["fake", "edge", "client", "server"])
async def index(
    request: pytest.FixtureRequest, tmp_path: Path, stand_in: StandInQdrant
) -> AsyncIterator[VectorIndex]:
    opening: AbstractAsyncContextManager[VectorIndex]
    match request.param:
        case "edge":
            opening = open_edge_index(tmp_path / "vectors", dimension=DIMENSION)
        case "client":
            opening = open_server_index(":memory:", collection="it", dimension=DIMENSION)
        case "server":
            opening = open_server_index(stand_in.url, collection="it", dimension=DIMENSION)
        case _:
            opening = nullcontext(FakeVectorIndex(DIMENSION))
    async with opening as opened:
        yield opened
    stand_in.forget()


async def found(
    index: VectorIndex, within: RecallFilter, *, to: Floats = EAST, limit: int = 10
) -> list[int]:
    return [key for key, _ in await index.search(to, within=within, limit=limit)]


async def all_keys(index: VectorIndex) -> list[int]:
    walk = index.keys()
    return [key async for batch in walk for key in batch]


def alice(**narrower: object) -> RecallFilter:
    return RecallFilter(scopes=[ALICE], **narrower)  # type: ignore[arg-type]


async def test_an_empty_index_has_nothing(index: VectorIndex) -> None:
    assert await found(index, alice()) == []
    assert await index.count() == 0
    assert await all_keys(index) == []
    assert await index.known([ItemKey(1)]) == frozenset()


async def test_nothing_can_be_asked_of_every_method(index: VectorIndex) -> None:
    await index.upsert([])
    await index.remove([])
    assert await index.known([]) == frozenset()
    await index.flush()


async def test_the_nearest_comes_first_with_its_cosine(index: VectorIndex) -> None:
    await index.upsert([point(1, -EAST), point(2, NORTH), point(3, NORTH_EAST), point(4, EAST)])
    nearest = await index.search(EAST, within=alice(), limit=10)
    assert [key for key, _ in nearest] == [4, 3, 2, 1]
    cosines = [cosine for _, cosine in nearest]
    assert cosines == pytest.approx([1, 0.5**0.5, 0, -1], abs=HALF_PRECISION)
    assert all(-1 <= cosine <= 1 for cosine in cosines)


async def test_a_query_needs_no_length_of_one(index: VectorIndex) -> None:
    await index.upsert([point(1, NORTH_EAST)])
    ((_, cosine),) = await index.search(7 * EAST, within=alice(), limit=1)
    assert cosine == pytest.approx(0.5**0.5, abs=HALF_PRECISION)


async def test_upserting_a_key_again_replaces_all_of_it(index: VectorIndex) -> None:
    await index.upsert([point(1, EAST, conversation=1, role=Role.USER)])
    await index.upsert([point(1, NORTH, scope=BOB)])
    assert await index.count() == 1
    assert await found(index, alice()) == []
    ((_, cosine),) = await index.search(NORTH, within=RecallFilter(scopes=[BOB]), limit=1)
    assert cosine == pytest.approx(1, abs=HALF_PRECISION)
    first = frozenset({ConversationKey(1)})
    assert await found(index, RecallFilter(scopes=[BOB], conversations=first)) == []


async def test_the_last_of_a_key_twice_in_one_batch_stays(index: VectorIndex) -> None:
    await index.upsert([point(1, EAST), point(1, NORTH)])
    ((_, cosine),) = await index.search(NORTH, within=alice(), limit=9)
    assert cosine == pytest.approx(1, abs=HALF_PRECISION)


async def test_what_is_removed_is_gone_at_once(index: VectorIndex) -> None:
    await index.upsert([point(key) for key in range(1, 2001)])
    await index.remove([ItemKey(key) for key in range(1, 2001) if key != 1999])
    assert await found(index, alice()) == [1999]
    assert await index.count() == 1
    assert await all_keys(index) == [1999]
    assert await index.known([ItemKey(1), ItemKey(1999)]) == {1999}


async def test_removing_what_is_not_there_is_no_error(index: VectorIndex) -> None:
    await index.upsert([point(1)])
    await index.remove([ItemKey(2), ItemKey(3)])
    assert await all_keys(index) == [1]


async def test_what_was_removed_can_come_back(index: VectorIndex) -> None:
    await index.upsert([point(1, NORTH)])
    await index.remove([ItemKey(1)])
    await index.upsert([point(1, EAST, conversation=2)])
    assert await found(index, alice(conversations=frozenset({2}))) == [1]


async def test_known_tells_stored_keys_from_others(index: VectorIndex) -> None:
    await index.upsert([point(key) for key in range(0, 3000, 3)])
    asked = [ItemKey(key) for key in range(3000)]
    assert await index.known(asked) == set(range(0, 3000, 3))


async def test_keys_come_in_ascending_batches(index: VectorIndex) -> None:
    shuffled = np.random.default_rng(0).permutation(2500)
    await index.upsert([point(int(key)) for key in shuffled])
    walk = index.keys()
    batches = [list(batch) async for batch in walk]
    assert len(batches) > 1
    assert all(batches)
    assert [key for batch in batches for key in batch] == list(range(2500))


async def test_keys_can_be_as_large_as_rows_get(index: VectorIndex) -> None:
    largest = item_key(Table.MEMORY, 2**61 - 1)
    await index.upsert([point(largest), point(0)])
    assert await all_keys(index) == [0, largest]
    assert await found(index, alice()) == [0, largest]
    await index.remove([largest])
    assert await index.known([largest, ItemKey(0)]) == {0}


async def test_no_more_than_the_limit_is_found(index: VectorIndex) -> None:
    await index.upsert([point(1, EAST), point(2, NORTH_EAST), point(3, NORTH)])
    assert await found(index, alice(), limit=2) == [1, 2]
    assert await found(index, alice(), limit=0) == []


@pytest.mark.parametrize("limit", [1, 7, 50, 99, 100, 200])
async def test_equals_come_in_the_order_of_their_keys(index: VectorIndex, limit: int) -> None:
    shuffled = np.random.default_rng(limit).permutation(100)
    await index.upsert([point(int(key), NORTH_EAST) for key in shuffled])
    await index.upsert([point(1000, EAST), point(1001, NORTH)])
    assert await found(index, alice(), limit=limit) == [1000, *range(100), 1001][:limit]


async def test_a_scope_never_sees_another(index: VectorIndex) -> None:
    await index.upsert([point(1, scope=ALICE), point(2, scope=BOB), point(3, scope=ScopeKey(12))])
    assert await found(index, RecallFilter(scopes=[ALICE])) == [1]
    assert await found(index, RecallFilter(scopes=[BOB])) == [2]
    assert await found(index, RecallFilter(scopes=[ScopeKey(3)])) == []


async def test_several_scopes_are_searched_together(index: VectorIndex) -> None:
    await index.upsert([point(key, scope=ScopeKey(key)) for key in (1, 2, 3)])
    within = RecallFilter(scopes=[ScopeKey(3), ScopeKey(1), ScopeKey(3)])
    assert await found(index, within) == [1, 3]


async def test_without_a_scope_nothing_is_found(index: VectorIndex) -> None:
    await index.upsert([point(1)])
    assert await found(index, RecallFilter(scopes=[])) == []


@pytest.mark.parametrize(
    ("narrower", "expected"),
    [
        ({"conversations": None}, [1, 2, 3, 4]),
        ({"conversations": frozenset()}, []),
        ({"conversations": frozenset({1})}, [1]),
        ({"conversations": frozenset({1, 2, 9})}, [1, 2]),
        ({"without_conversations": frozenset({1})}, [2, 3, 4]),
        ({"without_conversations": frozenset({1, 2})}, [3, 4]),
        ({"conversations": frozenset({1, 2}), "without_conversations": frozenset({2})}, [1]),
        ({"conversations": frozenset({1}), "without_conversations": frozenset({1})}, []),
        ({"roles": frozenset({Role.USER})}, [1, 3]),
        ({"roles": frozenset({Role.USER, Role.ASSISTANT})}, [1, 2, 3]),
        ({"roles": frozenset({Role.SYSTEM})}, []),
        ({"types": frozenset({ItemType.FACT})}, [3]),
        ({"types": frozenset({ItemType.MESSAGE, ItemType.SUMMARY})}, [1, 2, 4]),
        ({"types": frozenset({ItemType.MESSAGE}), "roles": frozenset({Role.ASSISTANT})}, [2]),
    ],
)
async def test_a_filter_narrows(
    index: VectorIndex, narrower: dict[str, object], expected: list[int]
) -> None:
    await index.upsert(
        [
            point(1, conversation=1, role=Role.USER),
            point(2, conversation=2, role=Role.ASSISTANT),
            point(3, conversation=3, role=Role.USER, item_type=ItemType.FACT),
            point(4, item_type=ItemType.SUMMARY),
        ]
    )
    assert await found(index, alice(**narrower)) == expected


TIMES = [BEGINNING, BEGINNING + MICROSECOND, NOON - MICROSECOND, NOON, NOON + MICROSECOND]
TIMES += [END - MICROSECOND, END]


@pytest.mark.parametrize("bound", TIMES, ids=str)
async def test_time_is_kept_to_the_microsecond(index: VectorIndex, bound: datetime) -> None:
    await index.upsert([point(key, at=at) for key, at in enumerate(TIMES)])
    here = TIMES.index(bound)
    every = list(range(len(TIMES)))
    assert await found(index, alice(after=bound)) == every[here:]
    assert await found(index, alice(before=bound)) == every[:here]
    assert await found(index, alice(as_of=bound)) == every[: here + 1]
    assert await found(index, alice(after=bound, as_of=bound)) == [here]


async def test_times_of_all_zones_are_compared_as_moments(index: VectorIndex) -> None:
    ahead = datetime.fromisoformat("2026-03-01T14:00:00+02:00")
    await index.upsert([point(1, at=ahead)])
    assert await found(index, alice(as_of=NOON)) == [1]
    assert await found(index, alice(before=ahead)) == []


async def test_the_narrowest_of_several_bounds_counts(index: VectorIndex) -> None:
    await index.upsert([point(key, at=NOON + key * MICROSECOND) for key in range(5)])
    within = alice(
        after=NOON + MICROSECOND, before=NOON + 4 * MICROSECOND, as_of=NOON + 2 * MICROSECOND
    )
    assert await found(index, within) == [1, 2]


async def test_what_has_ended_is_not_found_where_it_is_asked_what_holds(
    index: VectorIndex,
) -> None:
    second = timedelta(seconds=1)
    ends = [None, NOON - second, NOON, NOON + second]
    await index.upsert([point(key, until=until) for key, until in enumerate(ends)])
    assert await found(index, alice()) == [0, 1, 2, 3]
    assert await found(index, alice(now=NOON)) == [0, 3]
    assert await found(index, alice(now=NOON + second)) == [0]
    assert await found(index, alice(now=NOON + second, as_of=NOON)) == [0, 3]


async def test_another_end_replaces_the_one_of_before(index: VectorIndex) -> None:
    await index.upsert([point(1, until=NOON)])
    await index.upsert([point(1)])
    assert await found(index, alice(now=NOON)) == [1]


directions = (
    st.lists(st.integers(-1, 1), min_size=DIMENSION, max_size=DIMENSION)
    .filter(any)
    .map(lambda values: towards(*values))
)
keys = st.integers(0, 30)
some_conversations = st.frozensets(st.integers(1, 3).map(ConversationKey))
moments = st.none() | st.sampled_from(TIMES)
points = st.builds(
    point,
    keys,
    directions,
    scope=st.sampled_from([ALICE, BOB]),
    conversation=st.none() | st.integers(1, 3),
    role=st.none() | st.sampled_from(Role),
    item_type=st.sampled_from(ItemType),
    at=st.sampled_from(TIMES),
    until=moments,
)
filters = st.builds(
    RecallFilter,
    scopes=st.lists(st.sampled_from([ALICE, BOB]), max_size=3),
    conversations=st.none() | some_conversations,
    without_conversations=some_conversations,
    roles=st.frozensets(st.sampled_from(Role), max_size=3),
    types=st.frozensets(st.sampled_from(ItemType), max_size=5),
    after=moments,
    before=moments,
    as_of=moments,
    now=moments,
)


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    stored=st.lists(points, max_size=40),
    removed=st.lists(keys.map(ItemKey), max_size=10),
    asked=st.lists(st.tuples(directions, filters, st.integers(0, 12)), min_size=1, max_size=5),
)
async def test_every_engine_finds_what_the_fake_finds(
    index: VectorIndex,
    stored: Sequence[VectorPoint],
    removed: Sequence[ItemKey],
    asked: Sequence[tuple[Floats, RecallFilter, int]],
) -> None:
    await index.remove([ItemKey(key) for key in await all_keys(index)])
    fake = FakeVectorIndex(DIMENSION)
    for each in (index, fake):
        await each.upsert(stored)
        await each.remove(removed)
    assert await all_keys(index) == await all_keys(fake)
    assert await index.count() == await fake.count()
    for query, within, limit in asked:
        expected = await fake.search(query, within=within, limit=limit)
        actual = await index.search(query, within=within, limit=limit)
        assert [key for key, _ in actual] == [key for key, _ in expected]
        assert [cosine for _, cosine in actual] == pytest.approx(
            [cosine for _, cosine in expected], abs=HALF_PRECISION
        )


async def test_what_was_opened_is_intact(index: VectorIndex) -> None:
    assert await index.intact()
    await index.upsert([point(1)])
    await index.flush()
    assert await index.intact()


async def test_what_lies_beside_other_facts_is_told(index: VectorIndex) -> None:
    several = [point(key, conversation=7, role=Role.USER, until=END) for key in range(1, 6)]
    await index.upsert(several)
    first, second, third, fourth, fifth = [place_of(each) for each in several]
    assert await index.misplaced([first, second, third, fourth, fifth]) == frozenset()
    changed = [
        replace(first, scope=BOB),
        replace(second, conversation=None),
        replace(third, role=None, type=ItemType.FACT),
        replace(fourth, until=END - MICROSECOND),
        replace(fifth, created_at=NOON.astimezone(timezone(timedelta(hours=2)))),
        replace(first, key=ItemKey(4711)),
    ]
    assert await index.misplaced(changed) == {1, 2, 3, 4}
    await index.upsert([replace(several[0], scope=BOB)])
    assert await index.misplaced([changed[0]]) == frozenset()
    assert await index.misplaced([]) == frozenset()
