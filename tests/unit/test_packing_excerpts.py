"""What does not fit as a whole is there with what tells most of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.context import ContextRequest, Format, MemoryItem
from app.services.packing.cutting import LEAST, LONGEST, MOST
from app.text.terms import terms_of
from tests.factories import a_chunk, an_item, ranked
from tests.packed import LONG, PACKER, assert_said, chunk, counted, sentences

SPARE_KEY = "The spare key lies under the third flowerpot."
TELLING = dict.fromkeys(terms_of("Where is the spare key?"), 1.0)
HIDDEN = counted(an_item(9, f"{sentences(15)} {SPARE_KEY} {sentences(15)}"))


@pytest.mark.parametrize("form", Format)
def test_what_does_not_fit_is_there_with_what_tells_most(form: Format) -> None:
    request = ContextRequest(query="Where is the spare key?", budget_tokens=150, format=form)
    packed = PACKER.pack(request, [], ranked(HIDDEN, worth=TELLING))
    (shown,) = [each.item for each in packed.candidates]
    assert_said(shown, HIDDEN)
    assert SPARE_KEY in shown.content
    assert shown.content.startswith(("Sentence", "The"))
    assert LEAST <= shown.tokens <= MOST
    assert (packed.tokens <= 150, packed.dropped) == (True, [])


def test_an_excerpt_of_a_chunk_says_where_it_lies_in_the_message() -> None:
    start = HIDDEN.content.index("Sentence 2 of")
    found = counted(a_chunk(1, HIDDEN, start, len(HIDDEN.content)))
    request = ContextRequest(query="q", budget_tokens=60)
    packed = PACKER.pack(request, [], ranked(found, worth=TELLING))
    (shown,) = [each.item for each in packed.candidates]
    assert shown.span is not None
    assert HIDDEN.content[slice(*shown.span)] == shown.content
    assert SPARE_KEY in shown.content
    assert (shown.id, shown.type) == (found.id, found.type)


def test_a_pinned_message_is_cut_where_it_does_not_fit() -> None:
    """Before others come in, and after what is pinned and fits."""
    tea, rye = counted(an_item(1, "Tea " * 30)), counted(an_item(2, "Rye " * 30))
    found = ranked(tea, HIDDEN, rye, pinned=frozenset({1, 2}), worth=TELLING)
    packed = PACKER.pack(ContextRequest(query="q", budget_tokens=110), [], found)
    cut, whole = [each.item for each in packed.candidates]
    assert_said(cut, HIDDEN)
    assert cut != HIDDEN
    assert whole == rye
    assert packed.dropped == [(0, "budget")]


def test_a_message_that_stands_without_its_chunks_is_cut_too() -> None:
    """Where a caller wants messages only."""
    found = ranked(HIDDEN, worth=TELLING, pieces={0: 2})
    packed = PACKER.pack(ContextRequest(query="q", budget_tokens=100), [], found)
    (shown,) = [each.item for each in packed.candidates]
    assert_said(shown, HIDDEN)
    assert SPARE_KEY in shown.content


def test_no_excerpt_is_shorter_than_helps_or_made_of_what_is_endless() -> None:
    endless = counted(an_item(1, sentences(200)))
    assert endless.tokens > LONGEST
    for found, budget in ((HIDDEN, LEAST - 1), (endless, 500)):
        packed = PACKER.pack(ContextRequest(query="q", budget_tokens=budget), [], ranked(found))
        assert (list(packed.candidates), packed.dropped) == ([], [(0, "budget")])


@st.composite
def chunks_of_one(draw: st.DrawFn) -> list[MemoryItem]:
    """Chunks of about fifty tokens that overlap at their ends, in any order."""
    length = len(LONG.content)
    starts = range(0, length, draw(st.sampled_from([200, 260])))
    chunks = [chunk(row, at, min(at + 290, length)) for row, at in enumerate(starts, 1)]
    return draw(st.permutations(chunks))


@given(chunks_of_one(), st.integers(1, 500), st.sampled_from(["17", "44 45", "never"]))
def test_excerpts_beside_chunks_say_nothing_twice_and_take_nothing_away(
    found: list[MemoryItem], budget: int, words: str
) -> None:
    worth = dict.fromkeys(terms_of(words), 1.0)
    packed = PACKER.pack(
        ContextRequest(query="q", budget_tokens=budget), [], ranked(*found, worth=worth)
    )
    spans = {each.item.key: each.item.span or (0, 0) for each in packed.candidates}
    told = [at for start, stop in spans.values() for at in range(start, stop)]
    assert len(told) == len(set(told))
    assert sum(each.item.tokens for each in packed.candidates) == packed.tokens <= budget
    for each in packed.candidates:
        start, stop = spans[each.item.key]
        assert LONG.content[start:stop] == each.item.content != ""


def test_a_chunk_around_an_excerpt_of_another_is_whole() -> None:
    """The excerpt lies in what both say: it is said with the chunk that fits."""
    long, short = chunk(1, 0, 1_400), chunk(2, 1_050, 1_500)
    number = LONG.content[1_100:1_350].split("Sentence ")[2].split()[0]
    found = ranked(long, short, worth={number: 1.0})
    for budget in range(short.tokens + LEAST, short.tokens + MOST):
        packed = PACKER.pack(ContextRequest(query="q", budget_tokens=budget), [], found)
        contents = [each.item.content for each in packed.candidates]
        assert short.content in contents
        assert len(contents) == 1 or long.content[:1_050].endswith(contents[0])
