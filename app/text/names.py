"""What a query calls by its name, as programs and people number things: PAY-1188, checkout-api."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.text.remembered import remembered
from app.text.scripts import fold
from app.text.terms import spelled_names, terms_of

_NUMBER, _SHORT_NUMBER = re.compile(r"\d{3,}"), re.compile(r"\d{2,}")
_SEPARATOR = re.compile(r"(?:\\?[-./\\_:])+")
_SEPARATED = r"[-./\\_: ]?"
"""However it is separated: ORA-00942, ORA 00942, ORA00942."""
_NUMBERED = re.compile(r"[^\W\d].*\d{3}")
"""A ticket, an error, a flight; not an ordinal, an hour or a version, of which several may do."""
_SHORTLY = re.compile(r"[a-z]{1,4}-?\d{2}")
"""What is numbered with two figures: E07, P-12."""
_COMMIT = re.compile(r"(?<!\w)((?=\d*[a-f])(?=[a-f]*\d)[\da-f]{7,40})(?!\w)")
"""A commit, by the first of its figures or all: 92ef6a1. It is numbered, of no series."""
_ITS_NUMBER = r"\s+(?:number |no\.? ?|nr\.? ?)?#?(\d{2,})(?![\w.:-]*\w)"
_BEHIND_WORD = re.compile(
    r"\b((?:exit |error |status |http )?code|error|exit status|sqlstate|invoice|order"
    r"|ticket|issue|incident|bug|case|pr|pull request|port|room|gate|flight|chapter|page)"
    rf"{_ITS_NUMBER}"
)
"""What is numbered behind a word: "exit code 143", "invoice #1188"."""
_MARKED = re.compile(r"(?<![\w&])#(\d{2,})(?![\w.:-]*\w)")
"""What has no word at all: "#4312"."""


@dataclass(frozen=True, slots=True)
class Name:
    """
    The term for all of a name; of one that is numbered its numbers, and what finds, in folded text,
    all that are numbered like it.
    """

    term: str
    numbers: tuple[str, ...] = ()
    kin: re.Pattern[str] | None = None

    def is_mistaken_in(self, text: str) -> bool:
        """Whether a text names others that are numbered like this one, but not this one."""
        found = self._numbered_in(text)
        return bool(found) and self.numbers not in found

    def is_in(self, text: str) -> bool:
        """Whether a text names this one, which is numbered, however it is separated there."""
        return self.numbers in self._numbered_in(text)

    def _numbered_in(self, text: str) -> frozenset[tuple[str, ...]]:
        """The numbers of each in a text that is numbered like this one."""
        if self.kin is None:
            return frozenset()
        return frozenset(each.groups() for each in self.kin.finditer(fold(text)))


@dataclass(frozen=True, slots=True)
class Named:
    """The names in a query; `alone` where it says nothing else."""

    names: Sequence[Name] = ()
    alone: bool = False

    @property
    def numbered(self) -> Sequence[Name]:
        """Those of which a text may name another: of a series, or commits."""
        return [each for each in self.names if each.kin is not None]


NOTHING_NAMED = Named()


@remembered
def named_in(query: str) -> Named:
    spelled, numbered = spelled_names(query), tuple(_numbered_in(fold(query)))
    if not spelled and not numbered:
        return NOTHING_NAMED
    names = tuple(_name(fold(token), term) for token, term in spelled.items())
    alone = bool(spelled) and set(terms_of(query)) <= set(terms_of(" ".join(spelled)))
    return Named((*names, *numbered), alone=alone)


def _name(folded: str, term: str) -> Name:
    if _COMMIT.fullmatch(folded):
        return Name(term, (folded,), _COMMIT)
    if _SHORTLY.fullmatch(folded):
        number = _SHORT_NUMBER
    elif _NUMBERED.match(folded):
        number = _NUMBER
    else:
        return Name(term)
    parts = (_SEPARATOR.sub(lambda _: _SEPARATED, re.escape(each)) for each in number.split(folded))
    kin = re.compile(r"(?<!\w)" + f"({number.pattern})".join(parts) + r"(?!\w)")
    return Name(term, tuple(number.findall(folded)), kin)


def _numbered_in(folded: str) -> Iterator[Name]:
    told = set[str]()
    for found in _BEHIND_WORD.finditer(folded):
        last = re.escape(found[1].split()[-1])
        kin = re.compile(rf"\b{last}s?{_ITS_NUMBER}")
        told.add(found[2])
        yield Name(found[2], (found[2],), kin)
    for number in _MARKED.findall(folded):
        if number not in told:
            yield Name(number, (number,), _MARKED)
