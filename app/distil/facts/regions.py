"""The countries and states that stand behind the name of a place: "Portland, Oregon"."""

import re

from app.distil.facts.values import ENDS_PHRASE, proper
from app.distil.language.places import COUNTRIES, REGIONS

_ABBREVIATED = """A[KLRZ]|CA|C[OT]|DE|FL|GA|HI|IA|I[DLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]
    |PA|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY]|AB|BC|MB|N[BS]|ON|QC|NSW|QLD|UK|USA?|UAE|NZ|D\\.?C\\.?
    |U\\.S\\.A?\\.?|U\\.K\\."""
_FULL = rf"(?:[Tt]he )?(?:{'|'.join((*REGIONS, *COUNTRIES))})"
_SHORT = re.sub(r"\s*\n\s*", "", _ABBREVIATED)
_CAPITALS = re.compile(rf",\s+(?:{_FULL}|{_SHORT})(?!\w)")
_ANY_LETTERS = re.compile(rf",\s+(?:{_FULL}|uk|usa)(?!\w)", re.IGNORECASE)
_MOST = 2
"""Of "Brooklyn, New York, USA"."""

_ASIDE = re.compile(r"\s+(?:btw|rn|lol|atm|tbh|fyi|if|\d{5})\b")

_OF_TWO_NAMES = (
    *("trinidad and tobago", "antigua and barbuda", "bosnia and herzegovina"),
    *("serbia and montenegro", "newfoundland and labrador", "jammu and kashmir"),
    *("turks and caicos", "tyne and wear", "brighton and hove", "dumfries and galloway"),
    *("perth and kinross", "kensington and chelsea", "hammersmith and fulham"),
    *("saint kitts and nevis", "st. kitts and nevis", "st kitts and nevis"),
)


def end_of_regions(text: str, stop: int, *, any_letters: bool = False) -> int:
    """
    Where the regions end that tell which place it is whose name ends at `stop`; there for none.

    With `any_letters` they need no capitals, but then only their full names count.
    """
    pattern = _ANY_LETTERS if any_letters else _CAPITALS
    for _ in range(_MOST):
        found = pattern.match(text, stop)
        if not found or not _ends(text, found.end()):
            break
        stop = found.end()
    return stop


def _ends(text: str, at: int) -> bool:
    """Nothing goes on there: who is called Georgia does something."""
    return bool(ENDS_PHRASE.match(text, at) or _ASIDE.match(text, at))


def somewhere(text: str) -> str | None:
    """A name, with the regions behind it; of two places that "and" joins the first."""
    name = proper(text)
    if name and not name.casefold().startswith(_OF_TWO_NAMES):
        name = name.partition(" and ")[0]
    if name is None or not text.startswith(name):
        return name
    return text[: end_of_regions(text, len(name))]


def is_same_place(one: str, other: str) -> bool:
    """Whether one of two different places tells no more than its region: "Portland, Oregon"."""
    short, long = sorted((one.casefold(), other.casefold()), key=len)
    return long.startswith(f"{short},")
