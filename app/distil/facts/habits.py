"""What clauses say of how people live: what they do, have, run, learn and plan, where they were."""

import re
from collections.abc import Sequence

from app.distil.facts.eating import diet_begun, eaten_again
from app.distil.facts.fact import Tense
from app.distil.facts.figures import date
from app.distil.facts.living import (
    being_so,
    cause,
    collection,
    condition,
    course,
    degree,
    field_of_work,
    group,
    held,
    hobby,
    liked,
    practice,
    promoted,
    sport,
    taught,
    trip,
    venture,
    work,
)
from app.distil.facts.persons import (
    aim,
    feared,
    food,
    height,
    prepared_for,
    studied,
    turned,
    weight,
)
from app.distil.facts.places import known_place, place, settled
from app.distil.facts.predicates import FAMILY, OF_KIN, OF_US, ONE, Predicate, saying
from app.distil.facts.regions import somewhere
from app.distil.facts.standing import way, written_in
from app.distil.facts.trades import employed_at, occupation, office, workplace_taken
from app.distil.facts.values import played, proper, spouse, thing, tool

_HAVE = "(?:'ve |have |has )?(?:just )?"
_NEW_JOB = (
    rf"{_HAVE}(?:got|gotten|landed|found|took|started|accepted) (?:an?|my|the)(?: new)?"
    r"(?: [a-z-]{2,15})? (?:job|position|role)"
)
_BEGAN = rf"{_HAVE}started (?:working|a new job)"
_WENT = (
    r"(?:travell?ed to|(?:went on|took) (?:an?|our|my) (?:[a-z-]{2,12} )?trip to"
    r"|(?:'ve |have |has )been to)"
)
_FAN = r"(?:an? )?(?:big |huge |massive |real |total |great )?fan of"
_MARRYING = "getting married(?: (?:in|on|next|this) [A-Za-z]+){0,2} to"
_AFRAID = "(?:(?:really|so|very|deathly|absolutely) )?(?:afraid|scared|terrified|frightened) of"
_GETTING_READY = "(?:training|saving(?: up)?|preparing|studying) for"
_FOND = "(?:passionate about|fond of|keen on|crazy about|obsessed with|into)"
_AIMS = r"(?:wants?|hopes?|plans?|aims?|tr(?:y|ies)) to"
_LEARNS_BEST = (
    "(?:understands?|learns?|grasps?|takes? in)"
    "(?: (?:new )?(?:things|stuff|ideas|concepts|it))? best (?:with|from|through|by)"
)
_BORN = r"(?:born(?: in \d{4},?)?|raised|born and raised) in"
_BECAME = f"{_HAVE}(?:became|become|turned|went|gone)"
_RUNS = f"{_HAVE}(?:runs?|owns?|opened|started|launched)"

HABITS: Sequence[Predicate] = [
    Predicate(saying(rf"{_HAVE}(?:got|adopted|rescued|bought)"), "has", held, of=FAMILY),
    Predicate(saying("(?:have|has)"), "has", held, of=FAMILY),
    Predicate(saying("(?:have|has|suffers? from)"), "condition", condition, of=ONE),
    Predicate(saying(_RUNS), "runs", venture, of=FAMILY),
    Predicate(saying("(?:likes?|loves?|enjoys?) to"), "likes", hobby, of=ONE),
    Predicate(saying(f"(?:{_HAVE}started )?eat(?:s|ing)?"), "eats", eaten_again, of=FAMILY),
    Predicate(saying(_BECAME), "diet", diet_begun, of=ONE, confidence=0.95),
    Predicate(saying("(?:goes|go)"), "does", sport, of=FAMILY),
    Predicate(saying("(?:does|do|practi[sc]es?)"), "does", practice, of=ONE),
    Predicate(saying("volunteers? (?:at|for|with)"), "volunteers_at", cause, of=ONE),
    Predicate(saying(f"{_HAVE}joined"), "member_of", group, of=ONE),
    Predicate(saying(f"{_HAVE}(?:started|began) playing"), "plays", played, of=ONE),
    Predicate(saying(f"{_HAVE}(?:started|began) (?:learning|studying)"), "studies", thing, of=ONE),
    Predicate(saying("writes? (?:[a-z]+ )?in"), "prefers", written_in, of=ONE),
    Predicate(saying(_LEARNS_BEST), "prefers", way, of=ONE),
    Predicate(saying("collects?"), "collects", collection, of=ONE),
    Predicate(saying("(?:teach|teaches)"), "teaches", taught, of=ONE),
    Predicate(saying("works? in"), "works_in", field_of_work, of=ONE),
    Predicate(saying(f"{_NEW_JOB} as"), "job", occupation, of=ONE),
    Predicate(saying(f"{_NEW_JOB} (?:at|with)"), "works_at", workplace_taken, of=ONE),
    Predicate(saying(f"{_BEGAN} as"), "job", occupation, of=ONE),
    Predicate(saying(f"{_BEGAN} (?:at|for)"), "works_at", proper, of=ONE),
    Predicate(saying("(?P<was>got (?:laid off|fired)) (?:from|by)"), "works_at", proper, of=ONE),
    Predicate(saying("(?:just |recently )?got promoted to"), "job", promoted, of=ONE),
    Predicate(saying("(?:just |recently )?got (?:married|engaged) to"), "married_to", spouse),
    Predicate(saying(_WENT), "visited", place, of=FAMILY),
    Predicate(
        saying(f"{_HAVE}(?:signed up for|enrolled in|takes?|started)"), "studies", course, of=ONE
    ),
    Predicate(saying("major(?:s|ed)? in"), "studies", thing, of=ONE),
    Predicate(saying("(?:have|has)"), "studies", degree, of=ONE, tense=Tense.PAST),
    Predicate(saying("lives? in"), "lives_in", somewhere, of=FAMILY),
    Predicate(saying("ended up in"), "works_in", field_of_work, of=ONE),
    Predicate(saying("ended up in"), "lives_in", settled, of=ONE),
    Predicate(saying("(?P<was>studied)"), "studies", studied, of=ONE),
    Predicate(saying("(?:runs?|ran)"), "does", practice, of=ONE),
    Predicate(saying("weighs?"), "weight", weight, of=ONE),
    Predicate(saying(f"{_HAVE}turned"), "age", turned, of=ONE),
    Predicate(saying(_AIMS), "goal", aim, of=FAMILY),
]

