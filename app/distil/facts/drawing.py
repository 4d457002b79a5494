"""Facts by rules: durable statements and preferences. Rather none than a wrong one."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from app.distil.facts.addresses import home_told
from app.distil.facts.clauses import (
    Clause,
    Who,
    beginnings,
    behind_fillers,
    clause_at,
    is_joke,
    is_short,
)
from app.distil.facts.contact import reached_at
from app.distil.facts.dating import as_ended, corrects, times_in, told_around, validity
from app.distil.facts.directions import statement_at
from app.distil.facts.dropped import clauses_at
from app.distil.facts.endings import pets_lost
from app.distil.facts.fact import OF_EACH, Fact, Tense, is_single
from app.distil.facts.homes import moved_house
from app.distil.facts.introducing import introduced, introduction, kin_named, who_is
from app.distil.facts.meaning import Stretch, is_meant, meant_of
from app.distil.facts.naming import called_behind, told_of
from app.distil.facts.others_words import end_of_own_words, is_told_on
from app.distil.facts.plans import MAY_TELL_PLAN, plan_retold, plan_told
from app.distil.facts.reading import statements_of
from app.distil.facts.retelling import as_of_another, quoted, retold, spoken
from app.distil.facts.small_letters import spelled
from app.distil.facts.statement import Statement
from app.distil.facts.unsaid import as_corrected
from app.distil.facts.values import normal
from app.distil.language.lexicon import TOLD_NOUNS
from app.distil.language.sentences import Sentence, sentences_of
from app.distil.language.slips import Mended, has_slips, mended
from app.distil.language.utterance import Utterance
from app.domain.conversation import Role
from app.text.intervals import Interval

MOST_ALIKE, MOST = 50, 100
"""
Facts of one subject and attribute, and facts at all, that a message states: of more, a list that
was pasted, the last.

Each is compared with all such facts that are known, while nothing else can be written: of a message
that says of a thousand people where they live, everybody waited for ten seconds.
"""

_BY_PROGRAM = 0.8
"""How much what an assistant sums up counts of what a person says."""

_HINT = re.compile(
    r"\b(?:i(?:m|ve)?|we|my|our|the|is|will|lives?|works?|call|always|never|don'?t|do not|let's"
    r"|ich|mein|moved|speaks?|prefers|eats|turned|should|must|me|from now on|going forward"
    r"|in (?:the )?future|plan|tier|subscription|upgraded|downgraded)\b",
    re.IGNORECASE,
)
_HINT_AT_FIRST = re.compile(
    r"(?:\w+\s+)?(?:got|grew|been|joined|prefer|have|born|based|allergic|married|learning|studying"
    r"|used to|adopted|rescued|relocated|quit|lost|left|vegan|vegetarian|can't stand|started"
    r"|first day|last day)\b",
    re.IGNORECASE,
)
"""Without any of these, the latter at the beginning, no rule matches."""
_ASKED_FOR = re.compile(r"\b(?:please|pls|plz)\s+\Z", re.IGNORECASE)
"""A rule may follow, wherever it stands."""

_FROM_NOW_ON = re.compile(
    r"\b(?:from now on|going forward|in (?:the )?future)[,:]?\s+(?:(?:please|pls|plz)\s+)*\Z",
    re.IGNORECASE,
)
_LOOKED_BACK = 40

_GOAL = "goal"
"""What is told of it is told as another would; a rule keeps its "me"."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where in a message something is said, and how it is told."""

    start: int
    stop: int
    text: str


_Stated = tuple[Statement, _Place]
"""What is stated, and where in its sentence."""


def facts_of(said: Utterance) -> Sequence[Fact]:
    """The facts that a message states, in the order of their places; none said twice over."""
    if not said.is_said or is_joke(said.content):
        return []
    return as_corrected(said, _stated)


def _stated(said: Utterance) -> Sequence[Fact]:
    found: dict[tuple[object, ...], Fact] = {}
    own = end_of_own_words(said.content, by_program=said.by_program)
    for fact in _all_facts(said):
        of_another = fact.start >= own or is_told_on(said.content, fact.start, said.name)
        if of_another or _names_itself(fact):
            continue
        same = (*fact.key, normal(fact.value), fact.positive, fact.tense)
        found.setdefault(same, fact)
    return _last_ones(sorted(found.values(), key=lambda fact: (fact.start, fact.stop)))


