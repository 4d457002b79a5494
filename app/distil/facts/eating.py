"""What people eat again, and which diet that ends."""

import re
from collections.abc import Mapping

from app.distil.facts.values import normal

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


def eaten_again(text: str) -> str | None:
    """What somebody eats who did not before: "meat" of "meat again"."""
    found = _AGAIN.match(text)
    return found["what"] if found and found["again"] else None


def is_ruled_out(food: str, diet: str) -> bool:
    """Whether who keeps to a diet eats no such food."""
    return normal(food) in _RULED_OUT.get(normal(diet), frozenset())
