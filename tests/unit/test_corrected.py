"""Which of what was said right behind takes back one of the best of a pool."""

from collections.abc import Sequence

import numpy as np

from app.domain.conversation import Role
from app.ranking.corrected import corrected, said_next, standing_in
from app.ranking.pool import Pool
from app.ranking.query import QueryView
from app.text.wording import wording_of
from tests.factories import an_item, recalled

Said = tuple[int, Role, str | None, str]
"""A position, a role, a name, and what was said there."""

U, A = Role.USER, Role.ASSISTANT


def pool_of(*said: Said) -> Pool:
    items = [
        an_item(position, content, role=role, name=name) for position, role, name, content in said
    ]
    return Pool.of(recalled(*items), dimension=2)


def asking(question: str = "When is the standup?") -> QueryView:
    return QueryView(
        vector=None,
        terms=[],
        idf=np.zeros(0, np.float32),
        idf_mass=0.0,
        average_length=5.0,
        wording=wording_of(question),
    )


def taken_back(*said: Said, question: str = "When is the standup?") -> Sequence[tuple[int, int]]:
    """Of what is worth the less the later it was said."""
    pool = pool_of(*said)
    return corrected(asking(question), pool, standing_in(pool.recalled), range(len(said)))


def next_said(*said: Said, question: str = "When is the standup?") -> int | None:
    """Of the first of these."""
    pool = pool_of(*said)
    return said_next(asking(question), pool, standing_in(pool.recalled), best=0)


OLD: Said = (1, U, None, "The standup is at 9:30.")
NOTED: Said = (2, A, None, "Noted: the standup is at 9:30.")


def test_what_its_user_says_next_takes_it_back() -> None:
    assert taken_back(OLD, (3, U, None, "Actually let's do 10.")) == [(1, 0)]
    assert taken_back(OLD, (2, U, None, "Actually let's do 10.")) == [(1, 0)]


def test_and_what_an_assistant_told_of_it() -> None:
    assert taken_back(OLD, NOTED, (3, U, None, "Actually 10.")) == [(2, 0), (2, 1)]


def test_one_after_the_other() -> None:
    told = taken_back(OLD, (3, U, None, "Actually 10."), (5, U, None, "No wait, make that 10:15."))
    assert (1, 0) in told
    assert (2, 1) in told


def test_not_what_stands_elsewhere_or_is_said_by_another() -> None:
    assert taken_back(OLD, (4, U, None, "Actually let's do 10.")) == []
    assert taken_back(OLD, (3, A, None, "Actually let's do 10.")) == []
    assert taken_back((1, U, "Ann", "At 9:30."), (2, U, "Ben", "Actually 10.")) == []
    assert taken_back((1, U, "Ann", "At 9:30."), (2, U, "Ann", "Actually 10.")) == [(1, 0)]


def test_not_what_was_said_between() -> None:
    between: Said = (2, U, None, "The demo is at 11.")
    assert taken_back(OLD, between, (3, U, None, "Actually 12.")) == [(2, 1)]


def test_no_replies_to_people_and_to_questions() -> None:
    no: Said = (3, U, None, "No, 10.")
    assert taken_back(OLD, NOTED, no) == [(2, 0), (2, 1)]
    assert taken_back(OLD, (2, A, None, "Shall I tell them?"), no) == []
    assert taken_back(OLD, (2, U, "Ben", "I come at 9:30."), no) == []


def test_where_how_things_went_is_asked_for_nothing_is_taken_back() -> None:
    new: Said = (3, U, None, "Actually let's do 10.")
    assert taken_back(OLD, new, question="How did the time of the standup change?") == []


def test_what_may_take_back_the_best_is_said_next() -> None:
    may: Said = (3, U, None, "the team says 10:15")
    assert next_said(OLD, NOTED, may) == 2
    assert next_said(OLD, NOTED, (3, U, None, "thanks!")) is None
    assert next_said(OLD, (2, A, None, "Whom shall I tell?"), may) is None
    assert next_said(OLD, NOTED, may, question="How did the standup go?") == 2
    assert next_said(OLD, NOTED, may, question="How did the time change?") is None
    assert next_said(NOTED, may) is None


def test_who_notes_for_themselves_goes_on_to_something_else() -> None:
    may: Said = (2, U, None, "the team says 10:15")
    assert next_said(OLD, may) is None
    assert next_said(OLD, may, (3, A, None, "Noted.")) == 1


def test_people_go_on_to_something_else() -> None:
    old, may = (1, U, "Ann", "The standup is at 9:30."), (3, U, "Ann", "the team says 10:15")
    ben = (2, U, "Ben", "I come at nine.")
    assert next_said(old, ben, may) is None
