"""Facts by rules: durable statements and preferences. Rather none than a wrong one."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import takewhile

from app.distil.facts.clauses import (
    beginnings,
    behind_fillers,
    clause_at,
    end_of_what_is_meant,
    is_joke,
    is_meant,
    is_short,
)
from app.distil.facts.directions import statement_at
from app.distil.facts.endings import pets_lost
from app.distil.facts.fact import Fact, Tense, is_single
from app.distil.facts.introducing import introduced, introduction, kin_named, who_is
from app.distil.facts.others_words import end_of_own_words, is_told_on
from app.distil.facts.reading import statements_of
from app.distil.facts.retelling import quoted, retold
from app.distil.facts.small_letters import spelled
from app.distil.facts.statement import Statement
from app.distil.facts.values import normal
from app.distil.language.lexicon import TOLD_NOUNS
from app.distil.language.sentences import Sentence, sentences_of
from app.distil.language.utterance import Utterance
from app.text.intervals import Interval
from app.text.times import intervals_of

_BY_PROGRAM = 0.8
"""How much what an assistant sums up counts of what a person says."""

_NOT_FROM_THEN = re.compile(r"\b(?:before|by|next|tomorrow)\b", re.IGNORECASE)
_HINT = re.compile(
    r"\b(?:i(?:m|ve)?|we|my|our|the|is|will|lives?|works?|call|always|never|don'?t|do not|let's"
    r"|moved|speaks?|me)\b",
    re.IGNORECASE,
)
"""Without any of these no rule matches."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where in a message something is said, and how it is told."""

    start: int
    stop: int
    text: str


def facts_of(said: Utterance) -> Sequence[Fact]:
    """The facts that a message states, in the order of their places; none said twice over."""
    if not said.is_said or is_joke(said.content):
        return []
    found: dict[tuple[object, ...], Fact] = {}
    own = end_of_own_words(said.content)
    for fact in _all_facts(said):
        of_another = fact.start >= own or is_told_on(said.content, fact.start, said.name)
        if of_another or _names_itself(fact):
            continue
        same = (*fact.key, normal(fact.value), fact.positive, fact.tense)
        found.setdefault(same, fact)
    return sorted(found.values(), key=lambda fact: (fact.start, fact.stop))


def _names_itself(fact: Fact) -> bool:
    """
    Whether it says no more than the name by which it is told: "Alice is Alice".

    How somebody wants to be `called` is a wish, and may end another one.
    """
    holds = fact.positive and fact.tense is Tense.NOW and fact.attribute == "name"
    return holds and fact.subject.casefold() == fact.value.casefold()


def _all_facts(said: Utterance) -> Iterator[Fact]:
    for sentence in map(spelled, sentences_of(said.content)):
        if is_short(sentence) and not said.by_program:
            yield from _of_kin(said, sentence)
        if is_short(sentence) and _HINT.search(sentence.plain):
            yield from _in_sentence(said, sentence, up_to=end_of_what_is_meant(sentence))
    if not said.by_program and (found := introduction(said.content)):
        told = who_is(said.speaker, found.words)
        place = _Place(found.start, found.stop, told)
        for statement in introduced(found.words):
            yield _fact(said, statement, place, ())


def _of_kin(said: Utterance, sentence: Sentence) -> Iterator[Fact]:
    lost = list(pets_lost(sentence.plain, beginnings(sentence), said.speaker))
    for each in lost if is_meant(sentence) else []:
        text = quoted(sentence.text[each.start : each.stop], said.speaker)
        place = _Place(sentence.start + each.start, sentence.start + each.stop, text)
        for stated in each.statements:
            yield _fact(said, stated, place, ())
    for stated, start, stop in kin_named(sentence.plain, said.speaker):
        if start not in {each.start for each in lost}:
            text = f"{stated.subject} is {stated.value}"
            place = _Place(sentence.start + start, sentence.start + stop, text)
            yield _fact(said, stated, place, ())


def _in_sentence(said: Utterance, sentence: Sentence, *, up_to: int) -> Iterator[Fact]:
    opening = behind_fillers(sentence.plain, 0, len(sentence.plain))
    for start, stop in takewhile(lambda clause: clause[0] < up_to, beginnings(sentence)):
        statements, text = _stated(said, sentence, start, stop, first=start <= opening)
        if statements:
            place = _Place(sentence.start + start, sentence.start + stop, text)
            times = _times(sentence, said.said_at)
            for statement in statements:
                told = statement.attribute.rpartition(" ")[2] in TOLD_NOUNS
                yield _fact(said, statement, place, () if told else times)


def _stated(
    said: Utterance, sentence: Sentence, start: int, stop: int, *, first: bool
) -> tuple[Sequence[Statement], str]:
    """What a clause states, and how that is told."""
    words = sentence.text[start:stop]
    clause = clause_at(sentence.plain, start, stop, said.speaker)
    statements = statements_of(clause, by_program=said.by_program) if clause else []
    if clause and statements:
        return statements, retold(clause, words, said.speaker)
    directed = None
    if not said.by_program:
        directed = statement_at(sentence.plain[start:stop], first=first)
    return ([directed] if directed else []), quoted(words, said.speaker)


def _times(sentence: Sentence, said_at: datetime) -> Sequence[Interval]:
    """The times that a sentence names, where they tell since when, or until when, it holds."""
    if _NOT_FROM_THEN.search(sentence.plain):
        return ()
    return intervals_of(sentence.plain, said_at)


def _fact(said: Utterance, stated: Statement, place: _Place, times: Sequence[Interval]) -> Fact:
    since, until = _validity(stated.tense, times, said.said_at)
    return Fact(
        subject=stated.subject or said.speaker,
        attribute=stated.attribute,
        value=" ".join(stated.value.split()),
        text=place.text,
        start=place.start,
        stop=place.stop,
        said_at=said.said_at,
        confidence=stated.confidence * (_BY_PROGRAM if said.by_program else 1.0),
        positive=stated.positive,
        tense=stated.tense,
        against=stated.against,
        single=stated.single and is_single(stated.attribute),
        valid_from=since,
        valid_to=until,
    )


def _validity(
    tense: Tense, times: Sequence[Interval], said_at: datetime
) -> tuple[datetime | None, datetime | None]:
    """
    As far as the one time that is named tells; a plan holds from no known time on.

    When in "this month" it began is not told: it may be after all that was said in it.
    """
    time = times[0] if len(times) == 1 else None
    match tense:
        case Tense.PLANNED:
            return None, None
        case Tense.PAST:
            return None, min(time.stop, said_at) if time else said_at
        case Tense.NOW:
            return (time.start if time and time.stop <= said_at else said_at), None
