"""What leads into a conversation, among what was found."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from app.domain.context import Source, Weights
from app.domain.memory import ItemType
from app.ranking.candidates import Taste
from app.ranking.leading import led
from app.ranking.pool import Recalled
from app.ranking.ranked import NOTHING
from tests.factories import NOON, an_item, ranked, recalled

TASTE = Taste(
    weights=Weights(),
    preferred_labels=frozenset(),
    floor=0.2,
    sufficient=0.2,
    min_score=None,
    now=NOON.timestamp(),
)
GIST = replace(an_item(9, "Gist.", at=NOON - timedelta(days=30)), type=ItemType.SUMMARY)


def test_its_score_is_that_of_age_and_importance() -> None:
    found = led(NOTHING, recalled(GIST), TASTE)
    candidate = found.candidate(0)
    assert candidate.score == pytest.approx(0.3 * np.exp(-1) + 0.2 * 0.5)
    assert candidate.relevance == 0
    assert candidate.sources == frozenset({Source.EPISODIC})
    assert candidate.signals == pytest.approx(
        {"relevance": 0, "recency": np.exp(-1), "importance": 0.5}
    )
    assert found.leading == {GIST.key}
    assert not found.sufficient


def test_it_stands_where_its_score_is() -> None:
    before = ranked(an_item(1), an_item(2), an_item(3))  # scores 0.9, 0.5, 0.1
    found = led(before, recalled(GIST), TASTE)
    assert found.order == [0, 1, 3, 2]
    assert [found.recalled.keys[at] for at in found.order][2] == GIST.key
    assert before.candidate(1) == found.candidate(1)
    assert "recency" not in found.candidate(1).signals


def test_where_nothing_leads_nothing_changes() -> None:
    before = ranked(an_item(1))
    assert led(before, Recalled.nothing(), TASTE) is before
