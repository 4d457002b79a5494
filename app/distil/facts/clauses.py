"""Where a statement begins inside a sentence, who it is about, and whether it is meant as one."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from app.distil.facts.addresses import end_of_address
from app.distil.facts.listing import end_of_list
from app.distil.facts.meaning import SAID_BY_WHO_KNOWS
from app.distil.facts.regions import end_of_regions
from app.distil.facts.values import proper
from app.distil.language.given_names import GIVEN_NAMES
from app.distil.language.lexicon import KIN, NO_NAMES, ONE_OF_A_KIND
from app.distil.language.sentences import Sentence

MAX_CHARACTERS = 400
"""Of a sentence that is read for facts: what is longer is no plain statement."""

WE = "we"
"""As facts call who speaks, and others with them."""

_JOKE = re.compile(r"\b(?:just kidding|j/k|only joking|haha+|april fool)\b", re.IGNORECASE)

_SPLIT = re.compile(
    r"[,;:\u2013\u2014(]\s+|\s+[-\u2013\u2014]\s+"
    r"|\s+(?:and|but|so|because|while|although|though|since|plus)\s+"
    r"(?=(?:btw\s+)?(?:I|we|my|our|please|never|always|call)\b)"
    r"|\s+and\s+(?=the\s+[\w-]+\s+(?:is|are)\s)"
    r"|\s+(?:and|but)\s+(?=(?:work|live|prefer|use|can't|hate|love|report|reports|speak|own)s?\s)",
)
_FILLER = re.compile(
    r"""
    (?: well | so | ok | okay | yes | yep | yeah | no | nope | and | but | also | actually | btw |
    fyi
    | (?:i\ )?(?:just\ )?wanted\ to\ (?:let\ (?:you|u)\ know|tell\ (?:you|ya|u)|share|say)
      (?:\ that)?
    | guess\ what | (?:just\ )?so\ you\ know | did\ i\ (?:mention|tell\ you)(?:\ that)?
    | by\ the\ way | hi | hello | hey | oh | ah | sorry | thanks | thank\ you | then | plus |
    remember(?:\ that)?
    | note | update | please | scratch\ that | correction | in\ fact | as\ mentioned | right | sure
    | finally | honestly | personally | omg | wow | ugh | bruh | dude | imo | imho | ngl | rn
    | tbh | anyway | pls | plz
    | both(?=\ (?:my|our)\ ) | (?:today | yesterday)(?!\ (?:was|is|marks|marked)\ my\b)
    | recently | meanwhile | reminder
    | now(?=\ (?:i|we)\b) | these\ days | (?:it\ )?turns\ out(?:\ that)?
    | """
    + SAID_BY_WHO_KNOWS
    + r"""
    | as\ of\ (?:today|now) | from\ now\ on | going\ forward | in\ (?:the\ )?future
    | for\ the\ record | big\ news | good\ news | summing\ up | because |
    since
    | (?:after|following|last|this|in\ (?:january|february|march|april|may|june|july|august
    |september
    | october|november|december|\d{4}))\ [^,]{0,30}?(?=\ (?:we|i)\ ) | next\ (?:week|month|year)
    | after\ (?:the|a|some|our)\ (?:\w+\ ){1,3}(?=we|i) )
    (?![\w'])[\s,.!:\u2013\u2014-]{0,4}
    """,
    re.VERBOSE | re.IGNORECASE,
)
_MOST_FILLERS = 4
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}"
_BEFORE_DATE = re.compile(
    rf"(?:day|{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?|\d{{1,2}}(?:st|nd|rd|th)?\s+{_MONTH})\Z",
    re.IGNORECASE,
)
_GOES_ON_AS_DATE = re.compile(
    rf",\s+(?:(?:19|20)\d\d|{_MONTH}\s+\d{{1,2}}|\d{{1,2}}(?:st|nd|rd|th)?\s+{_MONTH})(?!\w)"
    rf"(?:,\s+(?:19|20)\d\d(?!\d))?",
    re.IGNORECASE,
)
_LOOKED_BACK = 20
_OF_SPEAKER = re.compile(
    r"(?P<i>I)(?=['\s]|(?:m|ve)\s)|(?P<we>we)(?=['\s])"
    r"|(?P<both>(?:(?:my|our)\s+(?P<with>[a-z]+)|(?P<called>(?-i:[A-Z])[\w-]+))\s+and\s+I)(?=['\s])"
    r"|(?P<whose>my|our)\s+(?:(?:older|younger|oldest|youngest|eldest|little|big|twin|new|old|late|best|other)\s+)?(?P<kin>[a-z]+)"
    r"(?P<name>'s\s+name)?(?=['\s])",
    re.IGNORECASE,
)


_THEIRS = re.compile(r"\s+(birthday|(?P<name>name))\s+is\b", re.IGNORECASE)


class Who(Enum):
    """Whom a clause is about."""

    SELF = "self"
    WE = "we"
    KIN = "kin"
    NAMED = "named"


@dataclass(frozen=True, slots=True)
class Clause:
    """What is said of `subject`: from `begin` to `stop` in the message; `rest` is behind it."""

    subject: str
    who: Who
    start: int
    begin: int
    stop: int
    rest: str
    single: bool = True
    """Whether there is but one such subject: a wife is, a sister may be one of several."""
    opening: str = ""
    """The words of its subject, where it is said elsewhere or not at all."""


def is_joke(content: str) -> bool:
    """Whether a message takes back what it says."""
    return bool(_JOKE.search(content, 0, 4_000))


def is_short(sentence: Sentence) -> bool:
    """Whether it is read for facts at all; this also bounds what hostile text can cost."""
    return len(sentence.plain) <= MAX_CHARACTERS


def beginnings(sentence: Sentence) -> Iterator[tuple[int, int]]:
    """Where the clauses of a sentence start and stop in its text, without what fills."""
    starts = [0]
    stops: list[int] = []
    within = 0
    for found in _SPLIT.finditer(sentence.plain):
        if found.start() >= within:
            within = _end_of_what_goes_on(sentence.plain, found.start())
        if found.start() < within or _is_of_both(sentence.plain, starts[-1], found):
            continue
        stops.append(found.start())
        starts.append(found.end())
    stops.append(len(sentence.plain))
    for start, stop in zip(starts, stops, strict=True):
        yield behind_fillers(sentence.plain, start, stop), stop


def _is_of_both(plain: str, start: int, joint: re.Match[str]) -> bool:
    """Whether an "and" joins the subject, "My wife and I"."""
    if not plain.startswith("I", joint.end()) or "and" not in joint[0]:
        return False
    found = _OF_SPEAKER.match(plain, behind_fillers(plain, start, joint.start()))
    return bool(found and found["both"] and found.end() == joint.end() + 1 and _is_somebody(found))


def _end_of_what_goes_on(plain: str, at: int) -> int:
    """Behind a comma of a list, of a date or an address: where that ends; else `at`."""
    if not plain.startswith(",", at):
        return at
    date = _GOES_ON_AS_DATE.match(plain, at)
    day = date and _BEFORE_DATE.search(plain, max(at - _LOOKED_BACK, 0), at)
    if date and day:
        return date.end()
    at = end_of_address(plain, at)
    return max(end_of_regions(plain, at), end_of_list(plain, at))


def behind_fillers(plain: str, start: int, stop: int) -> int:
    """Where a statement begins at the earliest: "Also, don't …" begins with "don't"."""
    for _ in range(_MOST_FILLERS):
        filler = _FILLER.match(plain, start, stop)
        if not filler:
            break
        start = filler.end()
    return start


def clause_at(plain: str, start: int, stop: int, speaker: str) -> Clause | None:
    """The clause there, where it begins with a subject that is understood."""
    found = _OF_SPEAKER.match(plain, start, stop)
    if not found:
        return _about_named(plain, start, stop)
    if found["both"] and not _is_somebody(found):
        return None
    if found["kin"]:
        return _about_kin(found, speaker, stop)
    who = Who.SELF if found["i"] else Who.WE
    subject = speaker if found["i"] else WE
    return Clause(subject, who, start, found.end(), stop, plain[found.end() : stop])


def _is_somebody(found: re.Match[str]) -> bool:
    """Whether one and "I" are "we": a wife, or Anna, and no "Redis and I"."""
    return found["with"] in KIN or (found["called"] or "").casefold() in GIVEN_NAMES


def _about_kin(found: re.Match[str], speaker: str, stop: int) -> Clause | None:
    kin = found["kin"].casefold()
    if kin not in KIN:
        return _about_theirs(found, kin.removesuffix("s"), speaker, stop)
    end = found.end() + len(_called(found, stop))
    rest = found.string[end:stop]
    if found["name"]:
        rest = re.sub(r"\A\s+is\b", " is called", rest)
    subject = f"{speaker}'s {kin}"
    only = kin in ONE_OF_A_KIND
    return Clause(subject, Who.KIN, found.start(), end, stop, rest, only)


def _about_theirs(found: re.Match[str], kin: str, speaker: str, stop: int) -> Clause | None:
    """What is theirs, typed without a sign: "my wifes birthday is …"."""
    own = _THEIRS.match(found.string, found.end(), stop) if kin in ONE_OF_A_KIND else None
    if own is None:
        return None
    behind = found.string[own.end() : stop]
    rest = f" is called{behind}" if own["name"] else f"'s {own[1]} is{behind}"
    return Clause(f"{speaker}'s {kin}", Who.KIN, found.start(), found.end(), stop, rest)


def _called(found: re.Match[str], stop: int) -> str:
    """The name behind "my wife", with the blank before it."""
    said = found.string[found.end() : stop]
    name = proper(said.removeprefix(" ").split(" ", 1)[0])
    return f" {name}" if name and said.startswith(f" {name} ") else ""


def _about_named(plain: str, start: int, stop: int) -> Clause | None:
    words = plain[start : min(stop, start + 60)].split(" ")
    name = proper(" ".join(words[:2]))
    if not name or name.casefold() in NO_NAMES or not plain.startswith(name, start):
        return None
    begin = start + len(name)
    return Clause(name, Who.NAMED, start, begin, stop, plain[begin:stop])
