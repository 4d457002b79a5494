"""How kinds of items share a budget."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.context import ContextRequest, Format, MemoryItem
from app.domain.memory import ItemType
from app.ranking.budget import Share
from app.ranking.offering import Division, offered
from app.ranking.ranked import Ranked
from app.services.packing.packer import OLDER_TOOL, Packed, Packer
from tests.factories import NOON, an_item, ranked
from tests.packed import PACKER, TOKENS, counted

HOUR = timedelta(hours=1)


def an(kind: ItemType, row: int, text: str, hours: int = 0) -> MemoryItem:
    item = an_item(row, text, role=None, conversation=None, at=NOON + hours * HOUR)
    return counted(replace(item, type=kind))


def said(row: int, words: int = 18) -> MemoryItem:
    return counted(an_item(row, f"Said {row}." + " word" * words))


def facts(*rows: int) -> list[MemoryItem]:
    return [an(ItemType.FACT, row, f"Fact {row}." + " word" * 16) for row in rows]


def pack(found: Ranked, budget: int, packer: Packer = PACKER, **about: Any) -> Packed:
    request = replace(ContextRequest(query="q", budget_tokens=budget, max_items=50), **about)
    return packer.pack(request, [], found)


def shown(packed: Packed) -> list[int]:
    return [int(each.item.id) for each in packed.candidates]


def test_facts_take_their_fifth_while_messages_want_the_rest() -> None:
    found = ranked(*facts(*range(10)), *(said(row) for row in range(10, 30)))
    packed = pack(found, 500)
    told = [each.item for each in packed.candidates if each.item.type is ItemType.FACT]
    assert 0 < sum(each.tokens for each in told) <= 100
    assert packed.tokens > 460


def test_room_that_messages_leave_flows_on_to_facts() -> None:
    found = ranked(*facts(*range(10)), said(10))
    assert shown(pack(found, 500)) == list(range(11))


def test_facts_take_their_share_of_the_places() -> None:
    found = ranked(*facts(*range(10)), *(said(row) for row in range(10, 30)))
    packed = pack(found, 4_000, max_items=10)
    kinds = [each.item.type for each in packed.candidates]
    assert (kinds.count(ItemType.FACT), kinds.count(ItemType.MESSAGE)) == (2, 8)


def test_the_best_fact_has_a_place_where_there_is_but_one() -> None:
    assert shown(pack(ranked(*facts(0), said(1)), 4_000, max_items=1)) == [0]


def test_a_share_of_nothing_leaves_only_what_nobody_else_wants() -> None:
    packer = Packer(TOKENS, division=Division(facts=0))
    found = ranked(*facts(0), *(said(row) for row in range(1, 6)))
    assert shown(pack(found, 4_000, packer, max_items=5)) == [1, 2, 3, 4, 5]
    assert shown(pack(found, 4_000, packer, max_items=6)) == [0, 1, 2, 3, 4, 5]


def test_of_tools_the_freshest_three_are_there() -> None:
    tools = [an(ItemType.TOOL, row, f"clock: {row}", hours=(row * 7) % 10) for row in range(10)]
    packed = pack(ranked(*tools, said(10)), 4_000)
    fresh = sorted(range(10), key=lambda row: -((row * 7) % 10))[:3]
    assert shown(packed) == [*sorted(fresh), 10]
    assert {reason for _, reason in packed.dropped} == {OLDER_TOOL}
    assert shown(pack(ranked(*tools), 4_000, Packer(TOKENS, division=Division(tools=0)))) == []


def test_tools_that_are_pinned_count_among_the_tools() -> None:
    tools = [an(ItemType.TOOL, row, f"clock: {row}", hours=row) for row in range(6)]
    found = ranked(*tools, pinned=frozenset({0, 1}))
    assert shown(pack(found, 4_000)) == [0, 1, 5]
    assert shown(pack(ranked(*tools, pinned=frozenset(range(5))), 4_000)) == [0, 1, 2, 3, 4]


def test_what_leads_goes_in_behind_the_pinned_and_before_all_others() -> None:
    gist = an(ItemType.SUMMARY, 9, "Gist." + " word" * 90)
    found = ranked(said(0, 90), said(1, 90), gist, said(2, 90), pinned=frozenset({3}))
    led = replace(found, leading=frozenset({gist.key}))
    assert shown(pack(led, 4 * 96)) == [0, 1, 9, 2]
    assert shown(pack(led, 400 * 96)) == [0, 1, 9, 2]
    offer = offered(led, most=9, tools=3, room=Share(100, 9))
    assert list(offer.order)[:3] == [3, 3, 2]


def test_a_pinned_fact_is_bound_by_no_share() -> None:
    found = ranked(*facts(0, 1, 2), said(3), pinned=frozenset({0, 1, 2}))
    assert shown(pack(found, 70))[:3] == [0, 1, 2]


KINDS = st.sampled_from([ItemType.MESSAGE, ItemType.FACT, ItemType.TOOL, ItemType.SUMMARY])
FOUND = st.lists(st.tuples(KINDS, st.integers(0, 60), st.integers(0, 9)), max_size=12).map(
    lambda several: [
        an(kind, row, f"Row {row}." + " word" * words, hours)
        for row, (kind, words, hours) in enumerate(several)
    ]
)


def messages_of(packed: Packed) -> list[MemoryItem]:
    found = [each.item for each in packed.candidates]
    return [each for each in found if each.type is ItemType.MESSAGE]


@given(FOUND, st.integers(1, 400), st.integers(1, 8), st.sampled_from(Format))
def test_a_summary_takes_nothing_from_a_message(
    found: list[MemoryItem], budget: int, most: int, form: Format
) -> None:
    about: dict[str, Any] = {"max_items": most, "format": form}
    plain = [each for each in found if each.type is not ItemType.SUMMARY]
    assert messages_of(pack(ranked(*found), budget, **about)) == messages_of(
        pack(ranked(*plain), budget, **about)
    )


@given(FOUND, st.integers(1, 400), st.frozensets(st.integers(0, 11)), st.sampled_from(Format))
def test_the_budget_holds_whatever_the_kinds(
    found: list[MemoryItem], budget: int, pinned: frozenset[int], form: Format
) -> None:
    packed = pack(ranked(*found, pinned=pinned), budget, format=form)
    assert packed.tokens <= budget
    tools = [at for at, each in enumerate(found) if each.type is ItemType.TOOL]
    there = [each for each in packed.candidates if each.item.type is ItemType.TOOL]
    assert len(there) <= max(3, len(pinned.intersection(tools)))


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_a_division_is_of_tokens_and_places(share: float) -> None:
    shares = Division(summaries=share, facts=share).shares(1_000, 20)
    of = {(each.tokens, each.places) for each in shares.values()}
    assert of == {(int(1_000 * share), int(20 * share))}
