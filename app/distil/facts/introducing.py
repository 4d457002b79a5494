"""Who "Hi! I'm Teodor, a nurse from Brno." is, and how "my sister Ida" is called."""

import re
from collections.abc import Iterator

from app.distil.facts.statement import Statement
from app.distil.facts.values import kind_of, occupation, proper
from app.distil.language.lexicon import KIN, ONE_OF_A_KIND, SEVERAL_OF_KIN

_INTRODUCED = re.compile(
    r"\A(?:hi|hello|hey|good (?:morning|evening|afternoon))\b[^.!?]{0,20}[.!,]\s*"
    r"(?P<said>I['\u2019]m\s+(?P<rest>[^.!?\n]{1,120})(?=[.!\n]|\Z))",
    re.IGNORECASE,
)
_READ = 250
"""Characters of a message: who introduces themselves does so at once."""

_APPOSED = re.compile(r",\s+(?=an?\s)")
_ORIGIN = re.compile(r"\s+from\s+")
_ANOTHER = re.compile(r"(?:,|\s+and)\s+(?=(?:I|we|my|our)\b)", re.IGNORECASE)
_CONFIDENCE = 0.85

_KIN = re.compile(
    r"\b[Mm]y\s+(?:(?:older|younger|little|big|twin|best|new)\s+)?(?P<kin>[a-z]{3,12})\s(?=[^\W\d_a-z])"
)
_CALLED_BY_NAME = (
    KIN
    - SEVERAL_OF_KIN
    - {"car", "boat", "company", "team", "project", "employer", "baby", "child"}
)
_FICTION = re.compile(
    r"\b(?:novel|story|film|movie|character|dream|fictional|pretend|imagine|suppose)\b",
    re.IGNORECASE,
)


def introduction(content: str) -> re.Match[str] | None:
    """Where somebody says who they are; a bare "I'm …" is a name behind a greeting only."""
    found = _INTRODUCED.search(content, 0, _READ)
    name = proper(found["rest"]) if found else None
    return found if name and not kind_of(name) else None


def introducing_words(found: re.Match[str]) -> str:
    """What is said of who it is, up to what they say they do."""
    return _ANOTHER.split(found["rest"], maxsplit=1)[0].strip()


def introduced(rest: str) -> Iterator[Statement]:
    """What follows "I'm": a name, and it may be a job and where they come from."""
    name = proper(rest) or ""
    yield _of_speaker("name", name)
    apposed = _APPOSED.match(rest, len(name))
    job = occupation(rest[apposed.end() :]) if apposed else None
    if job:
        yield _of_speaker("job", job)
    origin = _ORIGIN.search(rest)
    place = proper(rest[origin.end() :]) if origin else None
    if place:
        yield _of_speaker("from", place)


def kin_named(plain: str, speaker: str) -> Iterator[tuple[Statement, int, int]]:
    """Those whose name stands behind what they are to the speaker, each with its place."""
    if _FICTION.search(plain):
        return
    for found in _KIN.finditer(plain):
        kin, name = found["kin"].casefold(), proper(plain[found.end() :])
        if kin in _CALLED_BY_NAME and name and not kind_of(name):
            subject = f"{speaker}'s {kin}"
            statement = Statement(
                subject=subject,
                attribute="name",
                value=name,
                confidence=_CONFIDENCE,
                single=kin in ONE_OF_A_KIND,
            )
            yield statement, found.start(), found.end() + len(name)


def _of_speaker(attribute: str, value: str) -> Statement:
    return Statement(subject=None, attribute=attribute, value=value, confidence=_CONFIDENCE)
