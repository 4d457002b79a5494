"""What a query calls by its name, and what is numbered like it."""

import pytest

from app.text.names import named_in

ALONE = {
    "checkout-api": ["checkoutapi"],
    "What is src/engine?": ["srcengin"],
    "TP553": ["tp553"],
    "ECONNRESET": ["econnreset"],
    "PAY-1187 and PAY-1188": ["pay1187", "pay1188"],
}
WITH_MORE = {
    "What did we decide on PAY-1188?": ["pay1188"],
    "Why does parse_config fail?": ["parseconfig"],
}
NOTHING = ("Which hotel in Madrid?", "HAVING", "我的护照", "")


@pytest.mark.parametrize("query", [*ALONE, *WITH_MORE, *NOTHING])
def test_names_are_what_programs_spell_and_people_number(query: str) -> None:
    found = named_in(query)
    assert [each.term for each in found.names] == (ALONE | WITH_MORE).get(query, [])
    assert found.alone is (query in ALONE)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("ORA-01555", "ORA-00942 is a table that is not there."),
        ("ORA-01555", "it says ora 00942"),
        ("LH4521", "We booked LH4522."),
    ],
)
def test_another_number_in_the_same_place_is_another(asked: str, said: str) -> None:
    (name,) = named_in(asked).names
    assert name.is_mistaken_in(said)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("ORA-01555", "ORA 01555 came once more, after ORA-00942."),
        ("ora01555", "It says ORA 00942."),
        ("PAY-1188", "REPAY-1187"),
        ("PAY-1188", "PAY-1187x"),
        ("gpt-4o", "We use gpt-3.5."),
        ("v4.18.1", "v4.18.0 is out"),
        ("checkout-api", "checkout-app"),
    ],
)
def test_what_is_only_like_it_is_not_mistaken(asked: str, said: str) -> None:
    (name,) = named_in(asked).names
    assert not name.is_mistaken_in(said)
