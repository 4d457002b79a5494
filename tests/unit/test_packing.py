from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.domain.context import ContextRequest, Format, HistoryOptions, MemoryItem
from app.domain.conversation import Message, Role
from app.domain.profile import Profile
from app.ranking.dedup import SAME
from app.ranking.diversity import ALIKE
from app.services.packing.packer import Packed, Packer
from app.text.excerpt import CUT
from app.text.profile import profile_json
from app.text.render import PREAMBLE
from tests.factories import NOON, a_message, an_item, ranked
from tests.packed import LONG, PACKER, TOKENS, assert_said, chunk, counted, end_of

TEXTS = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=60),
    st.lists(st.sampled_from(["tea", " milk", "\n", "# ", "> ", "🙂", "\u2028"])).map("".join),
    st.integers(0, 400).map(lambda n: "word " * n),
)
ROLES = st.sampled_from([Role.USER, Role.ASSISTANT])


def as_said(message: Message) -> Message:
    return replace(message, tokens=TOKENS.count(f"{message.content or ''}"))


@st.composite
def items(draw: st.DrawFn) -> list[MemoryItem]:
    return [
        counted(
            an_item(
                row,
                draw(TEXTS),
                conversation=draw(st.none() | st.integers(1, 3)),
                label=draw(st.none() | TEXTS),
                name=draw(st.none() | TEXTS),
            )
        )
        for row in range(1, 1 + draw(st.integers(0, 8)))
    ]


HISTORY = st.lists(st.tuples(TEXTS, ROLES, st.none() | TEXTS), max_size=5).map(
    lambda said: [
        as_said(a_message(at, text, role=role, name=name))
        for at, (text, role, name) in enumerate(said)
    ]
)
REQUESTS = st.builds(
    ContextRequest,
    query=TEXTS,
    budget_tokens=st.integers(1, 30) | st.integers(1, 1_500),
    max_items=st.integers(1, 6),
    format=st.sampled_from(Format),
    history=st.builds(
        HistoryOptions, max_messages=st.integers(0, 6), max_share=st.sampled_from([0, 0.3, 1])
    ),
)


PROFILES = st.none() | st.builds(
    Profile,
    preferences=st.dictionaries(TEXTS, TEXTS, max_size=3),
    context=st.dictionaries(TEXTS, TEXTS, max_size=3),
    notes=TEXTS,
    updated_at=st.just(NOON),
)


def pack(
    request: ContextRequest,
    tail: list[Message],
    found: list[MemoryItem],
    pinned: frozenset[int] = frozenset(),
    profile: Profile | None = None,
) -> Packed:
    history = end_of(request, tail)
    return PACKER.pack(request, history, ranked(*found, pinned=pinned), profile)


def counted_again(request: ContextRequest, packed: Packed) -> int:
    """What a caller who knows nothing of packing counts."""
    match request.format:
        case Format.MARKDOWN:
            assert packed.text is not None
            return TOKENS.count(packed.text)
        case Format.MESSAGES:
            assert packed.messages is not None
            calls: list[Any] = [each.get("tool_calls") for each in packed.messages]
            texts = [str(each["content"] or "") for each in packed.messages]
            return sum(
                TOKENS.count(text + (str(call) if call else ""))
                for text, call in zip(texts, calls, strict=True)
            )
        case Format.JSON:
            texts = [each.item.content for each in packed.candidates]
            texts += [each.content or "" for each in packed.history]
            texts += [profile_json(packed.profile.profile)] if packed.profile else []
            return sum(map(TOKENS.count, texts))


@given(REQUESTS, HISTORY, items(), st.frozensets(st.integers(0, 7)), PROFILES)
@example(
    ContextRequest(query="word " * 9, budget_tokens=9, format=Format.MESSAGES),
    [as_said(a_message(content="word " * 4))],
    [counted(an_item(content="tea"))],
    frozenset({0}),
    None,
)
def test_the_budget_is_a_promise(
    request: ContextRequest,
    tail: list[Message],
    found: list[MemoryItem],
    pinned: frozenset[int],
    profile: Profile | None,
) -> None:
    packed = pack(request, tail, found, pinned, profile)

    assert packed.tokens == counted_again(request, packed) <= request.budget_tokens
    assert len(packed.candidates) <= request.max_items
    assert packed.profile is None or packed.profile.tokens <= 0.15 * request.budget_tokens
    kept = {each.item.key: each.item for each in packed.candidates}
    wholes = {each.key: each for each in found}
    assert list(kept) == [key for key in wholes if key in kept]
    for key, shown in kept.items():
        assert_said(shown, wholes[key])
    dropped = [at for at, _ in packed.dropped]
    assert dropped == [at for at, each in enumerate(found) if each.key not in kept]
    assert {reason for _, reason in packed.dropped} <= {"budget", "max_items"}
    assert_ends(packed.history, tail)


