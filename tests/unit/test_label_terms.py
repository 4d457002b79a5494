"""By which terms the label of a conversation is found."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.text.labels import MAX_TERMS, indexed_terms, terms_of_label
from app.text.names import named_in
from app.text.terms import MAX_TERM_CHARACTERS, query_terms

NUMBERED = ("TCK-5588", "TCK5588", "tck_5588", "ORA-00942", "ORA00942", "92ef6a1", "P-12", "E07")


@given(st.text(max_size=1_000))
def test_they_are_few_short_distinct_and_all_that_is_judged(label: str) -> None:
    terms = indexed_terms(label)
    assert len(set(terms)) == len(terms) <= 2 * MAX_TERMS
    assert all(0 < len(each) <= MAX_TERM_CHARACTERS for each in terms)
    judged = terms_of_label(label)
    if len(judged) <= MAX_TERMS:
        assert {each for each in judged if len(each) <= MAX_TERM_CHARACTERS} <= {*terms}


@pytest.mark.parametrize("label", ["", "?!", "New chat", "Untitled conversation"])
def test_what_any_label_says_is_not_looked_up(label: str) -> None:
    assert indexed_terms(label) == []


def test_words_are_those_of_queries_in_other_forms_and_scripts() -> None:
    for label, query in {
        "Project Atlas kickoffs": "the KICKOFF of Project atlas",
        "Die neue Küche": "die neue Kueche",
        "東京旅行の計画": "東京旅行",
    }.items():
        assert set(query_terms(query).terms) & set(indexed_terms(label))


@pytest.mark.parametrize("name", NUMBERED)
@pytest.mark.parametrize("label", ["{}", "{} twice", "Again: {}, wrong", "x" * 600 + " {}"])
def test_what_a_query_names_by_a_number_is_looked_up_wherever_it_stands(
    name: str, label: str
) -> None:
    (named, *_) = (each for each in named_in(f"What was {name}?").names if each.numbers)
    told = label.format(name)
    assert named.is_in(told)
    assert named.numbers[-1] in indexed_terms(told)


@given(st.from_regex(r"\A[A-Za-z]{1,5}[-_ ]?[0-9]{3,6}\Z"), st.text(max_size=40), st.text())
def test_no_label_that_has_the_number_is_missed(name: str, before: str, behind: str) -> None:
    label = f"{before}{name}{behind}"
    for each in named_in(name).names:
        if each.numbers and each.is_in(label) and len(indexed_terms(label)) < MAX_TERMS:
            assert each.numbers[-1] in indexed_terms(label)
