"""What a message asks, apart from what else it says; what cannot be understood so is not apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.distil.language.question import question_in
from app.services.context.sought import sought_in
from app.text.topic import MAX_CHARACTERS
from app.text.wording import wording_of

GATE = "Which gate does the Lisbon flight leave from?"


@pytest.mark.parametrize(
    ("message", "question"),
    [
        (f"I am off to the airport. {GATE}", GATE),
        (f"{GATE} I promised to tell my sister.", GATE),
        (f"We are late!\n{GATE}\nThe taxi is there.", GATE),
        (f"{GATE} We are late. When does boarding begin?", f"{GATE} When does boarding begin?"),
        ("我要去机场了。里斯本 航班 从几号 登机口出发?", "里斯本 航班 从几号 登机口出发?"),
    ],
)
def test_the_sentences_that_ask_are_the_question(message: str, question: str) -> None:
    assert question_in(message) == question


@pytest.mark.parametrize(
    "message",
    [
        "",
        GATE,
        "Is it gate 4? Or is it gate 5?",
        "I am off to the airport. The flight leaves at noon.",
        "I lost my keys again. Where are they?",
        "I bought a bike in May. What color did I choose for it?",
        "We leave for Lisbon on Friday. And when?",
        "I want to sell the boat. Any thoughts?",
        "I am about to start my essay. What tools would you suggest I use?",
        "We build a site with a gallery and a shop. Can you help me set up the pages of this site?",
        "Did Ann like the books of C. S. Lewis and Dr. Seuss?",
        "Which parts of the U.S. has Ann been to?",
        "KeyError: 'user'\n  in load()\nWhy does this fail?",
        f"I am off to the airport. {GATE} " * MAX_CHARACTERS,
    ],
)
def test_what_says_too_little_by_itself_is_not_apart(message: str) -> None:
    assert question_in(message) is None


def test_words_that_are_only_said_around_are_known() -> None:
    sought = sought_in("My sister waits at the airport. Which gate is the flight at?")

    assert sought.topic.startswith("My sister")
    assert sought.question == "Which gate is the flight at?"
    assert {*sought.terms.terms} == {"sister", "wait", "airport", "gate", "flight"}
    assert sought.around == {"sister", "wait", "airport"}
    assert sought_in(GATE).around == frozenset()


def test_who_asks_when_is_told_by_the_question() -> None:
    around = "I wonder what you think, and when. "
    asks = wording_of(around + "Did Ann sell Bo her boat?", "Did Ann sell Bo her boat?")

    assert (asks.asks_when, asks.of_asker, asks.of_assistant) == (False, False, False)
    assert wording_of(around).asks_when
    assert asks.phrases != wording_of("Did Ann sell Bo her boat?").phrases


SAID = st.lists(st.sampled_from([GATE, "We are late.", "Why?", "Run!\n", "and", "?"]), max_size=6)


@given(SAID.map(" ".join) | st.text(max_size=80))
def test_a_question_is_made_of_what_was_said(message: str) -> None:
    question = question_in(message)
    assert question is None or all(word in message for word in question.split())
