"""Reading what people do, have, learn and plan: closed lists, since words around are anything."""

import re

from app.distil.facts.regions import somewhere
from app.distil.facts.values import ENDS_PHRASE, played, proper, thing
from app.distil.language.lexicon import OCCUPATIONS, POSSESSIONS

_ONE_WORD = re.compile(r"[\w-]+")
_NUMBERED = re.compile(
    r"(?:an?|one|two|three|four|five|six|\d{1,2}|my|our|another)\s", re.IGNORECASE
)
PETS = frozenset(
    """dog dogs cat cats pup pups puppy puppies kitty kitten kittens parrot rabbit rabbits hamster
    hamsters turtle turtles tortoise horse pony guinea-pig lizard gecko snake goldfish budgie ferret
    chickens hens goat goats sheep bees labrador poodle beagle husky corgi dachshund pug collie
    greyhound terrier bulldog dalmatian spaniel whippet retriever""".split()
)
_LASTING = frozenset(
    """motorbike scooter grandchildren grandkids grandson granddaughter nephew niece nephews nieces
    cottage cabin condo farm greenhouse caravan telescope kayak canoe sailboat e-bike ebike
    truck""".split()
)
_HELD = POSSESSIONS | PETS | _LASTING
_VENTURES = frozenset(
    """business shop store bakery studio restaurant company cafe café blog podcast channel gym farm
    salon startup start-up brewery bookshop bookstore agency clinic practice gallery newsletter
    kindergarten nursery hostel hotel pub bar boutique""".split()
)
_SPORTS = (
    r"hiking|running|swimming|camping|fishing|climbing|rock climbing|cycling|biking"
    r"|mountain biking"
    r"|skiing|surfing|kayaking|dancing|jogging|sailing|snowboarding|bowling|bird ?watching"
    r"|horse ?(?:back )?riding|diving|scuba diving|skating|ice skating|rowing|canoeing|bouldering"
)
_PRACTISED = (
    r"yoga|pilates|karate|judo|aikido|kung fu|tai chi|taekwondo|crossfit|ballet|gymnastics"
    r"|archery"
    r"|pottery|calligraphy|martial arts|meditation|boxing|kickboxing|fencing|woodworking"
    r"|embroidery"
    r"|crochet|origami|photography|parkour|jiu-jitsu|triathlons?|marathons?|stand-up comedy"
    r"|volunteer work"
)
_HOBBIES = (
    r"read|cook|bake|paint|draw|hike|swim|run|dance|sing|garden|travel|ski|surf|write|cycle"
    r"|climb|knit"
    r"|ride|grow|build|sew|fish|camp|sail|collect|play|watch|skate|row|jog|crochet|sketch|bike"
)
_DONE_TO_SOMETHING = frozenset({"play", "watch", "collect"})
_SPORT = re.compile(rf"(?:{_SPORTS})(?![\w-])", re.IGNORECASE)
_PRACTICE = re.compile(rf"(?:{_PRACTISED})(?![\w-])", re.IGNORECASE)
_HOBBY = re.compile(rf"(?:{_HOBBIES})(?![\w-])", re.IGNORECASE)
_CONDITION = re.compile(
    r"(?:(?:type (?:1|2|one|two)|chronic|mild|severe|bad|high|low)\s+)?(?:asthma|diabetes|adhd"
    r"|migraines?|epilepsy"
    r"|arthritis|hay fever|insomnia|dyslexia|anemia|anaemia|psoriasis|eczema|tinnitus"
    r"|endometriosis|depression|anxiety"
    r"|fibromyalgia|sciatica|back pain|blood pressure|celiac disease|coeliac disease"
    r"|crohn's(?: disease)?"
    r"|scoliosis|vertigo|an? (?:nut|peanut|gluten|dairy|pollen|shellfish|egg|milk) (?:allergy"
    r"|intolerance))(?![\w-])",
    re.IGNORECASE,
)
_BEING_SO = re.compile(
    r"(?:left-handed|diabetic|asthmatic|dyslexic|colou?r[- ]blind|epileptic|autistic|anaemic"
    r"|anemic)(?![\w-])",
    re.IGNORECASE,
)
_NO_ALLERGENS = frozenset(
    """work meetings meeting mornings people bullshit nonsense drama stupidity exercise fun change
    talk code bugs javascript java php excel politics commitment responsibility money""".split()
)
_ANY_MORE = re.compile(r"\s+(?:after all|any\s?more|any longer|at all|either)\b.*\Z")
_COURSE = re.compile(
    r"(?:(?:an?|some|my)\s+)?(?P<of>[a-z]+(?:[ -][a-z]+)?)\s+(?:class(?:es)?|courses?"
    r"|lessons?)(?![\w-])",
    re.IGNORECASE,
)
_NO_SUBJECT = frozenset(
    """this that the first last next new few online evening night weekly same other another more
    free my your his her our their any some many several two three few great good fun
    advanced""".split()
)
_TRIP = re.compile(
    r"(?:an?|my|our)\s+(?P<trip>(?:[a-z-]+\s+){0,2}?(?:trip|holiday|vacation|honeymoon|wedding"
    r"|move"
    r"|cruise)(?![\w-])(?:\s+(?:to|in|around|through|across)\s+(?:the\s+)?(?=[A-Z]))?)"
)
_NO_COLLECTION = frozenset(
    "kids children logs metrics requirements samples tickets errors donations signatures".split()
)
_THE_NAMED = re.compile(r"\Athe\s+(?=[A-Z])")
_NOT_LIKED = re.compile(
    r"(?:my|our|your|yours|mine|hers|theirs|having|being|seeing|making sure|doing"
    r"|(?:the )?(?:week|month|day|year|second|third|first)s?)\b",
    re.IGNORECASE,
)
_FIELD = re.compile(
    r"(?:marketing|finance|it|sales|healthcare|construction|retail|education|tech|hr|logistics"
    r"|insurance|banking"
    r"|hospitality|advertising|publishing|software|accounting|real estate|human resources"
    r"|customer service"
    r"|customer support|public health|cybersecurity|tourism|journalism|media|biotech|consulting"
    r"|agriculture"
    r"|manufacturing|nursing|engineering)(?![\w-])",
    re.IGNORECASE,
)
_TAUGHT = re.compile(
    r"(?:maths?|mathematics|physics|chemistry|biology|history|geography|english|french|german"
    r"|spanish|latin|music"
    r"|piano|guitar|violin|art|yoga|pilates|dance|ballet|swimming|economics|philosophy"
    r"|computer science|science"
    r"|literature|karate|judo|kindergarten|primary school|elementary school"
    r"|high school|special education|(?:first|second|third|fourth|fifth|sixth|seventh|eighth) grade"
    r")(?![\w-])",
    re.IGNORECASE,
)
_DEGREE = re.compile(
    r"(?:an?|my)\s+(?:phd|ph\.d\.?|master'?s?|masters|bachelor'?s?|mba|doctorate|degree"
    r"|diploma)(?:\s+degree)?"
    r"\s+(?:in|on)\s+(?=\w)",
    re.IGNORECASE,
)
_GROUPS = frozenset(
    """gym club group choir band team league orchestra society community program programme church
    union cooperative""".split()
)
_WORKS = frozenset(
    """book screenplay thesis album app paper dissertation website documentary blog memoir game
    musical podcast cookbook""".split()
)
_LACKED = re.compile(
    r"(?:an?\s+)?(?P<what>[\w-]+)(?:\s+(?:any\s?more|yet|either|of (?:my|our) own))?"
    r"\s*(?:$|[,.;!]|\s(?:and|but|so|because)\s)"
)
_MOST_WORDS_BEFORE = 4
_TITLES = OCCUPATIONS | {"director", "lead", "supervisor", "partner", "captain", "principal"}
_MOST_WORDS_OF_TITLE = 4


