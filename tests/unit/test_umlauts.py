"""Words that may have been said with an umlaut, or without."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.text.scripts import fold
from app.text.umlauts import other_spellings, spelled_otherwise

ENGLISH = frozenset("does the blue poet go to shoes when queue is mueller".split())


def knows(word: str) -> bool:
    return word in ENGLISH


@pytest.mark.parametrize(
    ("query", "others"),
    [
        ("kueche", {"kueche": "küche"}),
        ("Wann wird die Küche gestrichen?", {"Küche": "Kueche"}),
        ("Where does Mueller live?", {"Mueller": "Müller"}),
        ("Where are Mueller's shoes?", {"Mueller": "Müller"}),
        ("die Aerzte und die Uebung", {"Aerzte": "Ärzte", "Uebung": "Übung"}),
        ("gruene Tueren", {"gruene": "grüne", "Tueren": "Türen"}),
        ("neue Frauen bauen treue", {}),  # an "e" behind "u" is no umlaut there
        ("When does the blue poet queue?", {}),
        ("Mueller", {}),  # at the beginning, any word has a capital
        ("look into src/kueche.py and kueche_alt", {}),
        ("`kueche`", {}),
        ("Über", {"Über": "Ueber"}),
        ("", {}),
    ],
)
def test_what_may_be_said_otherwise(query: str, others: dict[str, str]) -> None:
    assert other_spellings(query, knows) == others


def test_only_these_words_are_spelled_otherwise() -> None:
    query = "Is Mueller in (kueche), or kueche.py?"
    there = spelled_otherwise(query, {"kueche": "küche"})
    assert there == "Is Mueller in (küche), or kueche.py?"


@given(st.text(alphabet="aeouAEOUäöüÄÖÜkq '?.,", max_size=40))
def test_the_other_spelling_is_another_one(query: str) -> None:
    others = other_spellings(query, lambda _: False)
    assert all(fold(word) != fold(other) for word, other in others.items())
    assert spelled_otherwise(query, {}) == query
