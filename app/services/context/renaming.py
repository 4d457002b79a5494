"""
Of whom a question asks that only names somebody: "What about Kestrel?".

What is asked was said before, of somebody else: "When does Brightwater's contract end?". Asked with
both names it finds the old one first, so the new one takes its place: "When does Kestrel's contract
end?". So does a thing that has no name ("And the trident?": app/text/instead.py).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.distil.entities.entity import NOTHING_KNOWN, Gazetteer
from app.distil.entities.finding import mentions_of
from app.domain.entities import EntityType
from app.text.instead import with_other_thing
from app.text.leaning import gone_on_with, says_nothing
from app.text.somebody import CALLED_SO, KIN

_RELATIVE = re.compile(
    rf"\b(?:my\s(?:\w+\s)?{KIN}|{CALLED_SO})\b(?!-)",
    re.IGNORECASE,
)
"""Who is called by what they are to who asks: "my older sister", "Mum"."""

_NOUN = re.compile(
    r"\b(?:d(?:er|ie|as|en|em|es)|[mdsk]?eine?[mnrs]?|(?:ihr|unser)e?[mnrs]?|[iz]m|zu[mr]|vom|beim)"
    r"\s\Z",
    re.IGNORECASE,
)
"""What stands before a German noun, which has a capital and is no name."""

_OF = " von "
"""What joins such a noun and a name: "der Vertrag von Anna"."""

_WHERE = re.compile(
    r"\b(?P<word>in|at|on|to|from|for|with|about|by|of|near|bei|mit|von|für|nach|aus|über|à|chez|avec"
    r"|pour|sur|de|en|con|para|por|a)\s(?:the\s)?\Z",
    re.IGNORECASE,
)
_LED = "and "
"""What a name stands behind, which at the beginning is told by no capital."""

_OWN = re.compile(r"['\u2019]s?(?!\w)")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Name:
    """
    Where somebody or something is named, what they are, the preposition before them, and whether
    something of theirs is spoken of.
    """

    start: int
    stop: int
    folded: str
    type: EntityType
    where: str
    owns: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Renamed:
    """What was asked before, `asked` of who is named now, who has `more` besides."""

    asked: str
    more: bool


def renamed(before: str, question: str, known: Gazetteer = NOTHING_KNOWN) -> Renamed | None:
    """
    What was asked `before`, of whom a `question` names instead.

    None where it names nobody new, or asks something itself; where nobody was named before whom it
    may mean instead; and where several were, since nobody knows which.
    """
    goes_on = gone_on_with(question)
    if goes_on is None:
        return None
    thing, goes_on = goes_on, f"{_LED}{goes_on}"
    said, now = list(_names(before, known)), list(_names(goes_on, known))
    if not now and (asked := with_other_thing(before, thing)):
        return Renamed(asked=asked, more=False)
    spoken_of, named = {each.folded for each in said}, {each.folded for each in now}
    new = [each for each in now if each.folded not in spoken_of]
    if not new or not says_nothing(goes_on[: new[0].start]):
        return None
    olds = _instead_of(new[0], [each for each in said if each.folded not in named])
    if len({each.folded for each in olds}) != 1:
        return None
    rest = f"{goes_on[: new[0].start]} {_OWN.sub('', goes_on[new[-1].stop :])}"
    name = goes_on[new[0].start : new[-1].stop]
    return Renamed(asked=_with_name(before, olds, name), more=not says_nothing(rest))


def _instead_of(new: _Name, said: Sequence[_Name]) -> Sequence[_Name]:
    """
    The names in whose place the new one may stand: behind the same word, of the same kind.

    "And in Rome?" takes no place of who was there: "Where did Ann stay?".
    """
    fit = [each for each in said if each.type is new.type]
    if new.where:
        near = [each for each in said if each.where == new.where and _alike(each, new)]
        return near or [each for each in fit if each.where or each.owns]
    return fit or [each for each in said if _alike(each, new)]


def _alike(one: _Name, other: _Name) -> bool:
    return one.type is other.type or EntityType.UNKNOWN in (one.type, other.type)


def _with_name(text: str, olds: Sequence[_Name], name: str) -> str:
    for each in sorted(olds, key=lambda old: -old.start):
        text = f"{text[: each.start]}{name}{text[each.stop :]}"
    return text


def _names(text: str, known: Gazetteer) -> Iterator[_Name]:
    """Names in their order, and who is called by what they are; of "my sister Ann" the name."""
    end = -1
    found = [(each.start, each.stop, each.type) for each in mentions_of(text, known)]
    taken = {start for start, _, _ in found}
    relatives = (each for each in _RELATIVE.finditer(text) if each.end() + 1 not in taken)
    found += [(*each.span(), EntityType.PERSON) for each in relatives]
    for begin, stop, kind in sorted(found, key=lambda each: each[:2]):
        start = _behind_noun(text, begin, stop)
        if start is None or begin < end:
            continue
        end = stop
        where = _WHERE.search(text[:start])
        yield _Name(
            start=start,
            stop=stop,
            folded=text[start:stop].casefold(),
            type=kind,
            where=where["word"].casefold() if where else "",
            owns=_OWN.match(text, stop) is not None,
        )


def _behind_noun(text: str, start: int, stop: int) -> int | None:
    """Where a name begins that a German noun may stand before; None where there is but a noun."""
    if not _NOUN.search(text[:start]):
        return start
    of = text.rfind(_OF, start, stop)
    return of + len(_OF) if of >= 0 else None
