"""Reading what people do for a living, and where."""

import re

from app.distil.facts.values import ENDS_PHRASE, proper, thing
from app.distil.language.given_names import GIVEN_NAMES
from app.distil.language.lexicon import EMPLOYERS, NO_WORKPLACES, OCCUPATIONS
from app.text.patterns import one_of

_TRADES = OCCUPATIONS | frozenset(
    """paralegal producer technologist technician secretary receptionist cashier bartender butcher
    actor actress singer artist illustrator sculptor animator filmmaker cinematographer screenwriter
    author novelist blogger coach trainer tutor instructor detective policeman policewoman soldier
    carer caregiver nanny housekeeper cleaner janitor roofer welder machinist bricklayer surveyor
    optician optometrist radiologist cardiologist paediatrician pediatrician neurologist
    veterinarian astronomer geologist statistician attorney solicitor barrister bookkeeper auditor
    broker recruiter strategist marketer copywriter publicist hairdresser barber beautician florist
    jeweller seamstress fisherman miner sailor stewardess steward courier trucker entrepreneur
    dietitian nutritionist physiotherapist radiographer
    medic phlebotomist sommelier beekeeper""".split()
)
_OFFICE = re.compile(
    r"(?:(?:the|an?|now|also)\s+)*(?P<office>(?:technical |solo )?(?:co-?)?founder|c[etfompi]o|ciso"
    r"|(?:vice[- ])?president|(?:tech|team|engineering|design|product|research) lead"
    r"|(?:managing|creative|art|technical|engineering|sales|marketing|medical|executive) director"
    r"|(?:(?:deputy )?head|(?:senior )?director|vp|vice president)"
    r" of (?!(?:an?|the|my|our)\b)[a-z]+(?: (?:and )?[a-z]+)?)"
    r"(?=\s*(?:$|[,.;!)]|\s(?:of|at|for|and|in|here|now)\b))",
    re.IGNORECASE,
)
"""What one is in a firm, whether there is but one of it or not."""

_AT = re.compile(r"\s+at\s+", re.IGNORECASE)
_FIRM_NAMED = re.compile(
    r"\s+(?:of|at|for)\s+(?:(?:an?|my|our|the)\s+(?:[a-z-]+\s+){1,3}?(?:called|named)\s+)?(?=[A-Z])"
)
_KNOWN_FIRM = re.compile(
    rf"(?P<name>(?i:{one_of(*sorted(map(re.escape, EMPLOYERS)))}))"
    r"\s+(?:now|these days|since\b|for (?:\w+ )?(?:years|months)|as an?\b|doing\b|working\b)"
)
_RATED = frozenset(
    """bad good better best worse worst great terrible lousy decent poor amazing horrible slow fast
    careful lucky passionate big huge real regular frequent heavy light fellow natural""".split()
)
"""Who is a bad cook, or a careful driver, is none by trade."""

_NO_JOB_NOW = _RATED | frozenset("aspiring wannabe would-be future former ex".split())
_JOB = re.compile(r"(?:(?:an?|the)\s+)?(?P<job>[\w-]+(?:\s+[\w-]+){0,2})", re.IGNORECASE)
_WORD = re.compile(r"[\w-]+")
_NO_TRADE = re.compile(r"['\u2019]s\b|\s+(?:by|in) (?:training|education)\b")
"""Behind what one is not: "a teacher's assistant", "a lawyer by training"."""

_SOMEBODY = frozenset(
    "client customer guy man woman person neighbour neighbor stranger couple family".split()
)
_HOW_ONE_WORKS = frozenset(
    """pace living desk friend loss computer keyboard speed rate level discount fraction standstill
    while bit distance stretch laptop""".split()
)


def occupation(text: str) -> str | None:
    """A job with up to three words, "product designer"."""
    found = _JOB.match(text)
    if not found or "\x00" in text[:40]:
        return None
    words = list(_WORD.finditer(text, *found.span("job")))
    stop = max((each.end() for each in words if each[0].casefold() in _TRADES), default=None)
    if stop is None or words[0][0].casefold() in _NO_JOB_NOW or _NO_TRADE.match(text, stop):
        return None
    return text[words[0].start() : stop]


def office(text: str) -> str | None:
    """What somebody is in a firm: "CTO", "head of marketing"."""
    found = _OFFICE.match(text)
    return found["office"] if found else None


def employed_at(text: str) -> str | None:
    """An employer that is known as one, where one is for longer: "Shopify now, doing data"."""
    found = _KNOWN_FIRM.match(text)
    return found["name"] if found else None


def employer(said: str, job: str) -> str | None:
    """Where somebody has this job, with a name: "a nurse at Charité"; no place of studies."""
    _, _, behind = said.partition(job)
    at = _FIRM_NAMED.match(behind) if office(job) else _AT.match(behind)
    name = proper(behind[at.end() :]) if at else None
    return name if name and len(name) > 2 and not job.casefold().endswith("student") else None


_FIRM = re.compile(
    r"(?:[A-Z][\w'-]+,\s)*[A-Z][\w'-]+,?\s(?:and|&)\s"
    r"(?:Partners|Sons|Daughters|Brothers|Bros|Associates|Co|Company)(?![\w'])"
)

_TURNED_DOWN = re.compile(r"\bbut\b.*\b(?:declined|rejected|refused|turned|said\s+no|backed)\b")
_DOES = re.compile(r"\s+[a-z]+(?:s|ed)\b")


def _without_who_goes_on(name: str, text: str) -> str:
    """The first of two names of which the other begins a clause: "Bosch and Anna paints"."""
    first, _, other = name.partition(" and ")
    does = _DOES.match(text, len(name)) and not ENDS_PHRASE.match(text, len(name))
    return first if other and (does or other.casefold() in GIVEN_NAMES) else name


def workplace(text: str) -> str | None:
    """A name, "Smith, Jones and Partners", or "a small bakery"."""
    if firm := _FIRM.match(text):
        return firm[0]
    if name := proper(text):
        name = _without_who_goes_on(name, text)
        return None if name.casefold() in NO_WORKPLACES else name
    at = thing(text) if re.match(r"an?\s", text) else None
    words = at.split() if at else [""]
    nobody = words[-1] in _SOMEBODY or not _HOW_ONE_WORKS.isdisjoint(words)
    return None if nobody else at


def workplace_taken(text: str) -> str | None:
    """The same where one got a job, unless one did not take it."""
    return None if _TURNED_DOWN.search(text) else workplace(text)
