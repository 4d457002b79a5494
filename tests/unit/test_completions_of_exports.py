"""Answers of chat completions, alone and beside what was asked for them, as records of a file."""

from typing import Any

import pytest

from tests.exports import ASKED, HUGIN, MUNIN, lines_of, spelled
from tests.readings import contents_in, rejected_in, said_in

AT = 1_700_000_000
QUESTION = {"role": "user", "content": ASKED}


def completion(content: str | None = HUGIN, name: str = "chatcmpl-1", **message: Any) -> Any:
    told = {"role": "assistant", "content": content, "refusal": None, **message}
    choice = {"index": 0, "message": told, "logprobs": None, "finish_reason": "stop"}
    return {
        "id": name,
        "object": "chat.completion",
        "created": AT,
        "model": "a-model",
        "choices": [choice],
        "usage": {"total_tokens": 9},
        "metadata": None,
    }


REQUEST = {"model": "a-model", "messages": [QUESTION], "user": "alice"}


def test_an_answer_alone_is_a_message_of_the_model() -> None:
    (found,) = said_in(spelled(completion()))
    (message,) = found.conversation.messages
    assert found.conversation.external_id == "chatcmpl-1"
    assert (message.role.value, message.content) == ("assistant", HUGIN)
    assert message.created_at is not None
    assert message.created_at.timestamp() == AT
    assert message.metadata == {"model": "a-model", "finish_reason": "stop"}


@pytest.mark.parametrize(
    "raw",
    [
        spelled([completion(), completion(MUNIN, "chatcmpl-2")]),
        lines_of(completion(), completion(MUNIN, "chatcmpl-2")),
        spelled({"object": "list", "data": [completion(), completion(MUNIN, "chatcmpl-2")]}),
    ],
    ids=["list", "lines", "page of a list"],
)
def test_several_answers_are_a_conversation_each(raw: bytes) -> None:
    names = [each.conversation.external_id for each in said_in(raw)]
    assert (names, contents_in(raw)) == (["chatcmpl-1", "chatcmpl-2"], [HUGIN, MUNIN])


@pytest.mark.parametrize(
    "record",
    [
        {"request": REQUEST, "response": completion()},
        {"input": REQUEST, "output": completion()},
        {"input": [QUESTION], "output": completion()},
        {"request": {"url": "/", "body": 1}, "input": REQUEST, "completion": completion()},
        {"request": REQUEST, "response": {"status_code": 200, "body": completion()}},
        {**completion(), "messages": [QUESTION]},
        {"messages": [QUESTION], "response": completion()},
    ],
)
def test_a_request_and_its_answer_are_one_conversation(record: dict[str, Any]) -> None:
    for raw in (spelled(record), spelled([record]), lines_of(record, record)):
        found = said_in(raw)
        assert [each.content for each in found[0].conversation.messages] == [ASKED, HUGIN]
        assert found[0].conversation.external_id != "chatcmpl-1"
        assert rejected_in(raw) == []


def test_the_results_of_a_batch_are_read_and_its_errors_told() -> None:
    done = {"id": "batch_req_1", "custom_id": "1", "response": {"body": completion()}}
    failed = {"id": "batch_req_2", "response": {"status_code": 400, "body": {"error": {}}}}
    raw = lines_of(done, failed)
    assert contents_in(raw) == [HUGIN]
    assert rejected_in(raw) == ["line 2"]


def test_the_requests_of_a_batch_are_what_was_asked() -> None:
    raw = lines_of({"custom_id": "1", "method": "POST", "url": "/v1/x", "body": REQUEST})
    assert contents_in(raw) == [ASKED]


def test_of_several_choices_the_first_is_read_and_calls_of_tools_are_kept() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "hosts", "arguments": "{}"}}
    several = completion(None, tool_calls=[call])
    several["choices"].append({"index": 1, "message": {"role": "assistant", "content": MUNIN}})
    (found,) = said_in(spelled({"request": REQUEST, "response": several}))
    asked, called = found.conversation.messages
    assert (asked.content, called.content, called.tool_calls) == (ASKED, None, [call])


def test_whose_it_is_and_which_chat_is_told_by_the_record_or_the_request() -> None:
    pair: dict[str, Any] = {"request": REQUEST, "response": completion(), "id": "log-1"}
    (found,) = said_in(spelled(pair))
    assert (found.conversation.user_id, found.conversation.external_id) not in {
        (None, "log-1"),
        ("alice", "log-1"),
    }
    assert found.conversation.user_id == "alice"
    (found,) = said_in(spelled({**pair, "user_id": "bob", "session_id": "s-1"}))
    assert (found.conversation.user_id, found.conversation.external_id) == ("bob", "s-1")
    told = {**REQUEST, "metadata": {"conversation_id": "c-1"}}
    (found,) = said_in(spelled({**pair, "request": told}))
    assert found.conversation.external_id == "c-1"


@pytest.mark.parametrize(
    "choices", [None, 7, [], [7], [{"index": 0}], [{"delta": {"content": "H"}}]]
)
def test_what_is_no_whole_answer_is_told(choices: object) -> None:
    raw = lines_of({**completion(), "choices": choices}, completion())
    assert (contents_in(raw), rejected_in(raw)) == ([HUGIN], ["line 1"])


def test_a_message_of_a_request_that_cannot_be_read_is_told_by_its_place() -> None:
    told = {**REQUEST, "messages": [QUESTION, {"role": "nobody", "content": "?"}]}
    raw = spelled([{"request": told, "response": completion()}])
    assert contents_in(raw) == [ASKED, HUGIN]
    assert rejected_in(raw) == ["[0].request.messages[1]"]
