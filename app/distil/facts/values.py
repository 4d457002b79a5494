"""Reading the value of a fact from what follows its verb: a name, a thing, a number."""

import re
from collections.abc import Callable

from app.distil.facts.listing import is_one, phrase_of
from app.distil.language.lexicon import (
    CALENDAR,
    EMPLOYERS,
    KIND_OF_TOOL,
    LANGUAGES,
    NO_NAMES,
    NO_WORKPLACES,
    PEOPLES,
    PLAYED,
    POSSESSIONS,
    PROGRAMS,
    SAME_NAME,
)

Read = Callable[[str], str | None]
"""What a text begins with, as a value; None where it does not begin with such a thing."""

MAX_WORDS = 6
"""Of a thing; what goes on longer is a clause."""

_WORD = re.compile(r"\S+")
_PARTICLES = frozenset("de da do dos van von der den del la le al of the and &".split())
_CLOSERS = ".,;:!?)"
_NOBODY = NO_NAMES | CALENDAR | PEOPLES
_ARTICLE = re.compile(r"\A(?:an?|the|my|our|your|some)\s+", re.IGNORECASE)
TOO_VAGUE = re.compile(
    r"(?:the|this|that|these|those|it|its|his|her|their|your|you|him|them|how|what|when|where|why|who"
    r"|whether|if|to|about|from|by|not|so|as|and|or|much|well|out|alone|being|all|most|such|both|many|any|another"
    r"|neither|none|following|former|latter|one|ones|everything|everyone|nothing|anything|something)\b",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"\s(?:because|so|since|when|whenever|which|that|who|but|though|although|if|as|in|at|on|for|from"
    r"|with|over|instead|like|such as|including|especially|than|to|too|now|today|these|anymore|any"
    r"|by|until|while|then|and|or|it|is|are|was|again|there|here|right|please|most|very|a lot|more"
    r"|yesterday|last (?:night|week|weekend|month|year|spring|summer|autumn|fall|winter)"
    r"|lately|recently|directly|after|before|during|except|whole|tho|tbh|lol|rn|atm|ngl|imo|btw|sm|fr|pls|plz|thx)\b",
    re.IGNORECASE,
)
_ONE = re.compile(
    r"\b(?:one|ones|thing|things|stuff|question|idea|way|bit|lots?|tons?|heaps?|problem)\b",
    re.IGNORECASE,
)
_TOO = re.compile(
    r"\s+(?:too|as well|a lot|so much|very much|lately|recently|these days|at the moment)\Z",
    re.IGNORECASE,
)
ENDS_PHRASE = re.compile(
    r"(?:\s*(?:$|[,;.!(:\u2013\u2014-])|\s+(?:and|but|so|or|too|now|here|there|back|at|in|on"
    r"|from|with|for|who|that|which|named|called|together|last|this|yesterday|recently|when|because"
    r"|since|to|as|(?:an?|a\s+few|a\s+couple\s+of|one|two|three|four|five|six|several)"
    r"\s+(?:day|week|month|year)s?|of\s+(?:my|our)\s+own|btw|rn|atm|tho|tbh|lol|by|already|myself"
    r"|ourselves|just|next|over|after|before|about|every|twice|once|each|all|regularly|often"
    r"|sometimes|anymore|originally|again|around|near|during|while|until|most|\d+)\b|\s+\d+\s?x\b)",
    re.IGNORECASE,
)
"""What may follow a noun that ends its phrase: behind "a car" in "a car accident" it does not."""

_VERSION = re.compile(r"\s+v?\d[\w.]*\b")
ASIDE = re.compile(
    r"[\s,]+(?:btw|by the way|fyi|pls|plz|please|thx|thanks|tho|though|tbh|lol|haha+)\W*\Z",
    re.IGNORECASE,
)
_NARROWED = re.compile(r"\s+(?:that|which|who)\b")
"""Who likes "stories that tell of Rome" need not like stories."""