def held(text: str) -> str | None:
    """Pets, children and what else people have for long, counted: "two cats", not "a car park"."""
    return _counted(text, _HELD)


def lacked(text: str) -> str | None:
    """What one has none of, ever: "children", "dog"; not "kids today", "dog in this fight"."""
    found = _LACKED.match(text)
    return found["what"] if found and found["what"].casefold() in _HELD else None


def venture(text: str) -> str | None:
    """What somebody runs: "a small bakery", "my own online store"."""
    return _counted(text, _VENTURES)


def _counted(text: str, nouns: frozenset[str]) -> str | None:
    return _up_to(text, nouns) if _NUMBERED.match(text) else None


def _up_to(text: str, nouns: frozenset[str]) -> str | None:
    """What ends with one of `nouns`, without its article and "my own"."""
    for at, found in enumerate(_ONE_WORD.finditer(text)):
        if at > _MOST_WORDS_BEFORE or re.search(r"[,.;:!?\x00]", text[: found.end()]):
            return None
        if at and found[0].casefold() in nouns:
            said = text[: found.end()]
            bare = re.sub(r"\A(?:an?|the|(?:my|our)(?: own)?)\s+", "", said, flags=re.IGNORECASE)
            return bare if ENDS_PHRASE.match(text, found.end()) else None
    return None


