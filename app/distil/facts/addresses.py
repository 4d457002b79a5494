"""Reading postal addresses: "14 Millstream Lane, Keynsham"."""

import re

from app.distil.facts.values import proper

_STREET = (
    r"(?:\d{1,5}[A-Za-z]?,?\s+[A-Z][\w'.-]*(?:\s+[A-Z][\w'.-]*){0,4}"
    r"|[A-Z][\w'.-]*(?:\s+[A-Z][\w'.-]*){0,3}\s+\d{1,4}[a-z]?)"
)
_UNIT = r"(?:(?:Flat|Apartment|Apt\.?|Unit|Floor|No\.?)\s+\w{1,5})"
_TOWN = r"(?:\d{4,5}\s+)?[A-Z][\w'-]*(?:[ -][A-Z\d][\w'-]*){0,4}"
_POSTAL = re.compile(
    rf"(?:{_UNIT},\s+)?{_STREET}(?:,\s+{_UNIT})?(?:,\s+(?:\d{{4,5}}\s+)?(?P<town>{_TOWN}))?"
    rf"(?:,\s+{_TOWN}){{0,3}}"
)
_BEFORE_ADDRESS = re.compile(r"\baddress(?:'s|\s+is)(?:\s+now)?:?\s+(?=[\dA-Z])")
_LOOKED_BACK = 80
_OF_HOME = frozenset({"address", "home address"})


def address(text: str) -> str | None:
    """A street with its number, and the town."""
    found = _POSTAL.match(text)
    return found[0] if found else None


def home_told(attribute: str, value: str) -> str | None:
    """The town that the address of somebody's home tells, without its code."""
    found = _POSTAL.match(value) if attribute in _OF_HOME else None
    town = re.sub(r"\A\d+\s+", "", found["town"] or "") if found else ""
    words = [each for each in town.split() if not re.search(r"\d", each)]
    return proper(" ".join(words)) if words else None


def end_of_address(plain: str, comma: int) -> int:
    """Where the address ends that a comma goes on with; `comma` if it belongs to none."""
    start = max(comma - _LOOKED_BACK, 0)
    if plain.find("address", start, comma) < 0:
        return comma
    for found in _BEFORE_ADDRESS.finditer(plain, start, comma):
        told = _POSTAL.match(plain, found.end())
        if told and told.end() > comma:
            return told.end()
    return comma
