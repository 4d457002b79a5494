"""What of chat completions is somebody's words, whatever shape they come in."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from app.domain.conversation import NewMessage, Role
from app.text.chat import (
    name_of,
    plain,
    question_in,
    reply_in,
    shown_in,
    since_reply,
    system_prompt_in,
    with_memory,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.sampled_from(["role", "content", "name", "tool_calls", "function", "delta", "message"])
MESSAGES = st.lists(
    st.dictionaries(FIELDS, JSON | st.sampled_from(["user", "assistant", "tool"])), max_size=5
)
USER: dict[str, Any] = {"role": "user", "content": "Hi"}
REPLY: dict[str, Any] = {"role": "assistant", "content": "Hello"}
CALLING: dict[str, Any] = {
    "role": "assistant",
    "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "{}"}}],
}
RESULT: dict[str, Any] = {"role": "tool", "tool_call_id": "a", "content": "7"}


def storable(messages: list[NewMessage]) -> bool:
    texts = json.dumps([[m.content, m.name, m.tool_call_id, m.tool_calls] for m in messages])
    return "\\u0000" not in texts and all(
        (m.content or "").encode() or m.tool_calls for m in messages
    )


@given(MESSAGES)
def test_any_chat_is_read_without_an_error(chat: list[dict[str, Any]]) -> None:
    assert isinstance(question_in(chat), str)
    assert all(shown_in(chat))
    assert storable(since_reply(chat))
    name = name_of(chat)
    assert name is None or name.startswith("chat-")
    assert system_prompt_in(chat) != ""


@given(JSON, st.booleans())
def test_any_answer_is_read_without_an_error(told: Any, streamed: bool) -> None:  # noqa: FBT001
    body = json.dumps(told).encode()
    for answer in (body, b"data: " + body + b"\n\n", body[:-1], b"\xff" + body):
        reply_in(answer, streamed=streamed)
    reply_in(
        json.dumps({"choices": [{"message": told, "delta": told}]}).encode(), streamed=streamed
    )
    reply_in(b"data: " + json.dumps({"choices": [{"delta": told}]}).encode(), streamed=streamed)


@given(st.text(min_size=1), st.data())
def test_a_stream_and_a_whole_answer_say_the_same(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=5)))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    events = [{"choices": [{"index": 0, "delta": {"content": each}}]} for each in pieces]
    stream = "".join(f"data: {json.dumps(each)}\r\n\r\n" for each in events) + "data: [DONE]\n\n"
    whole = json.dumps({"choices": [{"index": 0, "message": {"content": text}}]})
    assert reply_in(stream.encode(), streamed=True) == reply_in(whole.encode(), streamed=False)


@given(MESSAGES, st.text(), st.booleans())
def test_memory_changes_nothing_that_follows(
    chat: list[dict[str, Any]],
    memory: str,
    joined: bool,  # noqa: FBT001
) -> None:
    told = with_memory(chat, memory, joined=joined)
    assert memory in str(told[0]["content"]) or memory in json.dumps(told[0], ensure_ascii=False)
    assert [*told[len(told) - len(chat) + 1 :]] == chat[1:]


def test_an_exchange_begins_after_the_last_reply() -> None:
    def said(*chat: dict[str, Any]) -> list[Role]:
        return [each.role for each in since_reply(chat)]

    assert said(USER) == [Role.USER]
    assert said({"role": "system", "content": "Be brief."}, USER, REPLY, USER) == [Role.USER]
    assert said(USER, CALLING, RESULT) == [Role.USER, Role.ASSISTANT, Role.TOOL]
    assert said(USER, REPLY, USER, CALLING, RESULT) == [Role.USER, Role.ASSISTANT, Role.TOOL]
    assert said(USER, REPLY, USER, REPLY) == [Role.USER, Role.ASSISTANT]
    assert said(REPLY) == [Role.ASSISTANT]


def test_a_conversation_has_one_name_from_its_first_reply_on() -> None:
    first = NewMessage(role=Role.ASSISTANT, content="Hello")
    assert name_of([USER]) is None
    assert name_of([USER], first) == name_of([USER, REPLY, USER]) is not None
    assert name_of([USER, {**REPLY, "content": "Hey"}]) != name_of([USER, REPLY])
    assert name_of([REPLY]) is None


def test_nothing_is_asked_by_what_is_shown() -> None:
    shown = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}
    assert question_in([shown]) == ""
    assert question_in([USER, REPLY, shown]) == ""
    assert question_in([USER, shown]) == question_in([USER, CALLING, RESULT, shown]) == "Hi"
    assert question_in([USER, REPLY]) == "Hi"
    beside = {"role": "user", "content": [{"type": "text", "text": "And?"}, *shown["content"]]}
    assert question_in([beside]) == "And?"
    parts = [{"type": "text", "text": ""}, {"type": "text", "text": {"value": "Hi"}}]
    assert since_reply([{"role": "user", "content": parts[:1]}]) == []
    assert [each.content for each in since_reply([{"role": "user", "content": parts}])] == ["Hi"]
    assert shown_in([beside]) == ("And?", "And?\n[image_url]")
    assert [each.content for each in since_reply([shown, beside])] == [
        "[image_url]",
        "And?\n[image_url]",
    ]


def test_what_no_database_keeps_is_replaced() -> None:
    assert plain("a\0b\ud800c") == "a\ufffdb\ufffdc"
    assert plain([{"type": "text", "text": "a"}, {"type": "image_url"}, "b"]) == "a\nb"


def test_calls_that_name_no_place_are_told_apart_by_their_id() -> None:
    deltas = [
        {"tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "1"}}]},
        {"tool_calls": [{"id": "b", "function": {"name": "g", "arguments": "2"}}]},
        {"tool_calls": [{"function": {"arguments": "3"}}]},
    ]
    stream = "".join(f"data: {json.dumps({'choices': [{'delta': d}]})}\n\n" for d in deltas)
    reply = reply_in(stream.encode(), streamed=True)
    assert reply is not None
    assert reply.tool_calls is not None
    assert [each["function"] for each in reply.tool_calls] == [
        {"name": "f", "arguments": "1"},
        {"name": "g", "arguments": "23"},
    ]


def test_a_stream_that_tells_an_error_broke_off() -> None:
    def replied(*events: dict[str, Any]) -> NewMessage | None:
        stream = "".join(f"data: {json.dumps(each)}\n\n" for each in events) + "data: [DONE]\n\n"
        return reply_in(stream.encode(), streamed=True)

    begun = {"choices": [{"index": 0, "delta": {"content": "It is "}}]}
    error = {"error": {"message": "overloaded"}}
    whole, cut = replied(begun), replied(begun, error)
    assert whole is not None
    assert cut is not None
    assert (whole.content, whole.metadata) == ("It is ", {})
    assert (cut.content, cut.metadata) == ("It is ", {"incomplete": True})
    assert replied(error) is None


def test_the_first_of_several_choices_is_the_reply() -> None:
    choices = [{"index": 1, "message": {"content": "B"}}, {"index": 0, "message": {"content": "A"}}]
    reply = reply_in(json.dumps({"choices": choices}).encode(), streamed=False)
    assert reply is not None
    assert reply.content == "A"


def test_a_stream_that_never_says_that_it_ends_is_incomplete() -> None:
    begun = 'data: {"choices": [{"delta": {"content": "It is Hugin"}}]}\n\n'
    finished = 'data: {"choices": [{"delta": {}, "finish_reason": "stop"}]}\n\n'
    done = "data: [DONE]\n\n"
    for ending, is_whole in ((finished, True), (finished + done, True), (done, True), ("", False)):
        reply = reply_in((begun + ending).encode(), streamed=True)
        assert reply is not None
        assert (reply.content, "incomplete" not in reply.metadata) == ("It is Hugin", is_whole)
