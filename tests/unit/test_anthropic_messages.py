"""Requests for Anthropic's Messages and their answers, told as a chat is."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.text.anthropic import chat_in, instructed, message_in
from app.text.chat import name_of, question_in, shown_in, since_reply

KEYS = st.sampled_from(
    """
    system messages role content type text tool_use_id id name input model stop_reason delta index
    message content_block partial_json thinking
    """.split()
)
WORDS = st.sampled_from(
    """
    user assistant system tool_use tool_result thinking text_delta input_json_delta message_start
    content_block_start content_block_delta message_delta message_stop
    """.split()
)
ANYTHING: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=20,
)
OBJECTS = st.dictionaries(KEYS, ANYTHING, max_size=6)

TEXT = {"type": "text", "text": "Let me see."}
THOUGHT = {"type": "thinking", "thinking": "Hm.", "signature": "x"}
CALL = {"type": "tool_use", "id": "of_sun", "name": "sun", "input": {"où": "Oslo"}}
IMAGE = {"type": "image", "source": {"type": "base64", "data": "AAAA"}}


def answer(tool: str, content: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": f"of_{tool}", "content": content}


def test_instructions_stand_first_whatever_they_are_made_of() -> None:
    said = [{"role": "user", "content": "Hi"}]
    for system in ("Brief.", [{"type": "text", "text": "Brief."}]):
        chat = chat_in({"system": system, "messages": said})
        assert [each["role"] for each in chat] == ["system", "user"]
        assert shown_in(chat) == ("Brief.", "Hi")
    assert chat_in({"messages": said}) == said


def test_what_tools_answer_stands_before_what_the_user_adds() -> None:
    content = [answer("sun", [TEXT, IMAGE]), answer("wind", "None."), {"type": "text", "text": "?"}]
    chat = chat_in({"messages": [{"role": "user", "content": content}]})
    assert [each["role"] for each in chat] == ["tool", "tool", "user"]
    assert [each.content for each in since_reply(chat)] == ["Let me see.", "None.", "?"]
    assert question_in(chat) == "?"


def test_what_is_shown_beside_what_a_tool_answers_is_the_users() -> None:
    asked = [
        {"role": "user", "content": "Where is the sun?"},
        {"role": "assistant", "content": [CALL]},
    ]
    for source, kept in (
        ({"type": "text", "data": "Up."}, "Up."),
        ({"type": "content", "content": "Up."}, "Up."),
        ({"type": "content", "content": [TEXT, IMAGE, 7]}, "Let me see."),
        ({"type": "content", "content": [IMAGE]}, "[document]"),
        ({"type": "base64", "data": "AA"}, "[document]"),
        (None, "[document]"),
    ):
        shown = {"type": "document", "source": source}
        chat = chat_in(
            {"messages": [*asked, {"role": "user", "content": [answer("sun", "Up."), shown]}]}
        )
        assert [each.content for each in since_reply(chat)][2:] == ["Up.", kept]
        assert question_in(chat) == "Where is the sun?"


def test_the_question_is_the_users_last_words() -> None:
    chat = chat_in(
        {
            "messages": [
                {"role": "user", "content": "Where is the sun?"},
                {"role": "assistant", "content": [THOUGHT, TEXT, CALL]},
                {"role": "user", "content": [answer("sun", "Up.")]},
            ]
        }
    )
    assert question_in(chat) == "Where is the sun?"
    asked, called, told = since_reply(chat)
    assert (asked.content, called.content, told.content) == (
        "Where is the sun?",
        "Let me see.",
        "Up.",
    )
    (call,) = called.tool_calls or ()
    assert call["function"] == {"name": "sun", "arguments": '{"où": "Oslo"}'}


@pytest.mark.parametrize(
    ("system", "written"),
    [
        (None, "M."),
        ("", "M."),
        ([], "M."),
        ("Brief.", "Brief.\n\nM."),
        ([TEXT], [TEXT, {"type": "text", "text": "M."}]),
        (7, 7),
    ],
)
def test_memory_stands_behind_the_instructions(system: Any, written: Any) -> None:
    assert instructed({"model": "m", "system": system}, "M.") == {"model": "m", "system": written}


def test_a_reply_is_all_that_the_model_says_and_calls_without_its_thoughts() -> None:
    told = {"model": "m", "stop_reason": "tool_use", "content": [THOUGHT, TEXT, CALL]}
    reply = message_in(json.dumps(told).encode(), streamed=False)
    assert reply is not None
    assert reply.content == "Let me see."
    assert reply.metadata == {"model": "m", "stop_reason": "tool_use"}
    assert len(reply.tool_calls or ()) == 1


def test_an_error_is_no_reply() -> None:
    told = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    assert message_in(json.dumps(told).encode(), streamed=False) is None
    assert message_in(f"event: error\ndata: {json.dumps(told)}\n\n".encode(), streamed=True) is None


def test_deltas_belong_to_the_block_that_they_name() -> None:
    events = [
        {"type": "message_start", "message": {"model": "m", "role": "assistant", "content": []}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": "L"}},
        {"type": "content_block_start", "index": 1, "content_block": {**CALL, "input": {}}},
        {"type": "content_block_start", "index": 2, "content_block": {**CALL, "input": {}}},
        {"type": "content_block_delta", "index": 1, "delta": {"partial_json": '{"a":'}},
        {"type": "content_block_delta", "index": 0, "delta": {"text": "et me"}},
        {"type": "content_block_delta", "index": 1, "delta": {"partial_json": " 1}"}},
    ]
    stream = "".join(f"data: {json.dumps(each)}\n\n" for each in events)
    reply = message_in(stream.encode(), streamed=True)
    assert reply is not None
    assert reply.content == "Let me"
    made = [each["function"]["arguments"] for each in reply.tool_calls or ()]  # type: ignore[index]  # JSON
    assert made == ['{"a": 1}', "{}"]
    assert reply.metadata == {"model": "m", "incomplete": True}


@given(OBJECTS)
def test_whatever_a_request_holds_it_is_read(body: dict[str, Any]) -> None:
    chat = chat_in(body)
    question_in(chat), shown_in(chat), name_of(chat), since_reply(chat)
    instructed(body, "Memory.")


@given(st.lists(OBJECTS, max_size=5))
def test_whatever_an_answer_holds_it_is_read(told: list[dict[str, Any]]) -> None:
    message_in(json.dumps(told[0] if told else None).encode(), streamed=False)
    stream = "".join(f"data: {json.dumps(each)}\n\n" for each in told)
    message_in(stream.encode(), streamed=True)
