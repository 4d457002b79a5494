"""Of what is numbered alike the one that is asked for is meant, where it is known."""

import numpy as np

from app.ranking.bm25 import idf
from app.ranking.naming import MISTAKEN, by_name, raised
from app.ranking.pool import Pool
from app.ranking.query import QueryView
from app.text.wording import wording_of
from tests.factories import an_item, recalled

SAID = (
    "PR 1990 moves sessions to Redis",
    "left two comments on PR 1993",
    "they are too slow",
    "PR 2063 needs a rebase",
)


def asking(query: str, *terms: str) -> QueryView:
    weights = idf(10, [1] * len(terms))
    return QueryView(
        vector=None,
        terms=terms,
        idf=weights,
        idf_mass=float(weights.sum()),
        average_length=3.0,
        wording=wording_of(query),
    )


def judged(query: QueryView, *places: int) -> list[float]:
    """What is made of relevances of .9, of what stands at these places of one conversation."""
    items = [an_item(place, said) for said, place in zip(SAID, places, strict=True)]
    score = np.full(len(SAID), 0.9, np.float32)
    told: list[float] = by_name(
        query, Pool.of(recalled(*items), dimension=2), score, score
    ).tolist()
    return told


def test_what_says_the_number_is_an_answer_and_what_says_another_unless_beside_is_none() -> None:
    high, low = float(np.float32(0.9)), float(MISTAKEN)
    said = float(raised(np.full(1, 0.9, np.float32))[0])
    query = asking("What is PR 1990 about?", "pr", "1990")
    assert judged(query, 1, 50, 51, 90) == [said, low, high, low]
    assert judged(query, 1, 2, 3, 90) == [said, high, high, low]
    both = asking("Does PR 1990 need PR 1993?", "pr", "1990", "1993")
    assert judged(both, 1, 50, 51, 90) == [said, said, high, low]