def assert_ends(history: Sequence[Message], tail: list[Message]) -> None:
    """The history is the end of `tail`, but that the first may be cut."""
    end = tail[len(tail) - len(history) :]
    assert list(history[1:]) == end[1:]
    for shown, message in zip(history[:1], end[:1], strict=True):
        cut = (shown.content or "").removesuffix(CUT)
        assert shown == message or (message.content or "").startswith(cut)


@given(REQUESTS, HISTORY, items(), st.frozensets(st.integers(0, 7)))
def test_what_is_pinned_goes_in_as_if_there_was_nothing_else(
    request: ContextRequest, tail: list[Message], found: list[MemoryItem], pinned: frozenset[int]
) -> None:
    alone = [each for at, each in enumerate(found) if at in pinned]
    expected = pack(request, tail, alone, frozenset(range(len(alone)))).candidates

    packed = pack(request, tail, found, pinned)

    own = {each.key for each in alone}
    chosen = [each.item for each in packed.candidates if each.item.key in own]
    assert chosen == [each.item for each in expected]


@given(HISTORY, st.integers(1, 300), st.sampled_from([0, 0.2, 0.5, 1]), st.integers(0, 6))
def test_the_history_is_the_end_that_its_share_holds(
    tail: list[Message], budget: int, share: float, most: int
) -> None:
    options = HistoryOptions(max_messages=most, max_share=share)
    request = ContextRequest(query="q", budget_tokens=budget, history=options)
    history = list(end_of(request, tail))
    assert_ends(history, tail)
    assert len(history) <= most
    assert sum(each.tokens for each in history) <= budget * share


@pytest.mark.parametrize("form", Format)
def test_a_budget_of_one_token_is_kept(form: Format) -> None:
    request = ContextRequest(query="Which database did we pick?", budget_tokens=1, format=form)
    packed = pack(request, [as_said(a_message())], [counted(an_item())])
    assert (packed.tokens, list(packed.candidates), list(packed.history)) == (0, [], [])
    assert packed.dropped == [(0, "budget")]


@pytest.mark.parametrize("form", Format)
def test_a_huge_item_makes_room_for_those_behind_it(form: Format) -> None:
    huge, small = counted(an_item(1, "tea " * 50_000)), counted(an_item(2, "Tea."))
    packed = pack(ContextRequest(query="Tea?", budget_tokens=200, format=form), [], [huge, small])
    assert [each.item for each in packed.candidates] == [small]
    assert packed.dropped == [(0, "budget")]


@pytest.mark.parametrize("form", Format)
def test_no_more_than_max_items_go_in(form: Format) -> None:
    found = [counted(an_item(row, f"Tea {row}.")) for row in range(1, 6)]
    packed = pack(ContextRequest(query="Tea?", max_items=2, format=form), [], found)
    assert [each.item for each in packed.candidates] == found[:2]
    assert packed.dropped == [(2, "max_items"), (3, "max_items"), (4, "max_items")]


@pytest.mark.parametrize("form", Format)
def test_the_pinned_go_in_first_and_keep_their_place_in_the_order(form: Format) -> None:
    found = [counted(an_item(row, f"Tea {row}.")) for row in range(1, 6)]
    request = ContextRequest(query="Tea?", max_items=2, format=form)
    packed = pack(request, [], found, frozenset({3}))
    assert [each.item for each in packed.candidates] == [found[0], found[3]]


def test_in_every_budget_the_pinned_go_before_the_others() -> None:
    """What the huge one does not take, its heading among it, is left to the others."""
    label = "about a long story " * 8
    texts = ["tea " * 300, "One.", "Two.", "Six."]
    found = [counted(an_item(row, text, label=label)) for row, text in enumerate(texts)]
    dropped = set()
    for budget in range(1, 300):
        request = ContextRequest(query="", budget_tokens=budget, format=Format.MARKDOWN)
        packed = pack(request, [], found, frozenset({0, 3}))
        kept = [each.item.content for each in packed.candidates]
        assert not kept or "Six." in kept
        dropped.add(len(packed.dropped))
    assert dropped == {0, 1, 2, 3, 4}


class Squares:
    """A tokenizer to which the whole is more than its parts."""

    def count(self, text: str) -> int:
        return len(text) ** 2 // 1_000


def test_what_turns_out_too_long_as_a_whole_loses_its_last_but_the_pinned() -> None:
    packer, trimmed = Packer(Squares()), 0
    found = [an_item(row, f"Tea {row}.", tokens=0) for row in range(6)]
    for budget in range(1, 400):
        request = ContextRequest(query="", budget_tokens=budget, format=Format.MARKDOWN)
        packed = packer.pack(request, [], ranked(*found, pinned=frozenset({5})))
        assert packed.tokens <= budget
        kept = [each.item for each in packed.candidates]
        assert kept == [*found[: len(kept) - 1], found[5]] if kept else True
        trimmed += 1 < len(kept) < 6
    assert trimmed


