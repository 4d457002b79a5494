"""What says the same later, in other figures, and what only looks so."""

from collections.abc import Sequence
from datetime import timedelta

import numpy as np
import pytest

from app.domain.context import MemoryItem
from app.domain.conversation import Role
from app.ranking import Floats
from app.ranking.pool import Pool
from app.ranking.query import QueryView
from app.ranking.restating import restated
from app.text.intervals import Interval
from app.text.terms import query_terms
from app.text.wording import wording_of
from tests.factories import NOON, an_item, recalled

EAST, NORTH = np.array([1, 0], np.float32), np.array([0, 1], np.float32)
OLD, NEW = "The party gold is 412.", "party gold: 1,038, after selling the pearls"
QUESTION = "How much gold is there?"


def said(row: int, content: str, *, name: str | None = "Ann", days: int = 0) -> MemoryItem:
    return an_item(row, content, name=name, at=NOON + timedelta(days=days or row))


def anew(
    *items: MemoryItem,
    question: str = QUESTION,
    times: Sequence[Interval] = (),
    last: Floats = EAST,
) -> Sequence[tuple[int, int]]:
    """The first of the items is the likeliest answer, and so on."""
    terms = query_terms(question).terms
    query = QueryView(
        vector=EAST,
        terms=terms,
        idf=np.ones(len(terms), np.float32),
        idf_mass=float(len(terms)),
        average_length=3.0,
        wording=wording_of(question),
        intervals=times,
    )
    vectors = dict.fromkeys(range(len(items)), EAST) | {len(items) - 1: last}
    pool = Pool.of(recalled(*items, vectors=vectors), dimension=2)
    worth = np.linspace(0.9, 0.5, len(items), dtype=np.float32)
    hits = pool.whole_bags.frequencies(terms) > 0
    return restated(query, pool, worth, np.ones(len(items), dtype=np.bool_), hits)


@pytest.mark.parametrize(
    ("old", "new", "question"),
    [
        (OLD, NEW, QUESTION),
        ("i weigh eighty four kilos today", "i weigh eighty two and a half", "whats my weight"),
        ('Bumped `rust-version = "1.75"`.', 'Done: `rust-version = "1.80"`.', "Which rust?"),
        ("Rent is 780 \u20ac a month", "rent: 810 \u20ac from May on", "How high is the rent?"),
    ],
)
def test_the_same_in_other_figures_is_said_anew(old: str, new: str, question: str) -> None:
    assert anew(said(1, old), said(2, new), question=question) == [(1, 0)]


def test_the_newest_of_them_is_what_holds() -> None:
    items = [said(1, OLD), said(2, NEW), said(3, "party gold is 900")]
    assert anew(*items) == [(2, 0), (2, 1)]


@pytest.mark.parametrize(
    ("old", "new", "question"),
    [
        ("Ann's birthday is on May 3", "Ben's birthday is on June 5", "When is Ann's birthday?"),
        ("PAY-1188 is paid", "PAY-1190 is paid", "Which invoice is paid?"),
        (OLD, "The party gold is 412, still.", QUESTION),
        (OLD, "The party has gold.", QUESTION),
        (
            "The chest in Saltmere holds 412 gold coins.",
            "There are 3 gold rings in the bay of Port Merrow.",
            QUESTION,
        ),
        (OLD, NEW.ljust(700, "."), QUESTION),
        (OLD, NEW, "How much gold was there?"),
        (OLD, NEW, "How much gold is there over time?"),
    ],
)
def test_what_is_of_something_else_or_of_another_time_is_not(
    old: str, new: str, question: str
) -> None:
    assert anew(said(1, old), said(2, new), question=question) == []


def test_somebody_else_says_nothing_anew_nor_what_was_said_before() -> None:
    assert anew(said(1, OLD), said(2, NEW, name="Ben")) == []
    assert anew(said(1, OLD, days=9), said(2, NEW, days=3)) == []
    assistant = an_item(2, NEW, name="Ann", role=Role.ASSISTANT, at=NOON + timedelta(days=3))
    assert anew(said(1, OLD), assistant) == []


def test_what_means_something_else_does_not_either() -> None:
    assert anew(said(1, OLD), said(2, NEW), last=NORTH) == []


def test_of_a_time_that_is_named_nothing_is_said_anew() -> None:
    named = Interval(start=NOON, stop=NOON + timedelta(days=1), strength=1.0)
    assert anew(said(1, OLD), said(2, NEW), times=[named]) == []


def test_what_is_told_in_one_go_is_a_list() -> None:
    first = an_item(1, "Room 1 has 12 seats.", at=NOON)
    soon = an_item(2, "Room 2 has 30 seats.", at=NOON + timedelta(minutes=9))
    later = an_item(2, "Room 2 has 30 seats.", at=NOON + timedelta(hours=9))
    question = "How many seats are there?"
    assert anew(first, soon, question=question) == []
    assert anew(first, later, question=question) == [(1, 0)]