_SHORTENED = re.compile(r"(?:St|Ste|Mt|Ft|Dr|Mr|Mrs|Ms|Prof)\.")
_OR_ANOTHER = re.compile(
    r"(?:,\s[\w' -]{1,30}){0,6},?\s+or\s+(?!so\b|something\b|less\b)", re.IGNORECASE
)
_CODE_LIKE = re.compile(r"[A-Za-z][\w.+#/-]*[\d_.+#/][\w.+#/-]*\Z")
_HARDLY = re.compile(r"\b(?:a little|a bit|some|no)\b")
_POINTS_ELSEWHERE = re.compile(
    r"\b(?:there|here|them|him|her|it|this|that|these|those|we|you|us|me|following)\b|[\[\]{}]",
    re.IGNORECASE,
)
_GERUND = re.compile(r"[a-z]{2,}ing\b")
_HOW_FAR = re.compile(r"\b(?:hours?|minutes?|miles?|k(?:m|ilomet(?:er|re)s?)|way|distances?)\Z")
_KIND_OF_PLAY = re.compile(r"\A(?:acoustic|electric|classical|jazz|indoor|beach|table|french)\s+")


def proper(text: str) -> str | None:
    """A name: a few words with capitals, particles between them. No day, month or people."""
    name: list[str] = []
    for found in _WORD.finditer(text, 0, 120):
        word = found[0].rstrip(_CLOSERS)
        if not _is_part_of_name(word, begun=bool(name)):
            break
        short = bool(_SHORTENED.fullmatch(found[0]))
        name.append(found[0] if short else word)
        if (word != found[0] and not short) or len(name) > MAX_WORDS:
            break
    while name and name[-1] in _PARTICLES:
        name.pop()
    said = " ".join(name)
    return said if said and "'" not in said[-3:] and _names_somebody(said) else None


def _is_part_of_name(word: str, *, begun: bool) -> bool:
    if begun and word in _PARTICLES:
        return True
    return word[:1].isupper() and (not begun or word != "I") and "\x00" not in word


def _names_somebody(name: str) -> bool:
    first = name.split(maxsplit=1)[0].casefold()
    folded = first.removesuffix("'s").removesuffix("'m")
    return folded not in _NOBODY and not first.startswith("i'")


def thing(text: str) -> str | None:
    """A few words without their article, up to what begins another phrase."""
    said = text.strip(" ").rstrip(" .!;:,")
    if not said or "\x00" in said or TOO_VAGUE.match(said):
        return None
    return _short(_ARTICLE.sub("", said, count=1))


def choice(text: str) -> str | None:
    """What was chosen: like a thing, but it may be "the …"."""
    said = _ARTICLE.sub("", text.strip(" "), count=1).rstrip(" .!;:,")
    return thing(said) if said else None


def _short(said: str) -> str | None:
    """What is done is told whole ("getting lost in books"), what is had up to the next phrase."""
    said = _TOO.sub("", said)
    told_as_one = phrase_of(said) if is_one(said) else None
    whole_of = said.partition(", ")[0] if _GERUND.match(said) else None
    first = _TAIL.split(said, maxsplit=1)[0].partition(", ")[0]
    cut = told_as_one or whole_of or first.strip(" .!;:,-")
    words = cut.casefold().split()
    vague = not words or _ONE.search(cut) or _POINTS_ELSEWHERE.search(cut) or words[0] in CALENDAR
    narrowed = len(words) == 1 and _NARROWED.match(said, len(cut))
    return None if vague or narrowed or len(words) > MAX_WORDS or len(cut) < 2 else cut


def whole(text: str) -> str | None:
    """All of it, from two words to fifteen, but for what is only said to whoever reads it."""
    said = ASIDE.sub("", text.strip(" ").rstrip(" .!;:,"))
    fits = 2 <= len(said.split()) <= 15 and not re.search(r"[\x00\[\]{}]", said)
    return said if fits else None


