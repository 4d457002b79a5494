from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.adapters.tokenizer import BpeTokenCounter
from app.domain.conversation import NewMessage, Role
from app.domain.errors import TokenCounterUnavailable
from app.domain.ids import ConversationId
from app.ranking.bm25 import pack_terms
from app.services.writing.prepare import Preparer, content_hash
from tests.factories import NOON, Ids, uuid_of

TOKENS = BpeTokenCounter()
CONVERSATION = ConversationId(uuid_of(99))
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)
CALLS = st.lists(st.dictionaries(st.sampled_from(["id", "name"]), TEXTS, min_size=1), min_size=1)
CONTENTS = st.tuples(TEXTS, st.none() | CALLS)


@given(CONTENTS, CONTENTS)
def test_equal_hashes_are_equal_contents(one: tuple[str, Any], other: tuple[str, Any]) -> None:
    assert (content_hash(*one) == content_hash(*other)) == (one == other)
    assert len(content_hash(*one)) == 16


def test_a_hash_does_not_depend_on_the_order_of_keys() -> None:
    assert content_hash("", [{"a": 1, "b": 2}]) == content_hash("", [{"b": 2, "a": 1}])
    assert content_hash("", [{"a": 1}, {"b": 2}]) != content_hash("", [{"b": 2}, {"a": 1}])


def test_no_content_is_empty_content() -> None:
    assert content_hash(None, None) == content_hash("", []) == content_hash("", None)


async def prepare(*messages: NewMessage) -> list[Any]:
    preparer = Preparer(TOKENS, Ids())
    return await preparer.prepare(messages, conversation=CONVERSATION, said_at=NOON)


async def test_a_message_is_counted_hashed_and_analysed() -> None:
    (ready,) = await prepare(
        NewMessage(role=Role.USER, content="Green teas.", name="Alice", external_id="m1")
    )
    assert ready.message.tokens == TOKENS.count("Green teas.")
    assert ready.content_hash == content_hash("Green teas.", None)
    assert ready.terms == ["alic", "green", "tea"]
    assert ready.bag == pack_terms(["alic", "green", "tea"])
    assert ready.message.conversation_id == CONVERSATION
    assert (ready.message.external_id, ready.message.created_at) == ("m1", NOON)


@pytest.mark.parametrize(
    ("role", "content"),
    [(Role.SYSTEM, "You like tea."), (Role.USER, ""), (Role.USER, " \n"), (Role.ASSISTANT, None)],
)
async def test_what_nobody_would_recall_is_kept_out_of_every_index(
    role: Role, content: str | None
) -> None:
    (ready,) = await prepare(NewMessage(role=role, content=content, tool_calls=[{"id": "a"}]))
    assert (ready.terms, ready.bag) == ([], None)
    assert ready.message.content == content
    assert ready.message.tokens >= TOKENS.count('[{"id": "a"}]')


async def test_what_holds_no_word_is_recallable_by_its_meaning() -> None:
    (ready,) = await prepare(NewMessage(role=Role.USER, content="\U0001f642 !"))
    assert (ready.terms, ready.bag) == ([], b"")


async def test_stop_words_alone_are_words() -> None:
    (ready,) = await prepare(NewMessage(role=Role.USER, content="it is what it is"))
    assert ready.terms == ["it", "is", "what", "it", "is"]
    assert ready.bag == pack_terms(ready.terms)


async def test_each_message_has_its_own_id_and_time() -> None:
    later = NOON + timedelta(hours=1)
    one, other = await prepare(
        NewMessage(role=Role.USER, content="a", created_at=later),
        NewMessage(role=Role.USER, content="a"),
    )
    assert one.message.id != other.message.id
    assert (one.message.created_at, other.message.created_at) == (later, NOON)


async def test_much_text_is_prepared_as_little_is() -> None:
    long = NewMessage(role=Role.USER, content="green tea " * 5_000)
    short = NewMessage(role=Role.USER, content="green tea ")
    many, one = await prepare(long, short)
    assert len(many.terms) == 5_000 * len(one.terms)
    assert many.message.tokens == TOKENS.count("green tea " * 5_000)


@given(TEXTS)
def test_no_text_is_a_command_to_the_tokenizer(text: str) -> None:
    assert TOKENS.count(text) <= len(text.encode())
    assert (TOKENS.count(text) == 0) == (text == "")


def test_special_tokens_are_text_like_any_other() -> None:
    assert TOKENS.count("<|endoftext|>") > 1


def test_an_unknown_encoding_is_named() -> None:
    with pytest.raises(TokenCounterUnavailable) as caught:
        BpeTokenCounter("klingon")
    assert caught.value.facts == {"encoding": "klingon"}
