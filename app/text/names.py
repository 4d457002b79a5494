"""What a query calls by its name, as programs and people number things: PAY-1188, checkout-api."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.text.scripts import fold
from app.text.terms import spelled_names, terms_of

_NUMBER = re.compile(r"\d{3,}")
_SEPARATOR = re.compile(r"(?:\\?[-./\\_:])+")
_SEPARATED = r"[-./\\_: ]?"
"""However it is separated: ORA-00942, ORA 00942, ORA00942."""
_NUMBERED = re.compile(r"[^\W\d].*\d{3}")
"""A ticket, an error, a flight; not an ordinal, an hour or a version, of which several may do."""


@dataclass(frozen=True, slots=True)
class Name:
    """
    The term for all of a name; of one that is numbered its numbers, and what finds, in folded text,
    all that are numbered like it.
    """

    term: str
    numbers: Sequence[str] = ()
    kin: re.Pattern[str] | None = None

    def is_mistaken_in(self, text: str) -> bool:
        """Whether a text names others that are numbered like this one, but not this one."""
        if self.kin is None:
            return False
        found = {each.groups() for each in self.kin.finditer(fold(text))}
        return bool(found) and self.numbers not in found


@dataclass(frozen=True, slots=True)
class Named:
    """The names in a query; `alone` where it says nothing else."""

    names: Sequence[Name] = ()
    alone: bool = False


NOTHING_NAMED = Named()


def named_in(query: str) -> Named:
    spelled = spelled_names(query)
    if not spelled:
        return NOTHING_NAMED
    names = tuple(_name(fold(token), term) for token, term in spelled.items())
    return Named(names, alone=set(terms_of(query)) <= set(terms_of(" ".join(spelled))))


def _name(folded: str, term: str) -> Name:
    if not _NUMBERED.match(folded):
        return Name(term)
    parts = (
        _SEPARATOR.sub(lambda _: _SEPARATED, re.escape(each)) for each in _NUMBER.split(folded)
    )
    kin = re.compile(r"(?<!\w)" + r"(\d{3,})".join(parts) + r"(?!\w)")
    return Name(term, tuple(_NUMBER.findall(folded)), kin)
