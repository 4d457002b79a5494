"""
What was asked before in the same words: it is as near as can be, and tells nothing.

Who stores a chat stores its questions. Of 192 questions of LoCoMo, each stored before with a reply
without an answer, 190 found themselves first: MRR .321 instead of .688, and .616 without them.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from app.distil.language.declining import declines
from app.domain.conversation import Role
from app.domain.ids import ConversationKey
from app.domain.memory import OF_MESSAGES, ItemType
from app.ranking.pool import Recalled
from app.ranking.query import QueryView
from app.text.courtesy import without_courtesy
from app.text.requesting import behind_nods, is_one_sentence, requests, wants_told
from app.text.scripts import fold
from app.text.terms import query_terms
from app.text.topic import topic_of, words_sought
from app.text.wording import asks, is_question, question_word

REPLIED = np.float32(0.8)
"""The relevance, at least, of what was replied to the question when it was asked before."""

ASKED_BEFORE, NO_ANSWER = "the question, asked before", "a reply without an answer"
"""Why an item stands aside."""

_ALL = 0.9999
"""Of the words, by their weights: what has a new one was never asked."""

_LONGER, _BESIDES = 2, 40
"""What has no other words is at most so many times as long as these, and what greets and thanks."""

_BEGINNING, _TRIED = 3, 3
"""
Letters of the longest words, and how many of these, by which most are told to be another; one of
them may begin otherwise in another form.
"""

Behind = Collection[tuple[ConversationKey, int]]
"""Places right behind questions."""


def asked_again(query: QueryView, recalled: Recalled, in_full: str | None = None) -> Sequence[int]:
    """
    The indexes of messages that ask what is asked, or what is asked `in_full`, and say nothing
    else, in whatever order and form of its words. Of "Did I ask …?" they are none: what was asked
    has not that word.
    """
    if not query.wording.asks:
        return []
    several = [query.sought or frozenset(query.terms)] if query.known >= _ALL else []
    several += [_words_of(in_full)] if in_full else []
    sought = [_Sought.of(words) for words in dict.fromkeys(several) if words]
    told = zip(recalled.types, recalled.contents, strict=True)
    return [
        at
        for at, (kind, content) in enumerate(told)
        if kind is ItemType.MESSAGE and any(each.is_asked_by(content) for each in sought)
    ]


@dataclass(frozen=True, slots=True)
class _Sought:
    """The words of a question; how long a message of no others is, at most, and what it has."""

    words: frozenset[str]
    longest: int
    begin: Sequence[str]

    @classmethod
    def of(cls, words: frozenset[str]) -> Self:
        begin = [each[:_BEGINNING] for each in sorted(words, key=len)[-_TRIED:]]
        return cls(words, _LONGER * sum(map(len, words)) + _BESIDES, begin)

    def is_asked_by(self, content: str) -> bool:
        if len(content) > self.longest:
            return False
        folded = fold(content)
        if sum(each in folded for each in self.begin) < max(1, len(self.begin) - 1):
            return False
        said = topic_of(without_courtesy(content))
        asked = is_question(said) or requests(said)
        return asked and self.words == _words_of_topic(said)


def _words_of(question: str) -> frozenset[str]:
    return _words_of_topic(topic_of(without_courtesy(question)))


def _words_of_topic(topic: str) -> frozenset[str]:
    asked = query_terms(words_sought(topic))
    return frozenset(asked.terms) - asked.of_function


def right_behind(recalled: Recalled, questions: Sequence[int]) -> Behind:
    """Where the replies to these messages stand, by their indexes."""
    return {(recalled.conversations[at], recalled.positions[at] + 1) for at in questions}


def replying(recalled: Recalled, behind: Behind) -> NDArray[np.bool_]:
    """True for what an assistant said at one of these places and did not ask, shape (n,)."""
    told = zip(recalled.conversations, recalled.positions, recalled.roles, strict=True)
    return np.array(
        [
            role == Role.ASSISTANT
            and (conversation, position) in behind
            and recalled.types[at] in OF_MESSAGES
            and not asks(recalled.contents[at])
            for at, (conversation, position, role) in enumerate(told)
        ],
        dtype=np.bool_,
    )


def answering_nothing(
    recalled: Recalled, among: Sequence[int], for_what: str | None = None
) -> Sequence[int]:
    """
    Those of the items that ask an assistant, are its reply that nothing is known, or ask in turn:
    these are no answers, however near to a question they are.

    What people ask each other, who have names, may tell something by it, but not what it asks for:
    it is no answer if that is asked for in the same word (`for_what`).
    """
    return [at for at in among if _says_nothing(recalled, at, for_what)]


def _says_nothing(recalled: Recalled, at: int, for_what: str | None) -> bool:
    if recalled.types[at] is not ItemType.MESSAGE:
        return False
    said, named = recalled.contents[at], recalled.names[at] is not None
    if recalled.roles[at] == Role.ASSISTANT:
        return not named and (declines(said) or _only_asks(behind_nods(said)))
    if not named and wants_told(without_courtesy(said)):
        return True
    may = not named or (for_what is not None and question_word(said) == for_what)
    return may and _only_asks(said)


def _only_asks(said: str) -> bool:
    return is_one_sentence(said) and is_question(without_courtesy(said))
