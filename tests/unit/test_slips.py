"""Words by which rules know what is said, as people misspell them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.distil.facts.drawing import facts_of
from app.distil.language.sentences import sentences_of
from app.distil.language.slips import has_slips, mended
from app.distil.language.utterance import Utterance
from app.domain.conversation import Role
from tests.distil.labelled import SAID_AT


@pytest.mark.parametrize(
    ("content", "told", "typed"),
    [
        ("sry, im alergic to cashews", "allergic_to cashews", "im alergic to cashews"),
        ("i liv in Turku, wich is small", "lives_in Turku", "i liv in Turku"),
        ("ok so i wrok at a bakery", "works_at bakery", "i wrok at a bakery"),
        ("im form belgium btw", "from Belgium", "im form belgium btw"),
        ("alwys late, my sistr is called Noor.", "name Noor", "my sistr is called Noor."),
        ("my favorit colour is green", "favourite colour green", "my favorit colour is green"),
    ],
)
def test_what_a_slip_says_is_told_at_its_place(content: str, told: str, typed: str) -> None:
    (fact,) = facts_of(Utterance(role=Role.USER, content=content, said_at=SAID_AT))

    assert f"{fact.attribute} {fact.value}" == told
    assert content[fact.start : fact.stop] == typed


@pytest.mark.parametrize(
    "content", ["Fill in the form.", "I found the form in Rome.", "He wrote 'im alergic to nuts'."]
)
def test_words_of_their_own_and_of_others_are_no_slips(content: str) -> None:
    (sentence,) = sentences_of(content)

    assert mended(sentence).sentence == sentence


@given(st.text(st.sampled_from(" alergicvwrokfm'İß"), max_size=40))
def test_what_is_mended_is_as_long_in_its_text_as_in_what_is_read(content: str) -> None:
    for sentence in sentences_of(content):
        right = mended(sentence)
        assert len(right.sentence.text) == len(right.sentence.plain)
        end = sentence.start + len(right.sentence.plain)
        assert right.as_typed(sentence.start) == sentence.start
        assert right.as_typed(end) == sentence.stop
        assert has_slips(content) or right.sentence == sentence
