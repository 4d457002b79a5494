"""Reading where somebody was, or is at home."""

import re

from app.distil.facts.regions import somewhere
from app.distil.language.lexicon import CALENDAR
from app.distil.language.world import WORLD
from app.domain.entities import EntityType

_A_STAY = re.compile(
    r"\s+for\s+(?:[\w-]+\s+){0,2}(?:nights?|days?|weeks?|weekends?|months?|dinner|lunch|work)\b"
)


def place(text: str) -> str | None:
    """Somewhere with a name; no month, and nobody's house."""
    name = somewhere(text)
    return name if name and name.casefold() not in CALENDAR and not name.endswith("'s") else None


def settled(text: str) -> str | None:
    """A place that all know, in which one stays: not "Paris for a week"."""
    name = known_place(text)
    return None if name is None or _A_STAY.match(text, len(name)) else name


def known_place(text: str) -> str | None:
    """A place that all know: what "we" move to may be a tool."""
    name = place(text)
    known = name and WORLD.get(name.partition(",")[0].casefold()) is EntityType.PLACE
    return name if known else None
