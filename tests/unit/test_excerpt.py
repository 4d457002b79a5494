from hypothesis import given
from hypothesis import strategies as st

from app.adapters.tokenizer import BpeTokenCounter
from app.text.excerpt import CUT, beginning, shown_of

COUNT = BpeTokenCounter().count
TEXTS = st.lists(st.sampled_from(["word", " ", "\n", "我们", "👩‍👩‍👧", "x" * 50]), max_size=60).map(
    "".join
)


@given(TEXTS, st.integers(0, 60))
def test_an_excerpt_is_a_beginning_that_fits(text: str, room: int) -> None:
    cut = beginning(text, room, COUNT)
    if cut is not None:
        assert COUNT(cut) <= room
        assert cut.endswith(CUT)
        assert text.startswith(cut.removesuffix(CUT))


def test_it_ends_between_words_and_uses_the_room() -> None:
    text = "one two three four five six seven eight nine ten " * 20
    cut = beginning(text, 30, COUNT)
    assert cut is not None
    assert text[len(cut) - len(CUT)] == " "
    assert 25 < COUNT(cut) <= 30


def test_a_text_without_blanks_is_cut_all_the_same() -> None:
    cut = beginning("没有空格" * 500, 50, COUNT)
    assert cut is not None
    assert 40 < COUNT(cut) <= 50


def test_without_room_there_is_none() -> None:
    assert beginning("some words to show", 1, COUNT) is None
    assert beginning("", 10, COUNT) is None


def test_what_is_shown_of_a_text_is_known() -> None:
    assert shown_of("whole") == float("inf")
    assert shown_of("begin" + CUT) == 5
