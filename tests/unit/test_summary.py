from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.adapters.tokenizer import BpeTokenCounter
from app.distil.gist.summary import (
    MAX_EXCERPTS,
    MAX_TOKENS,
    Excerpt,
    Summary,
    excerpts_of,
    summarise,
)
from app.distil.gist.tagging import Kind
from app.distil.language.utterance import Utterance
from app.domain.conversation import Role
from app.ranking import Floats
from tests.fakes_embedder import FakeEmbedder

COUNT = BpeTokenCounter().count
NOW = datetime(2025, 3, 12, 12, tzinfo=UTC)


def said(content: str, role: Role = Role.USER, name: str | None = "Alice") -> Utterance:
    return Utterance(role=role, content=content, said_at=NOW, name=name)


def excerpts(*contents: str, since: int = 0) -> list[Excerpt]:
    return list(excerpts_of(enumerate(map(said, contents), since)))


def embedded(given: list[Excerpt]) -> tuple[list[Excerpt], Floats]:
    return given, FakeEmbedder().vectors([each.said for each in given])


def summary(*contents: str, most: int = MAX_TOKENS) -> Summary:
    return summarise(embedded(excerpts(*contents)), COUNT, most=most)


def test_of_nothing_there_is_nothing() -> None:
    assert summary() == Summary(bullets=(), tokens=0)
    assert summary("", "```\ncode\n```", "Thanks!").bullets == ()
    assert summary("We decided on Redis.", most=0).bullets == ()


def test_one_message_is_its_sentences() -> None:
    told = summary("We decided on Redis. The port is 6380.")
    assert told.text == "- Alice: We decided on Redis.\n- Alice: The port is 6380."
    assert told.tokens == COUNT(told.text)


def test_each_bullet_cites_its_message() -> None:
    contents = ["Hello!\n\nThe key of the vault is BILL-2217.", "Then use `a_b` with it."]
    for bullet in summary(*contents).bullets:
        assert contents[bullet.position][bullet.start : bullet.stop] == bullet.said
        assert bullet.said in bullet.text


def test_only_users_and_assistants_are_told() -> None:
    given = [said("We decided on Redis.", role) for role in Role]
    assert [each.position for each in excerpts_of(enumerate(given))] == [0, 1]


def test_decisions_and_identifiers_come_before_remarks() -> None:
    remarks = [f"It was rather windy at the lake near number {word}." for word in "abcdefgh"]
    contents = [*remarks[:4], "We decided on `max_wal_size` for Atlas.", *remarks[4:]]
    assert [each.position for each in summary(*contents, most=22).bullets] == [4]


def test_what_says_much_comes_before_pleasantries() -> None:
    hollow = ["Hey Melanie!", "That was so good to see.", "Anything fun?", "Thanks, Melanie."]
    telling = "Last Friday a counselling workshop for young families made my week."
    assert [each.said for each in summary(*hollow, telling, most=20).bullets] == [telling]


def test_what_room_is_left_is_not_filled_with_next_to_nothing() -> None:
    told = summary("We decided on Redis for the cache of sessions.", "Coffee break.", "Back.")
    assert [each.said for each in told.bullets] == [
        "We decided on Redis for the cache of sessions."
    ]


def test_where_nothing_says_more_the_little_is_told() -> None:
    assert [each.said for each in summary("Coffee break.").bullets] == ["Coffee break."]


def test_of_scripts_without_spaces_longer_sentences_say_more() -> None:
    hollow, telling = "真不错啊。", "上周末我们全家去了海边的小镇住了两天。"
    assert [each.said for each in summary(hollow, telling, most=24).bullets] == [telling]


def test_what_an_assistant_only_says_again_is_not_told() -> None:
    def told(asked: str, answered: str) -> list[str]:
        pair = [said(asked), said(answered, Role.ASSISTANT, None)]
        return [each.said for each in excerpts_of(enumerate(pair)) if each.by_program]

    picked = "We picked Kafka for the billing events, ticket BILL-77."
    for again in (
        "Okay, Kafka for BILL-77.",
        "Kafka it is.",
        "Understood: Kafka for billing.",
        "Saved.",
    ):
        assert told(picked, again) == []
    assert told(picked, "Okay, Kafka with 3 brokers.") == ["Okay, Kafka with 3 brokers."]
    assert told("Kafka or Redis for billing?", "Okay, Kafka.") == ["Okay, Kafka."]
    assert told("", "Kafka it is.") == ["Kafka it is."]


