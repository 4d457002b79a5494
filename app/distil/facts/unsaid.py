"""Facts that are taken back in the same message: "I live in Gent. No wait, we moved to Aalst."."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from app.distil.facts.fact import Fact
from app.distil.facts.values import normal
from app.distil.language.utterance import Utterance

_GAP = r"[\s,.:!\u2026\u2013\u2014-]{1,9}"
_FILLER = r"(?:oh|ah|oops|whoops|no+|nope|hm+|u[hm]+|ugh|er+m?|well|but|and)"
_MAYBE = r"(?:wait|sorry|i\s+meant?|actually|hang\s+on|hold\s+on|or\s+rather)"
_SURELY = (
    r"(?:(?:scratch|strike|scrap)\s+that|correction(?=\s*[:,.\u2013\u2014-])"
    r"|(?:i\s+misspoke|my\s+(?:bad|mistake))(?=\s*[,:\u2013\u2014-]))"
)
_MARKER = re.compile(
    rf"(?:[.!?\u2026][\"')]{{0,2}}\s{{1,9}}|\n\s{{0,9}}|[,;\u2013\u2014]\s{{0,9}}|\s-\s{{1,9}})"
    rf"(?:{_FILLER}{_GAP}){{0,3}}(?:{_MAYBE}{_GAP}){{0,2}}"
    rf"(?:(?P<surely>{_SURELY})|{_MAYBE})(?!\w)(?:{_GAP}(?:{_MAYBE}(?!\w))?){{0,2}}",
    re.IGNORECASE,
)
_SENTENCE_ENDS = re.compile(r"[.!?\u2026][\"')]*(?:\s+|\Z)|\n")
_LONGEST = 200
"""Characters behind a marker that are read."""

_ADDRESS = re.compile(r"(?:it's\s+|it\s+is\s+)?(\S+@\S+\.\w+)", re.IGNORECASE)
_MOVED = {
    "lives_in": re.compile(r"\b(?:moved|relocated)\s+(?:back\s+)?to\b", re.IGNORECASE),
    "works_at": re.compile(r"\b(?:moved|switched)\s+to\b|\bjoined\b", re.IGNORECASE),
}
"""What tells that it is otherwise by now, be it drawn or not."""

_INSTEAD = re.compile(
    r"(?:(?i:it's|it\s+is|that's)\s+)?(?P<value>(?:(?:in|at|to|from|for|with|the|on)\s+)?[A-Z\d][\w'.&-]*(?:\s+[\w'.&-]+){0,3})"
)
_STATES = re.compile(
    r"\b(?:is|are|was|were|am|has|have|had|do|does|did|can|could|will|would|i|we|you|it|he|she|they"
    r"|that|this|thanks?|please)\b|n't\b|'(?:s|m|re|ve|ll|d)\b",
    re.IGNORECASE,
)
_NAMED = re.compile(r"[A-Z\d]")


@dataclass(frozen=True, slots=True)
class _Turn:
    """Where what is said before a marker begins and ends, and what is said behind it."""

    begin: int
    end: int
    at: int
    rest: str
    surely: bool


def as_corrected(said: Utterance, read: Callable[[Utterance], Sequence[Fact]]) -> Sequence[Fact]:
    """
    The facts that `read` draws, without those that the next words take back, in their order.

    What is said instead is there, too, where it is read by itself, without its marker. What only
    may be a marker ("Wait, …") takes back what cannot hold beside what follows, or the last value
    where no more than another one follows: "Sorry, Aalst.".
    """
    found = list(read(said))
    for turn in _turns(said.content) if found and not said.by_program else ():
        before = [each for each in found if turn.begin <= each.start < turn.end]
        if before:
            told = read(replace(said, content=turn.rest)) if turn.rest else ()
            instead = [_moved(each, turn.at) for each in told]
            found = list(_exchanged(found, before, instead, turn))
    return sorted(found, key=lambda fact: (fact.start, fact.stop))


def _exchanged(
    found: Sequence[Fact], before: Sequence[Fact], instead: Sequence[Fact], turn: _Turn
) -> Sequence[Fact]:
    gone = _taken_back(before, instead, turn)
    kept = [each for each in found if each not in gone]
    known = {(*each.key, normal(each.value)) for each in kept}
    keys = {each.key for each in gone}
    more = [*instead, *_readdressed(gone, turn)]
    return [
        *kept,
        *(one for one in more if one.key in keys and (*one.key, normal(one.value)) not in known),
    ]


def _turns(content: str) -> Sequence[_Turn]:
    turns, ends = list[_Turn](), [0, *(each.end() for each in _SENTENCE_ENDS.finditer(content))]
    at = 0
    for marker in _MARKER.finditer(content):
        while at + 1 < len(ends) and ends[at + 1] <= marker.start():
            at += 1
        stop = _SENTENCE_ENDS.search(content, marker.end(), marker.end() + _LONGEST)
        rest = content[marker.end() : stop.end() if stop else marker.end() + _LONGEST]
        surely = marker["surely"] is not None
        turns.append(_Turn(ends[at], marker.start() + 1, marker.end(), rest, surely))
    return turns


def _taken_back(before: Sequence[Fact], instead: Sequence[Fact], turn: _Turn) -> Sequence[Fact]:
    values = {each.key: normal(each.value) for each in instead}
    same = [each for each in before if each.key in values and (turn.surely or each.single)]
    if same:
        return [each for each in same if normal(each.value) != values[each.key]]
    if turn.surely:
        return [] if instead else before
    if moved := [each for each in before if _is_left(each, turn.rest)]:
        return moved
    return before[-1:] if _is_value_for(before[-1], turn.rest) else []


def _is_left(fact: Fact, rest: str) -> bool:
    """Whether what follows tells that who was somewhere went elsewhere."""
    moved = _MOVED.get(fact.attribute)
    return moved is not None and moved.search(rest) is not None


def _is_value_for(fact: Fact, rest: str) -> bool:
    """Whether what follows is no more than another value of the kind."""
    told = rest.strip()
    if "@" in fact.value or "@" in told:
        return "@" in fact.value and _ADDRESS.match(told) is not None
    whole = _INSTEAD.fullmatch(told.rstrip(".!\u2026"))
    if whole is None or _STATES.search(whole["value"]):
        return False
    return _NAMED.search(fact.value) is not None


def _readdressed(gone: Sequence[Fact], turn: _Turn) -> Sequence[Fact]:
    """An address that was taken back, as it is said to be."""
    told = _ADDRESS.match(turn.rest)
    several = [each for each in gone if "@" in each.value and each.text.count(each.value) == 1]
    if told is None or not several:
        return []
    value, at = told[1], turn.at + told.start(1)
    old = several[-1]
    text = old.text.replace(old.value, value)
    return [replace(old, value=value, text=text, start=at, stop=at + len(value))]


def _moved(fact: Fact, by: int) -> Fact:
    return replace(fact, start=fact.start + by, stop=fact.stop + by)
