"""Which messages of a request are stored already: the rulings, one by one."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

from hypothesis import example, given
from hypothesis import strategies as st

from app.domain.conversation import NewMessage, Role
from app.domain.ids import MessageId
from app.ports.stored import PreparedMessage, StoredMessage
from app.services.writing.already_there import already_there
from tests.factories import NOON, prepared, uuid_of

MINUTE = timedelta(minutes=1)


def said(text: str, external_id: str | None = None, **about: object) -> NewMessage:
    role = Role(str(about.get("role", "user")))
    minute = about.get("minute")
    at = NOON + MINUTE * minute if isinstance(minute, int) else None
    name = about.get("name")
    return NewMessage(
        role=role,
        content=text,
        external_id=external_id,
        created_at=at,
        name=None if name is None else str(name),
    )


@dataclass
class Log:
    """A conversation that stores what is not there yet, as the service does."""

    stored: list[StoredMessage] = field(default_factory=list)
    contents: list[str] = field(default_factory=list)
    last_id: int = 0

    def post(self, *messages: NewMessage) -> list[int]:
        """Where each message is stored, counted from 0."""
        ready = []
        for each in messages:
            self.last_id += 1
            ready.append(prepared(each, self.last_id))
        there = already_there(messages, ready, self.known(messages))
        for message, fresh, old in zip(messages, ready, there, strict=True):
            if old is None:
                self.contents.append(message.content or "")
                self.stored.append(self.as_stored(message, fresh))
        places = {each.id: each.position for each in self.stored}
        ids = [old or each.message.id for old, each in zip(there, ready, strict=True)]
        return [places[each] for each in ids]

    def as_stored(self, message: NewMessage, ready: PreparedMessage) -> StoredMessage:
        return StoredMessage(
            id=ready.message.id,
            position=len(self.stored),
            external_id=message.external_id,
            role=message.role,
            name=message.name,
            content_hash=ready.content_hash,
            created_at=message.created_at or NOON + timedelta(days=1, seconds=len(self.stored)),
        )

    def known(self, messages: Sequence[NewMessage]) -> list[StoredMessage]:
        """What the store answers: by external id, by hash where a time is given, and the end."""
        names = {each.external_id for each in messages if each.external_id}
        hashes = {
            prepared(each).content_hash
            for each in messages
            if each.created_at and not each.external_id
        }
        end = self.stored[len(self.stored) - min(len(messages), len(self.stored)) :]
        return [
            each
            for each in self.stored
            if each in end or each.external_id in names or each.content_hash in hashes
        ]


def test_into_an_empty_conversation_everything_goes() -> None:
    log = Log()
    assert log.post(said("a"), said("a"), said("b", "x")) == [0, 1, 2]
    assert log.contents == ["a", "a", "b"]


def test_a_message_is_known_by_its_external_id_whatever_it_says() -> None:
    log = Log()
    log.post(said("a", "1"), said("b", "2"))
    assert log.post(said("changed", "1"), said("a", "3"), said("b", "2")) == [0, 2, 1]
    assert log.contents == ["a", "b", "a"]


def test_an_external_id_that_a_request_repeats_is_one_message() -> None:
    log = Log()
    assert log.post(said("a", "1"), said("b", "1"), said("c", "2")) == [0, 0, 1]
    assert log.contents == ["a", "c"]


def test_a_retry_adds_nothing() -> None:
    log = Log()
    first = log.post(said("yes"), said("yes"), said("no"))
    assert log.post(said("yes"), said("yes"), said("no")) == first == [0, 1, 2]


def test_two_equal_texts_in_one_request_are_two_messages() -> None:
    log = Log()
    log.post(said("yes"))
    assert log.post(said("yes"), said("yes")) == [0, 1]
    assert log.contents == ["yes", "yes"]


def test_a_history_that_has_grown_appends_what_is_new() -> None:
    log = Log()
    log.post(said("a"), said("b"))
    assert log.post(said("a"), said("b"), said("c")) == [0, 1, 2]
    assert log.post(said("a"), said("b"), said("c"), said("b"), said("c")) == [0, 1, 2, 3, 4]


def test_a_retry_of_the_last_turn_adds_nothing() -> None:
    log = Log()
    log.post(said("a"), said("b"))
    log.post(said("c"), said("d"))
    assert log.post(said("c"), said("d")) == [2, 3]


def test_what_is_not_at_the_end_is_said_again() -> None:
    log = Log()
    log.post(said("yes"), said("and?"))
    assert log.post(said("yes")) == [2]


def test_the_same_words_of_another_speaker_are_another_message() -> None:
    log = Log()
    log.post(said("yes"))
    assert log.post(said("yes", role="assistant")) == [1]
    assert log.post(said("yes", role="assistant", name="Bot")) == [2]


def test_a_message_with_a_time_is_known_by_content_and_time_wherever_it_stands() -> None:
    log = Log()
    log.post(said("a", minute=1), said("b", minute=2), said("c", minute=3))
    assert log.post(said("a", minute=1), said("new", minute=4)) == [0, 3]
    assert log.post(said("a", minute=5)) == [4]
    assert log.post(said("b", minute=2)) == [1]


def test_equal_words_at_the_same_time_are_as_many_messages_as_were_posted() -> None:
    log = Log()
    log.post(said("x", minute=1), said("x", minute=1), said("end", minute=2))
    assert log.post(*[said("x", minute=1)] * 3) == [0, 1, 3]


def test_a_history_whose_middle_was_posted_is_completed_by_its_times() -> None:
    log = Log()
    log.post(said("b", minute=2))
    assert log.post(said("a", minute=1), said("b", minute=2), said("c", minute=3)) == [1, 0, 2]


def test_named_and_unnamed_messages_of_one_request_are_both_known_again() -> None:
    log = Log()
    request = [said("a"), said("b", "1"), said("a"), said("c", "2"), said("d", minute=1)]
    first = log.post(*request)
    assert log.post(*request) == first == [0, 1, 2, 3, 4]


def test_after_something_new_nothing_is_a_retry() -> None:
    log = Log()
    log.post(said("and?"), said("yes"))
    assert log.post(said("new", "1"), said("yes")) == [2, 3]
    assert log.post(said("newer", minute=1), said("yes")) == [4, 5]


def test_a_message_that_brings_an_id_is_known_by_nothing_else() -> None:
    log = Log()
    log.post(said("yes"), said("ok"))
    own = [replace(each, id=MessageId(uuid_of(70))) for each in (said("yes"), said("ok"))]
    assert log.post(said("yes"), said("ok"), *own) == [0, 1, 2, 3]
    assert log.post(*own) == [4, 5]


def test_a_message_of_another_request_ends_the_sequence() -> None:
    log = Log()
    log.post(said("a"), said("b", "1"))
    assert log.post(said("a"), said("c")) == [2, 3]
    assert log.post(said("a"), said("c")) == [2, 3]


def test_much_of_the_same_is_compared_in_no_time() -> None:
    log = Log()
    many = [said("a")] * 5_000
    log.post(*many, said("b"))
    new = [*many, said("b"), said("c")]
    ready = [prepared(each) for each in new]
    assert already_there(new, ready, log.stored)[-2:] == [MessageId(uuid_of(5_001)), None]


MESSAGES = st.lists(
    st.builds(
        lambda text, role, minute: said(text, role=role, minute=minute),
        st.sampled_from("ab"),
        st.sampled_from(["user", "assistant"]),
        st.none() | st.integers(0, 2),
    ),
    max_size=6,
)
WITH_NAMES = st.lists(
    st.builds(said, st.sampled_from("ab"), st.none() | st.sampled_from(["1", "2", "3"])), max_size=6
)


MIXED = st.lists(
    st.builds(
        lambda text, name, minute: said(text, name, minute=minute),
        st.sampled_from("ab"),
        st.none() | st.sampled_from("12"),
        st.none() | st.integers(0, 1),
    ),
    max_size=6,
)


@given(MESSAGES | MIXED, MESSAGES | WITH_NAMES | MIXED)
@example([said("a", minute=0)], [said("b", minute=1), said("a", minute=0)])
@example([said("a"), said("b")], [said("b"), said("a", minute=0)])
@example([said("a", minute=1), said("b")], [said("a", minute=1), said("a")])
def test_a_request_that_is_repeated_adds_nothing(
    before: list[NewMessage], request: list[NewMessage]
) -> None:
    log = Log()
    log.post(*before)
    first = log.post(*request)
    stored = len(log.stored)

    unnamed = [at for at, each in zip(first, request, strict=True) if each.external_id is None]
    assert len(set(unnamed)) == len(unnamed)
    assert log.post(*request) == first
    assert len(log.stored) == stored


UNTIMED = st.lists(st.sampled_from("abc").map(said), max_size=8)


@given(UNTIMED, UNTIMED)
def test_a_whole_history_posted_again_has_grown_by_its_new_part(
    start: list[NewMessage], more: list[NewMessage]
) -> None:
    log = Log()
    log.post(*start)
    assert log.post(*start, *more) == list(range(len(start) + len(more)))
    assert log.contents == [each.content for each in (*start, *more)]


@given(MESSAGES)
def test_into_an_empty_conversation_every_unnamed_message_goes(messages: list[NewMessage]) -> None:
    assert Log().post(*messages) == list(range(len(messages)))


def test_ids_are_those_under_which_messages_are_stored() -> None:
    log = Log()
    log.post(said("a"))
    new = [said("a"), said("b")]
    there = already_there(new, [prepared(each, 90) for each in new], log.known(new))
    assert there == [MessageId(uuid_of(1)), None]
