"""What the words of a question and of a memory give away, by rules that can be read."""

import re
from dataclasses import dataclass

_WHEN = re.compile(
    r"\b(?:when|what (?:date|day|month|year|time)|how long|how (?:many|often))\b", re.IGNORECASE
)
_ASKER = re.compile(r"\b(?:i|me|my|mine|i've|i'm|we|our|us)\b", re.IGNORECASE)
_ASSISTANT = re.compile(r"\b(?:you|your|yours)\b", re.IGNORECASE)
TIME_WORDS = (
    *"""
    yesterday today tonight tomorrow ago last next week weekend month year morning monday tuesday
    wednesday thursday friday saturday sunday january february march april may june july august
    september october november december
    """.split(),
    *map(str, range(2_101)),
    *(f"{day:02}" for day in range(10)),
    *(f"{day}{ending}" for day in range(1, 32) for ending in ("st", "nd", "rd", "th")),
)
"""What a text holds that names a time or a number: words, numbers up to that of a year, days."""

_ENDS_ASKING = re.compile(r"[?\uff1f\u061f\u037e\u055e]\W*\Z")
_ENDING = 100
"""Characters at the end of a memory that are looked at for a question."""


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


def asks(content: str) -> bool:
    """Whether a memory ends with a question."""
    return bool(_ENDS_ASKING.search(content[-_ENDING:]))
