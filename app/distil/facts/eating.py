"""What people eat again, which diet that ends, and which one they begin."""

import re
from collections.abc import Mapping

from app.distil.facts.values import ENDS_PHRASE, normal
from app.distil.language.lexicon import DIETS

_AGAIN = re.compile(
    r"(?P<what>meat|red meat|chicken|beef|pork|lamb|fish|seafood|shellfish|eggs|dairy|cheese)"
    r"(?:,?\s+(?P<again>again|now(?!\s+and\b)|these days|once more))*"
    r"\s*(?=\Z|[,.;!]|\s(?:and|but|since)\b)",
    re.IGNORECASE,
)
_MEAT = frozenset({"meat", "red meat", "chicken", "beef", "pork", "lamb"})
_FISH = frozenset({"fish", "seafood", "shellfish"})
_RULED_OUT: Mapping[str, frozenset[str]] = {
    "vegan": _MEAT | _FISH | {"eggs", "dairy", "cheese"},
    "vegetarian": _MEAT | _FISH,
    "pescatarian": _MEAT,
}
DIETS_THAT_END = tuple(sorted(_RULED_OUT))
"""Diets that one ends by what one eats."""

_DIET = re.compile(rf"(?:an?\s+)?({DIETS})(?![\w-])", re.IGNORECASE)
_A_WHILE = re.compile(r"\s+for\s+(?!good\b|my\b|the\s+animals\b|ethical\b)\w+", re.IGNORECASE)


def eaten_again(text: str) -> str | None:
    """What somebody eats who did not before: "meat" of "meat again"."""
    found = _AGAIN.match(text)
    return found["what"] if found and found["again"] else None


def is_ruled_out(food: str, diet: str) -> bool:
    """Whether who keeps to a diet eats no such food."""
    return normal(food) in _RULED_OUT.get(normal(diet), frozenset())


def diet_begun(text: str) -> str | None:
    """What one became, for good: "vegan", not "vegan shopping", nor "vegan for a week"."""
    found = _DIET.match(text)
    ends = found and ENDS_PHRASE.match(text, found.end()) and not _A_WHILE.match(text, found.end())
    return found[1] if found and ends else None
