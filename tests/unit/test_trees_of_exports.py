"""Of a tree of messages the current way is read; where it breaks off, that is told."""

from typing import Any

import pytest

from tests.exports import ASKED, HUGIN, MUNIN, chatgpt_conversation, claude_conversation, spelled
from tests.readings import contents_in, rejected_in

NEW = f"{HUGIN}\n[image]"
LOOKED = "hosts: hugin"


def a_tree(**nodes: Any) -> bytes:
    """ChatGPT's, with some nodes changed."""
    told = chatgpt_conversation()
    for name, change in nodes.items():
        changed = {**told["mapping"][name], **change} if isinstance(change, dict) else change
        told["mapping"][name] = changed
    return spelled([told])


def hidden(node: dict[str, Any]) -> dict[str, Any]:
    about = {"is_visually_hidden_from_conversation": True}
    return {"message": {**node["message"], "metadata": about}}


def test_a_whole_tree_is_told_without_a_word() -> None:
    assert contents_in(a_tree()) == [ASKED, LOOKED, NEW]
    assert rejected_in(a_tree()) == []


@pytest.mark.parametrize("parent", ["gone", ["q"], 7, "new"])
def test_a_parent_that_is_not_there_is_told_where_it_lacks(parent: object) -> None:
    raw = a_tree(looked={"parent": parent})
    assert contents_in(raw) == [LOOKED, NEW]
    assert rejected_in(raw) == ["[0].mapping.'looked'"]


def test_a_node_that_is_none_is_told_and_what_follows_is_read() -> None:
    raw = a_tree(looked="nothing")
    assert contents_in(raw) == [NEW]
    assert set(rejected_in(raw)) == {"[0].mapping.'looked'"}


def test_without_a_current_node_what_was_said_last_is_current() -> None:
    told = chatgpt_conversation(current_node=None)
    assert contents_in(spelled([told])) == [ASKED, LOOKED, NEW]
    told["mapping"]["old"]["message"]["create_time"] = 1_800_000_000.0
    assert contents_in(spelled([told])) == [ASKED, MUNIN]


def test_what_was_hidden_stays_out() -> None:
    looked = chatgpt_conversation()["mapping"]["looked"]
    raw = a_tree(looked=hidden(looked))
    assert (contents_in(raw), rejected_in(raw)) == ([ASKED, NEW], [])


def test_a_part_that_is_null_is_an_empty_one() -> None:
    told = chatgpt_conversation()
    told["mapping"]["q"]["message"]["content"]["parts"] = [None, ASKED]
    told["mapping"]["looked"]["message"]["content"]["parts"] = [None]
    raw = spelled([told])
    assert (contents_in(raw), rejected_in(raw)) == ([ASKED, NEW], [])
    raw = spelled([{"messages": [{"role": "user", "content": [None, "hello", None]}]}])
    assert (contents_in(raw), rejected_in(raw)) == (["hello"], [])
    several = [{"uuid": "m", "sender": "human", "content": [None, {"type": "text", "text": "x"}]}]
    raw = spelled([claude_conversation(chat_messages=several)])
    assert (contents_in(raw), rejected_in(raw)) == (["x"], [])


def test_a_picture_is_told_by_its_name_as_files_that_were_read_are() -> None:
    files: Any = [{"file_name": "a.png"}, {"file_name": "b.txt"}, {}, None, {"file_name": " "}]
    several = [
        {"uuid": "m", "sender": "human", "text": "", "files": files[:1]},
        {
            "uuid": "n",
            "sender": "human",
            "text": "Look.",
            "files": files,
            "attachments": [{"file_name": "b.txt", "extracted_content": "words"}],
        },
        {"uuid": "o", "sender": "human", "text": "", "files": "none"},
    ]
    raw = spelled([claude_conversation(chat_messages=several)])
    assert contents_in(raw) == ["[a.png]", "Look.\n\n[b.txt]\nwords\n\n[a.png]"]
    assert rejected_in(raw) == []


def said(name: str | None, before: str | None, text: str) -> dict[str, Any]:
    told = {"uuid": name, "parent_message_uuid": before, "sender": "human", "text": text}
    return {key: each for key, each in told.items() if each is not None}


ROOT = "00000000-0000-4000-8000-000000000000"


def a_way(*several: Any, leaf: str = "c") -> bytes:
    """Claude's, to the message `leaf`."""
    return spelled([claude_conversation(chat_messages=several, current_leaf_message_uuid=leaf)])


def test_of_answers_that_were_asked_for_again_the_current_ones_are_read() -> None:
    several = [said("a", ROOT, "1"), said("b", "a", "2"), said("c", "a", "3")]
    assert (contents_in(a_way(*several)), rejected_in(a_way(*several))) == (["1", "3"], [])
    assert contents_in(a_way(*several, leaf="b")) == ["1", "2"]
    assert contents_in(a_way(*several, leaf="gone")) == ["1", "2", "3"]


def test_what_may_be_missing_of_the_way_is_told() -> None:
    raw = a_way(said("a", ROOT, "1"), said(None, "a", "2"), 7, said("c", "gone", "3"))
    assert contents_in(raw) == ["3"]
    assert rejected_in(raw) == [f"[0].chat_messages[{place}]" for place in (3, 1, 2)]
    turning = a_way(said("a", "c", "1"), said("c", "a", "3"))
    assert (contents_in(turning), rejected_in(turning)) == (["1", "3"], ["[0].chat_messages[0]"])
