"""What a tool is used as: the attribute of a fact about it."""

import re

from app.distil.facts.values import kind_of
from app.distil.language.lexicon import TOOL_KINDS

_FOR = re.compile(r"\s+for\s+(?:(?:the|our|my|all|its|every)\s+)*(?P<what>[\w-]+(?:\s+[\w-]+)?)")
_IN = re.compile(r"\s+in\s+(?P<what>production|staging|development|ci)\b", re.IGNORECASE)
_AS = re.compile(r"\s+as\s+(?:the|our|my|a)\s+(?P<what>[\w-]+(?:\s[\w-]+)?)")
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
