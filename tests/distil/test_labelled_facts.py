"""Floors for what the rules find in the labelled snippets."""

import pytest

from tests.distil.labelled import (
    DEVELOPED_WITH,
    EVERYDAY,
    HELD_OUT,
    IN_PASSING,
    QUICKLY,
    score,
    snippets,
)

ALL = (DEVELOPED_WITH, HELD_OUT, IN_PASSING, QUICKLY, EVERYDAY)


@pytest.mark.parametrize(
    ("file", "precision", "recall"),
    [
        (DEVELOPED_WITH, 0.97, 0.97),
        (HELD_OUT, 0.9, 0.85),
        (IN_PASSING, 0.95, 0.65),
        (QUICKLY, 0.95, 0.85),
        (EVERYDAY, 0.95, 0.8),
    ],
)
def test_facts_are_found_as_well_as_they_were(file: str, precision: float, recall: float) -> None:
    measured = score(snippets(file))
    assert measured.precision >= precision, measured.wrong
    assert measured.recall >= recall, measured.missed


def test_there_are_snippets_enough_and_each_has_its_id() -> None:
    ids = [each.id for file in ALL for each in snippets(file)]
    assert len(ids) >= 60
    assert len(set(ids)) == len(ids)


def test_many_snippets_expect_nothing() -> None:
    for file in (DEVELOPED_WITH, HELD_OUT):
        given = snippets(file)
        assert sum(not each.expected for each in given) >= len(given) / 3
