"""A query is about what is said under a label whose words it says."""

from dataclasses import replace

import numpy as np
import pytest

from app.ranking import Floats
from app.ranking.labelling import by_words_of_label, fitting
from app.ranking.pool import Pool
from app.ranking.query import QueryView
from app.text.terms import query_terms
from tests.factories import an_item, recalled

TRIPS = ("Lisbon trip", "Berlin trip", "Oslo conference", "New chat")


def fits(query: str, *labels: str) -> list[str]:
    return sorted(fitting(frozenset(query_terms(query).terms), labels))


def test_what_a_label_says_tells_it_from_others() -> None:
    assert fits("How much are the flights for the Lisbon trip?", *TRIPS) == ["Lisbon trip"]
    assert fits("Which hotel is it at the conference?", *TRIPS) == ["Oslo conference"]


def test_what_several_labels_say_alike_they_are_all_asked_about() -> None:
    assert fits("How do we travel on our trips?", *TRIPS) == ["Berlin trip", "Lisbon trip"]


def test_one_word_of_many_is_little() -> None:
    label = "Notes of the call with the bank about the loan for the roof"
    assert fits("What did we say of the roof and of its tiles, gutters and beams?", label) == []


@pytest.mark.parametrize("label", ["New chat", "Untitled conversation", "", "?!"])
def test_what_any_label_says_tells_nothing(label: str) -> None:
    assert fits("What was new in our chat?", label, "Lisbon trip") == []


def test_no_word_of_a_label() -> None:
    assert fits("When does the train leave?", *TRIPS) == []
    assert fits("", *TRIPS) == []


def test_words_fit_in_other_forms_and_scripts() -> None:
    for query in ("Was kostet die Kueche?", "was kostet die küche"):
        assert fits(query, "Die neue Küche", "Umzug") == ["Die neue Küche"]
    assert fits("Which trips to lisbon?", *TRIPS) == ["Lisbon trip"]


def test_the_better_fits_the_more() -> None:
    sought = frozenset(query_terms("What is the rent of the flat in Elm Street?").terms)
    told = fitting(sought, ["Flat in Elm Street", "Elm Street, and all that is going on there"])
    assert told.keys() == {"Flat in Elm Street"}
    assert 0.8 < told["Flat in Elm Street"] <= 1


def judged(query: str, *said: tuple[str, str | None]) -> tuple[Floats, Floats]:
    """What is made of relevances of .5 of what is said under labels, and of .5 beside the best."""
    terms = query_terms(query).terms
    known = [each for each in terms if any(each in text.lower() for text, _ in said)]
    view = QueryView(
        vector=None,
        terms=known,
        idf=np.ones(len(known), np.float32),
        idf_mass=float(len(terms)),
        average_length=3.0,
        sought=frozenset(terms),
    )
    items = [replace(an_item(at, text), label=label) for at, (text, label) in enumerate(said, 1)]
    half = np.full(len(said), 0.5, np.float32)
    return by_words_of_label(view, Pool.of(recalled(*items), dimension=2), half, half)


def test_what_is_said_under_the_label_or_says_its_words_stands_before_all_else() -> None:
    score, standing = judged(
        "What is the budget of Beacon?",
        ("It is 15k for now.", "Beacon kickoff"),
        ("It is 40k, not a cent more.", "Atlas kickoff"),
        ("The beacon money was spent.", None),
        ("We were told so.", None),
    )
    assert score[0] > score[2] == 0.5 > score[1] == score[3] > 0.25
    assert standing.tolist() == [1, standing[1], 1, standing[1]]
    assert 0.25 < standing[1] < 0.5


@pytest.mark.parametrize("query", ["What is the budget of Comet?", "", "And what else?"])
def test_where_no_label_is_said_nothing_changes(query: str) -> None:
    for scores in judged(query, ("15k", "Beacon kickoff"), ("40k", "Atlas kickoff"), ("1k", None)):
        assert scores.tolist() == [0.5] * 3
