"""What a question's words give away."""

import pytest

from app.text.wording import ADVISED, wording_of


@pytest.mark.parametrize(
    "query",
    [
        "show me the code for rounding prices",
        "Code to create folders in Python",
        "the React snippet that keeps typing smooth",
        "Which implementation of the cache did we keep?",
        "can you give me that awk one-liner again",
        "Write the SQL query that we use for invoices.",
        "find the nginx config",
    ],
)
def test_a_question_may_want_to_see_code(query: str) -> None:
    assert wording_of(query).asks_code


@pytest.mark.parametrize(
    "query",
    [
        "What does error code PSP_TIMEOUT_5100 mean?",
        "When was Joanna's second movie script shown?",
        "what is the exit code of the job",
        "Who wrote the code of conduct?",
        "What is the code name of the project?",
        "Tell me the door code.",
        "Which function did the dinner have?",
        "",
    ],
)
def test_most_questions_do_not(query: str) -> None:
    assert not wording_of(query).asks_code


@pytest.mark.parametrize(
    "query",
    [
        "What kind of spray should I use?",
        "How do I change the table top?",
        "How can we find removed APIs?",
        "May I take ibuprofen with it?",
        "Explain electric fields to me.",
        "please show me the steps again",
    ],
)
def test_who_wants_advice_asks_for_what_others_said(query: str) -> None:
    assert wording_of(query).of_asker <= ADVISED


@pytest.mark.parametrize(
    "query",
    [
        "Where do I live?",
        "How do I like my coffee?",
        "What is my sister called?",
        "What did we decide?",
        "Am I vegan?",
        "How should I approach editing my draft?",
    ],
)
def test_who_asks_about_themselves_speaks_of_themselves(query: str) -> None:
    assert wording_of(query).of_asker == 1


@pytest.mark.parametrize(
    ("query", "speaks"),
    [
        ("What did I ask you about Kestrel?", True),
        ("Which questions did I have?", True),
        ("What is the task of Ann?", False),
    ],
)
def test_a_question_may_speak_of_questions(query: str, *, speaks: bool) -> None:
    assert wording_of(query).of_questions is speaks


@pytest.mark.parametrize(
    ("query", "past", "course"),
    [
        ("Where is the retro?", False, False),
        ("Which CI do we use?", False, False),
        ("Where was the retro?", True, False),
        ("Which database did we pick first?", True, True),
        ("List in order what I asked for", False, True),
        ("How many days lie between the review and the release?", False, True),
        ("Give me a summary of the move", False, True),
        ("Which order is late?", False, False),
        ("Who has the iron key?", False, False),
        ("How much gold does the party have?", False, False),
        ("Has the iron key been found?", True, False),
        ("Who has found the key?", True, False),
        ("Why was the medicine paused?", True, True),
        ("Why is the deploy at four?", False, False),
    ],
)
def test_a_question_may_be_for_what_holds_or_was_or_how_it_went(
    query: str, *, past: bool, course: bool
) -> None:
    wording = wording_of(query)
    assert (wording.of_past, wording.of_course) == (past, course)
