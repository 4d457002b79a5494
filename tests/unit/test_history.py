"""The three ways of telling the running conversation."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.context import ContextRequest, HistoryOptions, HistoryStrategy
from app.domain.conversation import Message, Role
from app.domain.ids import ItemKey
from app.ports.stored import Opening
from app.ranking.pool import Recalled
from app.services.packing.history import Historian, History
from app.text.excerpt import CUT
from tests.factories import SummaryItem, a_message, an_item, recalled
from tests.packed import HISTORIAN, TOKENS


def said(
    at: int, text: str = "", *, role: Role = Role.USER, importance: int | None = None
) -> Message:
    text = text or f"Well, number {at}."
    message = a_message(at, text, role=role, tokens=TOKENS.count(text))
    return replace(message, importance=importance)


RULE = said(0, "Be brief.", role=Role.SYSTEM)
DECISION = said(1, "We use PostgreSQL.", importance=9)
TALK = [RULE, DECISION, *(said(at) for at in range(2, 20))]


def summary_of(*messages: Message) -> Recalled:
    item = an_item(99, "- Ann: We use PostgreSQL.", tokens=9)
    one = SummaryItem.of(replace(item, key=ItemKey(99)), [each.key for each in messages])
    return recalled(one)


def opening(talk: Sequence[Message], most: int, summary: Recalled | None = None) -> Opening:
    return Opening(
        tail=talk[-most:],
        rules=[each for each in talk if each.role is Role.SYSTEM][:1],
        kept=[each for each in talk if each.is_kept],
        summary=summary or Recalled.nothing(),
    )


def tell(
    strategy: HistoryStrategy,
    summary: Recalled | None = None,
    *,
    talk: Sequence[Message] = TALK,
    most: int = 6,
    budget: int = 1_000,
    historian: Historian = HISTORIAN,
) -> History:
    options = HistoryOptions(strategy=strategy, max_messages=most, max_share=0.5)
    request = ContextRequest(query="q", budget_tokens=budget, history=options)
    return historian.tell(request, opening(talk, most, summary))


def positions(history: History) -> list[int]:
    return [each.position for each in history.messages]


def test_simple_is_the_first_system_message_and_the_end_and_nothing_else() -> None:
    told = tell(HistoryStrategy.SIMPLE, summary_of(DECISION))
    assert positions(told) == [0, 15, 16, 17, 18, 19]
    assert len(told.summary) == 0


def test_summarization_is_the_summary_and_what_it_does_not_tell_yet() -> None:
    told = tell(HistoryStrategy.SUMMARIZATION, summary_of(DECISION, TALK[16]))
    assert positions(told) == [0, 17, 18, 19]
    assert list(told.summary.keys) == [99]


def test_hybrid_keeps_system_messages_and_important_ones_and_sums_the_rest_up() -> None:
    told = tell(HistoryStrategy.HYBRID, summary_of(DECISION, TALK[5]))
    assert positions(told) == [0, 1, 16, 17, 18, 19]
    assert list(told.summary.keys) == [99]


def test_the_last_turn_is_there_word_for_word_whatever_the_summary_tells() -> None:
    assert positions(tell(HistoryStrategy.SUMMARIZATION, summary_of(TALK[19]))) == [0, 18, 19]


def test_without_a_summary_summarization_is_the_end() -> None:
    assert positions(tell(HistoryStrategy.SUMMARIZATION)) == [0, 15, 16, 17, 18, 19]


def test_a_summary_that_has_no_room_stands_for_nothing() -> None:
    small = Historian(TOKENS, 0.001)
    told = tell(HistoryStrategy.SUMMARIZATION, summary_of(TALK[18]), historian=small)
    assert positions(told) == [0, 15, 16, 17, 18, 19]


@pytest.mark.parametrize("strategy", HistoryStrategy)
def test_a_summary_of_what_is_there_word_for_word_is_left_out(strategy: HistoryStrategy) -> None:
    if strategy is HistoryStrategy.HYBRID:
        assert len(tell(strategy, summary_of(DECISION, TALK[19])).summary) == 0
    few = TALK[:4]
    assert len(tell(strategy, summary_of(few[3]), talk=few).summary) == 0


def test_what_is_kept_is_the_end_where_it_is_there_anyhow() -> None:
    told = tell(HistoryStrategy.HYBRID, talk=TALK[:5])
    assert positions(told) == [0, 1, 2, 3, 4]


def test_what_is_kept_leaves_half_to_the_end() -> None:
    important = [said(at, importance=10) for at in range(30)]
    talk = [*important, *(said(at) for at in range(30, 40))]
    assert positions(tell(HistoryStrategy.HYBRID, talk=talk)) == [27, 28, 29, 37, 38, 39]
    assert positions(tell(HistoryStrategy.HYBRID, talk=talk, most=1)) == [39]


@pytest.mark.parametrize("strategy", HistoryStrategy)
def test_the_first_system_message_is_kept_before_newer_ones(strategy: HistoryStrategy) -> None:
    talk = [*TALK, *(said(at, "Be quick.", role=Role.SYSTEM) for at in range(20, 30)), said(30)]
    assert positions(tell(strategy, talk=talk, most=2)) == [0, 30]
    assert positions(tell(strategy, talk=talk, most=1)) == [30]
    assert positions(tell(strategy, talk=talk, most=0)) == []


@pytest.mark.parametrize("strategy", HistoryStrategy)
def test_beside_a_last_message_that_leaves_little_room_the_rules_are_cut(
    strategy: HistoryStrategy,
) -> None:
    rule = said(0, "Always say please. " * 20, role=Role.SYSTEM)
    last = said(20, "word " * 150)
    told = tell(strategy, talk=[rule, *TALK[2:], last], budget=420)
    assert positions(told)[0] == 0
    assert (told.messages[0].content or "").startswith("Always say please.")
    assert told.messages[-1] == last
    assert sum(each.tokens for each in told.messages) <= 210


@pytest.mark.parametrize("strategy", HistoryStrategy)
def test_a_last_message_that_leaves_no_room_is_cut_beside_the_rules(
    strategy: HistoryStrategy,
) -> None:
    last = said(20, "word " * 99)
    told = tell(strategy, talk=[RULE, *TALK[2:], last], budget=2 * last.tokens)
    assert positions(told) == [0, 20]
    assert told.messages[0] == RULE
    assert (told.messages[1].content or "").endswith(CUT)


def test_a_last_message_that_cannot_be_cut_is_not_given_up_for_the_rules() -> None:
    call = replace(said(20, "word " * 99), tool_calls=[{"id": "a"}])
    told = tell(HistoryStrategy.SIMPLE, talk=[*TALK, call], budget=2 * call.tokens)
    assert told.messages == [call]


@pytest.mark.parametrize("strategy", HistoryStrategy)
def test_a_system_message_that_is_too_long_is_there_with_its_beginning(
    strategy: HistoryStrategy,
) -> None:
    rule = said(0, "Always say please. " * 500, role=Role.SYSTEM)
    told = tell(strategy, talk=[rule, *TALK[2:]], budget=400)
    assert (told.messages[0].content or "").startswith("Always say please.")
    assert (told.messages[0].content or "").endswith(CUT)
    assert positions(told)[1:] == [15, 16, 17, 18, 19]
    assert sum(each.tokens for each in told.messages) <= 200


TEXTS = st.integers(0, 60).map(lambda words: "word " * words + "end")
TALKS = st.lists(
    st.tuples(TEXTS, st.sampled_from([*Role]), st.none() | st.integers(1, 10)), max_size=15
).map(
    lambda talk: [
        said(at, text, role=role, importance=importance)
        for at, (text, role, importance) in enumerate(talk)
    ]
)


@given(
    TALKS,
    st.sampled_from(HistoryStrategy),
    st.integers(0, 8),
    st.integers(1, 400),
    st.frozensets(st.integers(0, 14), max_size=4),
)
def test_history_is_within_its_share_in_order_and_said(
    talk: list[Message], strategy: HistoryStrategy, most: int, budget: int, told: frozenset[int]
) -> None:
    cited = [talk[at] for at in sorted(told) if at < len(talk)]
    summary = summary_of(*cited) if cited else None
    history = tell(strategy, summary, talk=talk, most=most, budget=budget)
    messages = history.messages
    assert len(messages) <= most
    assert sum(each.tokens for each in messages) <= budget / 2
    assert positions(history) == sorted(set(positions(history)))
    for each in messages:
        whole = talk[each.position]
        cut = (each.content or "").removesuffix(CUT)
        assert each == whole or (whole.content or "").startswith(cut)
    if strategy is not HistoryStrategy.SIMPLE and messages and summary:
        last = talk[-1].position
        assert last in positions(history)
    rules = [each for each in talk if each.role is Role.SYSTEM]
    if rules and len(messages) > 1 and budget >= 4 * rules[0].tokens + 4 * talk[-1].tokens:
        assert rules[0] in messages
