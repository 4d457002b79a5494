"""What holds at times only, for others only, or up to where something else is told."""

import pytest

from app.distil.facts.fact import Fact
from tests.distil.labelled import facts_in


def told_in(content: str) -> list[str]:
    return [_told(each) for each in facts_in(content)]


def _told(fact: Fact) -> str:
    return f"{'' if fact.positive else 'not '}{fact.attribute} {fact.value}"


@pytest.mark.parametrize(
    "content",
    [
        "I don't drink coffee after 3 pm.",
        "I never drink alcohol before a race.",
        "I don't eat meat on Fridays.",
        "We don't eat dairy during Lent.",
        "My son doesn't eat vegetables at school.",
        "I can't drink coffee on an empty stomach.",
        "I can't have dairy this week because of the antibiotics.",
        "I can't eat nuts until the test results are in.",
    ],
)
def test_what_is_not_eaten_at_times_is_eaten(content: str) -> None:
    assert told_in(content) == []


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("I don't eat meat at all.", ["not eats meat"]),
        ("I don't eat pork on principle.", ["not eats pork"]),
        ("I don't eat pork, for religious reasons.", ["not eats pork"]),
        ("I can't eat seafood since my surgery.", ["not eats seafood"]),
        ("I don't drink alcohol anymore.", ["not drinks alcohol"]),
    ],
)
def test_what_is_never_eaten_is_denied(content: str, told: list[str]) -> None:
    assert told_in(content) == told


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("My order number is 88213 and it hasn't shipped.", ["order number 88213"]),
        ("Our invoice number is 2024-118 but the amount is wrong.", ["invoice number 2024-118"]),
        ("The meeting room is B12 because A3 is taken.", ["meeting room B12"]),
        ("The version is 2.3.1 while prod is 2.2.", ["version 2.3.1"]),
        ("Our demo is on May 5 and May 12.", ["demo May 5 and May 12"]),
        ("We went with option B after the call.", ["decision option B"]),
        ("I'm vegetarian except for fish.", ["diet vegetarian"]),
    ],
)
def test_a_value_ends_where_something_else_is_told(content: str, told: list[str]) -> None:
    assert told_in(content) == told


@pytest.mark.parametrize(
    "content",
    [
        "I drive an hour to work.",
        "I drive two miles.",
        "I work for a client in Zurich.",
        "I work for a nice couple.",
        "I'm a lawyer by training.",
        "I'm a nurse in training.",
        "I work at Siemens, well, not anymore.",
    ],
)
def test_what_only_looks_like_a_fact_is_none(content: str) -> None:
    assert told_in(content) == []


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("I drive a hybrid.", ["has hybrid"]),
        ("I work for a small law firm in Leeds.", ["works_at small law firm"]),
        ("I'm a writer/editor.", ["job writer"]),
        ("I got promoted to the head nurse.", ["job head nurse"]),
    ],
)
def test_what_is_one_is_told(content: str, told: list[str]) -> None:
    assert told_in(content) == told


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("I weigh 82 kg.", "User weighs 82 kg"),
        ("I try to lose weight.", "User tries to lose weight"),
        ("I aim to learn Spanish.", "User aims to learn Spanish"),
    ],
)
def test_a_fact_is_told_as_of_another(content: str, text: str) -> None:
    assert [each.text for each in facts_in(content)] == [text]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("My email is anna@old.example. Wait, anna@new.example.", ["email anna@new.example"]),
        ("My email is a@b.example, sorry, a@c.example", ["email a@c.example"]),
        ("I live in Gent. No wait, we moved to Aalst last month.", []),
        ("I live in Gent. Sorry, I mean Aalst.", []),
        ("I live in Gent. Correction: Aalst.", []),
        ("I live in Gent, no wait, Aalst.", []),
        ("I live in Gent. Wait, it's Aalst.", []),
        ("I live in Gent. Actually, I live in Aalst.", ["lives_in Aalst"]),
        ("I work at Acme. Scratch that.", []),
        ("I work at Acme. Scratch that, I work at Globex.", ["works_at Globex"]),
        (
            "I live in Gent and I work at Acme. Scratch that, I work at Globex.",
            ["lives_in Gent", "works_at Globex"],
        ),
        ("I like tea. Actually I like coffee too.", ["likes tea", "likes coffee"]),
        ("I live in Gent. Actually I love it here.", ["lives_in Gent"]),
        ("I live in Gent. Wait, did I tell you about my cat?", ["lives_in Gent"]),
        ("I live in Gent. Sorry for the delay.", ["lives_in Gent"]),
        ("I live in Gent. Actually, two questions.", ["lives_in Gent"]),
        ("I live in Gent. I mean, it's fine.", ["lives_in Gent"]),
    ],
)
def test_what_is_taken_back_in_the_same_message_is_not_drawn(
    said: str, expected: list[str]
) -> None:
    assert told_in(said) == expected
    for each in facts_in(said):
        assert each.value in said[each.start : each.stop]
