"""Which change takes the place of what was, of the question that is asked."""

from datetime import timedelta

import numpy as np

from app.ranking.pool import Pool
from app.ranking.query import QueryView
from app.ranking.relevance import relevance
from app.ranking.superseding import changes_in
from app.text.terms import query_terms
from app.text.wording import wording_of
from tests.factories import NOON, an_item, recalled

QUESTION = "What dose of leflunomide do I take?"
OLD = "Dr. Okafor lowers the dose of leflunomide to 10 mg."
ELSEWHERE = "Dr. Okafor is leaving, my new rheumatologist is Dr. Hall."


def changed(new: str, *, near: float) -> bool:
    """Whether `new`, of this cosine with the question and the old one, takes the place of that."""
    vectors = {
        0: np.array([1, 0], np.float32),
        1: np.array([near, (1 - near**2) ** 0.5], np.float32),
    }
    items = [an_item(1, OLD), an_item(2, new, at=NOON + timedelta(days=9))]
    terms = query_terms(QUESTION).terms
    query = QueryView(
        vector=vectors[0],
        terms=terms,
        idf=np.ones(len(terms), np.float32),
        idf_mass=float(len(terms)),
        average_length=5.0,
        wording=wording_of(QUESTION),
    )
    pool = Pool.of(recalled(*items, vectors=vectors), dimension=2)
    worth, every = np.array([0.9, 0.1], np.float32), np.ones(2, dtype=np.bool_)
    told = changes_in(query, pool, relevance(query, pool), worth, every, ~every)
    return (1, 0, True) in told


def test_what_has_nothing_of_the_question_takes_no_place() -> None:
    assert not changed(ELSEWHERE, near=0.5)


def test_a_word_of_the_question_is_enough_and_so_is_being_near() -> None:
    assert changed("Dr. Okafor lowered it to a dose of 5 mg now.", near=0.5)
    assert changed(ELSEWHERE, near=0.8)
