"""Reading values that are told in figures, or spelled in a fixed form: dates, ages, addresses."""

import re
from collections.abc import Sequence

from app.distil.facts.values import TOO_VAGUE, matched

_EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}")
_PHONE = re.compile(r"\+?\d[\d ()/-]{4,20}\d")
_TELLING = re.compile(r"[\w.:/+@#-]*\d[\w.:/+@#,-]*(?<![.,:])")
_ADDRESS = re.compile(
    r"(?!n/a|w/o|and/or|yes/no|on/off|either/or|tbd|tba|a\.s)\w[\w.-]*[./:@][\w./:@-]*\w/?\Z"
)
"""Of one word: a path, a host, a URL."""

_GOES_ON = re.compile(
    r"\s+(?:(?:because|while|whereas|which|though|although|since|until|unless|if)\b"
    r"|(?:and|but|so)\s+(?:it|its|it's|this|that|that's|there|he|she|they|you|nobody|everybody|everyone"
    r"|(?:the|your|their|his|her|a)\s+[\w-]+\s+(?:is|are|was|were|has|does))\b)",
    re.IGNORECASE,
)
"""Behind what is told: "88213, and it hasn't shipped"."""

_PRONOUNS = re.compile(r"(?:he|she|they|it|xe|ze|any)(?:\s?/\s?[a-z]{2,8}){1,3}", re.IGNORECASE)
_TIMEZONE = re.compile(
    r"(?:africa|america|antarctica|asia|atlantic|australia|europe|indian|pacific)/[a-z_/-]+"
    r"|(?:utc|gmt)(?:\s?[+-]\s?\d{1,2}(?::?\d\d)?)?(?!\w)|(?:cet|cest|eet|eest|wet|est|edt|cst|cdt|mst|mdt|pst|pdt|bst|ist|jst|aest)(?!\w)",
    re.IGNORECASE,
)
_AGE = re.compile(
    r"(\d{1,3})(?:[\s-]+(?:years?|yrs?)[\s-]+old\b|\s*y/?o\b|(?=\s*(?:$|[,!]|\.(?!\d)|\s(?:and|but)\s+(?!\d|an?\b)"
    r"|\s+(?:now|already|today)\s*(?:$|[,.!]))))"
)
_DATE = re.compile(
    r"(?:on\s+)?(?:the\s+)?(\d{1,2}(?:st|nd|rd|th)?(?:\s+of)?\s+[A-Z][a-z]{2,8}|[A-Z][a-z]{2,8}\s+"
    r"\d{1,2}(?:st|nd|rd|th)?|\d{4}-\d\d-\d\d)(?:,?\s+\d{4})?"
)


def telling(text: str) -> str | None:
    """What "the … is" tells: something with a digit or a capital, "5 May", "12,000 euros"."""
    said = re.sub(r"\A(?:at|on|in|set to|currently|now|called|named)\s+", "", text.strip(" "))
    said = _GOES_ON.split(said, maxsplit=1)[0].rstrip(" .!;:,")
    short = 0 < len(said.split()) <= 5 and "\x00" not in said
    tells = bool(_TELLING.search(said) or _ADDRESS.match(said)) or said[:1].isupper()
    return said if short and tells and not TOO_VAGUE.match(said) else None


def email(text: str) -> str | None:
    return matched(_EMAIL, text)


def emails_in(text: str) -> Sequence[str]:
    return [each.rstrip("-") for each in _EMAIL.findall(text)]


def phone(text: str) -> str | None:
    return matched(_PHONE, text)


def pronouns(text: str) -> str | None:
    return matched(_PRONOUNS, text)


def timezone(text: str) -> str | None:
    """An area with a city, or an offset, in any letters; else what tells at all."""
    return matched(_TIMEZONE, text) or telling(text)


def age(text: str) -> str | None:
    found = _AGE.match(text)
    return found[1] if found and 0 < int(found[1]) < 120 else None


def aged(text: str) -> str:
    """What stands behind an age, "nurse" of "44-year-old nurse"; all of it where none is told."""
    found = _AGE.match(text)
    return text[found.end() :].lstrip() if found else text


def date(text: str) -> str | None:
    found = _DATE.match(text)
    return re.sub(r"\A(?:on\s+)?(?:the\s+)?", "", found[0]) if found else None