def _last_ones(facts: Sequence[Fact]) -> Sequence[Fact]:
    seen = Counter[tuple[str, str]]()
    kept = list[Fact]()
    for each in reversed(facts):
        seen[each.key] += 1
        if seen[each.key] <= MOST_ALIKE:
            kept.append(each)
    return kept[:MOST][::-1]


def _names_itself(fact: Fact) -> bool:
    """
    Whether it says no more than the name by which it is told: "Alice is Alice".

    How somebody wants to be `called` is a wish, and may end another one.
    """
    holds = fact.positive and fact.tense is Tense.NOW and fact.attribute == "name"
    return holds and fact.subject.casefold() == fact.value.casefold()


def _all_facts(said: Utterance) -> Iterator[Fact]:
    slips = not said.by_program and has_slips(said.content)
    before: str | None = None
    ends = ""
    for sentence in filter(is_short, sentences_of(said.content)):
        right = mended(sentence) if slips else Mended(sentence)
        read = spelled(right.sentence)
        for fact in _told_in(said, read, before):
            start, stop = right.as_typed(fact.start), right.as_typed(fact.stop)
            yield replace(fact, start=start, stop=stop) if right.shifts else fact
        if not said.by_program and (moved := moved_house(read.plain, ends, said.speaker)):
            yield from _moved(said, read, moved)
        ends = read.plain
        before = told_of(read.plain)
        before = before if before and is_meant(read) else None
    if not said.by_program and (found := introduction(said.content)):
        told = who_is(said.speaker, found.words)
        place = _Place(found.start, found.stop, told)
        for statement in introduced(found.words):
            yield _fact(said, statement, place, ())


def _told_in(said: Utterance, sentence: Sentence, before: str | None) -> Iterator[Fact]:
    """The facts of a sentence; `before` is of whom the one before it told."""
    if not said.by_program:
        yield from _of_kin(said, sentence, before)
    if _HINT.search(sentence.plain) or _HINT_AT_FIRST.match(sentence.plain):
        yield from _in_sentence(said, sentence, meant_of(sentence))


def _of_kin(said: Utterance, sentence: Sentence, before: str | None) -> Iterator[Fact]:
    lost = list(pets_lost(sentence.plain, beginnings(sentence), said.speaker))
    for each in lost if lost and is_meant(sentence) else []:
        text = quoted(sentence.text[each.start : each.stop], said.speaker)
        place = _Place(sentence.start + each.start, sentence.start + each.stop, text)
        for stated in each.statements:
            yield _fact(said, stated, place, ())
    behind = list(called_behind(sentence.plain, said.speaker, before=before))
    named = behind if behind and is_meant(sentence) else []
    dead = {each.start for each in lost}
    for stated, start, stop in chain(kin_named(sentence.plain, said.speaker), named):
        if start not in dead:
            text = f"{stated.subject} is {stated.value}"
            place = _Place(sentence.start + start, sentence.start + stop, text)
            yield _fact(said, stated, place, ())


def _in_sentence(said: Utterance, sentence: Sentence, meant: Sequence[Stretch]) -> Iterator[Fact]:
    opening = behind_fillers(sentence.plain, 0, len(sentence.plain))
    places = list(_within(meant, beginnings(sentence) if meant else ()))
    last: Clause | None = None
    for at, (start, stop) in enumerate(places):
        first = start <= opening or bool(_ASKED_FOR.search(_before(sentence, start)))
        clauses = list(_clauses(said, sentence, (start, stop), last=last, first=first))
        last = clauses[-1] if clauses else None
        stated = [each for clause in clauses for each in _by_clause(said, sentence, clause)]
        stated = stated or list(_directed(said, sentence, (start, stop), first=first))
        if stated:
            yield from _dated(said, sentence, stated, told_around(sentence.plain, places, at))


def _moved(said: Utterance, sentence: Sentence, clause: Clause) -> Iterator[Fact]:
    """Where "We've moved!" leads to, whatever stands between."""
    if is_meant(sentence) and (stated := list(_by_clause(said, sentence, clause))):
        yield from _dated(said, sentence, stated, (0, len(sentence.plain)))


