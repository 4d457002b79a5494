"""What a tool is used as, the attribute of a fact about it, and which version of it."""

import re

from app.distil.facts.values import ENDS_PHRASE, kind_of, normal, proper
from app.distil.language.lexicon import PROGRAMS, TOOL_KINDS

_FOR = re.compile(r"\s+for\s+(?:(?:the|our|my|all|its|every)\s+)*(?P<what>[\w-]+(?:\s+[\w-]+)?)")
_IN = re.compile(r"\s+in\s+(?P<what>production|staging|development|ci)\b", re.IGNORECASE)
_AS = re.compile(r"\s+as\s+(?:the|our|my|a)\s+(?P<what>[\w-]+(?:\s[\w-]+)?)")
_VERSION = r"(?:version\s+)?v?\d{1,4}(?:\.\w{1,6}){0,3}(?=\W|\Z)"
_UPGRADED = re.compile(
    rf"(?:(?:from|our)\s+)*(?P<tool>\S{{1,30}})(?:\s+(?:from\s+)?{_VERSION})?\s+to\s+{_VERSION}"
    rf"|to\s+(?P<other>\S{{1,30}})\s+{_VERSION}",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    rf"(?:\s+(?:from\s+)?{_VERSION}(?=\s+to\s))?(?:\s+to)?\s+(?:version\s+)?v?(?P<last>\d[\w.]*)(?<!\.)"
    r"(?!\s+(?:times|of|days|hours|people|years|seats|nodes|instances))",
    re.IGNORECASE,
)
_PARTS = re.compile(r"(?P<name>.+?)(?:\s+v?(?P<version>\d[\w.]*))?")
_NO_PURPOSE = frozenset("now everything years ages it that this me us".split())
_BEGINS_ANOTHER = frozenset("and but because since as in on at so from with when instead".split())


def attribute_of(value: str, said: str, otherwise: str) -> str:
    """
    "database" of "PostgreSQL", "database for tests" where that is said; else `otherwise`.

    Args:
        value: What is used.
        said: The words that hold it, and what follows.
        otherwise: The attribute where no kind is known or named.
    """
    kind = kind_of(value)
    rest = said[said.find(value) + len(value) :]
    role = _AS.match(rest)
    if role and role["what"].casefold() in TOOL_KINDS:
        return role["what"].casefold()
    purpose = _purpose(rest)
    if purpose in TOOL_KINDS:
        return kind or purpose or otherwise
    if kind and purpose:
        return f"{kind} for {purpose}"
    return kind or otherwise


def _purpose(rest: str) -> str | None:
    found = _FOR.match(rest) or _IN.match(rest)
    words = found["what"].casefold().split() if found else []
    if not words or words[0] in _NO_PURPOSE:
        return None
    return words[0] if words[-1] in _BEGINS_ANOTHER else " ".join(words)


def upgraded(text: str) -> str | None:
    """
    Behind "upgraded": the tool of "Postgres to 17" or "from Postgres 15 to 17".

    What is no known one has a version with a point: not "Section to 4".
    """
    found = _UPGRADED.match(text)
    name = (found["tool"] or found["other"]) if found else ""
    if not found or not ENDS_PHRASE.match(text, found.end()):
        return None
    named = proper(name) == name and ("." in found[0] or name.casefold() in PROGRAMS)
    return name if named or kind_of(name) else None


def parted(value: str, text: str) -> tuple[str, str]:
    """
    A tool, as it is compared, and its version; that is empty where none is told.

    Args:
        value: The tool, perhaps with its version: "Postgres 15".
        text: What is told of it, as "We upgraded Postgres to 17".
    """
    found = _PARTS.fullmatch(" ".join(value.split()))
    name, version = (found["name"], found["version"]) if found else (value, None)
    at = text.find(name)
    behind = _BEHIND.match(text, at + len(name)) if at >= 0 else None
    return normal(name), (behind["last"] if behind else version) or ""
