"""Which summaries go in: nothing twice, as fine as the room allows, what is oldest coarsest."""

from collections.abc import Sequence
from datetime import timedelta
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from app.domain.context import ContextRequest, MemoryItem
from app.domain.conversation import Message
from app.domain.periods import Period, span_of
from app.ranking.budget import Share
from app.ranking.summaries import told_once
from app.services.packing.packer import Packed
from tests.factories import NOON, SummaryItem, a_message, an_item, ranked, recalled
from tests.packed import PACKER, counted

DAY = timedelta(days=1)


def gist(
    row: int, cites: Sequence[int], period: Period | None, day: int = 0, words: int = 18
) -> SummaryItem:
    """A summary that cites the messages of these rows, of the period that `day` lies in."""
    item = an_item(row, f"Gist {row}." + " word" * words, role=None, conversation=None)
    span = None if period is None else span_of(period, NOON + day * DAY)
    return SummaryItem.of(counted(item), cites, span)


def told(*found: MemoryItem, room: int, there: int = 0) -> list[int]:
    """Rows of those that are told, where the first so many are there anyway."""
    items = recalled(*found)
    places = told_once(items, range(there, len(found)), there=range(there), room=Share(room, 50))
    return [int(found[at].id) for at in places]


DAYS = [gist(100 + day, [2 * day, 2 * day + 1], Period.DAY, day) for day in range(8)]
FIRST_WEEK = gist(110, [2, 4, 6], Period.WEEK, 1)
MONTH = gist(120, [2, 10], Period.MONTH)


def test_of_nested_periods_the_finest_is_told() -> None:
    assert told(MONTH, FIRST_WEEK, DAYS[1], DAYS[6], room=1_000) == [101, 106]


def test_what_shares_no_message_stands_beside() -> None:
    assert told(MONTH, DAYS[6], gist(130, [99], None), room=1_000) == [120, 106, 130]


def test_without_room_a_coarser_one_stands_for_several_the_oldest_first() -> None:
    several = [*DAYS[1:4], *DAYS[5:7]]
    second, one = gist(111, [10, 12], Period.WEEK, 8), FIRST_WEEK.tokens
    assert told(*several, second, FIRST_WEEK, room=5 * one) == [101, 102, 103, 105, 106]
    assert told(*several, second, FIRST_WEEK, room=4 * one) == [105, 106, 110]
    assert told(*several, second, FIRST_WEEK, room=2 * one) == [111, 110]
    year = gist(140, [2, 4, 10, 12], Period.YEAR)
    assert told(*several, year, second, FIRST_WEEK, room=one) == [140]


def test_a_coarser_one_that_saves_nothing_stays_away() -> None:
    long = gist(110, [2, 4], Period.WEEK, 1, words=90)
    assert told(DAYS[1], DAYS[2], long, room=10) == [101, 102]


def test_what_the_running_conversation_is_told_by_is_not_told_again() -> None:
    rolling = gist(1, [2], None)
    assert told(rolling, DAYS[1], FIRST_WEEK, DAYS[2], room=1_000, there=1) == [102]


GISTS = st.lists(
    st.tuples(
        st.sets(st.integers(0, 12), min_size=1, max_size=5),
        st.sampled_from([None, *Period]),
        st.integers(0, 60),
        st.integers(1, 40),
    ),
    max_size=10,
).map(
    lambda several: [
        gist(row, sorted(cites), period, day, words)
        for row, (cites, period, day, words) in enumerate(several)
    ]
)


@given(GISTS, st.integers(0, 400))
def test_no_message_is_told_twice(found: list[SummaryItem], room: int) -> None:
    places = told_once(recalled(*found), range(len(found)), room=Share(room, 50))
    assert list(places) == sorted(set(places))
    chosen = [found[at] for at in places]
    assert all(one.cited.isdisjoint(other.cited) for one, other in combinations(chosen, 2))


@given(GISTS)
def test_with_room_for_all_none_is_left_out_for_nothing(found: list[SummaryItem]) -> None:
    places = told_once(recalled(*found), range(len(found)), room=Share(100_000, 50))
    cited = frozenset[str]().union(*(found[at].cited for at in places))
    assert all(cited & each.cited for each in found)


def said(row: int) -> MemoryItem:
    return counted(an_item(row, f"Said {row}." + " word" * 18))


def pack(*found: MemoryItem, budget: int, history: Sequence[Message] = ()) -> Packed:
    request = ContextRequest(query="q", budget_tokens=budget, max_items=50)
    return PACKER.pack(request, history, ranked(*found))


def shown(packed: Packed) -> list[int]:
    return [int(each.item.id) for each in packed.candidates]


def test_a_summary_stands_only_for_messages_that_do_not_fit() -> None:
    day = gist(100, [1, 2], Period.DAY, words=8)
    packed = pack(day, said(1), said(2), budget=1_000)
    assert shown(packed) == [1, 2]
    assert [reason for _, reason in packed.dropped] == ["duplicate"]
    assert shown(pack(day, said(1), said(2), budget=40)) == [100, 1]


def test_what_cites_more_than_is_there_is_told() -> None:
    assert shown(pack(gist(100, [1, 9], Period.DAY), said(1), budget=1_000)) == [100, 1]


def test_what_the_history_says_needs_no_summary() -> None:
    running = a_message(7, "Said 7.")
    day = gist(100, [1, 7], Period.DAY)
    assert shown(pack(day, said(1), budget=1_000, history=[running])) == [1]


def test_of_two_that_tell_the_same_one_is_there_and_the_other_a_duplicate() -> None:
    packed = pack(MONTH, DAYS[1], budget=1_000)
    assert shown(packed) == [101]
    assert [reason for _, reason in packed.dropped] == ["duplicate"]
