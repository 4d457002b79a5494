"""The reply to a question that was found, and the question before an answer."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from app.domain.context import MemoryItem, Source
from app.domain.conversation import Role
from app.domain.ids import ConversationKey, MessageKey
from app.ranking import Floats
from app.ranking.completing import BEHIND, LOOKED_AT, Companion, companions, completed, fitting
from app.ranking.neighbours import Neighbours
from app.ranking.ranked import BELOW_FLOOR, Ranked
from tests.factories import a_chunk, an_item, ranked, recalled

QUESTION = an_item(10, "Which database did we pick?", name="Ann")
ANSWER = an_item(20, "PostgreSQL, I think.", name="Bob")


def beside(*positions: int) -> Neighbours:
    """What stands at these positions; rows have their number as position."""
    return Neighbours(
        keys=[MessageKey(each) for each in positions],
        conversations=[ConversationKey(1)] * len(positions),
        positions=positions,
        vectors=[None] * len(positions),
        bags=[b""] * len(positions),
    )


def reply(message: int, place: int = 1) -> Companion:
    return Companion(message=MessageKey(message), place=place, reply=True)


def question(message: int, place: int = 1) -> Companion:
    return Companion(message=MessageKey(message), place=place, reply=False)


def among(at: int, count: int, item: MemoryItem = QUESTION) -> Ranked:
    """`item` at index `at` of `count`, between sentences that nothing stands beside."""
    items = [an_item(100 * row, f"Sentence {row}.") for row in range(1, count + 1)]
    items[at] = item
    return ranked(*items)


def test_a_question_wants_its_reply() -> None:
    assert companions(among(1, 4), beside(9, 11), roomy=False) == [reply(11, place=2)]


@pytest.mark.parametrize(
    "text", ["Really?", "你好吗\uff1f", 'He said: "why?"', "How are you?? 🙂 ", "Where?!"]
)
def test_a_question_ends_with_its_mark(text: str) -> None:
    assert companions(ranked(an_item(10, text)), beside(11), roomy=False)


@pytest.mark.parametrize(
    "text",
    """
    how much
    which thing
    oh no is he ok
    what are we getting him
    hows the new job
    what happened to ur knee again
    btw how far is it
    did u ask him
    wat time is it
    why not
    """.strip().splitlines(),
)
def test_in_a_chat_a_question_has_no_mark(text: str) -> None:
    assert companions(ranked(an_item(10, text)), beside(11), roomy=False)


@pytest.mark.parametrize(
    "text",
    """
    what a party
    how nice is that
    when i get home i sleep
    what we need is a plan
    is this
    who knows, it was late
    Where were they.
    how it was done is told in the minutes
    i know what he did
    did it
    do it now
    where it is the best
    when the bus is there we go
    """.strip().splitlines(),
)
def test_what_only_begins_like_one_is_none(text: str) -> None:
    assert not companions(ranked(an_item(10, text)), beside(11), roomy=False)


@pytest.mark.parametrize("text", ["Why? Because.", "a?b", "", "Yes."])
def test_what_ends_otherwise_is_none(text: str) -> None:
    assert not companions(ranked(an_item(10, text)), beside(11), roomy=False)


def test_an_answer_wants_what_was_said_before_it_where_there_is_room() -> None:
    assert companions(ranked(ANSWER), beside(19, 21), roomy=True) == [question(19)]
    assert companions(ranked(ANSWER), beside(19, 21), roomy=False) == []


def test_only_the_best_are_completed() -> None:
    assert companions(among(LOOKED_AT - 1, 9), beside(11), roomy=True)
    assert not companions(among(LOOKED_AT, 9), beside(11), roomy=True)


def test_nothing_completes_what_is_no_likely_answer() -> None:
    unlikely = replace(ranked(QUESTION), sufficient=False)
    assert not companions(unlikely, beside(11), roomy=True)


def test_what_was_let_in_is_there_already_and_what_fell_below_the_floor_is_not() -> None:
    found = ranked(QUESTION, an_item(11, "PostgreSQL."))
    assert not companions(found, beside(), roomy=True)
    for reason, wanted in ((BELOW_FLOOR, [reply(11)]), ("below min_score", []), ("duplicate", [])):
        low = replace(found, order=[0], dropped=[(1, reason)])
        assert companions(low, beside(), roomy=True) == wanted


def test_a_message_of_which_a_chunk_was_let_in_is_there() -> None:
    long = an_item(11, "We looked at many of them. PostgreSQL it was.")
    found = ranked(QUESTION, a_chunk(1, long, 0, 20))
    assert not companions(found, beside(11), roomy=False)


def test_only_a_whole_message_tells_that_it_ends_with_a_question() -> None:
    long = an_item(10, "So many. Which one? This is how I see it.")
    chunk = a_chunk(1, long, 9, 19)
    assert chunk.content == "Which one?"
    assert not companions(ranked(chunk), beside(9, 11), roomy=True)


def test_two_that_want_the_same_want_it_once() -> None:
    found = ranked(an_item(10, "Which database?"), an_item(12, "PostgreSQL."))
    assert companions(found, beside(11), roomy=True) == [reply(11)]


def fit(
    to: MemoryItem,
    wanted: Companion,
    read: MemoryItem,
    *,
    pieces: int = 0,
    vector: Floats | None = None,
) -> Sequence[object]:
    vectors = {} if vector is None else {0: vector}
    found = recalled(read, pieces={0: pieces}, vectors=vectors)
    own = ranked(to, an_item(900, "Tea."), vectors={1: np.array([1, 0], dtype=np.float32)})
    return list(fitting(own, found, [wanted]).messages)


def test_a_reply_is_what_somebody_else_says() -> None:
    assert fit(QUESTION, reply(11), an_item(11, "Postgres.", name="Bob")) == [11]
    assert fit(QUESTION, reply(11), an_item(11, "Or what?", name="Ann")) == []
    assistant = an_item(11, "Postgres.", name="Ann", role=Role.ASSISTANT)
    assert fit(QUESTION, reply(11), assistant) == [11]


def test_what_was_said_before_an_answer_has_to_be_a_question() -> None:
    assert fit(ANSWER, question(19), an_item(19, "Which one?", name="Ann")) == [19]
    assert fit(ANSWER, question(19), an_item(19, "Good morning.", name="Ann")) == []


def test_what_is_long_or_said_already_does_not_come_in() -> None:
    answer = an_item(11, "Postgres.", name="Bob")
    near, far = (np.array(each, dtype=np.float32) for each in ([0.99, 0.14], [0.8, 0.6]))
    assert fit(QUESTION, reply(11), answer, pieces=3) == []
    assert fit(QUESTION, reply(11), an_item(11, "Tea.", name="Bob")) == []
    assert fit(QUESTION, reply(11), answer, vector=near) == []
    assert fit(QUESTION, reply(11), answer, vector=far) == [11]


def come_in(
    to: Ranked, wanted: Sequence[Companion], *read: MemoryItem, least: float | None = None
) -> Ranked:
    return completed(to, recalled(*read), wanted, min_score=least)


@pytest.mark.parametrize("count", range(1, 12))
@pytest.mark.parametrize("place", range(1, LOOKED_AT + 1))
def test_a_reply_comes_in_behind_its_question_in_the_order_of_scores(
    count: int, place: int
) -> None:
    if place > count:
        return
    before = among(place - 1, count)
    after = come_in(before, [reply(11, place)], an_item(11, "Postgres.", name="Bob"))
    at = len(before.recalled)
    assert list(after.order).index(at) == min(place * BEHIND - 1, count)
    assert [each for each in after.order if each != at] == list(before.order)
    scores = [after.candidate(each).score for each in after.order]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == len(scores)
    assert after.candidate(at).relevance == pytest.approx(after.candidate(at).score)


def test_a_question_comes_in_behind_all_and_replies_before_it() -> None:
    found = ranked(ANSWER, QUESTION)
    wanted = [question(19, place=1), reply(11, place=2)]
    read = (an_item(11, "Postgres.", name="Bob"), an_item(19, "Which one?", name="Ann"))
    after = come_in(found, wanted, *read)
    contents = [after.recalled.contents[at] for at in after.order]
    assert contents == [ANSWER.content, QUESTION.content, "Postgres.", "Which one?"]


def test_what_came_in_is_marked() -> None:
    after = come_in(ranked(QUESTION), [reply(11)], an_item(11, "Postgres.", name="Bob"))
    was, came = (after.candidate(at) for at in after.order)
    assert came.sources == {Source.EPISODIC}
    assert came.signals == {"relevance": pytest.approx(came.relevance), "completes": 1.0}
    assert was.signals["completes"] == 0.0
    assert not after.pinned(after.order[1])
    assert came.item.lineage[0].id == str(came.item.id)


def test_of_what_came_in_nothing_is_told_as_measured() -> None:
    found = ranked(QUESTION)
    fresh = np.ones(1, dtype=np.float32)
    found = replace(found, signals={**found.signals, "recency": fresh})
    after = come_in(found, [reply(11)], an_item(11, "Postgres.", name="Bob"))
    was, came = (after.candidate(at).signals for at in after.order)
    assert "recency" in was
    assert came.keys() == {"relevance", "completes"}


def test_what_came_in_was_not_dropped() -> None:
    answer = an_item(11, "Postgres.", name="Bob")
    found = ranked(QUESTION, answer, an_item(30))
    low = replace(found, order=[0], dropped=[(1, BELOW_FLOOR), (2, BELOW_FLOOR)])
    assert come_in(low, [reply(11)], answer).dropped == [(2, BELOW_FLOOR)]


def test_below_the_least_score_nothing_comes_in() -> None:
    answer = an_item(11, "Postgres.", name="Bob")
    found = replace(
        ranked(QUESTION, answer), order=[0], dropped=[(1, BELOW_FLOOR)], score=np.full(2, 0.5)
    )
    after = come_in(found, [reply(11)], answer, least=0.5)
    assert (list(after.order), after.dropped) == ([0], [(1, BELOW_FLOOR)])
    assert list(come_in(found, [reply(11)], answer, least=0.4).order) == [0, 2]


def test_where_nothing_was_read_nothing_changes() -> None:
    after = come_in(ranked(QUESTION), [reply(11)])
    assert list(after.order) == [0]
    assert not after.dropped
