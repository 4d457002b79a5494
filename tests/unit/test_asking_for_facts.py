"""Which facts a question asks for."""

import pytest

from app.distil.facts.asking import groups_asked

SPEAKERS = frozenset({"user"})


def asked(query: str) -> set[str]:
    return {group for group in groups_asked(query, SPEAKERS) if not group.startswith("we|")}


@pytest.mark.parametrize(
    ("query", "groups"),
    [
        ("Where do I live?", {"user|lives_in"}),
        ("hey, do you still remember where I live now?", {"user|lives_in"}),
        ("Which city does Anna live in?", {"anna|lives_in"}),
        ("Where did we move to?", {"user|lives_in"}),
        ("How tall am I?", {"user|height"}),
        ("What am I afraid of?", {"user|fears"}),
        ("What is my blood type?", {"user|blood type"}),
        ("What are my goals?", {"user|goal"}),
        ("How much does Anna weigh?", {"anna|weight"}),
        ("How old is my sister?", {"user's sister|age", "user's sister|birthday"}),
        ("What\u2019s my e-mail address?", {"user|email"}),
        ("What is my daughter called?", {"user's daughter|name", "user's daughter|called"}),
        ("Who is my wife?", {"user|married_to", "user's wife|name"}),
        ("What's my favorite ice cream?", {"user|favourite ice cream"}),
        ("Which database do we use?", {"user|database"}),
        ("When is the deadline?", {"user|deadline"}),
        ("Am I allergic to peanuts?", {"user|allergic_to"}),
        ("What languages does Tom speak?", {"tom|speaks"}),
    ],
)
def test_a_question_for_a_fact_is_known_by_its_form(query: str, groups: set[str]) -> None:
    assert asked(query) == groups


@pytest.mark.parametrize(
    "query",
    [
        "",
        "?",
        "Where do I live if I move?",
        "Where did I live in 2019?",
        "What time is it?",
        "What is the meaning of life?",
        "What does the function return?",
        "What cars do I have?",
        "What do I like to drink in summer?",
        "How do I parse a date in Python?",
        "Where do I live? " * 20,
        "my " * 40,
    ],
)
def test_what_asks_for_more_or_for_something_else_is_no_such_question(query: str) -> None:
    assert groups_asked(query, SPEAKERS) == frozenset()


def test_how_old_somebody_is_tells_no_birthday() -> None:
    assert groups_asked("When is Nana's birthday?", SPEAKERS) == {"nana|birthday"}


def test_what_we_do_is_asked_of_both() -> None:
    assert groups_asked("What database do we use?", SPEAKERS) == {"user|database", "we|database"}
    assert groups_asked("Where does Ada live?", {"ada", "user"}) == {"ada|lives_in"}
