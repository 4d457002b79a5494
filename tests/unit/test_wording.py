"""What a question's words give away."""

import pytest

from app.text.wording import wording_of


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
