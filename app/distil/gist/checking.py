"""Whether a text that a model wrote says only what it could have read."""

import re
from collections.abc import Iterator, Sequence

from app.distil.entities.entity import Mention
from app.distil.entities.finding import mentions_of
from app.distil.facts.figures import emails_in
from app.distil.gist.tagging import identifiers_named
from app.domain.entities import EntityType
from app.text.scripts import UNSPACED, fold

_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_PATH = re.compile(r"(?<![^\s`\"'(\[])(?:~|\.{1,2}|/[\w.@-]{1,60})(?:/[\w.@-]{1,60}){1,12}")
"""Of two steps at least: "/month" is none."""

_LIBRARY = ".js"


def invented(text: str, said: str) -> frozenset[str]:
    """
    The numbers, identifiers, addresses, paths and files of `text` that are nowhere in `said`.

    Numbers must be there letter by letter, the others in any case. Hyphenated names count in
    backticks only: elsewhere nothing tells `billing-api` from "follow-up".
    """
    told = frozenset(_NUMBER.findall(said))
    numbers = {each for each in _NUMBER.findall(text) if each not in told}
    folded = said.casefold()
    named = {each for each in identifiers_named(text) if each.casefold() not in folded}
    return frozenset(numbers | named | _addressed(text, fold(said)))


def _addressed(text: str, said: str) -> frozenset[str]:
    found = {
        each.name: _spellings(each)
        for each in mentions_of(text)
        if each.type in (EntityType.URL, EntityType.FILE)
    }
    found |= {each: [fold(each)] for each in (*emails_in(text), *_paths(text))}
    return frozenset(
        name for name, spelled in found.items() if not any(_stands(each, said) for each in spelled)
    )


def _paths(text: str) -> Iterator[str]:
    return (found[0].rstrip(".") for found in _PATH.finditer(text))


def _spellings(mention: Mention) -> Sequence[str]:
    """A file without a folder may be a library: "Node.js" is "node" and "nodejs" as well."""
    name = fold(mention.normal)
    if mention.type is EntityType.FILE and name.endswith(_LIBRARY) and "/" not in name:
        bare = name.removesuffix(_LIBRARY)
        return [name, bare, f"{bare}js"]
    return [name]


def _stands(name: str, said: str) -> bool:
    """
    Whether it is there, and no part of a longer word: `report.c` is not in `report.csv`.

    Where words are written without spaces, a name has those around it: only its own count.
    """
    own = max(UNSPACED.split(name), key=len)
    return re.search(rf"(?<![\w-]){re.escape(own)}(?![\w-])", said, re.ASCII) is not None
