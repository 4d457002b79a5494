"""Reading what people tell of themselves: what they cannot eat, their measures, fears and aims."""

import re

from app.distil.facts.living import phrase_in
from app.distil.facts.trades import occupation
from app.distil.facts.values import ENDS_PHRASE, bare_name, matched, played, thing
from app.distil.language.given_names import GIVEN_NAMES
from app.distil.language.lexicon import LANGUAGES

_FOOD = re.compile(
    r"(?:(?:any|raw|cooked|fried|spicy|red|too much)\s+)?(?P<what>gluten|dairy|lactose|milk|cheese"
    r"|butter|cream|eggs?|(?:pea|tree )?nuts?|almonds?|cashews?|hazelnuts?|walnuts?|shellfish"
    r"|seafood|fish|shrimps?|prawns?|meat|pork|beef|chicken|lamb|wheat|bread|pasta|soya?|tofu"
    r"|sugar|sweets|chocolate|honey|caffeine|coffee|alcohol|wine|beer|garlic|onions?|mushrooms?"
    r"|tomato(?:es)?|citrus|strawberr(?:y|ies)|peppers?|chil(?:l?i|li)(?:es)?|spicy food"
    r"|fried food|red meat)(?![\w-])",
    re.IGNORECASE,
)
_TALL = re.compile(
    r"(?:\d(?:[.,]\d\d?)?\s?m(?:et(?:er|re)s?)?|\d{3}\s?cm"
    r"|\d\s?(?:'|ft|feet|foot)(?:\s?\d{1,2}(?:\s?(?:\"|in(?:ches)?))?)?)(?=\s+tall\b)",
    re.IGNORECASE,
)
_WEIGHED = re.compile(
    r"\d{2,3}(?:[.,]\d)?\s?(?:kg|kgs|kilos?|kilograms?|lbs?|pounds?|stone)(?![\w-])",
    re.IGNORECASE,
)
_AIM = re.compile(
    r"(?:lose (?:some |a bit of )?weight|(?:lose|gain) \d{1,2} ?(?:kg|kilos?|lbs?|pounds)"
    r"|gain (?:muscle|weight)|(?:quit|stop|give up) (?:smoking|vaping|drinking|caffeine|sugar)"
    r"|get (?:fit|fitter|in shape|sober|pregnant|out of debt)|eat (?:healthier|less meat)"
    r"|run (?:a|my first) (?:half[ -]|full )?marathon|write (?:a|my) (?:book|novel|memoir)"
    r"|buy (?:a|our first) (?:house|flat|home|apartment)"
    r"|pass (?:my|the) [\w -]{2,30}? (?:exam|test)"
    r"|learn (?:how )?to (?:swim|drive|code|cook|knit|sail|ski|surf|dance|sew|draw|paint)"
    r")(?![\w-])",
    re.IGNORECASE,
)
_LEARNED = re.compile(r"learn\s+(?:to (?:speak|play)\s+)?", re.IGNORECASE)
_BECOME = re.compile(r"become (?=an?\s)", re.IGNORECASE)
_PASSING = re.compile(
    r"(?:today|tonight|tomorrow|this|that|the (?:next|other)|now)\b", re.IGNORECASE
)
_HOW_LONG = re.compile(
    r"(?:[\w-]+\s+){0,2}(?:while|long|ages|hours?|days?|weeks?|months?|years?)\b",
    re.IGNORECASE,
)
_REASON = re.compile(r"\s+(?:so|because|since|and|but)\b", re.IGNORECASE)
_STUDIED = re.compile(
    r"(?:computer science|law|medicine|bio-?chemistry|chemistry|(?:astro)?physics|biology|maths?"
    r"|mathematics|economics|philosophy|psychology|history|linguistics|literature|sociology"
    r"|anthropology|architecture|(?:[a-z]+ )?engineering|business|marketing|accounting|finance"
    r"|journalism|nursing|pharmacy|geology|geography|politics|political science|art history"
    r"|theology|film|(?:graphic |industrial )?design|education|statistics|data science"
    r"|neuroscience)(?![\w-])",
    re.IGNORECASE,
)
_WORD_OF_AGE = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
).split()
_TURNED = re.compile(
    rf"(?P<age>\d{{1,3}}|{'|'.join(_WORD_OF_AGE)})(?=\s*(?:$|[,.;!]|\s(?:and|but|so|last|this|in"
    r"|on|today|yesterday|recently)\b))",
    re.IGNORECASE,
)

_STATES = frozenset(
    """stuck back lost confused new sorry pregnant tired bored scared worried excited interested
    retired married engaged divorced stressed exhausted overwhelmed frustrated late busy ready done
    sick ill available unemployed home here fine okay struggling looking trying wondering working
    asking having getting thinking planning building learning writing hoping""".split()
)
_OF_WHAT_IS_DONE = re.compile(
    r"\s+(?:for|to|on|an?|the|my|about|into|if|how|why|what|some|this|that|it|through)\b"
)


def food(text: str) -> str | None:
    """What some cannot eat: "dairy"; not "another bite", nor "lunch before two"."""
    found = _FOOD.match(text)
    return found["what"] if found and ENDS_PHRASE.match(text, found.end()) else None


def height(text: str) -> str | None:
    return matched(_TALL, text)


def weight(text: str) -> str | None:
    return matched(_WEIGHED, text)


def turned(text: str) -> str | None:
    """The age that somebody has reached, in digits."""
    found = _TURNED.match(text)
    if not found:
        return None
    said = found["age"].casefold()
    years = _WORD_OF_AGE.index(said) + 1 if said in _WORD_OF_AGE else int(said)
    return str(years) if 0 < years < 120 else None


def feared(text: str) -> str | None:
    """What one is afraid of, always: a thing, or something done."""
    return None if _PASSING.match(text) else thing(_REASON.split(text, maxsplit=1)[0])


def studied(text: str) -> str | None:
    """A field of study: "law", not "hard", nor "the logs"."""
    return phrase_in(_STUDIED, text)


def aim(text: str) -> str | None:
    """Behind "want to": what takes months, "lose weight", "learn Spanish", "become a nurse"."""
    if found := _AIM.match(text):
        return found[0]
    if found := _LEARNED.match(text):
        rest = text[found.end() :]
        word = (rest.split(maxsplit=1) or [""])[0].strip(".,!;")
        known = word if word.casefold() in LANGUAGES else played(rest)
        return f"{found[0]}{known}" if known else None
    found = _BECOME.match(text)
    trade = occupation(text[found.end() :]) if found else None
    return f"become {trade}" if trade else None


def prepared_for(text: str) -> str | None:
    """What one trains or saves for; not what is about to begin, "the meeting"."""
    said = None if _PASSING.match(text) or _HOW_LONG.match(text) else thing(text)
    return said if said and not text.casefold().startswith("the ") else None


def is_state(name: str, behind: str) -> bool:
    """
    Whether one word tells how somebody is, or does: "Stuck", "Looking for help"; no name.

    Args:
        name: The word, which may have a capital.
        behind: What follows it.
    """
    folded = name.casefold()
    does = folded.endswith("ing") and _OF_WHAT_IS_DONE.match(behind)
    return folded not in GIVEN_NAMES and bool(folded in _STATES or does)


def named(text: str) -> str | None:
    """A bare name, and no word for how somebody is: "Pregnant"."""
    name = bare_name(text)
    return None if name is None or is_state(name, "") else name
