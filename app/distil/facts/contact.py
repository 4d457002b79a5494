"""Where somebody is reached from now on: "I've got a new phone number, 555 0202."."""

import re
from dataclasses import dataclass

from app.distil.facts.figures import email, phone
from app.distil.facts.statement import Statement

_RENEWED = re.compile(
    r"""
    I(?:'ve|'m|\s+have|\s+am)?\s+(?:(?:just|finally|now|recently|also)\s+)?
    (?:got|gotten|have|using|changed|switched|updated)\s+
    (?:(?:over\s+)?to\s+)?(?:an?|my)\s+(?:new\s+)?
    (?:(?P<phone>(?:(?:phone|mobile|cell|telephone)\s+)?number)|(?P<email>e-?mail(?:\s+address)?))
    (?:\s+now)?(?:\s*[,:;(\u2013\u2014-]\s*|\s+)
    (?:(?:and\s+)?(?:it's|it\s+is|which\s+is|that's|to|is)\s+)?
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Reached:
    """What is stated, and where in the sentence that ends."""

    statement: Statement
    stop: int


def reached_at(plain: str, start: int) -> Reached | None:
    """A new number or address that begins there, whatever parts it from what it is."""
    found = _RENEWED.match(plain, start)
    if not found:
        return None
    kind, read = ("phone", phone) if found["phone"] else ("email", email)
    value = read(plain[found.end() :])
    if not value:
        return None
    statement = Statement(subject=None, attribute=kind, value=value, confidence=0.9)
    return Reached(statement, found.end() + len(value))
