"""What was said behind the answer to the question before."""

from dataclasses import replace

import numpy as np
import pytest

from app.domain.ids import ConversationKey
from app.domain.memory import ItemType
from app.ranking import Floats
from app.ranking.follow_up import NEXT, said_next
from app.ranking.pool import Recalled
from tests.factories import an_item, recalled


def told(items: Recalled, *worth: float, running: int | None = None) -> Floats:
    here = None if running is None else ConversationKey(running)
    return said_next(items, np.array(worth, dtype=np.float32), here)


def test_what_stands_behind_the_best_counts_the_more_the_nearer_it_is() -> None:
    chat = recalled(*(an_item(row) for row in (4, 5, 6, 9, 3)))
    near = told(chat, 0.8, 0.1, 0.1, 0.1, 0.7)

    assert near[1] == pytest.approx(0.8)
    assert near[1] > near[2] > near[3] > 0
    assert near[[0, 4]].tolist() == [0, 0]


def test_far_behind_it_nothing_counts() -> None:
    assert told(recalled(an_item(1), an_item(2 + NEXT)), 0.9, 0.1).tolist() == [0, 0]


def test_in_another_conversation_nothing_counts() -> None:
    assert told(recalled(an_item(1), an_item(2, conversation=2)), 0.9, 0.1).tolist() == [0, 0]


def test_what_goes_on_is_where_it_was_just_asked() -> None:
    both = [*(an_item(row) for row in (1, 2)), *(an_item(row, conversation=2) for row in (5, 6))]
    assert told(recalled(*both), 0.9, 0.1, 0.5, 0.1, running=1).tolist() == [0, 0, 0, 0.5]


def test_what_is_no_message_is_not_said_next() -> None:
    mixed = recalled(an_item(1), replace(an_item(2), type=ItemType.FACT))
    assert told(mixed, 0.9, 0.1).tolist() == [0, 0]


def test_of_nothing_nothing_is() -> None:
    assert told(recalled()).tolist() == []
