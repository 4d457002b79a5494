"""What was taken back right behind is told by the words that did: "Actually, make it 60."."""

from collections.abc import Iterator, Mapping, Sequence

from app.domain.conversation import Role
from app.domain.memory import ItemType
from app.ranking.later import OLD
from app.ranking.people import between_people
from app.ranking.pool import Pool, Recalled
from app.ranking.query import QueryView
from app.text.correcting import may_take_back, takes_back
from app.text.wording import asks

_TIMES = 3
"""How often one may be, each time by what stands right behind the last."""

_REACH = 2
"""Places behind its own words at which a speaker goes on: between them somebody replies."""

_FRAGMENT = 40
"""Characters up to which what is said next needs what was said before it to mean anything."""

_OF_THE_SAME = 0.3
"""The cosine from which what is longer goes on about the same."""

Standing = Mapping[tuple[int, int], int]
"""The indexes of messages, by conversation and position."""


def corrected(
    query: QueryView, pool: Pool, standing: Standing, best: Sequence[int]
) -> Sequence[tuple[int, int]]:
    """
    Which messages take back what one of the best says, or what takes that back: (later one, old
    one), in the order in which they were said.

    They stand right behind it: what the same speaker says next, or what a user says to what an
    assistant told of it. Of how things went nothing takes the place of anything.

    Args:
        query: What is asked.
        pool: What was found.
        standing: Where its messages stand.
        best: What may be let in, by its indexes, best first.
    """
    if query.wording.of_course:
        return []
    return [each for old in best[:OLD] for each in _taking_back(pool.recalled, standing, old)]


def said_next(query: QueryView, pool: Pool, standing: Standing, best: int) -> int | None:
    """
    What its user said right behind one of a pool that may take it back, by its index, if anything:
    "We have 45 guests", "forgot the interns, so 52".

    Only what is said to an assistant, and replies to no question: people, and who notes for
    themselves, go on to something else.
    """
    recalled = pool.recalled
    if query.wording.of_course or recalled.roles[best] != Role.USER:
        return None
    after = _next_of_speaker(recalled, standing, best)
    if after is None or not may_take_back(recalled.contents[after]):
        return None
    if _replying(recalled, standing, after, best) or not _with_assistant(recalled, best):
        return None
    if not _goes_with(pool, after, best):
        return None
    return None if between_people(recalled)[best] else after


def _goes_with(pool: Pool, after: int, best: int) -> bool:
    """Whether a message is too brief to stand by itself, or speaks of the same as one before it."""
    if len(pool.recalled.contents[after]) <= _FRAGMENT:
        return True
    return bool(pool.whole_vectors[after].dot(pool.whole_vectors[best]) >= _OF_THE_SAME)


def standing_in(recalled: Recalled) -> Standing:
    """The messages, by where they stand."""
    told = zip(recalled.conversations, recalled.positions, recalled.types, strict=True)
    return {
        (conversation, position): at
        for at, (conversation, position, kind) in enumerate(told)
        if kind is ItemType.MESSAGE
    }


def _taking_back(recalled: Recalled, standing: Standing, old: int) -> Iterator[tuple[int, int]]:
    for _ in range(_TIMES):
        after = _next_of_speaker(recalled, standing, old)
        if after is None:
            return
        content, told = recalled.contents[after], recalled.contents[old]
        if not takes_back(content, told, replying=_replying(recalled, standing, after, old)):
            return
        yield after, old
        old = after


def _next_of_speaker(recalled: Recalled, standing: Standing, old: int) -> int | None:
    """What a user says right behind one of a pool, of their own words the next, if it is there."""
    conversation, position = recalled.conversations[old], recalled.positions[old]
    told = recalled.roles[old] == Role.ASSISTANT
    for away in range(1, 2 if told else 1 + _REACH):
        at = standing.get((conversation, position + away))
        if at is None or recalled.roles[at] != Role.USER:
            continue
        if told or recalled.names[at] == recalled.names[old]:
            return at
    return None


def _replying(recalled: Recalled, standing: Standing, at: int, old: int) -> bool:
    """Whether it may reply to what stands right before it, as to a person or to a question."""
    before = standing.get((recalled.conversations[at], recalled.positions[at] - 1), old)
    if before != old and recalled.roles[before] == Role.USER:
        return True
    return recalled.roles[before] == Role.ASSISTANT and asks(recalled.contents[before])


def _with_assistant(recalled: Recalled, at: int) -> bool:
    """Whether an assistant says anything of what was found of the conversation of one of a pool."""
    conversation = recalled.conversations[at]
    told = zip(recalled.conversations, recalled.roles, strict=True)
    return any(each == conversation and role == Role.ASSISTANT for each, role in told)