def _before(sentence: Sentence, start: int) -> str:
    return sentence.plain[max(0, start - _LOOKED_BACK) : start]


def _within(meant: Sequence[Stretch], clauses: Iterable[Stretch]) -> Iterator[Stretch]:
    """Clauses that begin in what is meant, up to where that ends."""
    for start, stop in clauses:
        for begin, end in meant:
            if begin <= start < end:
                yield start, min(stop, end)


def _clauses(
    said: Utterance, sentence: Sentence, place: Stretch, *, last: Clause | None, first: bool
) -> Iterator[Clause]:
    if not said.by_program:
        yield from clauses_at(sentence.plain, *place, said.speaker, last=last, first=first)
    elif clause := clause_at(sentence.plain, *place, said.speaker):
        yield clause


def _by_clause(said: Utterance, sentence: Sentence, clause: Clause) -> Iterator[_Stated]:
    """What a clause states, told as somebody else would."""
    found = statements_of(clause, by_program=said.by_program)
    told = str if clause.who is Who.WE else as_of_another
    words = sentence.text[clause.start : clause.stop] if found else ""
    text = retold(clause, spoken(clause, words), said.speaker)
    for each in found:
        place = _Place(clause.start, clause.stop, text)
        of_each = clause.who is Who.WE and each.attribute in OF_EACH and not said.by_program
        subject = said.speaker if of_each else each.subject
        yield replace(each, subject=subject, value=told(each.value)), place


def _directed(
    said: Utterance, sentence: Sentence, place: Stretch, *, first: bool
) -> Iterator[_Stated]:
    """What is stated there without a subject."""
    start, stop = place
    if MAY_TELL_PLAN.search(sentence.plain, start, stop):
        yield from _of_plan(said, sentence, place)
    if said.by_program:
        return
    if reached := reached_at(sentence.plain, start):
        clause = Clause(said.speaker, Who.SELF, start, start + 1, reached.stop, "")
        text = retold(clause, sentence.text[start : reached.stop], said.speaker)
        yield reached.statement, _Place(start, reached.stop, text)
        return
    since = bool(_FROM_NOW_ON.search(_before(sentence, start)))
    if directed := statement_at(sentence.plain[start:stop], first=first, from_now_on=since):
        if directed.attribute == _GOAL:
            directed = replace(directed, value=as_of_another(directed.value))
        told = _Place(start, stop, quoted(sentence.text[start:stop], said.speaker))
        yield directed, told
        if directed.subject is None and (town := home_told(directed.attribute, directed.value)):
            yield replace(directed, attribute="lives_in", value=town), told


def _of_plan(said: Utterance, sentence: Sentence, place: Stretch) -> Iterator[_Stated]:
    """Which plan who speaks has, or whom an assistant speaks to."""
    start, stop = place
    for by_host in sorted({said.role is Role.ASSISTANT, said.by_program}):
        if stated := plan_told(sentence.plain, start, stop, by_host=by_host):
            told = plan_retold(sentence.text[start:stop], said.speaker, by_host=by_host)
            yield stated, _Place(start, stop, told)


def _dated(
    said: Utterance, sentence: Sentence, stated: Sequence[_Stated], around: Stretch
) -> Iterator[Fact]:
    """Facts, each with the times that its clause tells; where another follows, up to that."""
    starts = sorted({place.start for _, place in stated})
    for statement, place in stated:
        begin = around[0] if place.start == starts[0] else place.start
        end = next((each for each in starts if each > place.start), around[1])
        told = corrects(sentence.plain) or statement.attribute.rpartition(" ")[2] in TOLD_NOUNS
        times = () if told else times_in(sentence.plain[begin:end], said.said_at)
        at = sentence.start
        inside = _Place(at + place.start, at + place.stop, place.text)
        yield _fact(said, as_ended(statement, sentence.plain[place.start :]), inside, times)


def _fact(said: Utterance, stated: Statement, place: _Place, times: Sequence[Interval]) -> Fact:
    since, until = validity(stated.tense, times, said.said_at)
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