def tool(text: str) -> str | None:
    """The name of a tool: one that is known, has capitals, or is spelled like a name in code."""
    two = " ".join(text.split(maxsplit=2)[:2]).rstrip(_CLOSERS)
    if two.casefold() in KIND_OF_TOOL:
        return two
    first = (text.split(maxsplit=1) or [""])[0].rstrip(_CLOSERS)
    if first.casefold() in KIND_OF_TOOL or _CODE_LIKE.match(first):
        return first
    name = proper(text)
    return name if name and ends_name(text, len(name)) else None


def ends_name(text: str, at: int) -> bool:
    """Whether a phrase ends there, or a version follows: "Bootstrap v5.3"."""
    return bool(ENDS_PHRASE.match(text, at) or _VERSION.match(text, at))


def known_tool(text: str) -> str | None:
    """The same of tools whose kind is known: what one goes with may be a person."""
    name = tool(text)
    return name if name and kind_of(name) else None


def bare_name(text: str) -> str | None:
    """A name of one or two words, and nothing behind it."""
    said = text.strip(" ").rstrip(" .!;:,")
    return said if said.istitle() and proper(text) == said and said.count(" ") < 2 else None


def possession(text: str) -> str | None:
    """One of the things that people have for long, with its article gone."""
    words = [found for found, _ in zip(_WORD.finditer(text), range(4), strict=False)]
    for found in words[1:]:
        word = found[0].rstrip(_CLOSERS)
        end = found.start() + len(word)
        if word.casefold() in POSSESSIONS and ENDS_PHRASE.match(text, end):
            return _ARTICLE.sub("", " ".join(text[:end].split()), count=1)
    return None


def owned(text: str) -> str | None:
    """What comes with an article or a number: "a campervan", not "an hour to work"."""
    value = thing(text) if re.match(r"(?:an?|one|two|three|four|\d+)\s", text) else None
    return None if value and _HOW_FAR.search(value) else value


def spouse(text: str) -> str | None:
    """Somebody with a name: who is married to Excel, or to Work, is to nobody."""
    name = (proper(text) or "").partition(" and ")[0]
    folded = name.casefold()
    no_person = folded in PROGRAMS or folded in EMPLOYERS or folded in NO_WORKPLACES
    return None if not name or no_person or kind_of(name) else name


def languages(text: str) -> str | None:
    """Languages that are spoken, joined by ", "."""
    words = re.findall(r"[^\W\d_]+", _HARDLY.split(text, maxsplit=1)[0])[:12]
    spoken = [word for word in words if word.casefold() in LANGUAGES]
    starts = words and (words[0].casefold() in LANGUAGES | {"fluent", "only", "both"})
    return ", ".join(spoken) if spoken and starts else None


def played(text: str) -> str | None:
    word = _KIND_OF_PLAY.sub("", _ARTICLE.sub("", text, count=1), count=1).split(maxsplit=1)
    name = word[0].rstrip(_CLOSERS) if word else ""
    return name if name.casefold() in PLAYED else None


def is_undecided(said: str, value: str) -> bool:
    """Whether `value` is one of two: "PostgreSQL or MySQL" tells neither."""
    at = said.find(value)
    return at >= 0 and bool(_OR_ANOTHER.match(said, at + len(value)))


def matched(pattern: re.Pattern[str], text: str) -> str | None:
    found = pattern.match(text)
    return found[0] if found else None


def kind_of(tool_name: str) -> str | None:
    """The kind of a known tool, whatever version stands behind it."""
    folded = tool_name.casefold()
    first = (folded.split(maxsplit=1) or [""])[0]
    return KIND_OF_TOOL.get(folded) or KIND_OF_TOOL.get(first)


def normal(value: str) -> str:
    """`value` as it is compared: folded, without article, by the first of two names."""
    folded = " ".join(_ARTICLE.sub("", value.casefold(), count=1).split()).strip(" .!,;:")
    return SAME_NAME.get(folded, folded)
