"""Requests for OpenAI's Responses and their answers, told as a chat is."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from app.text.chat import name_of, question_in, shown_in, since_reply
from app.text.responses import chat_in, followed_in, instructed, kept_in, response_in

KEYS = st.sampled_from(
    """
    input instructions role content type text tool_calls call_id name arguments output status id
    model item delta output_index response conversation previous_response_id refusal
    """.split()
)
WORDS = st.sampled_from(
    """
    user assistant system tool message function_call function_call_output reasoning completed
    response.completed response.created response.output_text.delta response.output_item.done
    """.split()
)
ANYTHING: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=20,
)
OBJECTS = st.dictionaries(KEYS, ANYTHING, max_size=6)


def call(name: str) -> dict[str, str]:
    return {"type": "function_call", "call_id": f"of_{name}", "name": name, "arguments": "{}"}


def test_a_text_is_what_the_user_says() -> None:
    assert chat_in({"input": "Hi"}) == [{"role": "user", "content": "Hi"}]


def test_instructions_stand_first() -> None:
    chat = chat_in({"input": [{"role": "user", "content": "Hi"}], "instructions": "Be brief."})
    assert [each["role"] for each in chat] == ["system", "user"]


def test_calls_in_a_row_are_one_message_and_thoughts_are_none() -> None:
    answers = [
        {"type": "function_call_output", "call_id": f"of_{each}", "output": each}
        for each in ("sun", "wind")
    ]
    thought = {"type": "reasoning", "summary": []}
    chat = chat_in({"input": [thought, call("sun"), call("wind"), *answers]})
    assert [each["role"] for each in chat] == ["assistant", "tool", "tool"]
    assert [each["function"]["name"] for each in chat[0]["tool_calls"]] == ["sun", "wind"]


def test_memory_stands_behind_instructions_that_are_none_of_ours() -> None:
    assert instructed({"model": "m"}, "Memory.") == {"model": "m", "instructions": "Memory."}
    assert instructed({"instructions": ""}, "Memory.") == {"instructions": "Memory."}
    assert instructed({"instructions": "Brief."}, "M.") == {"instructions": "Brief.\n\nM."}
    odd = {"instructions": ["Brief."]}
    assert instructed(odd, "M.") == odd


def test_a_reply_is_all_that_the_model_says_and_calls() -> None:
    output = [
        {"type": "reasoning", "summary": []},
        {"role": "assistant", "content": [{"type": "output_text", "text": "Let me see."}]},
        call("sun"),
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "I cannot."}]},
    ]
    told = {"id": "resp_1", "model": "m", "status": "completed", "output": output}
    reply = response_in(json.dumps(told).encode(), streamed=False)
    assert reply is not None
    assert reply.content == "Let me see.\nI cannot."
    assert reply.metadata == {"model": "m", "status": "completed", "response_id": "resp_1"}
    (made,) = reply.tool_calls or ()
    assert made["function"] == {"name": "sun", "arguments": "{}"}


def test_items_that_were_done_before_a_stream_broke_off_are_kept() -> None:
    spoken = {"type": "message", "role": "assistant", "content": [{"text": "Let me see."}]}
    events = [
        {"type": "response.created", "response": {"id": "resp_1", "model": "m"}},
        {"type": "response.output_text.delta", "output_index": 0, "delta": "Let me"},
        {"type": "response.output_item.done", "output_index": 0, "item": spoken},
        {"type": "response.output_text.delta", "output_index": 1, "delta": "It is"},
        {"type": "response.output_text.delta", "output_index": 1, "delta": " sun"},
    ]
    stream = "".join(f"data: {json.dumps(each)}\n\n" for each in events)
    reply = response_in(stream.encode(), streamed=True)
    assert reply is not None
    assert reply.content == "Let me see.\nIt is sun"
    assert reply.metadata == {
        "model": "m",
        "status": "incomplete",
        "response_id": "resp_1",
        "incomplete": True,
    }


@given(OBJECTS)
def test_whatever_a_request_holds_it_is_read(body: dict[str, Any]) -> None:
    chat = chat_in(body)
    question_in(chat), shown_in(chat), name_of(chat), since_reply(chat)
    followed_in(body), kept_in(body), instructed(body, "Memory.")


@given(st.lists(OBJECTS, max_size=5))
def test_whatever_an_answer_holds_it_is_read(told: list[dict[str, Any]]) -> None:
    response_in(json.dumps(told[0] if told else None).encode(), streamed=False)
    stream = "".join(f"data: {json.dumps(each)}\n\n" for each in told)
    response_in(stream.encode(), streamed=True)