def test_what_says_the_same_is_told_once() -> None:
    again = "We decided on Redis for the cache."
    assert len(summary(again, "Anna pays the bill of May.", again).bullets) == 2


@pytest.mark.parametrize("later", ["No wait, the budget is 9000 euros.", "Budget is 9000 euros."])
def test_of_what_differs_in_a_number_the_last_is_told(later: str) -> None:
    given = excerpts("Budget is 8000 euros.", "Anna pays the bill of May.", later)
    vectors = np.array([[1, 0], [0, 1], [1, 0]], np.float32)
    told = summarise((given, vectors), COUNT)
    assert {1, 2} <= {each.position for each in told.bullets}


def test_of_many_that_differ_in_a_number_two_are_told_at_most() -> None:
    given = excerpts(*(f"Note {each} of the plan." for each in range(9)), "We picked Redis.")
    vectors = np.array([[1, 0]] * 9 + [[0, 1]], np.float32)
    told = [each.position for each in summarise((given, vectors), COUNT).bullets]
    assert told[-2:] == [8, 9]
    assert len(told) <= 3


def test_a_summary_rolls_on() -> None:
    first = embedded(excerpts("We decided on Redis.", "It rained all day."))
    before = summarise(first, COUNT, most=12)
    assert [each.said for each in before.bullets] == ["We decided on Redis."]
    new = embedded(excerpts("The deadline is 5 May.", since=2))
    after = summarise(new, COUNT, before=embedded(list(before.bullets)))
    assert [each.position for each in after.bullets] == [0, 2]
    nothing_new = summarise(embedded([]), COUNT, before=embedded(list(after.bullets)))
    assert nothing_new == after
    both = embedded(list(after.bullets))
    assert summarise(both, COUNT, before=both) == after


def test_a_thousand_messages_fit() -> None:
    contents = [
        f"We decided on option {n} of plan {n % 7}. And it rained on {n}." for n in range(1000)
    ]
    given = excerpts(*contents)
    assert len(given) == MAX_EXCERPTS
    assert given == sorted(given, key=lambda each: each.place)
    told = summarise(embedded(given), COUNT)
    assert 300 < told.tokens <= MAX_TOKENS


@pytest.mark.parametrize("piece", ["_", "a_", "9", "ab "])
def test_a_message_of_one_sign_is_read_in_no_time(piece: str) -> None:
    """With a rule that looks back from each sign it was a matter of minutes."""
    assert len(summary(piece * 50_000, "We moved the standup to ten.").bullets) <= 2


def test_scripts_without_spaces_are_told_by_sentences() -> None:
    told = summary("我们决定使用PostgreSQL。数据库有四百GB。谢谢!")
    assert [each.said for each in told.bullets][:1] == ["我们决定使用PostgreSQL。"]


def test_a_sentence_that_is_too_long_is_told_in_parts() -> None:
    walk = "we walked along the river to the mill and looked at how the water turned its wheel"
    content = f"Yesterday {walk}; then {walk}, but we decided on `max_wal_size`; {walk}, so {walk}."
    told = summary(content, most=40)
    assert [each.said for each in told.bullets] == [
        f"then {walk}, but we decided on `max_wal_size`"
    ]
    asked = [each.kind for each in excerpts(f"{content[:-1]}?")]
    assert set(asked) == {Kind.QUESTION}
    assert [each.first for each in excerpts(content)].count(True) == 1


SENTENCES = st.sampled_from(
    [
        "We decided on Redis. ",
        "Is it?",
        "It rained.\n",
        "`a_b` is 5 km. ",
        "我们决定。",
        "```\nx\n```\n",
    ]
)
CONTENTS = st.lists(st.lists(SENTENCES, max_size=6).map("".join), max_size=8)


@given(CONTENTS, st.integers(0, 60))
def test_a_summary_fits_and_keeps_the_order(contents: list[str], most: int) -> None:
    told = summary(*contents, most=most)
    assert told.tokens == COUNT(told.text) <= most
    assert list(told.bullets) == sorted(told.bullets, key=lambda each: each.place)
    assert told == summary(*contents, most=most)
    for each in told.bullets:
        assert each.said in contents[each.position]


@pytest.mark.parametrize("dimension", [3])
def test_equal_vectors_do_no_harm(dimension: int) -> None:
    given = excerpts("We decided on Redis.", "It rained.")
    same = np.tile(np.eye(dimension, dtype=np.float32)[0], (len(given), 1))
    assert len(summarise((given, same), COUNT).bullets) == 1
