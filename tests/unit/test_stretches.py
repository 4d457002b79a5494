"""What is read some characters at a time is read as a whole."""

import re
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from app.text.blocks import blocks_of
from app.text.stretches import AT_ONCE, stretches
from app.text.terms import terms_of

LINE = re.compile(r"\n")
PIECES = (
    "dogs",
    "sha-256",
    "a/b.c::d",
    "Ångström",
    "日本語。",
    "ไทย",
    " ",
    "\n",
    "\u3000",
    "-",
    "x->y",
)


@given(st.text(alphabet="ab\n", max_size=60), st.integers(1, 8))
def test_stretches_rejoin_and_end_where_they_may(text: str, at_once: int) -> None:
    found = list(stretches(text, LINE, at_once=at_once))
    assert "".join(text[each] for each in found) == text
    assert all(before.stop == after.start for before, after in pairwise(found))
    assert all(text[each].endswith("\n") for each in found[:-1])
    assert all(LINE.search(text[each], at_once - 1, len(text[each]) - 1) is None for each in found)


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=12).map("".join))
def test_the_terms_of_a_long_text_are_those_of_its_words(piece: str) -> None:
    own = terms_of(f"{piece} kept")
    times = AT_ONCE // len(piece) + 2
    assert terms_of(f"{piece} kept\n" * times) == own * times


def test_blocks_of_a_long_text_are_found_wherever_they_are() -> None:
    prose = "A line that says little.\n" * (AT_ONCE // 20)
    code = "```python\nprint()\n```\n"
    text = (prose + code) * 3 + prose
    blocks = blocks_of(text)
    assert [each.code for each in blocks] == [False, True] * 3 + [False]
    assert "".join(text[each.start : each.stop] for each in blocks) == text
    assert {each.language for each in blocks if each.code} == {"python"}
