"""Calls and answers of tools become short items that cite them."""

import json
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.adapters.sql.store import SqlStore
from app.distil.gist.calls import LONGEST_GIST, calls_in, gist_of, source_of, told_of
from app.domain.conversation import NewConversation, NewMessage, Role
from app.domain.ids import ConversationKey
from app.domain.memories import Memory as Item
from app.domain.memory import ItemType
from app.domain.profile import Profile
from app.services.writing.ingest import Stored
from app.text.profile import render_profile
from tests.factories import ACME, NOON
from tests.fakes import Memory
from tests.stored import items_of

SEARCH = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "web_search", "arguments": '{"query": "weather in Lisbon"}'},
}
ANSWER = json.dumps(
    {
        "results": [
            {"title": "Lisbon weather", "snippet": "21 °C, sunny.", "url": "https://wx.example/l"},
            {"title": "Climate of Portugal", "snippet": "Mild.", "url": "https://pt.example/c"},
        ]
    }
)


@pytest.fixture
def memory(store: SqlStore) -> Memory:
    return Memory(store)


def asks(*calls: Mapping[str, object]) -> NewMessage:
    return NewMessage(role=Role.ASSISTANT, content=None, tool_calls=list(calls))


def answers(content: str, call: str | None = "call_1") -> NewMessage:
    return NewMessage(role=Role.TOOL, content=content, tool_call_id=call)


async def tell(memory: Memory, *messages: NewMessage) -> Stored:
    new = NewConversation(user_id="alice", external_id="chat", messages=messages)
    stored = await memory.ingestor.ingest(ACME, new)
    await memory.distil()
    return stored


async def tools(memory: Memory) -> list[Item]:
    found = await items_of(memory.store, at=NOON, type=ItemType.TOOL)
    return sorted(found, key=lambda each: each.key)


async def test_an_answer_is_told_with_its_call_and_address(memory: Memory) -> None:
    stored = await tell(memory, asks(SEARCH), answers(ANSWER))
    (item,) = await tools(memory)
    assert item.content == (
        "web_search(weather in Lisbon): Lisbon weather: 21 °C, sunny.; Climate of Portugal: Mild."
    )
    assert item.source == "https://wx.example/l"
    assert item.metadata == {"tool": "web_search"}
    assert item.valid_from == NOON
    async with memory.store.read(ACME) as snapshot:
        lineage = await snapshot.memories.lineage(item)
    cited = [each.id for each in lineage if each.kind == "message"]
    assert cited == [str(each) for each in stored.message_ids]


async def test_an_answer_is_as_important_as_its_conversation(memory: Memory) -> None:
    new = NewConversation(user_id="alice", importance=8, messages=[asks(SEARCH), answers("Sunny.")])
    await memory.ingestor.ingest(ACME, new)
    await memory.distil()
    assert [each.importance for each in await tools(memory)] == [8]


async def test_what_was_deleted_is_not_made_again(memory: Memory) -> None:
    unanswered = {**SEARCH, "id": "call_2"}
    went_on = NewMessage(role=Role.USER, content="Never mind.")
    await tell(memory, asks(SEARCH), answers("Sunny."), asks(unanswered), went_on)
    for each in await tools(memory):
        assert (await memory.forgetter.memory(ACME, each.id)).remaining == 0
    await memory.consolidator.anew(ConversationKey(0))
    await memory.distil()
    assert await tools(memory) == []


async def test_what_a_tool_brought_of_our_own_bundles_is_no_answer_of_it(memory: Memory) -> None:
    about = render_profile(Profile(notes="Alice likes tea.", updated_at=NOON))
    await tell(memory, asks(SEARCH), answers(about), answers(f"{about}\n\nSunny.", None))
    assert [each.content for each in await tools(memory)] == [
        "web_search(weather in Lisbon)",
        "tool: Sunny.",
    ]


async def test_a_call_is_found_before_the_portion(memory: Memory) -> None:
    await tell(memory, asks(SEARCH))
    assert await tools(memory) == []
    await tell(memory, asks(SEARCH), answers("It is sunny."))
    (item,) = await tools(memory)
    assert item.content == "web_search(weather in Lisbon): It is sunny."


