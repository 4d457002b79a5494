"""Who "Hi! I'm Teodor, a nurse from Brno." is, and how "my sister Ida" is called."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from app.distil.facts.figures import age, aged
from app.distil.facts.persons import is_state
from app.distil.facts.statement import Statement
from app.distil.facts.trades import employer, occupation, office
from app.distil.facts.values import kind_of, proper
from app.distil.language.given_names import GIVEN_NAMES
from app.distil.language.lexicon import KIN, ONE_OF_A_KIND, ONE_OF_FEW, SEVERAL_OF_KIN
from app.distil.language.surnames import as_spelled, end_of_surname

_GREETING = r"(?:hi+|hello|hey+|hiya|good\s(?:morning|evening|afternoon))\b"
_INTRODUCED = re.compile(
    rf"\A{_GREETING}(?:[^.!?]{{0,20}}[.!,]\s*|(?:\s+(?:there|all|everyone))?\s+)"
    r"(?P<said>I['\u2019]?m\s+(?P<rest>[^.!?\n]{1,120})(?=[.!\n]|\Z))",
    re.IGNORECASE,
)
_BY_GIVEN_NAME = re.compile(
    rf"""
    \A\s*
    (?P<greeting> {_GREETING}
      (?: [^.!?,\n]{{0,20}}[.!,]\s* | (?:\s+(?:there|again|all|everyone|guys|folks))?\s+ )
    )?
    (?P<said>
      (?: i['\u2019]m | my\s+names
        | (?P<greeted> im | i\s+am ) | (?P<it> it['\u2019]?s | this\s+is ) )
      \s+(?P<name> [^\W\d_]{{2,12}} )(?![\w'\u2019-])
    )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_BEHIND_A_NAME = re.compile(
    r"""
    \s*(?:\Z|[\n.!,;])
    | \s+(?:here|again|btw|nice|pleased|glad|happy|thanks|thx|from|i|im|ive|my|can|could|please
      |and\s+(?:i|im|ive|my|we|our|ur|your|the|this))\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""What may go on there: "im Max level" and "it's Anna's" are none."""

_OF_ANOTHER = re.compile(
    r"\W*(?:she|he|they|her|his|their|who|and|or|not|my|our|the|that)\b", re.IGNORECASE
)
"""Behind "it's Anna": somebody whom the speaker tells of."""

_READ = 250
"""Characters of a message: who introduces themselves does so at once."""

_APPOSED = re.compile(r",\s+(?=an?\s)")
_WHAT_ONE_IS = re.compile(r",\s+an?\s+[^.,;!?\n]{1,80}(?=[.,;!\n]|\Z)", re.IGNORECASE)
_ORIGIN = re.compile(r"\s+from\s+")
_ANOTHER = re.compile(r"(?:,|\s+and)\s+(?=(?:I|we|my|our)\b)", re.IGNORECASE)
_CONFIDENCE = 0.85

_KIN = re.compile(
    r"\b(?:[Mm]y|[Oo]ur)\s+(?:(?:older|younger|little|big|twin|best|new)\s+)?(?P<kin>[a-z]{3,12})\s(?=[^\W\d_a-z])"
)
_CALLED_BY_NAME = (
    KIN
    - SEVERAL_OF_KIN
    - {"car", "boat", "company", "team", "project", "employer", "baby", "child"}
)
_AGE_IN_PASSING = re.compile(r",\s(?P<age>\d{1,2}),\s")
_FICTION = re.compile(
    r"\b(?:novel|story|film|movie|character|dream|fictional|pretend|imagine|suppose)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Introduction:
    """content[start:stop] of a message, and what it says of who speaks, names with capitals."""

    start: int
    stop: int
    words: str


def introduction(content: str) -> Introduction | None:
    """
    Where somebody says who they are.

    A bare "I'm …" is a name behind a greeting only, or where it is known as one: "i'm jo".
    """
    found = _INTRODUCED.search(content, 0, _READ)
    name = proper(found["rest"]) if found else None
    if found and name and not kind_of(name) and not _is_no_name(name, found["rest"]):
        words = _ANOTHER.split(found["rest"], maxsplit=1)[0].strip()
        return Introduction(found.start("said"), found.start("rest") + len(words), words)
    return _by_given_name(content)


def _is_no_name(name: str, rest: str) -> bool:
    """Whether what "I'm" begins tells how or what somebody is: "Stuck", "Team Lead"."""
    return is_state(name, rest.removeprefix(name)) or office(rest) is not None


def _by_given_name(content: str) -> Introduction | None:
    found = _BY_GIVEN_NAME.match(content, 0, _READ)
    if not found or found["name"].casefold() not in GIVEN_NAMES:
        return None
    stop = end_of_surname(content, found.end())
    alone = not found["greeting"] and (found["greeted"] or found["it"])
    if alone or not _BEHIND_A_NAME.match(content, stop):
        return None
    if found["it"] and _OF_ANOTHER.match(content, stop):
        return None
    name = as_spelled(" ".join(content[found.start("name") : stop].split()))
    more = _WHAT_ONE_IS.match(content, stop)
    return Introduction(
        found.start("said"), more.end() if more else stop, name + (more[0] if more else "")
    )


def introduced(rest: str) -> Iterator[Statement]:
    """What follows "I'm": a name, and it may be a job and where they come from."""
    name = proper(rest) or ""
    yield _of_speaker("name", name)
    apposed = _APPOSED.match(rest, len(name))
    said = re.sub(r"\Aan?\s+(?=\d)", "", rest[apposed.end() :]) if apposed else ""
    if years := age(said):
        yield _of_speaker("age", years)
    job = occupation(aged(said))
    if apposed and job:
        yield _of_speaker("job", job)
        if at := employer(said, job):
            yield _of_speaker("works_at", at)
    origin = _ORIGIN.search(rest)
    place = proper(rest[origin.end() :]) if origin else None
    if place:
        yield _of_speaker("from", place)


def who_is(speaker: str, words: str) -> str:
    """The words behind "I'm" as another tells them, without the name by which this is told."""
    name = proper(words) or ""
    more = words[len(name) :].lstrip(" ,")
    return f"{speaker} is {more if more and name.casefold() == speaker.casefold() else words}"


def kin_named(plain: str, speaker: str) -> Iterator[tuple[Statement, int, int]]:
    """Those whose name stands behind what they are to the speaker, each with its place."""
    several = list(_KIN.finditer(plain))
    if several and _FICTION.search(plain):
        return
    for found in several:
        kin, name = found["kin"].casefold(), proper(plain[found.end() :])
        if kin in _CALLED_BY_NAME and name and not kind_of(name):
            subject = f"{speaker}'s {kin}"
            yield from _aged(subject, found, name)
            statement = Statement(
                subject=subject,
                attribute="name",
                value=name,
                confidence=_CONFIDENCE,
                single=kin in ONE_OF_A_KIND,
            )
            yield statement, found.start(), found.end() + len(name)


def _aged(subject: str, found: re.Match[str], name: str) -> Iterator[tuple[Statement, int, int]]:
    """How old one of few is, as is said in passing: "my wife Ida, 41, …"."""
    told = _AGE_IN_PASSING.match(found.string, found.end() + len(name))
    kin = found["kin"].casefold()
    if told and kin in ONE_OF_FEW:
        statement = Statement(
            subject=subject,
            attribute="age",
            value=told["age"],
            confidence=_CONFIDENCE,
            single=kin in ONE_OF_A_KIND,
        )
        yield statement, found.start(), told.end("age")


def _of_speaker(attribute: str, value: str) -> Statement:
    return Statement(subject=None, attribute=attribute, value=value, confidence=_CONFIDENCE)
