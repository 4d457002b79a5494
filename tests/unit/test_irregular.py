"""Words whose forms no ending tells are one term, and nothing else becomes one."""

import pytest

from app.text.irregular import irregular_forms
from app.text.scripts import stem
from app.text.terms import query_terms, terms_of


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("When did Ann buy the boat?", "Ann bought the boat"),
        ("Who sells fish?", "He sold fish"),
        ("What did Isaura swear?", "Isaura has sworn"),
        ("When is she leaving?", "She left"),
        ("Which child is ill?", "The children are ill"),
        ("What do the wives want?", "The wife wants"),
    ],
)
def test_what_is_asked_in_one_form_is_told_in_another(asked: str, said: str) -> None:
    assert set(terms_of(said)) <= set(query_terms(asked).terms)


def test_each_form_is_of_one_word_that_is_no_form_itself() -> None:
    forms = irregular_forms()
    assert not set(forms) & set(forms.values())
    assert {stem(form) for form in forms} == {stem(word) for word in forms.values()}


@pytest.mark.parametrize("word", ["rose", "drew", "lead", "bit", "sat", "bound", "lives"])
def test_what_is_another_word_as_well_stays_what_it_is(word: str) -> None:
    assert word not in irregular_forms()


def test_a_beginning_is_still_what_the_word_begins_with() -> None:
    assert query_terms("sent*").prefixes == ["sent"]
