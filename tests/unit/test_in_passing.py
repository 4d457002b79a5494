"""What says nothing is no answer, whoever said it and whatever it stands beside."""

from datetime import timedelta

import numpy as np
import pytest

from app.domain.context import Source, Weights
from app.domain.conversation import Role
from app.ranking.asked_again import answering_nothing
from app.ranking.candidates import Taste, rank
from app.ranking.pool import Pool
from app.ranking.query import QueryView
from app.ranking.ranked import Ranked
from app.ranking.relevance import relevance
from app.text.intervals import Interval
from app.text.wording import question_word, wording_of
from tests.factories import NOON, an_item, recalled

EAST, NEAR = np.array([1, 0], np.float32), np.array([0.9, 0.436], np.float32)
DAY = timedelta(days=1)
ADDRESS = "Moved in! Elm Street 14, third floor"
TASTE = Taste(
    weights=Weights(),
    preferred_labels=frozenset(),
    floor=0.2,
    sufficient=0.6,
    min_score=None,
    now=NOON.timestamp(),
)


def ranked(*contents: str, question: str, overview: bool = False) -> Ranked:
    """The first is nearest to the question, by what it means alone."""
    items = [an_item(row, said, name="Diego") for row, said in enumerate(contents, start=1)]
    vectors = {at: NEAR if at else EAST for at in range(len(items))}
    today = [Interval(start=NOON - DAY, stop=NOON + DAY, strength=1.0)]
    query = QueryView(
        vector=EAST,
        terms=[],
        idf=np.zeros(0, np.float32),
        idf_mass=0.0,
        average_length=3.0,
        wording=wording_of(question),
        overview=overview,
        intervals=today if overview else (),
    )
    pool = Pool.of(recalled(*items, vectors=vectors), dimension=2)
    sources = {each.key: frozenset([Source.SEMANTIC]) for each in items}
    return rank(query, pool, sources, TASTE, relevance(query, pool))


@pytest.mark.parametrize(
    "said", ["ok", "\U0001f44d", "Thanks!", "Noted.", "tx", "I'll remember that."]
)
def test_small_talk_stands_behind_what_says_something(said: str) -> None:
    found = ranked(said, ADDRESS, question="Diego's address")
    assert found.order[0] == 1
    assert found.signals["idle"][0] == 1
    assert not ranked(said, question="Diego's address").sufficient


def test_of_a_time_it_is_not_what_is_asked_for() -> None:
    found = ranked("ok", ADDRESS, question="What happened today?", overview=True)
    assert found.asked == {found.recalled.keys[1]}
    assert found.order[0] == 1


def test_who_looks_it_up_gets_it() -> None:
    found = ranked("thanks", ADDRESS, question="thanks!")
    assert found.order[0] == 0
    assert "idle" not in found.signals


@pytest.mark.parametrize(
    ("question", "said", "nothing"),
    [
        ("Where is the sun cream?", "where did you put the sun cream?", True),
        ("When did Tom move?", "when did you move to Leeds?", True),
        ("How many came?", "How many are coming?", True),
        ("Where did Tom move?", "when did you move to Leeds?", False),
        ("Where is the sun cream?", "Where is it? I put it in the small bathroom.", False),
        ("What did Tom buy?", "what did you think of the bike you bought?", False),
    ],
)
def test_among_people_a_question_does_not_tell_what_it_asks_for(
    question: str, said: str, *, nothing: bool
) -> None:
    there = recalled(an_item(1, said, name="Sophie"), an_item(2, ADDRESS, name="Sophie"))
    assert answering_nothing(there, [0, 1], question_word(question)) == ([0] if nothing else [])


def test_an_assistant_with_a_name_may_ask() -> None:
    there = recalled(an_item(1, "Where is the cream?", name="Sophie", role=Role.ASSISTANT))
    assert answering_nothing(there, [0], "where") == []


@pytest.mark.parametrize(
    ("said", "nothing"),
    [
        ("Which database do you want to use?", True),
        ("And a cake?", True),
        ("Great choice, noted! Which version do you run?", True),
        ("Berlin. Anything else?", False),
        ("Postgres holds all of it.", False),
        ("I would take Postgres. Does that suit you?", False),
    ],
)
def test_an_assistant_that_only_asks_tells_nothing(said: str, *, nothing: bool) -> None:
    there = recalled(an_item(1, said, role=Role.ASSISTANT))
    assert answering_nothing(there, [0]) == ([0] if nothing else [])