STATES: Sequence[Predicate] = [
    Predicate(saying(_FAN), "likes", liked, of=ONE),
    Predicate(saying(_FOND), "likes", liked, of=ONE),
    Predicate(saying("(?:back to )?eating"), "eats", eaten_again, of=FAMILY),
    Predicate(saying("(?:working|employed) as"), "job", occupation),
    Predicate(saying("(?:working|employed) in"), "works_in", field_of_work, of=ONE),
    Predicate(saying("(?P<was>laid off|fired|let go) (?:from|by)"), "works_at", proper, of=ONE),
    Predicate(saying("(?:an? )?(?:[a-z]+ )?member of"), "member_of", group, of=ONE),
    Predicate(saying("(?:working on|writing)"), "works_on", work, of=ONE),
    Predicate(saying("teaching"), "teaches", taught, of=ONE),
    Predicate(saying("learning (?:how )?to play"), "studies", played, of=ONE),
    Predicate(saying("majoring in"), "studies", thing, of=ONE),
    Predicate(saying("(?:doing|pursuing|finishing|working on|getting)"), "studies", degree, of=ONE),
    Predicate(saying("(?:taking|attending)"), "studies", course, of=ONE),
    Predicate(saying("volunteering (?:at|for|with)"), "volunteers_at", cause, of=ONE),
    Predicate(saying("planning"), "plans", trip, of=FAMILY, tense=Tense.PLANNED),
    Predicate(saying(_BORN), "from", place, of=ONE, lasting=True),
    Predicate(saying("diagnosed with"), "condition", condition, of=ONE, lasting=True),
    Predicate(re.compile(""), "condition", being_so, of=ONE),
    Predicate(re.compile(r"(?=\d)"), "height", height, of=ONE),
    Predicate(saying(_MARRYING), "married_to", spouse, tense=Tense.PLANNED),
    Predicate(saying("at"), "works_at", employed_at, of=ONE),
    Predicate(saying("born on"), "birthday", date, of=ONE, lasting=True),
    Predicate(saying("birthday is"), "birthday", date, of=OF_KIN, lasting=True),
    Predicate(saying(_AFRAID), "fears", feared, of=ONE),
    Predicate(saying("(?:trying|hoping|aiming) to"), "goal", aim, of=FAMILY),
    Predicate(saying(_GETTING_READY), "goal", prepared_for, of=FAMILY),
    Predicate(re.compile(r"(?=\w)"), "job", office, of=ONE),
]
"""Behind "is", "am", "are", "was"."""

GOING_ON: Sequence[Predicate] = [
    Predicate(saying("(?:living|based) in"), "lives_in", somewhere),
    Predicate(saying("living in"), "lives_in", known_place, of=OF_US),
    Predicate(saying("working (?:at|for)"), "works_at", proper),
    Predicate(saying("working as"), "job", occupation),
    Predicate(saying("(?:learning|studying)"), "studies", thing, of=ONE),
    Predicate(saying("playing"), "plays", played, of=ONE),
    Predicate(saying("(?:doing|practi[sc]ing)"), "does", practice, of=ONE),
    Predicate(saying("(?:working on|writing)"), "works_on", work, of=ONE),
    Predicate(saying("collecting"), "collects", collection, of=ONE),
    Predicate(saying("teaching"), "teaches", taught, of=ONE),
    Predicate(saying("taking"), "studies", course, of=ONE),
    Predicate(saying("volunteering (?:at|for|with)"), "volunteers_at", cause, of=ONE),
    Predicate(saying("running"), "runs", venture, of=FAMILY),
    Predicate(saying("using"), "uses", tool, of=ONE),
    Predicate(saying("trying to"), "goal", aim, of=FAMILY),
    Predicate(saying(_GETTING_READY), "goal", prepared_for, of=FAMILY),
]
"""Behind "has been": what began, and goes on."""

UNABLE: Sequence[Predicate] = [
    Predicate(saying("(?:eat|have|digest)"), "eats", food, of=FAMILY),
    Predicate(saying("(?:drink)"), "drinks", food, of=FAMILY),
]
"""Behind "cannot"."""
