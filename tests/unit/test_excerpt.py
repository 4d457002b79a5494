from hypothesis import given
from hypothesis import strategies as st

from app.adapters.tokenizer import BpeTokenCounter
from app.text.excerpt import CUT, beginning, shown_of, telling
from app.text.parts import prose_parts

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


def told(text: str, room: int, **worth: float) -> str | None:
    """The stretch of `text` that tells most, by the worth of its words."""
    parts = list(prose_parts(text, 0, len(text), COUNT))
    of_parts = [
        {word: worth[word] for word in text[part.start : part.stop].split() if word in worth}
        for part in parts
    ]
    stretch = telling(parts, of_parts, room)
    return None if stretch is None else text[slice(*stretch)]


LINES = [f"line {number} of many ." for number in range(30)]


def test_the_run_with_the_telling_words_is_shown() -> None:
    text = "\n".join([*LINES, "the spare key", *LINES])
    shown = told(text, 30, spare=1.0, key=1.0)
    assert shown is not None
    assert "the spare key" in shown
    assert COUNT(shown) <= 30


def test_what_is_worth_more_is_shown_first_and_a_word_counts_once() -> None:
    text = "\n".join([*LINES, "tea tea", "tea", *LINES, "rare", *LINES])
    assert "rare" in (told(text, 12, tea=1.0, rare=1.5) or "")
    assert "tea" in (told(text, 12, tea=1.6, rare=1.5) or "")


def test_where_nothing_tells_more_it_is_the_beginning() -> None:
    text = "\n".join(LINES)
    assert (told(text, 20) or "").startswith("line 0 of many .")


def test_an_excerpt_begins_with_a_sentence_where_it_can() -> None:
    text = f"{'long ' * 80}key . Short one."
    assert (told(text, 20, key=1.0) or "").endswith("long key . Short one.")
    assert told("word " * 60 + "\nWell then.", 10) == "Well then."


def test_where_no_part_fits_there_is_no_excerpt() -> None:
    assert told("a sentence of six words", 2) is None
    assert told("", 10) is None


@given(TEXTS, st.integers(1, 60), st.integers(0, 3))
def test_an_excerpt_is_a_stretch_that_fits(text: str, room: int, worth: int) -> None:
    shown = told(text, room, word=worth)
    if shown is not None:
        assert shown.strip()
        assert shown in text
