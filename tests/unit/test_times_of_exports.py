"""A time that cannot be read costs that time, never the messages of a conversation."""

from typing import Any

import pytest

from tests.exports import (
    chatgpt_conversation,
    claude_conversation,
    sharegpt_conversation,
    spelled,
)
from tests.readings import rejected_in, said_in

NONSENSE = "nonsense"
LIST = {"id": "x", "messages": [{"role": "user", "content": "hi", "created_at": 1_700_000_000}]}
OURS = {**LIST, "record": "conversation", "id": None, "external_id": "x"}
CHOICE = {"message": {"role": "assistant", "content": "Hugin."}}
ANSWERED = {"id": "x", "choices": [CHOICE], "request": {"messages": LIST["messages"]}}


@pytest.mark.parametrize("unreadable", [NONSENSE, "01/05/2024", True, [1], 1e300])
@pytest.mark.parametrize(
    ("conversation", "name"),
    [
        (chatgpt_conversation(), "create_time"),
        (claude_conversation(), "created_at"),
        (sharegpt_conversation(), "created_at"),
        (LIST, "created_at"),
        (OURS, "created_at"),
        (OURS, "updated_at"),
        (ANSWERED, "created"),
    ],
    ids=["chatgpt", "claude", "sharegpt", "list", "ours", "ours, changed", "completion"],
)
def test_a_conversation_whose_time_is_none_comes_in_without_it(
    conversation: dict[str, Any], name: str, unreadable: object
) -> None:
    (whole,) = said_in(spelled([{**conversation, name: None}]))
    (found,) = said_in(spelled([{**conversation, name: unreadable}]))
    assert found.conversation == whole.conversation
    (told,) = found.rejected
    assert told.at == found.at
    assert "is no time" in told.reason or "could be two days" in told.reason


def test_messages_keep_the_times_that_they_tell() -> None:
    (found,) = said_in(spelled([chatgpt_conversation(create_time=NONSENSE)]))
    times = [each.created_at for each in found.conversation.messages]
    assert times == sorted(each for each in times if each is not None)
    assert found.conversation.created_at is None
    assert [each.reason for each in found.rejected] == ["create_time is no time: 'nonsense'"]


def test_a_message_whose_time_is_none_costs_no_other() -> None:
    conversation = chatgpt_conversation()
    conversation["mapping"]["looked"]["message"]["create_time"] = NONSENSE
    raw = spelled([conversation])
    assert rejected_in(raw) == ["[0].mapping.'looked'"]
    assert [each.external_id for each in said_in(raw)[0].conversation.messages] == ["q", "new"]
