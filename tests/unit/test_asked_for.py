"""What sums up the time that a question asks for: let in, with a place within its share."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.context import ContextRequest, Format, MemoryItem, Source, Weights
from app.domain.conversation import Role
from app.domain.ids import ConversationKey, ScopeKey
from app.domain.memory import ItemType
from app.domain.periods import Period, span_of
from app.ports import RecallFilter
from app.ranking.bm25 import idf
from app.ranking.budget import Share
from app.ranking.candidates import Taste, rank
from app.ranking.offering import offered
from app.ranking.pool import Pool
from app.ranking.query import QueryView
from app.ranking.ranked import BELOW_FLOOR, Ranked
from app.ranking.relevance import relevance
from app.services.packing.packer import Packed
from app.text.times import intervals_of
from tests.factories import NOON, SummaryItem, an_item, ranked, recalled
from tests.packed import PACKER, counted

DAY = timedelta(days=1)
EAST = np.array([1, 0], np.float32)
TASTE = Taste(
    weights=Weights(),
    preferred_labels=frozenset(),
    floor=0.2,
    sufficient=0.9,
    min_score=None,
    now=NOON.timestamp(),
)
WEEK = [span_of(Period.DAY, NOON + day * DAY) for day in range(-7, 0)]
QUERY = QueryView(
    vector=None,
    terms=["tea"],
    idf=idf(10, [1]),
    idf_mass=2.0,
    average_length=3.0,
    periods=frozenset(WEEK),
)


def gist(row: int, day: int | None, cites: Sequence[int] = (), words: int = 18) -> SummaryItem:
    """Of the day so many days ago, and of none for None."""
    item = an_item(row, f"Gist {row}." + " word" * words, role=None, conversation=None)
    span = None if day is None else WEEK[-day]
    return SummaryItem.of(counted(item), cites or [1_000 + row], span)


def said(row: int, text: str = "Said {}." + " word" * 18) -> MemoryItem:
    return counted(an_item(row, text.format(row)))


def ranking(*items: MemoryItem, overview: bool, **taste: Any) -> Ranked:
    query = replace(QUERY, overview=overview)
    found = {each.key: Source.LEXICAL for each in items if each.type is not ItemType.SUMMARY}
    sources = {each.key: frozenset([found.get(each.key, Source.EPISODIC)]) for each in items}
    pool = Pool.of(recalled(*items), dimension=2)
    judged = relevance(query, pool)
    return rank(query, pool, sources, replace(TASTE, **taste), judged)


def test_who_asks_for_a_time_gets_what_sums_it_up_however_it_is_worded() -> None:
    found = ranking(gist(1, 2), gist(2, None), said(3, "tea"), overview=True)
    assert sorted(found.order) == [0, 2]
    assert found.asked == {gist(1, 2).key}
    assert found.candidate(0).signals["period"] == 1
    assert "period" not in found.candidate(2).signals
    assert found.sufficient


def test_who_asks_for_something_of_it_gets_what_is_about_that() -> None:
    found = ranking(gist(1, 2), gist(2, 3), said(3, "milk"), overview=False)
    assert (found.order, found.asked, found.sufficient) == ([], frozenset(), False)
    assert "period" not in found.signals


def test_an_overview_lets_in_what_was_said_at_another_time_by_a_word_only() -> None:
    then, told, long_before, about_it = (
        replace(said(row, text), created_at=NOON - days * DAY)
        for row, text, days in ((1, "rain", 10), (2, "milk", 6), (3, "snow", 40), (4, "tea", 40))
    )
    last_week = intervals_of("last week", NOON)
    query = replace(QUERY, vector=EAST, intervals=last_week, periods=frozenset())
    near = {at: np.array([np.cos(at / 2), np.sin(at / 2)], np.float32) for at in range(3)}
    items = recalled(then, told, long_before, about_it, vectors=near)
    pool = Pool.of(items, dimension=2)
    judged = relevance(query, pool)
    sources = {each: frozenset([Source.SEMANTIC]) for each in pool.recalled.keys}

    found = rank(replace(query, overview=True), pool, sources, TASTE, judged)
    assert sorted(found.order) == [0, 1, 3]
    assert found.dropped == [(2, BELOW_FLOOR)]
    about = rank(query, pool, sources, TASTE, judged)
    assert sorted(about.order) == [0, 1, 2, 3]


def test_where_nothing_is_of_the_time_an_overview_lets_in_what_is_near() -> None:
    query = replace(
        QUERY,
        vector=EAST,
        intervals=intervals_of("in 2001", NOON),
        overview=True,
        periods=frozenset(),
    )
    pool = Pool.of(recalled(said(1), vectors={0: EAST}), dimension=2)
    sources = {each: frozenset([Source.SEMANTIC]) for each in pool.recalled.keys}
    assert rank(query, pool, sources, TASTE, relevance(query, pool)).order == [0]


def test_what_is_below_the_least_score_of_a_caller_stays_out() -> None:
    found = ranking(gist(1, 2), overview=True, min_score=0.9)
    assert (found.order, found.asked) == ([], frozenset())


def test_what_is_asked_for_is_told_rather_than_another_summary_that_says_the_same() -> None:
    one, other = gist(1, 2), gist(2, None)
    same = replace(other, content=one.content, content_hash=one.content_hash, importance=10)
    for items in ((one, same), (same, one)):
        found = ranking(*items, overview=True)
        assert [found.recalled.keys[at] for at in found.order] == [one.key]


def asked_for(*items: MemoryItem, asked: Sequence[int], **about: Any) -> Ranked:
    """The items, best first, of which those at the places `asked` are what is asked for."""
    keys = frozenset(items[at].key for at in asked)
    return replace(ranked(*items, **about), asked=keys)


def pack(found: Ranked, budget: int, **about: Any) -> Packed:
    request = replace(ContextRequest(query="q", budget_tokens=budget, max_items=50), **about)
    return PACKER.pack(request, [], found)


def shown(packed: Packed) -> list[int]:
    return [int(each.item.id) for each in packed.candidates]


def test_it_has_a_place_before_messages_but_within_the_share_of_summaries() -> None:
    several = [said(row) for row in range(1, 30)]
    week = [gist(100 + day, day) for day in range(1, 8)]
    one = week[0].tokens
    found = asked_for(*several, *week, asked=range(29, 36))
    packed = pack(found, 16 * one)
    told = [row for row in shown(packed) if row >= 100]
    assert told == [101, 102, 103, 104]
    assert packed.tokens > 15 * one
    without = pack(ranked(*several, *week), 16 * one)
    assert not [row for row in shown(without) if row >= 100]
    assert len([row for row in shown(pack(found, 4_000, max_items=12)) if row >= 100]) == 3


def test_with_room_all_of_it_is_told() -> None:
    found = asked_for(said(1), *(gist(100 + day, day) for day in range(1, 8)), asked=range(1, 8))
    assert shown(pack(found, 4_000)) == [1, *range(101, 108)]


def test_what_is_told_by_it_no_other_summary_tells_again() -> None:
    chat = gist(1, None, [5, 6])
    day = gist(2, 1, [5, 7])
    assert shown(pack(asked_for(chat, day, asked=[1]), 4_000)) == [2]
    assert shown(pack(ranked(chat, day), 4_000)) == [1]


def test_what_leads_does_not_keep_it_out() -> None:
    rolling, day = gist(1, None, [5, 6]), gist(2, 1, [5, 7])
    found = replace(asked_for(rolling, day, asked=[1]), leading=frozenset({rolling.key}))
    assert shown(pack(found, 4_000)) == [1, 2]
    offer = offered(found, most=9, tools=3, room=Share(1_000, 9))
    assert (list(offer.order), offer.loose) == ([0, 1], 2)


def test_what_is_pinned_of_it_is_told_once() -> None:
    day, again = gist(1, 1, [5, 6]), gist(2, 2, [5, 7])
    found = asked_for(day, again, asked=[0, 1], pinned=frozenset({0}))
    assert shown(pack(found, 4_000)) == [1]


def test_places_are_shared_as_tokens_are() -> None:
    assert Share(100, 3).left_by([40, 10]) == Share(50, 1)
    assert Share(100, 1).left_by([140, 10]) == Share(0, 0)


FOUND = st.lists(st.tuples(st.booleans(), st.integers(0, 60)), min_size=1, max_size=14)


@given(FOUND, st.integers(40, 900), st.integers(4, 20), st.sampled_from(Format))
def test_it_takes_no_more_than_its_share_from_messages(
    found: list[tuple[bool, int]], budget: int, most: int, form: Format
) -> None:
    items = [
        gist(row, 1 + row % 7, words=words) if sums_up else said(row, "Said {}." + " word" * words)
        for row, (sums_up, words) in enumerate(found)
    ]
    asked = [row for row, (sums_up, _) in enumerate(found) if sums_up]
    packed = pack(asked_for(*items, asked=asked), budget, max_items=most, format=form)
    assert packed.tokens <= budget
    there = {each.item.key for each in packed.candidates}
    messages = [each for row, each in enumerate(items) if row not in asked]
    told = [each for each in items if each.key in there and each not in messages]
    if form is Format.JSON and sum(each.tokens for each in told) > budget // 4:
        left = budget - packed.tokens
        assert len(packed.candidates) == most or not any(
            each.tokens <= left for each in messages if each.key not in there
        )


SCOPE = RecallFilter(scopes=[ScopeKey(1)], now=NOON)


@pytest.mark.parametrize(
    ("narrowed", "found"),
    [
        ({}, True),
        ({"types": frozenset({ItemType.SUMMARY})}, True),
        ({"after": NOON - DAY, "before": NOON, "as_of": NOON}, True),
        ({"untold": frozenset({ItemType.FACT})}, True),
        ({"types": frozenset({ItemType.MESSAGE, ItemType.FACT})}, False),
        ({"untold": frozenset({ItemType.SUMMARY})}, False),
        ({"roles": frozenset({Role.USER})}, False),
        ({"conversations": frozenset({ConversationKey(1)})}, False),
        ({"without_conversations": frozenset({ConversationKey(1)})}, False),
        ({"now": None}, False),
    ],
)
def test_what_sums_up_a_period_is_of_no_conversation(
    narrowed: dict[str, Any],
    found: bool,  # noqa: FBT001  (a case)
) -> None:
    assert replace(SCOPE, **narrowed).of_periods() is found
