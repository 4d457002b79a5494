"""What is left out of summaries leaves room, which goes to what had none."""

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from app.domain.context import ContextRequest, Format, MemoryItem
from app.domain.memory import ItemType
from app.ranking.budget import Bounds, pack
from app.services.packing.packer import Packed
from tests.factories import an_item, ranked
from tests.packed import PACKER, TOKENS, counted, sentences
from tests.unit.test_repeating import PORT, REDIS, a_summary, message

VAULT, KEYS = "The vault is BILL-2217.", "Ida brings the keys to the hall on Monday morning."
ABOUT_REDIS = a_summary(8, REDIS, PORT, cites=[1, 2])
ABOUT_KEYS = a_summary(9, VAULT, KEYS, cites=[3, 4])


def told(
    *found: MemoryItem, budget: int, most: int = 20, form: Format = Format.JSON
) -> tuple[Packed, Sequence[str]]:
    request = ContextRequest(query="q", budget_tokens=budget, max_items=most, format=form)
    packed = PACKER.pack(request, [], ranked(*found))
    return packed, [each.item.content for each in packed.candidates]


def test_what_fits_once_a_line_is_left_out_goes_in() -> None:
    left = TOKENS.count(f"- Ann: {PORT}")
    needed = TOKENS.count(REDIS) + left + ABOUT_KEYS.tokens
    found = (message(1, REDIS), ABOUT_REDIS, ABOUT_KEYS)

    packed, contents = told(*found, budget=needed)
    assert contents == [REDIS, f"- Ann: {PORT}", ABOUT_KEYS.content]
    assert packed.tokens == needed
    assert packed.dropped == []

    packed, contents = told(*found, budget=needed - 1)
    assert contents == [REDIS, f"- Ann: {PORT}"]
    assert packed.dropped == [(2, "budget")]


def test_the_place_of_a_summary_that_says_nothing_new_is_free() -> None:
    whole = message(1, f"{REDIS} {PORT}")
    packed, contents = told(whole, ABOUT_REDIS, ABOUT_KEYS, budget=500, most=2)
    assert contents == [whole.content, ABOUT_KEYS.content]
    assert packed.dropped == [(1, "duplicate")]


def test_a_fact_beyond_its_share_takes_what_a_summary_leaves() -> None:
    text = " ".join(f"Shelf {at} of the hall is for the keys." for at in range(4))
    fact = counted(replace(an_item(7, text, role=None, conversation=None), type=ItemType.FACT))
    whole = message(1, f"{REDIS} {sentences(12)}")
    needed = whole.tokens + TOKENS.count(f"- Ann: {PORT}") + fact.tokens
    _, contents = told(whole, ABOUT_REDIS, fact, budget=needed)
    assert contents == [whole.content, f"- Ann: {PORT}", text]


def test_neither_what_is_taken_nor_the_whole_of_a_part_is_offered_again() -> None:
    bounds = Bounds(inside={2: 0}, taken={2: 10, 3: 10})
    assert bounds.offered(5) == [1, 4]
    assert pack([5, 5, 5, 5, 5], room=6, most=5, bounds=bounds) == [1, 2, 3]


@given(
    st.lists(st.sampled_from([REDIS, PORT, VAULT, KEYS]), unique=True),
    st.integers(1, 120), st.integers(1, 5), st.sampled_from(Format),
)  # fmt: skip
def test_the_budget_holds_and_nothing_is_there_twice(
    said: list[str], budget: int, most: int, form: Format
) -> None:
    found = [message(at + 1, text) for at, text in enumerate([REDIS, PORT, VAULT, KEYS])]
    shown = [each for each in found if each.content in said]
    packed, contents = told(*shown, ABOUT_REDIS, ABOUT_KEYS, budget=budget, most=most, form=form)
    assert packed.tokens <= budget
    assert len(contents) <= most
    lines = [line.removeprefix("- Ann: ") for each in contents for line in each.split("\n")]
    assert len(lines) == len(set(lines))
    assert told(*shown, ABOUT_REDIS, ABOUT_KEYS, budget=budget, most=most, form=form)[0] == packed
