"""The question itself, asked before, is no answer to it, and neither is "I do not know"."""

from dataclasses import replace

import numpy as np
import pytest

from app.distil.language.declining import declines
from app.domain.context import MemoryItem
from app.domain.memory import ItemType
from app.ranking.asked_again import asked_again
from app.ranking.neighbours import Neighbours
from app.ranking.pool import Surrounded
from app.ranking.query import QueryView
from app.text.terms import query_terms
from app.text.wording import wording_of
from tests.factories import an_item, recalled

QUESTION = "Where does Ann keep her boat?"


def asking(text: str = QUESTION, *, unknown: float = 0.0) -> QueryView:
    terms = query_terms(text).terms
    idf = np.ones(len(terms), np.float32)
    mass = float(idf.sum()) + unknown
    return QueryView(
        vector=None,
        terms=terms,
        idf=idf,
        idf_mass=mass,
        average_length=3.0,
        wording=wording_of(text),
    )


def again(*contents: str, query: QueryView | None = None) -> list[int]:
    items: list[MemoryItem] = [an_item(row, said) for row, said in enumerate(contents, start=1)]
    return list(asked_again(query or asking(), recalled(*items)))


@pytest.mark.parametrize(
    "said",
    [
        QUESTION,
        "where does ann keep her boat",
        "Hi! Where did Ann keep her boats? Thanks!",
        "Ann's boat, where does she keep it?",
        "What did Ann say where she keeps her boat?",
    ],
)
def test_what_asks_it_in_the_same_words_is_the_question_again(said: str) -> None:
    assert again("Ann keeps her boat.", said) == [1]


@pytest.mark.parametrize(
    "said",
    [
        "Ann keeps her boat.",
        "Where does Ann keep her old boat?",
        "Where is the boat?",
        "Where does Ann keep her boat? In Piran.",
        "",
    ],
)
def test_what_tells_or_asks_anything_else_is_not(said: str) -> None:
    assert again(said) == []


@pytest.mark.parametrize(
    ("query", "note"),
    [
        ("Dentist May 5?", "May 5 dentist"),
        ("Is my dentist Dr Miller?", "Who is my dentist: Dr Miller"),
        ("Do I need milk, eggs?", "What I need: milk, eggs"),
        ("Laundry tomorrow?", "Do laundry tomorrow"),
        ("taxes", "What taxes"),
        ("Does Ann eat meat?", "Ann eats meat, doesn't she?"),
        ("Is the meeting in May?", "May is the meeting"),
    ],
)
def test_a_note_in_the_words_of_the_question_stays(query: str, note: str) -> None:
    assert again(note, query=asking(query)) == []


@pytest.mark.parametrize("question", ["Who is Mary?", "Where is the city library?"])
def test_words_that_are_indexed_otherwise_are_told_again(question: str) -> None:
    assert again(question, query=asking(question)) == [0]


def test_who_asks_whether_it_was_asked_finds_it() -> None:
    assert again(QUESTION, query=asking("Did I ask where Ann keeps her boat?")) == []


def test_with_a_word_that_nobody_said_it_was_never_asked() -> None:
    assert again(QUESTION, query=asking(unknown=1.0)) == []
    assert again("", query=asking("")) == []


def test_a_fact_is_no_question() -> None:
    item = replace(an_item(1, QUESTION), type=ItemType.FACT)
    assert list(asked_again(asking(), recalled(item))) == []


def test_what_is_put_aside_still_stands_beside_the_others() -> None:
    items = [an_item(row, f"what {row} says") for row in (1, 2, 3)]
    read = Surrounded(recalled=recalled(*items), neighbours=Neighbours.none())

    left = read.put_aside([1])

    assert left.recalled.keys == [items[0].key, items[2].key]
    assert left.neighbours.keys == [read.recalled.messages[1]]
    assert left.neighbours.bags == [read.recalled.bags[1]]
    assert read.put_aside([]) is read


@pytest.mark.parametrize(
    "reply",
    [
        "I'm not sure about that.",
        "Let me think about it.",
        "Sorry, I do not know.",
        "Sorry. I don't remember.",
        "No idea, honestly.",
        "I don't have any information about where Ann keeps her boat.",
        "I'm sorry, but I don't have access to that. Could you tell me more?",
        "I'm not sure. If you tell me more, I can help.",
        "There is no mention of a boat in our conversations. Feel free to share!",
        "You haven't told me yet.",
        "Das weiß ich leider nicht.",
    ],
)
def test_a_reply_without_an_answer_declines(reply: str) -> None:
    assert declines(reply)


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "No.",
        "In Piran.",
        "I don't know where it is, but Ann said it is in Piran.",
        "I can't recall that. It may be in Piran.",
        "Sorry I'm late! The boat is in Piran.",
        "I have no boat.",
        "I haven't been to Piran.",
        "I don't have a boat, I have a car.",
        "There are no boats.",
        "Unfortunately, the boat sank.",
        "I'm sorry to hear that.",
        "I'm not sure. " * 40,
        "Let me check: the PIN is 1234",
        "Good question, it's level 3",
        "I can't recall exactly, around 300 euros",
        "I don't remember his name, only that he was from Lyon.",
        "I don't see any mention of Rex; Max is your dog",
        "There is no access after ten",
        "No se llama Rex, se llama Max.",
        "I am unable to come on Tuesday",
        "I don't know. Maybe Rex?",
        "I don't know but you told me Rex",
        "I'm not sure. You can park behind the house.",
        "I'm not sure. Please use the back door.",
    ],
)
def test_a_reply_that_says_anything_does_not(reply: str) -> None:
    assert not declines(reply)
