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
    "Why did we hold 92ef6a1?": ["92ef6a1"],
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
        ("What does E05 mean?", "E07 means that the motors are not level."),
        ("What does exit code 143 mean?", "It ended with exit code 137: out of memory."),
        ("Who paid invoice 1188?", "Invoice #1187 was paid in May."),
        ("What is #4312 about?", "#4388: mails are broken in Japan"),
        ("Why did we revert PR #1990?", "left two comments on PR 1993"),
        ("What is SQLSTATE 40001?", "sqlstate 40P01 came, then SQLSTATE 23505"),
        ("Is 92ef6a1 live?", "a0b1c2d3e4f is live in production"),
    ],
)
def test_another_number_in_the_same_place_is_another(asked: str, said: str) -> None:
    assert any(each.is_mistaken_in(said) for each in named_in(asked).names)


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
        ("What is on page 12?", "page 12 and page 13 are about soil"),
        ("error 404", "The error 40.4 % of them saw."),
        ("room 12", "at room 12.30"),
        ("B12", "She takes b6."),
        ("Is 92ef6a1 live?", "The effaced facade of 1234567 is live, and so is 92ef6a1."),
        ("#4312", "#4312, not #4388"),
        ("#4312", "it is &#4388;"),
        ("#4312", "#4388.5 and #4388a"),
    ],
)
def test_what_is_only_like_it_is_not_mistaken(asked: str, said: str) -> None:
    (name,) = named_in(asked).names
    assert not name.is_mistaken_in(said)
