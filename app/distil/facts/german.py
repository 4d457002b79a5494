"""Whom one works for, as it is told in German: "Heute war mein erster Tag bei Bosch"."""

import re
from collections.abc import Sequence

from app.distil.facts.fact import Tense
from app.distil.facts.firms import firm, known_firm
from app.distil.facts.statement import Statement

_DAY = "(?:Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonntag)"
_WHEN = (
    rf"(?:heute|gestern|vorgestern|gerade(?:\s+erst)?|neulich|k\u00fcrzlich|vor\s+kurzem|jetzt|nun|neu"
    rf"|endlich|inzwischen|mittlerweile|(?:(?:am|letzten|diesen)\s+)?{_DAY}|(?:letzte|diese)\s+Woche"
    r"|(?:letzten|diesen)\s+Monat|(?:im|seit|Anfang|Mitte|Ende)\s+[A-Z]\w+"
    r"|vor\s+\w+\s+(?:Tag|Woche|Monat)(?:e|en|n)?|seit\s+\w+\s+(?:Tag|Woche|Monat|Jahr)(?:e|en|n)?"
    r"|seit\s+(?:heute|gestern|kurzem|\d{4})|seit\s+letzter\s+Woche)"
)
_SINCE = r"(?:jetzt|inzwischen|mittlerweile|derzeit|aktuell|seit\s+(?:\w+\s+)?\w+)"
_STILL = r"(?:derzeit|aktuell|momentan|immer\s+noch|noch|weiterhin|schon|auch)"
_WORD = r"(?-i:[^\W\d_a-z])[\w&-]*"
_AT = rf"\s+bei\s+(?:der\s+Firma\s+)?(?P<at>{_WORD}(?:\s{_WORD}){{0,2}}?)"
_FOR = _AT.replace("bei", "f\u00fcr").replace("at>", "of>")
_THEN = rf"(?:\s+{_WHEN})?"
_ENDS = r"(?=\s*(?:\Z|[,.;!(\u2013\u2014-])|\s+(?:und|aber|als|in|mit|nach|zu\s+Ende|vorbei)\b)"
_FIRST, _LAST = (rf"mein\s+{each}\s+(?:Arbeits)?tag" for each in ("erster", "letzter"))
_HAD = r"(?:ich\s+hatte\s+(?:heute|gestern)|(?:heute|gestern)\s+hatte\s+ich)\s+meinen"
_JOB = r"(?:den|einen(?:\s+neuen)?|die|eine(?:\s+neue)?)\s+(?:Job|Stelle|Arbeitsstelle)"
_I_HAVE = rf"(?:ich\s+hab(?:e)?|{_WHEN}\s+hab(?:e)?\s+ich)"
_I_WORK = rf"(?:ich\s+arbeite(?:\s+(?:{_WHEN}|{_STILL}))*|{_SINCE}\s+arbeite\s+ich)"

_FORMS: Sequence[tuple[str, Tense, bool]] = [
    (rf"(?:heute\s+ist|{_WHEN}\s+war)\s+{_FIRST}{_AT}{_ENDS}", Tense.NOW, True),
    (rf"{_FIRST}{_AT}\s+war\s+{_WHEN}{_ENDS}", Tense.NOW, True),
    (rf"{_I_HAVE}{_THEN}{_AT}{_THEN}\s+angefangen{_ENDS}", Tense.NOW, True),
    (rf"{_I_HAVE}{_THEN}\s+{_JOB}{_AT}{_THEN}\s+(?:bekommen|gekriegt){_ENDS}", Tense.NOW, True),
    (rf"{_HAD}\s+ersten\s+(?:Arbeits)?tag{_AT}{_ENDS}", Tense.NOW, True),
    (rf"{_HAD}\s+letzten\s+(?:Arbeits)?tag{_AT}{_ENDS}", Tense.PAST, True),
    (rf"{_I_WORK}(?:{_AT}|{_FOR}){_THEN}{_ENDS}", Tense.NOW, True),
    (
        rf"ich\s+arbeite(?:\s+{_WHEN})?\s+nicht(?:\s+(?:mehr|l\u00e4nger))?{_AT}{_ENDS}",
        Tense.NOW,
        False,
    ),
    (rf"(?:heute\s+ist|{_WHEN}\s+war)\s+{_LAST}{_AT}{_ENDS}", Tense.PAST, True),
    (rf"{_LAST}{_AT}\s+(?:war\s+{_WHEN}|ist\s+heute){_ENDS}", Tense.PAST, True),
    (rf"{_I_HAVE}{_THEN}{_AT}{_THEN}\s+(?:gek\u00fcndigt|aufgeh\u00f6rt){_ENDS}", Tense.PAST, True),
]
_READ = [(re.compile(form, re.IGNORECASE), tense, positive) for form, tense, positive in _FORMS]
_DOUBTED = re.compile(
    r"\b(?:vielleicht|wenn|falls|h\u00e4tte|w\u00fcrde|w\u00e4re|angeblich|fast|beinahe|sagt|sagte|meint|glaube"
    r"|hoffe|denke|tr\u00e4um\w*|gewechselt|danach|sp\u00e4ter)\b",
    re.IGNORECASE,
)
_NO_FIRMS = frozenset(
    """regen nacht tag licht l\u00e4rm musik freunden familie leuten kunden verwandten nachbarn
    eltern gericht kaffee hitze schnee sonne gelegenheit bedarf null tisch mutter vater oma opa mama
    papa schwester bruder tante onkel allem ihm ihr ihnen euch uns mir dir problemen
    fragen""".split()
)
"""Nouns have capitals, too."""

_CONFIDENCE = 0.85


def work_in_german(clause: str) -> Statement | None:
    """What a sentence that begins with `clause` says of whom its speaker works for, or no more."""
    for form, tense, positive in _READ:
        found = form.match(clause)
        name = _employer(found) if found and not _DOUBTED.search(clause) else None
        if name:
            return Statement(
                subject=None,
                attribute="works_at",
                value=name,
                confidence=_CONFIDENCE,
                positive=positive,
                tense=tense,
            )
    return None


def _employer(found: re.Match[str]) -> str | None:
    """A name that may be a firm's; what one works "f\u00fcr" must be known as one."""
    told = found.groupdict()
    if of := told.get("of"):
        return of if known_firm(of) == of else None
    name = found["at"]
    is_firm = firm(name) == name and name.split()[0].casefold() not in _NO_FIRMS
    return name if is_firm else None
