"""What stands in a message of ChatGPT or Claude comes in as its reader saw or heard it."""

from typing import Any

import pytest

from tests.exports import ASKED, HUGIN, chatgpt_conversation, claude_conversation, spelled
from tests.readings import contents_in, rejected_in

CITED = "\ue200cite\ue202turn0search0\ue202turn0search3\ue201"
CITY = '\ue200entity\ue202["city", "Porto", "in Portugal"]\ue201'


def first_content(content: dict[str, Any], **about: Any) -> str | None:
    told = chatgpt_conversation()
    told["mapping"]["q"]["message"] |= {"content": content, "metadata": about}
    raw = spelled([told])
    assert rejected_in(raw) == []
    return contents_in(raw)[0]


def words(text: str) -> dict[str, Any]:
    return {"content_type": "text", "parts": [text]}


def test_what_a_mark_showed_stands_in_its_place() -> None:
    link = "([Ovens](https://ovens.example))"
    told = [None, {"matched_text": CITED}, {"matched_text": CITED, "alt": link}, {"alt": 7}]
    assert first_content(words(f"Rye. {CITED}"), content_references=told) == f"Rye. {link}"


@pytest.mark.parametrize("told", [None, [], "no list", [{"matched_text": CITED, "alt": None}]])
def test_nothing_is_left_of_a_mark_that_showed_nothing(told: object) -> None:
    content = words(f"It is rye {CITED}. So{CITED} be it.")
    assert first_content(content, content_references=told) == "It is rye. So be it."


def test_a_name_that_is_marked_is_kept() -> None:
    assert first_content(words(f"We met in {CITY}.")) == "We met in Porto."
    for odd in ("[", "[1]", "{}", '["city", 7]'):
        assert first_content(words(f"So \ue200entity\ue202{odd}\ue201it is.")) == "Soit is."


@pytest.mark.parametrize("text", ["a \ue200 b", "\ue201\ue200", "no mark \ue202 here"])
def test_what_is_no_mark_stays(text: str) -> None:
    assert first_content(words(text)) == text


@pytest.mark.parametrize("kind", ["audio", "real_time_user_audio_video"])
def test_of_what_was_spoken_the_words_come_in(kind: str) -> None:
    sound = {"content_type": f"{kind}_asset_pointer"}
    spoken = {"content_type": "audio_transcription", "text": ASKED, "direction": "in"}
    content = {"content_type": "multimodal_text", "parts": [spoken, sound, {"content_type": []}]}
    assert first_content(content) == f"{ASKED}\n[attachment]"
    assert first_content({**content, "parts": [sound]}) == f"[{kind}]"


def test_a_voice_note_of_claude_is_what_was_said() -> None:
    note = {"type": "voice_note", "title": "Note", "text": HUGIN}
    said = {"uuid": "m", "sender": "human", "text": "", "content": [note]}
    assert contents_in(spelled([claude_conversation(chat_messages=[said])])) == [HUGIN]
