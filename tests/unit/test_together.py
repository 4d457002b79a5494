"""What several questions found, as one."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.context import Source
from app.ranking.ranked import BELOW_FLOOR, NOTHING, Ranked
from app.ranking.several import together
from tests.factories import an_item, ranked

ITEMS = [an_item(at, f"what was said {at}") for at in range(1, 9)]


@st.composite
def answers(draw: st.DrawFn) -> Ranked:
    """Some of the items with scores, of which some are let in."""
    items = draw(st.lists(st.sampled_from(ITEMS), unique_by=lambda each: each.key, max_size=8))
    of_each = st.lists(st.floats(0, 1, width=32), min_size=len(items), max_size=len(items))
    score = np.array(draw(of_each), dtype=np.float32)
    let_in = draw(st.lists(st.booleans(), min_size=len(items), max_size=len(items)))
    best_first = np.argsort(-score, kind="stable").tolist()
    order = [at for at in best_first if let_in[at]]
    dropped = [(at, BELOW_FLOOR) for at in best_first if not let_in[at]]
    own = {"relevance": score, draw(st.sampled_from(["time", "code"])): score}
    return replace(
        ranked(*items), score=score, relevance=score, signals=own, order=order, dropped=dropped
    )


def told(answer: Ranked) -> dict[int, float]:
    """The scores of what is let in, by its keys."""
    return {answer.recalled.keys[at]: float(answer.score[at]) for at in answer.order}


@given(st.lists(answers(), min_size=1, max_size=3))
def test_each_item_is_there_once_as_where_it_is_worth_most(several: list[Ranked]) -> None:
    both = together(several, dimension=2)
    keys = [key for each in several for key in each.recalled.keys]
    assert sorted(both.recalled.keys) == sorted({*keys})
    assert sorted([*both.order, *(at for at, _ in both.dropped)]) == list(range(len(both.recalled)))
    best = {key: max(told(each).get(key, -1.0) for each in several) for key in keys}
    assert told(both) == {key: score for key, score in best.items() if score >= 0}
    scores = [float(both.score[at]) for at in both.order]
    assert scores == sorted(scores, reverse=True)
    assert both.sufficient == any(each.sufficient for each in several)


@given(st.lists(answers(), min_size=2, max_size=3))
def test_each_item_has_the_signals_of_where_it_is_worth_most(several: list[Ranked]) -> None:
    both = together(several, dimension=2)
    assert all(len(each) == len(both.recalled) for each in both.signals.values())
    for at in range(len(both.recalled)):
        signals = both.candidate(at).signals
        assert signals["relevance"] == pytest.approx(float(both.score[at]))
        assert both.recalled.read(at).key == both.recalled.keys[at]


def test_what_several_sources_found_says_so() -> None:
    item = ITEMS[0]
    by_meaning = replace(ranked(item), sources={item.key: frozenset({Source.SEMANTIC})})
    both = together([ranked(item), by_meaning], dimension=2)
    assert both.sources[item.key] == frozenset({Source.SEMANTIC, Source.LEXICAL})


def test_of_nothing_there_is_nothing() -> None:
    assert together([NOTHING, NOTHING], dimension=2).order == []
    assert together([NOTHING], dimension=2) is NOTHING


def test_what_has_a_source_is_all_that_sources_are_known_of() -> None:
    both = together([ranked(ITEMS[0]), ranked(ITEMS[1])], dimension=2)
    with pytest.raises(KeyError):
        both.sources[ITEMS[2].key]
