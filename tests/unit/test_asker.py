"""Who is asked about as "the user"."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.services.context.sought import sought_in
from app.text.asker import in_first_person


@pytest.mark.parametrize("blank", [" ", "\n", "\u3000"])
def test_a_long_query_may_begin_with_blanks(blank: str) -> None:
    assert in_first_person(f"{blank * 2_000}Where does the user live?") is None
    told = in_first_person(f"Where does the user live?{blank * 2_000}Since when?")
    assert told == f"Where do I live?{blank * 2_000}Since when?"


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("What is the user's dog called?", "What is my dog called?"),
        ("Where does the user live?", "Where do I live?"),
        ("When has the user been to Rome?", "When have I been to Rome?"),
        ("Is the user a nurse?", "am I a nurse?"),
        ("Things that the user is afraid of", "Things that I am afraid of"),
        ("What do we know about the user?", "What do we know about me?"),
        ("user's favourite food", "my favourite food"),
        ("User preferences for hotels", "my preferences for hotels"),
        ("user likes and dislikes", "my likes and dislikes"),
        ("user likes sushi", "I like sushi"),
        ("User currently lives in Rome", "I currently live in Rome"),
        ("user and Ann went to Rome", "I and Ann went to Rome"),
        ("what the user said about user", "what I said about user"),
        ("what the user said about the user", "what I said about me"),
        ("What is the user's name?", "What is my name?"),
        ("What are the user preferences for hotels?", "What are my preferences for hotels?"),
        ("the user\u2019s hat", "my hat"),
    ],
)
def test_is_who_asks(query: str, told: str) -> None:
    assert in_first_person(query) == told


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("What did Ann tell the user?", "What did Ann tell me?"),
        ("What makes the user happy", "What makes me happy"),
        ("help the user", "help me"),
        ("What is known about the user.", "What is known about me."),
        ("What about the user was odd?", "What about me was odd?"),
        ("Did Ann meet the user or Ben?", "Did Ann meet me or Ben?"),
    ],
)
def test_is_me_where_something_is_done_to_them(query: str, told: str) -> None:
    assert in_first_person(query) == told


@pytest.mark.parametrize(
    "ahead",
    [
        *"did had was will would can could should might didn't wasn't won't can't".split(),
        *"that when what how why where which if because and who whether".split(),
    ],
)
def test_is_i_behind_what_stands_ahead_of_who_acts(ahead: str) -> None:
    assert in_first_person(f"{ahead} the user go") == f"{ahead} I go"
    assert in_first_person(f"{ahead} the user's cat") == f"{ahead} my cat"


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("Does the user sing?", "do I sing?"),
        ("Why doesn't the user sing?", "Why don't I sing?"),
        ("Why doesn\u2019t the user sing?", "Why don't I sing?"),
        ("Has the user sung?", "have I sung?"),
        ("Hasn't the user sung?", "haven't I sung?"),
        ("Isn't the user a nurse?", "aren't I a nurse?"),
        ("What's the user allergic to?", "What am I allergic to?"),
        ("The user is a nurse.", "I am a nurse."),
        ("Hello. The user has a dog", "Hello. I have a dog"),
        ("the user doesn't eat fish", "I don't eat fish"),
        ("if the user needs help", "if I need help"),
        ("what the user really wants", "what I really want"),
        ("where the user works", "where I work"),
        ("places that the user goes to", "places that I go to"),
        ("places the user visited", "places I visited"),
    ],
)
def test_the_verb_agrees(query: str, told: str) -> None:
    assert in_first_person(query) == told


@pytest.mark.parametrize(
    "ahead",
    "a an each every which this that new end super current how another any our one".split(),
)
def test_any_other_user_is_nobody(ahead: str) -> None:
    assert in_first_person(f"{ahead} user likes sushi") is None
    assert in_first_person(f"Where is {ahead} user's hat?") is None
    assert in_first_person(f"the {ahead} user likes sushi") is None


@pytest.mark.parametrize(
    "thing",
    """
    account agent data experience group id input interface login role session story table manual
    guide guides password mode research interviews permissions registration authentication base flow
    agreement model schema service endpoint api
    """.split(),
)
def test_what_applications_have_is_nobody_s(thing: str) -> None:
    for user in ("user", "the user", "the user's", "user's"):
        assert in_first_person(f"{user} {thing}") is None
    assert in_first_person(f"Where is the user {thing}?") is None


def test_a_word_at_the_border_is_not_cut() -> None:
    """The border is before, in and behind "username", of which "user" is no user."""
    begun = "what the user said " + "x" * 963
    assert len(f"{begun} about the user") == 997
    for more in range(12):
        query = f"{begun}{'x' * more} about the username"
        assert in_first_person(query) == query.replace("the user ", "I ", 1)


def test_a_user_behind_the_border_stays() -> None:
    assert in_first_person("x " * 600 + "the user") is None
    assert in_first_person("the user " + "x " * 600 + "the user") == "I " + "x " * 600 + "the user"


@pytest.mark.parametrize(
    "query",
    [
        "",
        "user",
        "user: hello",
        "user name",
        "the user name field",
        "User with admin rights cannot log in",
        "user 42 complains",
        "the user #42",
        "the user who left",
        "the user profile page",
        "the user-facing page",
        "reset user password flow",
        "How does user authentication work",
        "what is known about user preferences",
        "What is my dog called?",
        "Which users are there?",
        "Where is the user table?",
        "How do I change the user interface?",
        "What is a superuser?",
        "What does user_id mean?",
        "Where is /home/user/notes.md?",
    ],
)
def test_is_nobody(query: str) -> None:
    assert in_first_person(query) is None


def test_both_forms_are_looked_for() -> None:
    sought = sought_in("What is the user's dog called?")
    assert sought.topic == "What is the user's dog called?"
    assert sought.question == "What is my dog called?"
    assert sought.around == {"user"}


@given(st.text(max_size=100))
def test_what_speaks_of_no_user_stays(query: str) -> None:
    if "user" not in query.lower():
        assert in_first_person(query) is None
