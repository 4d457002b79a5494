"""What was said behind the answer to the question before."""

from dataclasses import replace

import numpy as np
import pytest

from app.domain.ids import ConversationKey
from app.domain.memory import ItemType
from app.ranking.follow_up import BEHIND, FOLLOW_UP_SHARE, NEXT, going_on
from app.ranking.pool import Recalled
from tests.factories import an_item, recalled


def added(items: Recalled, *worth: float, running: int | None = None) -> list[float]:
    here = None if running is None else ConversationKey(running)
    more, near = going_on(items, np.array(worth, dtype=np.float32), here)
    assert not more[near == 0].any()
    return [float(each) for each in more]


def test_what_stands_behind_the_best_gains_the_more_the_nearer_it_is() -> None:
    chat = recalled(*(an_item(row) for row in (4, 5, 6, 9, 3)))
    best, first, second, last, before = added(chat, 0.8, 0.1, 0.1, 0.1, 0.7)

    assert first == pytest.approx(0.8 * FOLLOW_UP_SHARE)
    assert first > second > last > 0
    assert best == before == 0


def test_nothing_comes_before_the_best() -> None:
    best, near, nearer = added(recalled(*(an_item(row) for row in (4, 5, 6))), 0.8, 0.75, 0.79)
    assert 0.75 + near == pytest.approx(0.8 * BEHIND)
    assert best == nearer == 0


def test_far_behind_it_nothing_counts() -> None:
    assert added(recalled(an_item(1), an_item(2 + NEXT)), 0.9, 0.1) == [0, 0]


def test_in_another_conversation_nothing_counts() -> None:
    assert added(recalled(an_item(1), an_item(2, conversation=2)), 0.9, 0.1) == [0, 0]


def test_what_goes_on_is_where_it_was_just_asked() -> None:
    both = [*(an_item(row) for row in (1, 2)), *(an_item(row, conversation=2) for row in (5, 6))]
    *others, last = added(recalled(*both), 0.9, 0.1, 0.5, 0.1, running=1)
    assert others == [0, 0, 0]
    assert last == pytest.approx(0.5 * FOLLOW_UP_SHARE)


def test_what_is_no_message_is_not_said_next() -> None:
    mixed = recalled(an_item(1), replace(an_item(2), type=ItemType.FACT))
    assert added(mixed, 0.9, 0.1) == [0, 0]


def test_of_nothing_nothing_is() -> None:
    assert added(recalled()) == []
