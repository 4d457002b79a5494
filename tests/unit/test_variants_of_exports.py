"""Lists of messages as they come in practice: named otherwise, damaged at the beginning, older."""

import json
from typing import Any

import pytest

from tests.exports import ASKED, HUGIN, chatgpt_conversation, lines_of, spelled
from tests.readings import contents_in, reasons_in, rejected_in, said_in

SAID: list[Any] = [
    {"role": "user", "content": "hi"},
    {"role": "assistant", "content": "Hello."},
    {"role": "user", "content": "hi"},
]
CUT = b'{"role":"user","content":'


def conversations_in(raw: bytes) -> dict[str | None, list[str | None]]:
    """What is said in each, by their ids."""
    found: dict[str | None, list[str | None]] = {}
    for each in said_in(raw):
        told = found.setdefault(each.conversation.external_id, [])
        told += [message.content for message in each.conversation.messages]
    return found


def ids_in(raw: bytes) -> list[str | None]:
    return [message.external_id for each in said_in(raw) for message in each.conversation.messages]


@pytest.mark.parametrize("begins", [CUT, CUT + b"}", b'{"role":"system"}', b'{"a":1}', b"{}"])
def test_a_first_message_that_is_malformed_costs_no_other(begins: bytes) -> None:
    records = [begins, *map(spelled, SAID)]
    for raw, at in ((b"[" + b",".join(records) + b"]", "[0]"), (b"\n".join(records), "line 1")):
        assert list(conversations_in(raw).values()) == [["hi", "Hello.", "hi"]]
        assert rejected_in(raw) == [at]
        assert len(set(ids_in(raw))) == 3


def test_lists_that_differ_in_a_large_number_are_two() -> None:
    raw = b'[{"role":"user","content":"hi","metadata":{"n":%d}}]'
    lists = [raw % (2**70), raw % (2**70 + 1), (raw % 2**70).replace(b",", b" , ")]
    one, other, again = (set(conversations_in(each)) for each in lists)
    assert one == again != other


@pytest.mark.parametrize("form", ["table", "lines", "list"])
def test_an_id_that_many_messages_have_is_none_of_them(form: str) -> None:
    """So it is in tables that call the conversation's id so; the first keeps it, as ever."""
    told = [{"id": f"c-{at // 150}", "role": "user", "content": f"Nr. {at}"} for at in range(450)]
    match form:
        case "table":
            rows = [f"{each['id']},{each['content']}\n" for each in told]
            raw = "".join(["id,content\n", *rows]).encode()
        case "lines":
            raw = lines_of(*told)
        case _:
            raw = spelled([{"messages": told}])
    assert len(set(ids_in(raw))) == len(contents_in(raw)) == 450
    assert [ids_in(raw)[at] for at in (0, 150, 300)] == ["c-0", "c-1", "c-2"]
    assert ids_in(raw) == ids_in(raw + b"\n")


def test_a_message_that_is_there_twice_is_one() -> None:
    assert set(ids_in(lines_of(SAID[0] | {"id": "m"}, SAID[1], SAID[0] | {"id": "m"}))) >= {"m"}
    assert len(set(ids_in(lines_of(*[SAID[0] | {"id": "m"}] * 2)))) == 1


def test_single_messages_among_conversations_stay_apart() -> None:
    raw = lines_of({"messages": SAID[1:2]}, SAID[0], SAID[2])
    assert len(conversations_in(raw)) == 3


@pytest.mark.parametrize("name", ["conversations", "conversation", "data", "messages", "items"])
@pytest.mark.parametrize("words", ["content", "value"])
def test_a_list_of_messages_is_one_conversation_whatever_its_name(name: str, words: str) -> None:
    several = [{"role": each["role"], words: each["content"]} for each in SAID]
    record = {"id": "c-1", "title": "Greetings", name: [None, *several]}
    for raw in (spelled([record]), lines_of(record), json.dumps(record, indent=1).encode()):
        (found,) = said_in(raw)
        assert (found.conversation.external_id, found.conversation.label) == ("c-1", "Greetings")
        assert contents_in(raw) == ["hi", "Hello.", "hi"]
        (place,) = rejected_in(raw)
        assert place.endswith(f"{name}[0]")


def test_lmsys_conversations_are_known_by_their_id() -> None:
    record = {"conversation_id": "x", "model": "m", "conversation": SAID, "language": "English"}
    assert list(conversations_in(lines_of(record))) == ["x"]


def test_messages_that_tell_their_conversation_are_of_it() -> None:
    several = [{**each, "conversation_id": name} for each, name in zip(SAID, "aba", strict=True)]
    wanted = {"a": ["hi", "hi"], "b": ["Hello."]}
    for raw in (lines_of(*several), spelled(several), spelled({"data": several})):
        assert conversations_in(raw) == wanted
        assert len(set(ids_in(raw))) == 3


def test_messages_that_tell_whose_they_are_are_of_that_user() -> None:
    several = [{**SAID[0], "user_id": each} for each in ("alice", "bob")]
    raw = lines_of(*several)
    assert [each.conversation.user_id for each in said_in(raw)] == ["alice", "bob"]
    assert len(set(ids_in(raw))) == 2


