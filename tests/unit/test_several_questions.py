"""Which questions of a message are asked apart, and what is made of their answers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.services.context.splitting import MOST, questions_in

MOVED, PAINTED = "When did Ann move to Porto?", "What does Ben paint on Sundays?"


@pytest.mark.parametrize(
    ("message", "questions"),
    [
        (f"{MOVED} {PAINTED}", [MOVED, PAINTED]),
        (
            f"{MOVED} And what does Ben paint on Sundays?",
            [MOVED, "what does Ben paint on Sundays?"],
        ),
        (
            "When did Ann move to Porto, and what does Ben paint on Sundays?",
            [MOVED, "what does Ben paint on Sundays?"],
        ),
        (
            f"I am writing cards. {MOVED} {PAINTED} They are for Easter.",
            [
                f"I am writing cards. {MOVED} They are for Easter.",
                f"I am writing cards. {PAINTED} They are for Easter.",
            ],
        ),
        (
            f"{MOVED} {PAINTED} And why?",
            [MOVED, f"{PAINTED} And why?"],
        ),
        (f"{MOVED}\n{PAINTED}\nWhere is my red coat?", [MOVED, PAINTED, "Where is my red coat?"]),
    ],
)
def test_each_is_asked_with_what_is_said_besides(message: str, questions: list[str]) -> None:
    assert list(questions_in(message)) == questions


@pytest.mark.parametrize(
    "message",
    [
        "",
        "   ",
        MOVED,
        f"{MOVED} And why?",
        f"{MOVED} Who helped her?",
        f"{MOVED} When did she start dancing lessons?",
        "What did Tom say when he called and how angry was he about the broken window?",
        "Where did the Millers move last year? Which school do their kids attend now?",
        "Which hotel did I book in Rome? How much does the hotel charge for parking?",
        "When did Ann move to Berlin and what did she paint in Rome?",
        "What is the book that Ann gave me? Who is the author of that book?",
        "When did Ann and Ben marry and who was their best man at the wedding?",
        "What did Ann's brother study? Where does he work as an engineer now?",
        "Does my sister know who sold the car and who bought the boat?",
        "How many days passed between when I planned the review and when I completed the code?",
        "What is my dog's name? How old is it?",
        "When did Ann and Ben move to Porto and Faro?",
        "When did Ann move to Porto and who did it?",
        "Do you remember? When did Ann move to Porto?",
        f"```\n{MOVED}\n```\n{PAINTED}",
        f'She said: "{MOVED} {PAINTED}"',
        " ".join(f"Where is the red coat of sister {at}?" for at in range(MOST + 1)),
    ],
)
def test_what_is_one_matter_is_asked_as_it_is(message: str) -> None:
    assert list(questions_in(message)) == [message]


@given(st.text(max_size=300))
def test_a_message_is_asked_once_at_least_and_not_often(message: str) -> None:
    assert 1 <= len(questions_in(message)) <= MOST