async def test_an_answer_without_its_call_has_the_name_of_the_tool(memory: Memory) -> None:
    message = NewMessage(role=Role.TOOL, name="clock", content="It is noon.")
    await tell(memory, message)
    assert [each.content for each in await tools(memory)] == ["clock: It is noon."]


async def test_a_call_that_got_no_answer_is_told_once_somebody_went_on(memory: Memory) -> None:
    went_on = NewMessage(role=Role.USER, content="Never mind.")
    await tell(memory, asks(SEARCH), went_on)
    assert [each.content for each in await tools(memory)] == ["web_search(weather in Lisbon)"]


async def test_several_calls_at_once_get_their_own_answers(memory: Memory) -> None:
    other = {"id": "call_2", "name": "read_file", "input": {"path": "a.py", "lines": 3}}
    await tell(memory, asks(SEARCH, other), answers("x = 1", "call_2"), answers("Sunny."))
    assert [each.content for each in await tools(memory)] == [
        "read_file(path: a.py, lines: 3): x = 1",
        "web_search(weather in Lisbon): Sunny.",
    ]


async def test_an_erased_answer_takes_its_item(memory: Memory) -> None:
    stored = await tell(memory, asks(SEARCH), answers(ANSWER))
    await memory.forgetter.message(ACME, stored.message_ids[1])
    await memory.distil()
    assert await tools(memory) == []


async def test_doing_it_again_changes_nothing(memory: Memory) -> None:
    await tell(memory, asks(SEARCH), answers(ANSWER))
    before = [each.id for each in await tools(memory)]
    async with memory.store.project() as projections:
        await projections.distil_anew(after=ConversationKey(0), limit=9, now=memory.clock())
    await memory.distil()
    assert [each.id for each in await tools(memory)] == before


PAGE = """<!DOCTYPE html>
<html><head><title>Ferries</title><style>p { top: 0 }</style><script>f("<p>")</script></head>
<body><!-- no --><h1>Oslo &amp; Kiel</h1><p>Departs <b>daily</b>
at 14:00.</p></body></html>"""


@pytest.mark.parametrize(
    ("answer", "gist"),
    [
        ("", ""),
        ("Plain words. More words.", "Plain words. More words."),
        ('{"error": "not found"}', "not found"),
        ('{"temperature": 21, "unit": "C"}', "temperature 21; unit C"),
        ("[1, 2, 3, 4]", "1; 2; 3"),
        ('{"broken', '{"broken'),
        ("[]", "[]"),
        ("....\n====\n1 passed\n1 passed", "1 passed"),
        ("E 401\n" + "ok\n" * 3 + "x" * 320 + "\n1 failed", "E 401 ok … 1 failed"),
        ("x" * 400, "x" * 319 + "…"),
        (PAGE, "Ferries Oslo & Kiel Departs daily at 14:00."),
        ("<html></html>", "<html></html>"),
    ],
)
def test_the_gist_is_what_is_telling(answer: str, gist: str) -> None:
    assert gist_of(answer) == gist


@given(
    st.text(max_size=2_000)
    | st.recursive(
        st.none() | st.integers() | st.text(max_size=50),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=9), inner),
    ).map(json.dumps)
)
def test_no_answer_is_told_at_length(answer: str) -> None:
    assert len(gist_of(answer)) <= LONGEST_GIST
    assert "\n" not in told_of(None, None, answer)


def test_what_was_asked_for_is_the_source() -> None:
    (call,) = calls_in([{"name": "fetch", "arguments": {"url": "https://a.example/x"}}])
    assert source_of(call, "see https://b.example") == "https://a.example/x"
    assert source_of(None, "see https://b.example/y.") == "https://b.example/y"
    assert source_of(None, "nothing") is None


def test_calls_of_no_known_shape_are_left_out() -> None:
    assert calls_in([{}, {"function": 3}, {"name": ""}, {"name": None}]) == []
    assert calls_in(None) == []