def sport(text: str) -> str | None:
    return phrase_in(_SPORT, text)


def practice(text: str) -> str | None:
    return phrase_in(_PRACTICE, text)


def condition(text: str) -> str | None:
    return phrase_in(_CONDITION, text)


def allergen(text: str) -> str | None:
    """What one is allergic to, not what one would rather be spared: "meetings"."""
    said = thing(_ANY_MORE.sub("", text))
    return said if said and said.casefold().split()[-1] not in _NO_ALLERGENS else None


def being_so(text: str) -> str | None:
    return phrase_in(_BEING_SO, text)


def field_of_work(text: str) -> str | None:
    found = phrase_in(_FIELD, text)
    return found if found != "it" else None


def taught(text: str) -> str | None:
    return phrase_in(_TAUGHT, text)


def phrase_in(pattern: re.Pattern[str], text: str) -> str | None:
    found = pattern.match(text)
    return found[0] if found and ENDS_PHRASE.match(text, found.end()) else None


def hobby(text: str) -> str | None:
    """Behind "likes to": "collect stamps"; no more than what is done."""
    found = _HOBBY.match(text)
    if not found:
        going = sport(text.removeprefix("go ")) if text.startswith("go ") else None
        return f"go {going}" if going else None
    rest = text[found.end() :]
    if ENDS_PHRASE.match(rest) and (found[0] not in _DONE_TO_SOMETHING or not rest.strip(" .,!")):
        return found[0]
    what = thing(rest) or played(rest.lstrip())
    return f"{found[0]} {what}" if what else None


def liked(text: str) -> str | None:
    """What one is fond of; nobody's own things, and not what was done."""
    return None if _NOT_LIKED.match(text) else thing(_THE_NAMED.sub("", text))


def collection(text: str) -> str | None:
    """Things, several, that are nobody's yet: "stamps"."""
    said = liked(text)
    last = said.casefold().split()[-1] if said else ""
    return said if last.endswith("s") and last not in _NO_COLLECTION else None


def course(text: str) -> str | None:
    """What lessons or a class are about: "pottery"."""
    found = _COURSE.match(text)
    words = found["of"].casefold().split() if found else []
    return found["of"] if found and not _NO_SUBJECT.intersection(words) else None


def trip(text: str) -> str | None:
    """A trip that is planned, with where it goes if that has a name."""
    found = _TRIP.match(text)
    if not found:
        return None
    said = found["trip"].strip()
    where = somewhere(text[found.end() :])
    if where is None:
        return said if " " in said and not said.endswith((" to", " in")) else None
    return f"{said} {where}"


def degree(text: str) -> str | None:
    """What a degree is in."""
    found = _DEGREE.match(text)
    return thing(text[found.end() :]) if found else None


def cause(text: str) -> str | None:
    """Where one helps out: a name, or "the animal shelter"."""
    if name := proper(text):
        return name
    found = re.match(
        r"(?:an?|the|our|my)\s+(?P<at>(?:[a-z-]+\s+){0,2}(?:shelter|hospital|library|museum"
        r"|school|centre|center"
        r"|kitchen|food bank|church|hospice|zoo|garden|club))(?![\w-])",
        text,
    )
    return found["at"] if found and ENDS_PHRASE.match(text, found.end()) else None


def promoted(text: str) -> str | None:
    """What one is now: "store manager", "head of sales"."""
    words = text.partition("\x00")[0].split()[:_MOST_WORDS_OF_TITLE]
    titled = (at for at, each in enumerate(words, 1) if each.strip(",.!").casefold() in _TITLES)
    said = " ".join(words[: next(titled, 0)]).strip(",.!")
    return re.sub(r"\A(?:an?|the)\s+", "", said, flags=re.IGNORECASE) or None


def group(text: str) -> str | None:
    """What one is a member of: "writers group", "the alpine club"; not "the team"."""
    if not re.match(r"the\s", text, re.IGNORECASE):
        return _counted(text, _GROUPS)
    named = _up_to(text, _GROUPS)
    return named if named and " " in named else None


def work(text: str) -> str | None:
    """What one makes over months: "cookbook"."""
    return _counted(text, _WORKS)