def test_a_history_that_is_too_long_as_rendered_loses_its_oldest() -> None:
    tail = [as_said(a_message(at, "Tea." * 3, name="Somebody")) for at in range(6)]
    whole = HistoryOptions(max_messages=6, max_share=1)
    for budget in range(1, 120):
        for form in (Format.MARKDOWN, Format.MESSAGES):
            request = ContextRequest(query="", budget_tokens=budget, format=form, history=whole)
            history = list(pack(request, tail, []).history)
            assert history == tail[len(tail) - len(history) :]


def test_json_counts_what_was_counted_at_write() -> None:
    found = [an_item(1, tokens=30), an_item(2, tokens=20), an_item(3, tokens=10)]
    tail = [a_message(1, tokens=15), a_message(2, tokens=25)]
    packed = pack(ContextRequest(query="q", budget_tokens=60), tail, found)
    assert [each.item.tokens for each in packed.candidates] == [30]
    assert [each.tokens for each in packed.history] == [25]
    assert (packed.tokens, packed.text, packed.messages) == (55, None, None)


def test_markdown_and_messages_are_handed_over_as_they_were_counted() -> None:
    found, tail = [counted(an_item(content="Tea."))], [as_said(a_message(content="Hi."))]
    markdown = pack(ContextRequest(query="Tea?", format=Format.MARKDOWN), tail, found)
    messages = pack(ContextRequest(query="Tea?", format=Format.MESSAGES), tail, found)
    assert markdown.text is not None
    assert markdown.text.startswith(PREAMBLE)
    assert markdown.text.endswith("> Hi.")
    assert markdown.messages is None
    assert messages.text is None
    assert messages.messages is not None
    assert [each["role"] for each in messages.messages] == ["system", "user", "user"]


def test_overlapping_chunks_are_said_once() -> None:
    best, other = chunk(1, 200, 500), chunk(2, 400, 700)
    request = ContextRequest(query="q", budget_tokens=1_000)
    packed = PACKER.pack(request, [], ranked(best, other))
    shown = [each.item for each in packed.candidates]
    assert shown[0] == best
    assert shown[1].content == LONG.content[500:700].strip()
    assert (shown[1].id, shown[1].tokens) == (other.id, TOKENS.count(shown[1].content))
    assert shown[1].span is not None
    start, stop = shown[1].span
    assert LONG.content[start:stop] == shown[1].content
    assert packed.tokens == sum(item.tokens for item in shown)


def test_a_chunk_of_which_nothing_is_left_is_dropped() -> None:
    before, after, between = chunk(1, 0, 300), chunk(2, 300, 600), chunk(3, 250, 350)
    request = ContextRequest(query="q", budget_tokens=1_000)
    packed = PACKER.pack(request, [], ranked(before, after, between))
    assert [each.item for each in packed.candidates] == [before, after]
    assert packed.dropped == [(2, "duplicate")]


@pytest.mark.parametrize(("budget", "shown"), [(1_000, [0]), (150, [1, 2]), (80, [1])])
def test_a_message_that_does_not_fit_is_there_with_its_chunks(
    budget: int, shown: list[int]
) -> None:
    items = [counted(LONG), chunk(1, 0, 250), chunk(2, 300, 550)]
    found = ranked(*items, pinned=frozenset({0, 1}), pieces={0: 2})
    packed = PACKER.pack(ContextRequest(query="q", budget_tokens=budget), [], found)
    assert [each.item for each in packed.candidates] == [items[at] for at in shown]


def test_a_message_longer_than_its_share_is_shown_with_its_beginning() -> None:
    long = as_said(a_message(1, "word " * 500))
    last = as_said(a_message(2, "And then?"))
    options = HistoryOptions(max_messages=5, max_share=0.5)
    request = ContextRequest(query="q", budget_tokens=200, history=options)
    cut, shown = end_of(request, [as_said(a_message(0, "first")), long, last])
    assert shown == last
    assert cut.content is not None
    assert cut.content.endswith(CUT)
    assert 80 < cut.tokens + last.tokens <= 100
    called = replace(long, tool_calls=[{"id": "1"}])
    assert list(end_of(request, [called, last])) == [last]
    assert list(end_of(replace(request, budget_tokens=40), [long, last])) == [last]


def test_much_that_is_alike_leaves_room_for_something_else() -> None:
    """Thirty times about the same, none of them so near to another that it would be left out."""
    alike = {at: np.array([0.93, *np.eye(31)[at] * 0.36], dtype=np.float32) for at in range(30)}
    other = {30: np.array([0.0, *np.eye(31)[30]], dtype=np.float32)}
    assert ALIKE < float(alike[0] @ alike[1]) < SAME
    found = [counted(an_item(row, f"Buy milk, {row}.")) for row in range(1, 31)]
    found.append(counted(an_item(31, "The rent is due on Friday.")))
    request = ContextRequest(query="q", max_items=20)
    packed = PACKER.pack(request, [], ranked(*found, vectors={**alike, **other}))
    shown = [each.item for each in packed.candidates]
    assert shown == [*found[:19], found[30]]
    plain = PACKER.pack(request, [], ranked(*found))
    assert [each.item for each in plain.candidates] == found[:20]
