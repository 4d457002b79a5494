"""The golden set itself is whole: everything that later figures rest on."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

import pytest

from app.adapters.tokenizer import BpeTokenCounter
from tests.api.speaking import Json
from tests.golden.golden_set import golden_set

GOLDEN = golden_set()
MESSAGES = {
    memory["id"]: [each for session in memory["sessions"] for each in session["messages"]]
    for memory in GOLDEN["conversations"]
}
SESSIONS: Sequence[Json] = [
    session for memory in GOLDEN["conversations"] for session in memory["sessions"]
]
QUESTIONS: Sequence[Json] = GOLDEN["questions"]

AT_LEAST = {
    "code": 5,
    "fact": 15,
    "identifier": 20,
    "language": 15,
    "long": 10,
    "negation": 8,
    "no-answer": 20,
    "paraphrase": 15,
    "speaker": 10,
    "time": 12,
}
"""Questions of each category."""

LONG = 600
"""Tokens of a message whose middle is asked for."""


def test_every_category_has_enough_questions() -> None:
    counts = Counter(each["category"] for each in QUESTIONS)
    assert counts.keys() == AT_LEAST.keys()
    assert not {name: counts[name] for name, least in AT_LEAST.items() if counts[name] < least}


def test_there_are_conversations_enough_and_none_is_too_short_or_too_long() -> None:
    assert len(SESSIONS) >= 18
    sizes = {each["id"]: len(each["messages"]) for each in SESSIONS}
    assert not {name: size for name, size in sizes.items() if not 10 <= size <= 40}


def test_every_memory_holds_a_hundred_messages_that_compete() -> None:
    assert len(MESSAGES) >= 3
    assert min(len(messages) for messages in MESSAGES.values()) >= 100


def test_at_least_four_other_languages_are_asked_in() -> None:
    counts = Counter(each["language"] for each in QUESTIONS if each["evidence_message_ids"])
    assert len(counts.keys() - {"en"}) >= 4
    assert sum(counts.values()) - counts["en"] >= 15


@pytest.mark.parametrize("user", MESSAGES)
def test_no_two_messages_of_a_memory_share_an_id(user: str) -> None:
    ids = Counter(each["id"] for each in MESSAGES[user])
    assert not [each for each, times in ids.items() if times > 1]


def test_messages_are_numbered_and_timed_in_the_order_they_were_said() -> None:
    for session in SESSIONS:
        said_at = [datetime.fromisoformat(each["timestamp"]) for each in session["messages"]]
        numbers = [int(each["id"].rpartition("-")[2]) for each in session["messages"]]
        assert numbers == list(range(1, len(numbers) + 1)), session["id"]
        assert said_at == sorted(set(said_at)), session["id"]


def test_no_question_is_asked_twice_of_one_memory() -> None:
    asked = Counter((each["conv_id"], each["question"].casefold()) for each in QUESTIONS)
    assert not [each for each, times in asked.items() if times > 1]


def test_evidence_is_in_the_memory_that_is_asked() -> None:
    for question in QUESTIONS:
        ids = {each["id"] for each in MESSAGES[question["conv_id"]]}
        evidence = question["evidence_message_ids"]
        assert ids.issuperset(evidence), question
        assert len(set(evidence)) == len(evidence), question


def test_only_what_has_no_answer_lacks_evidence() -> None:
    for question in QUESTIONS:
        unanswered = question["category"] == "no-answer"
        assert unanswered == (not question["evidence_message_ids"]), question


def test_questions_about_time_are_asked_at_a_time_after_their_evidence() -> None:
    timed = [each for each in QUESTIONS if each["as_of"]]
    assert all(each["as_of"] for each in QUESTIONS if each["category"] == "time")
    for question in timed:
        as_of = datetime.fromisoformat(question["as_of"])
        evidence = set(question["evidence_message_ids"])
        said_at = [
            datetime.fromisoformat(each["timestamp"])
            for each in MESSAGES[question["conv_id"]]
            if each["id"] in evidence
        ]
        assert max(said_at) < as_of, question


def test_the_evidence_of_long_questions_is_long() -> None:
    tokens = BpeTokenCounter()
    texts = {each["id"]: each["text"] for messages in MESSAGES.values() for each in messages}
    for question in QUESTIONS:
        if question["category"] == "long":
            longest = max(tokens.count(texts[each]) for each in question["evidence_message_ids"])
            assert longest >= LONG, question
