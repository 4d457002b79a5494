"""What the words of a question and of a memory give away, by rules that can be read."""

import re
from dataclasses import dataclass

_WHEN = re.compile(
    r"\b(?:when|what (?:date|day|month|year|time)|how long|how (?:many|often))\b", re.IGNORECASE
)
_ASKER = re.compile(r"\b(?:i|me|my|mine|i've|i'm|we|our|us)\b", re.IGNORECASE)
_ASSISTANT = re.compile(r"\b(?:you|your|yours)\b", re.IGNORECASE)
_TELLS_TIME = re.compile(
    r"""
    \b(?:\d{1,4}(?:st|nd|rd|th)?|yesterday|today|tonight|tomorrow|ago|last|next|week|weekend
    |month|year|morning|(?:mon|tues|wednes|thurs|fri|satur|sun)day
    |january|february|march|april|may|june|july|august|september|october|november|december)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_READ = 4_000
"""Characters of a memory that are looked at for a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """Whether a question asks for a time or a number, speaks of who asks, or of the assistant."""

    asks_when: bool = False
    of_asker: bool = False
    of_assistant: bool = False


PLAIN = Wording()


def wording_of(query: str) -> Wording:
    return Wording(
        asks_when=bool(_WHEN.search(query)),
        of_asker=bool(_ASKER.search(query)),
        of_assistant=bool(_ASSISTANT.search(query)),
    )


def tells_time(content: str) -> bool:
    """Whether a memory names a time or a number."""
    return bool(_TELLS_TIME.search(content, 0, _READ))
