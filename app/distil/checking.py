"""Whether a text that a model wrote says only what it could have read."""

import re

from app.distil.tagging import identifiers_named

_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")


def invented(text: str, said: str) -> frozenset[str]:
    """The numbers and identifiers of `text` that are nowhere in `said`, letter by letter."""
    told = frozenset(_NUMBER.findall(said))
    numbers = {each for each in _NUMBER.findall(text) if each not in told}
    folded = said.casefold()
    named = {each for each in identifiers_named(text) if each.casefold() not in folded}
    return frozenset(numbers | named)