def test_a_first_entry_of_sharegpt_that_is_null_costs_no_other() -> None:
    said: list[Any] = [None, {"from": "human", "value": ASKED}, {"from": "gpt", "value": HUGIN}]
    raw = spelled([{"id": "s", "system": "Be brief.", "user_id": "alice", "conversations": said}])
    (found,) = said_in(raw)
    told = found.conversation
    assert (told.external_id, told.system_prompt, told.user_id) == ("s", "Be brief.", "alice")
    assert (contents_in(raw), rejected_in(raw)) == ([ASKED, HUGIN], ["[0].conversations[0]"])


def test_a_call_of_before_there_were_tools_is_kept() -> None:
    legacy = {"name": "hosts", "arguments": "{}"}
    raw = spelled([SAID[0], {"role": "assistant", "content": None, "function_call": legacy}])
    (found,) = said_in(raw)
    assert found.conversation.messages[1].tool_calls == [{"type": "function", "function": legacy}]


def test_the_texts_of_assistants_are_read() -> None:
    part = {"type": "text", "text": {"value": HUGIN, "annotations": []}}
    record = {"object": "thread.message", "thread_id": "t", "role": "assistant", "content": [part]}
    assert conversations_in(spelled({"object": "list", "data": [record]})) == {"t": [HUGIN]}


def test_a_refusal_is_what_was_said() -> None:
    record = {"role": "assistant", "content": None, "refusal": "No."}
    assert contents_in(spelled([SAID[0], record])) == ["hi", "No."]


@pytest.mark.parametrize("text", ["", " \n", None])
def test_code_that_is_empty_says_nothing(text: str | None) -> None:
    told = chatgpt_conversation()
    told["mapping"]["looked"]["message"]["content"] = {"content_type": "code", "text": text}
    assert len(contents_in(spelled([told]))) == 2


def test_items_of_responses_are_messages_too() -> None:
    items = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": ASKED}]},
        {"type": "reasoning", "summary": []},
        {"type": "function_call", "call_id": "c", "name": "hosts", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "hugin"},
        {"type": "message", "role": "assistant", "content": [{"type": "text", "text": HUGIN}]},
    ]
    for raw in (spelled(items), lines_of(*items), spelled({"items": items})):
        (found,) = said_in(raw)
        assert (contents_in(raw), rejected_in(raw)) == ([ASKED, None, "hugin", HUGIN], [])
        asked, called, answered, _ = found.conversation.messages
        assert (asked.role, called.role, answered.role) == ("user", "assistant", "tool")
        assert called.name is None
        assert called.tool_calls is not None
        assert called.tool_calls[0]["function"] == {"name": "hosts", "arguments": "{}"}
        assert (called.tool_calls[0]["id"], answered.tool_call_id) == ("c", "c")
    assert rejected_in(spelled([*items, {"type": "mcp_call"}])) == ["[5]"]


@pytest.mark.parametrize(
    "times", [[30, 20, 10], [30, 20, 20], [10, 20, 30], [30, 10, 20], [30, 20]]
)
def test_a_list_that_begins_with_its_end_is_turned_round(times: list[int]) -> None:
    told = [{**each, "id": str(at)} for at, each in enumerate(SAID)]
    timed = [each | {"created_at": time} for each, time in zip(told, times, strict=False)]
    raw = spelled({"object": "list", "data": timed})
    ids = [str(at) for at in range(len(timed))]
    assert ids_in(raw) == (ids[::-1] if times in ([30, 20, 10], [30, 20, 20], [30, 20]) else ids)
    if len(timed) == 3:
        untimed = spelled({"object": "list", "data": [*timed[:2], told[2]]})
        assert ids_in(untimed) == ["0", "1", "2"]


@pytest.mark.parametrize("indent", [None, 1])
def test_a_second_list_comes_in_too(indent: int | None) -> None:
    one, other = (json.dumps([each], indent=indent).encode() for each in SAID[:2])
    assert contents_in(one + b"\n" + other) == ["hi", "Hello."]
    assert contents_in(one + other) == ["hi", "Hello."]
    chats = (json.dumps([chatgpt_conversation(each)], indent=1).encode() for each in "ab")
    assert len(conversations_in(b"".join(chats))) == 2
    assert rejected_in(one + other) == []


@pytest.mark.parametrize("behind", [b" garbage", b']]}}oops{"role":"user","content":"lost"}'])
def test_what_is_behind_a_list_is_told_by_its_place(behind: bytes) -> None:
    raw = spelled(SAID) + behind
    assert (contents_in(raw), rejected_in(raw)) == (["hi", "Hello.", "hi"], ["[3]"])


def exported(*several: int, told: int | None = None) -> bytes:
    """An export of ours with conversations of so many messages."""
    first = {"record": "foreword", "version": 1, "messages": sum(several) if told is None else told}
    chats = (
        {"record": "conversation", "external_id": f"c-{at}", "messages": SAID[:1] * many}
        for at, many in enumerate(several)
    )
    return lines_of(first, *chats)


def test_an_export_that_was_cut_off_between_two_lines_is_told() -> None:
    whole = exported(3, 2, 4)
    assert rejected_in(whole) == []
    cut = b"\n".join(whole.rstrip().split(b"\n")[:-1]) + b"\n"
    told = "the first line tells of 9 messages, and 5 follow: the file may be cut off"
    assert (len(contents_in(cut)), rejected_in(cut), reasons_in(cut)) == (5, ["the end"], [told])
    assert rejected_in(cut + cut) == ["the end"]
    assert rejected_in(exported(3, told=2)) == []
    assert reasons_in(exported(told=7)) == [told.replace("9", "7").replace("5", "0")]
