"""What is asked of another thing that has no name."""

import pytest

from app.services.context.renaming import Renamed, renamed
from app.text.instead import with_other_thing


@pytest.mark.parametrize(
    ("before", "rest", "asked"),
    [
        ("Who has the ring of feather fall?", "the trident?", "Who has the trident?"),
        ("who has my ladder", "the drill", "who has the drill"),
        ("How much is the rent?", "the deposit?", "How much is the deposit?"),
        ("How much is the ticket to Rome?", "our hotel?", "How much is our hotel to Rome?"),
        ("What does the plumber charge?", "the electrician?", "What does the electrician charge?"),
        (
            "What time does the pharmacy close on Sunday?",
            "the public library?",
            "What time does the public library close on Sunday?",
        ),
        ("When was the roof repaired?", "the kitchen?", "When was the kitchen repaired?"),
        ("Where is the key, by the way?", "the lock?", None),
    ],
)
def test_another_thing_takes_the_place_of_the_one_before(
    before: str, rest: str, asked: str | None
) -> None:
    assert with_other_thing(before, rest) == asked


@pytest.mark.parametrize(
    ("before", "rest"),
    [
        ("What did the doctor say about the knee?", "the blood test?"),
        ("Who has the key?", "the other one?"),
        ("Who has the key?", "how heavy is it?"),
        ("Who has the key?", "Ann?"),
        ("When is the party?", "the day after?"),
        ("Where do we live?", "the car?"),
        ("Who has the?", "the car?"),
        ("What did the cat of the man do?", "the dog?"),
        ("What does the cat with a hat do?", "the dog?"),
        ("Who found the one thing that nobody on earth needs?", "on the car?"),
        ("Who took the very old and rusty bike?", "the car?"),
    ],
)
def test_where_it_is_open_which_one_is_meant_nothing_does(before: str, rest: str) -> None:
    assert with_other_thing(before, rest) is None


def test_a_question_that_goes_on_asks_of_the_other_thing_alone() -> None:
    asked = Renamed(asked="Who has the trident?", more=False)
    assert renamed("Who has the ring of feather fall?", "and the trident?") == asked
    assert renamed("Who has the ring?", "and what about the trident?") == asked
    assert renamed("Who has the ring?", "and did the trident help?") is None
