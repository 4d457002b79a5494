from hypothesis import given
from hypothesis import strategies as st

from app.text.opening import OPENING, opening


def test_an_opening_is_folded() -> None:
    assert opening("The Café") == "the cafe"
    assert opening("The Tea") == "the tea"


def test_the_fence_of_a_block_says_nothing() -> None:
    assert opening("```python\ndef Tea():") == "def tea():"
    assert opening("```") == "```"


def test_what_comes_later_is_not_in_it() -> None:
    assert opening("a" * OPENING + "b") == "a" * OPENING


@given(st.text())
def test_any_text_has_an_opening(text: str) -> None:
    assert opening(text) == opening(text[: 2 * OPENING])
