"""How a question greets and thanks is left out, and nothing else is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.text.courtesy import without_courtesy
from app.text.topic import MAX_CHARACTERS

ASKED = "where does Ann live?"


@pytest.mark.parametrize(
    "said",
    [
        "Hey! {}",
        "hi there, {}",
        "Hello again, {}",
        "Good morning! {}",
        "Hello, hope you are well. {}",
        "Hi, how are you today? {}",
        "Hey, quick question: {}",
        "Ok so, {}",
        "hmm, {}",
        "Sorry to bother you again, {}",
        "can you please tell me {}",
        "Could you remind me again {}",
        "do you happen to know {}",
        "I was wondering {}",
        "any idea {}",
        "Please tell me, {}",
        "{} Thanks!",
        "{} thx :)",
        "{} Thank you so much in advance!",
        "{} Please and thank you.",
        "{} I'd appreciate it.",
        "Hi, could you tell me {} Many thanks for your help!",
        "Hallo, weißt du noch, {} Danke schön",
        "Kannst du mir bitte sagen, {}",
        "Bonjour, peux-tu me dire {} Merci beaucoup !",
        "¡Hola! {}",
        "Hola, sabes {} Muchas gracias",
    ],
)
def test_a_frame_is_left_out(said: str) -> None:
    assert without_courtesy(said.format(ASKED)) == ASKED


@pytest.mark.parametrize(
    "said",
    [
        "Hello Kitty backpack price?",
        "Hi-Fi system",
        "Sophie's phone number",
        "Well water test results",
        "I hope you are able to find the hotel",
        "What did she mean by thank you",
        "Did he say thanks",
        "Android or iOS?",
        "Tell them about it",
        "And the second one?",
        "So when is it?",
        "Small one or large one?",
        "hey",
        "Thanks!",
        "Where? Cheers",
        "",
        text := "Hi, what is it? " * MAX_CHARACTERS,
    ],
)
def test_what_is_no_frame_or_all_there_is_stays(said: str) -> None:
    assert without_courtesy(said) == said


def frames() -> st.SearchStrategy[str]:
    parts = ["hi", "Hey,", "so", "ok", "please", "tell me", "thanks", "?", ".", "Ann", "tea", "\n"]
    return st.lists(st.sampled_from(parts), max_size=9).map(" ".join) | st.text(max_size=60)


@given(frames())
def test_what_is_left_is_one_piece_of_what_was_said(said: str) -> None:
    rest = without_courtesy(said)
    assert rest in said
    assert bool(rest) == bool(said)
