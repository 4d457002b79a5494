"""What a prompt holds already is not said in it twice."""

from hypothesis import given
from hypothesis import strategies as st

from app.text.shown import Shown


def test_a_text_is_there_as_a_whole_or_as_part_of_another() -> None:
    shown = Shown(["The server is called Hugin, as everybody knows by now.", "Yes"])
    assert "The server is called Hugin, as" in shown
    assert " Yes\n" in shown
    assert "Hugin" not in shown
    assert "The server is called Munin, as everybody knows by now." not in shown


@given(st.lists(st.text(min_size=1)))
def test_each_text_is_there_and_of_none_nothing_is(texts: list[str]) -> None:
    assert all(each in Shown(texts) for each in texts)
    assert "x" not in Shown([])


def test_nothing_is_found_across_two_texts() -> None:
    one, other = "what was said in the first one", "and in the second one after it"
    assert one[-15:] + other[:15] not in Shown([one, other])
