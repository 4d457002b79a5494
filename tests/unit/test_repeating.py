"""What a bundle shows word for word, no summary and no gist beside it tells again."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.adapters.sql.store import SqlStore
from app.domain.audit import user_subject
from app.domain.context import ContextBundle, ContextRequest, Format, HistoryOptions, MemoryItem
from app.domain.conversation import Message, NewConversation, NewMessage, Role
from app.domain.ids import ItemKey
from app.domain.memories import NewMemory
from app.domain.memory import ItemType, LineageEdge
from app.ranking.summaries import lines_left
from app.services.packing.packer import Packed
from tests.factories import ACME, NOON, a_chunk, a_message, an_item, ranked
from tests.fakes import Memory
from tests.packed import PACKER, TOKENS, counted

REDIS, PORT = "We decided on Redis.", "The port is 6380."
SAID = [REDIS, PORT, "Ida brings the keys. The vault is BILL-2217."]


def message(row: int, text: str) -> MemoryItem:
    return counted(an_item(row, text, role=Role.USER, name="Ann"))


def a_summary(row: int, *lines: str, cites: Sequence[int]) -> MemoryItem:
    item = an_item(row, "\n".join(f"- Ann: {each}" for each in lines), role=None, conversation=None)
    edges = [LineageEdge(kind="message", id=str(message(each, "").id)) for each in cites]
    return counted(replace(item, type=ItemType.SUMMARY, lineage=edges))


def packed(
    *found: MemoryItem,
    budget: int = 500,
    form: Format = Format.JSON,
    history: Sequence[Message] = (),
    pinned: frozenset[int] = frozenset(),
    asked: frozenset[ItemKey] = frozenset(),
    words: Sequence[str] = (),
) -> Packed:
    request = ContextRequest(query="q", budget_tokens=budget, format=form)
    known = ranked(*found, pinned=pinned)
    worth = dict.fromkeys(words, 1.0)
    return PACKER.pack(request, history, replace(known, worth=worth, asked=asked))


def contents(told: Packed) -> list[str]:
    return [each.item.content for each in told.candidates]


GIST = a_summary(9, REDIS, PORT, cites=[1, 2])


def test_a_line_that_a_message_shows_is_left_out() -> None:
    told = packed(message(1, REDIS), GIST)
    assert contents(told) == [REDIS, f"- Ann: {PORT}"]
    assert told.tokens == sum(TOKENS.count(each) for each in contents(told))
    assert told.candidates[1].item.lines == (1,)
    assert told.candidates[1].item.lineage == GIST.lineage


def test_a_summary_of_which_no_line_is_left_is_a_duplicate() -> None:
    told = packed(message(1, f"{REDIS} Well."), message(2, PORT), GIST)
    assert contents(told) == [f"{REDIS} Well.", PORT]
    assert told.dropped == [(2, "duplicate")]


def test_a_summary_goes_with_the_lines_that_it_was_found_by() -> None:
    told = packed(GIST, message(1, REDIS), words=["redi", "cache"])
    assert contents(told) == [REDIS]
    assert told.dropped == [(0, "duplicate")]


@pytest.mark.parametrize("words", [["redi", "port"], ["port"], ["cache"]])
def test_a_summary_stays_while_a_word_of_the_query_does(words: Sequence[str]) -> None:
    told = packed(GIST, message(1, REDIS), words=words)
    assert contents(told) == [f"- Ann: {PORT}", REDIS]


def test_a_summary_of_a_time_that_is_asked_for_stays_whatever_its_words() -> None:
    told = packed(GIST, message(1, REDIS), words=["redi"], asked=frozenset({GIST.key}))
    assert f"- Ann: {PORT}" in contents(told)


def test_what_is_in_the_history_is_there_too() -> None:
    said = a_message(1, PORT, name="Ann")
    gist = replace(GIST, lineage=[LineageEdge(kind="message", id=str(said.id))])
    assert contents(packed(gist, history=[said])) == [f"- Ann: {REDIS}"]


def an_answer(row: int, text: str) -> MemoryItem:
    return counted(an_item(row, text, role=Role.TOOL))


def a_gist(row: int, text: str, *cites: int) -> MemoryItem:
    return counted(replace(a_summary(row, cites=cites), type=ItemType.TOOL, content=text))


ANSWER = '{"results": [{"title": "Lisbon weather", "snippet": "21 degrees, sunny."}]}'
TOLD = "web_search(weather in Lisbon): Lisbon weather: 21 degrees, sunny."


@pytest.mark.parametrize("gist_first", [True, False])
def test_a_gist_beside_the_answer_that_it_is_of_is_a_duplicate(*, gist_first: bool) -> None:
    found = [a_gist(9, TOLD, 1, 2), an_answer(2, ANSWER)]
    told = packed(*(found if gist_first else found[::-1]))
    assert contents(told) == [ANSWER]
    assert told.dropped == [(0 if gist_first else 1, "duplicate")]


def test_a_gist_stays_without_its_answer() -> None:
    gist = a_gist(9, TOLD, 1, 2)
    assert contents(packed(message(1, REDIS), gist)) == [REDIS, TOLD]
    assert contents(packed(an_answer(3, ANSWER), gist)) == [ANSWER, TOLD]


def test_a_gist_stands_for_an_answer_that_has_no_room() -> None:
    long = an_answer(2, '{"results": [' + ", ".join(f'"{at}"' for at in range(2_000)) + "]}")
    told = packed(a_gist(9, TOLD, 1, 2), long)
    assert TOLD in contents(told)


def test_the_history_tells_an_answer_too() -> None:
    said = a_message(2, ANSWER, role=Role.TOOL)
    gist = replace(a_gist(9, TOLD), lineage=[LineageEdge(kind="message", id=str(said.id))])
    assert contents(packed(gist, history=[said])) == []


def test_a_pinned_gist_stays() -> None:
    told = packed(a_gist(9, TOLD, 2), an_answer(2, ANSWER), pinned=frozenset({0}))
    assert contents(told) == [TOLD, ANSWER]


def test_only_the_part_that_is_shown_counts() -> None:
    whole = message(1, f"{REDIS} {PORT}")
    part = counted(a_chunk(5, whole, 0, len(REDIS)))
    gist = a_summary(9, REDIS, PORT, cites=[1])
    assert contents(packed(replace(part, name="Ann"), gist)) == [REDIS, f"- Ann: {PORT}"]


@pytest.mark.parametrize(
    "other",
    [
        message(3, REDIS),
        replace(message(1, REDIS), name="Bob"),
        message(1, "We decided on Redis 7."),
        replace(message(1, REDIS), type=ItemType.FACT),
    ],
)
def test_another_message_speaker_or_wording_is_no_repetition(other: MemoryItem) -> None:
    assert contents(packed(other, GIST))[1] == GIST.content


def test_what_stands_at_the_beginning_of_a_prompt_stays_as_it_is() -> None:
    told = packed(message(1, REDIS), GIST, pinned=frozenset({1}))
    assert contents(told) == [REDIS, GIST.content]
    leading = replace(ranked(message(1, REDIS), GIST), leading=frozenset({GIST.key}))
    request = ContextRequest(query="q", budget_tokens=500)
    assert contents(PACKER.pack(request, [], leading)) == [REDIS, GIST.content]


@given(
    st.sets(st.integers(0, 5)), st.sets(st.integers(0, 5), min_size=1),
    st.integers(1, 200), st.sampled_from(Format),
)  # fmt: skip
def test_no_line_is_told_twice_and_the_budget_holds(
    shown: set[int], told: set[int], budget: int, form: Format
) -> None:
    texts = [f"Rack {row} of hall {row} is quiet." for row in range(6)]
    found = [message(row + 1, texts[row]) for row in sorted(shown)]
    lines = [texts[row] for row in sorted(told)]
    gist = a_summary(9, *lines, cites=[row + 1 for row in sorted(told)])
    bundle = packed(*found, gist, budget=budget, form=form)
    assert bundle.tokens <= budget
    said = [line.removeprefix("- Ann: ") for each in contents(bundle) for line in each.split("\n")]
    assert len(said) == len(set(said))
    assert set(said) <= set(texts)


@given(st.lists(st.sampled_from(["a", "b", "c"])), st.lists(st.sampled_from(["a", "b"])))
def test_lines_left_are_those_that_nothing_says(lines: list[str], shown: list[str]) -> None:
    text = "\n".join(f"- Ann: {each}" for each in lines)
    left = lines_left(text, [("Ann", each) for each in shown])
    every = text.split("\n")
    assert left == [
        at for at, line in enumerate(every) if line.removeprefix("- Ann: ") not in shown
    ]


@pytest.fixture
async def memory(store: SqlStore) -> Memory:
    """A talk, summed up in lines that were said."""
    memory = Memory(store)
    messages = [
        NewMessage(
            role=Role.USER, name="Ann", content=each, created_at=NOON + at * timedelta(minutes=1)
        )
        for at, each in enumerate(SAID)
    ]
    new = NewConversation(user_id="alice", external_id="chat", messages=messages)
    stored = await memory.ingestor.ingest(ACME, new)
    memory.clock.forward(3_600)
    gist = NewMemory(
        type=ItemType.SUMMARY,
        content=f"- Ann: {REDIS}\n- Ann: {PORT}\n- Ann: The vault of Redis is BILL-2217.",
        conversation_id=stored.conversation_id,
        subject="it",
        valid_from=NOON,
        derived_from=stored.message_ids,
    )
    await memory.keeper.keep(ACME, [gist])
    await memory.index()
    return memory


async def ask(memory: Memory) -> tuple[ContextRequest, ContextBundle]:
    request = ContextRequest(
        query="We decided on Redis, on which port?",
        user_id="alice",
        history=HistoryOptions(max_messages=0),
    )
    situation = await memory.surveyor.survey(ACME, request)
    bundle = await memory.forge.build(request, situation)
    memory.recorder.built(ACME, request, situation, bundle)
    return request, bundle


@pytest.mark.parametrize("written", [True, False])
async def test_a_replay_shows_the_same_lines(memory: Memory, *, written: bool) -> None:
    _, bundle = await ask(memory)
    shown = [(each.item.type, each.item.content, each.item.tokens) for each in bundle.retrieved]
    gist = next(each.item for each in bundle.retrieved if each.item.type is ItemType.SUMMARY)
    assert gist.lines is not None
    assert REDIS not in gist.content
    if written:
        await memory.recorder.flush()
    replay = await memory.replayer.replay(ACME, bundle.id)
    again = [(each.item.type, each.item.content, each.item.tokens) for each in replay.retrieved]
    assert again == shown
    assert replay.total_tokens == sum(tokens for *_, tokens in again)


async def test_other_lines_are_a_change(memory: Memory) -> None:
    _, first = await ask(memory)
    _, second = await ask(memory)
    alice = user_subject(ACME, "alice")
    same = await memory.replayer.compare(ACME, first.id, second, subject=alice)
    assert same.changed == []
    whole = [replace(each, item=replace(each.item, lines=None)) for each in second.retrieved]
    third = replace(second, retrieved=whole)
    other = await memory.replayer.compare(ACME, first.id, third, subject=alice)
    gist = next(each.item for each in first.retrieved if each.item.type is ItemType.SUMMARY)
    assert other.changed == [gist.id]


async def test_what_a_tool_answered_is_told_once(store: SqlStore) -> None:
    memory = Memory(store)
    called = {"id": "1", "function": {"name": "web_search", "arguments": '{"query": "Lisbon"}'}}
    messages = [
        NewMessage(role=Role.ASSISTANT, content=None, tool_calls=[called], created_at=NOON),
        NewMessage(role=Role.TOOL, content=ANSWER, tool_call_id="1", created_at=NOON),
    ]
    await memory.ingestor.ingest(ACME, NewConversation(user_id="alice", messages=messages))
    await memory.distil()
    await memory.index()
    request = ContextRequest(query="How is the weather in Lisbon?", user_id="alice")
    bundle = await memory.forge.build(request, await memory.surveyor.survey(ACME, request))
    assert [each.item.content for each in bundle.retrieved] == [ANSWER]
