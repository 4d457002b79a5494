"""Titles before names, which keep two people of one name apart: "Mr Jones" and "Mrs Jones"."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from app.distil.language.titles import MEN, TITLE_OF, TITLES_OF_SOMEBODY, WOMEN
from app.text.scripts import fold

_SAID = (
    r"(?P<said>(?i:mrs?|ms)|Herr|(?<!eine\s)(?<!ihre\s)(?<!sere\s)(?<!eure\s)Frau|Miss|Monsieur"
    r"|Madame|Mademoiselle|Se[\u00f1n]or(?:a|ita)?|Fr\u00e4ulein)\.?"
)
"""Not "meine Frau Anna", who is a wife."""

_PARTICLES = r"(?:(?:van|von|de|der|den|del|la|di|da)\s+){0,2}"
_BEFORE = re.compile(rf"(?<![\w-]){_SAID}[ ]{_PARTICLES}\Z")
_AT_FIRST = re.compile(rf"{_SAID}[ ]")
_WITH_NAME = re.compile(rf"(?<![\w-]){_SAID}[ ]{_PARTICLES}(?P<name>[^\W\d_][\w-]*)")
_LOOKED_BACK = 30


@dataclass(frozen=True, slots=True)
class Title:
    """As it was said, and the kind that it is of: "Frau" is "mrs"."""

    said: str
    kind: str


def title_of(content: str, start: int, name: str) -> Title | None:
    """The title of who is called `name` at a place of a message, in it or right before it."""
    found = _AT_FIRST.match(name) or _BEFORE.search(content, max(start - _LOOKED_BACK, 0), start)
    return None if found is None else _title(found["said"])


def _title(said: str) -> Title:
    return Title(said, TITLE_OF[said.casefold()])


def titled(title: Title, normal: str) -> str | None:
    """The normal form of a family name with its title; None for more than that."""
    return None if " " in normal else f"{title.kind} {normal}"


def untitled(normal: str) -> str:
    """A normal form without the title that `titled` gives it."""
    first, _, rest = normal.partition(" ")
    return rest if first in TITLES_OF_SOMEBODY and rest and " " not in rest else normal


def kind_of_title(normal: str) -> str | None:
    return None if untitled(normal) == normal else normal.partition(" ")[0]


def beside(normal: str) -> Collection[str]:
    """The same family name with each of the other titles."""
    kind, name = kind_of_title(normal), untitled(normal)
    return [f"{each} {name}" for each in sorted(TITLES_OF_SOMEBODY) if each != kind]


def may_have(kind: str, normal: str) -> bool:
    """Whether who has such a title may be called so: no "mrs" is "tom jones"."""
    given, _, rest = normal.partition(" ")
    return not rest or given not in (WOMEN if kind == "mr" else MEN)


def titled_in(content: str, *, others: bool = True) -> Iterator[str]:
    """The normal forms, with their title and with all `others`, of who has one in a text."""
    for found in _WITH_NAME.finditer(content):
        own = f"{_title(found['said']).kind} {fold(found['name'])}"
        yield from (own, *(beside(own) if others else ()))
