"""A sentence that is too long to be told is cut where its clauses end, and nothing is reworded."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.distil.gist.shortening import LONGEST, shortened
from app.distil.language.sentences import sentences_of

FILLER = (
    "we walked along the river to the old mill and looked at how water turned its big wheel there "
)


def parts(content: str) -> list[str]:
    return [part.text for each in sentences_of(content) for part in shortened(each)]


def test_what_is_short_stays_whole() -> None:
    whole = "We looked; it rained, but we decided on Redis: it is there - and that is that."
    assert parts(whole) == [whole]


@pytest.mark.parametrize("end", ["; ", ": ", " - ", " \u2014 ", ", but ", ", because ", ", so "])
def test_it_is_cut_at_the_ends_of_clauses(end: str) -> None:
    clauses = [f"{FILLER}{number}" for number in range(5)]
    kept = end.lstrip(",;:- \u2014")
    assert parts(end.join(clauses)) == [clauses[0], *(f"{kept}{each}" for each in clauses[1:])]


def test_short_clauses_stay_together() -> None:
    first, *others = parts("; ".join(f"step {number} is done" for number in range(40)))
    assert first.startswith("step 0 is done; step 1 is done; ")
    assert len(others) < 10


def test_at_commas_only_where_clauses_are_too_long_still() -> None:
    whole, clause = f"We, as {FILLER * 3}".strip(), FILLER.strip()
    assert parts(f"{whole}; {', '.join([clause] * 5)}") == [whole, *([clause] * 5)]


def test_what_has_no_clauses_is_left_out() -> None:
    assert parts(FILLER * 5) == []
    assert parts(f"{FILLER * 5}; we decided on Redis") == ["we decided on Redis"]


def test_nothing_is_cut_inside_a_quote() -> None:
    quote = '"this; that: or, but other"'
    assert any(quote in each for each in parts(f"{FILLER}{quote}; {FILLER}; {FILLER}; {FILLER}"))


def test_scripts_without_spaces_have_clauses() -> None:
    assert len(parts("\uff0c".join(["我们决定使用数据库" * 10] * 6))) == 6


@given(
    st.lists(st.sampled_from(["word ", "; ", ", ", ", but ", " - ", ": ", FILLER, '"a; b" ', "? "]))
)
def test_parts_stand_in_the_message_in_order(pieces: list[str]) -> None:
    content = "".join(pieces)
    end = 0
    for sentence in sentences_of(content):
        for part in shortened(sentence):
            assert content[part.start : part.stop] == part.text == part.text.strip()
            assert 0 < len(part.text) == len(part.plain) <= LONGEST
            assert part.start >= end
            end = part.stop
