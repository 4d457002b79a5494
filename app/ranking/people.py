"""
What people say to each other, and whether it only asks.

Among people a question is seldom what answers another one: of the messages that were found for
LoCoMo, one in a hundred of those that answer asks in half of its sentences, one in ten of the
others. Whoever asks an assistant tells what it is about, so there it tells nothing.
"""

import re
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from app.domain.conversation import Role, role_called
from app.ranking import Floats
from app.ranking.pool import Recalled
from app.text.wording import asks

AMONG_PEOPLE: Mapping[str, str] = {
    "among_people": "1 where a person said it to others, 0 for what is said with an assistant",
    "asks": "the share of its sentences that ask, among people",
}
"""Features of a message by itself."""

_READ = 2_000
"""Characters of a piece that are looked at."""

_MARKS = r"[.!?\u2026\u3002\uff01\uff1f]"
_ENDS = re.compile(rf"{_MARKS}(?<!{_MARKS}{{2}}){_MARKS}*+(?=\s|\Z)|[\u3002\uff01\uff1f]")
"""Of marks in a row the first begins: each is looked at once, however many there are."""


def among_people(recalled: Recalled) -> Mapping[str, Floats]:
    """The features of AMONG_PEOPLE, each of shape (n,)."""
    there = between_people(recalled)
    asks = [
        share_asking(content[:_READ]) if of_person else 0.0
        for content, of_person in zip(recalled.contents, there.tolist(), strict=True)
    ]
    return {"among_people": there.astype(np.float32), "asks": np.array(asks, dtype=np.float32)}


def between_people(recalled: Recalled) -> NDArray[np.bool_]:
    """
    True for what a person, who has a name, said where no assistant takes part, shape (n,).

    Who is called what their role is ("user", "AI") has no name, and an assistant with a name is the
    other person of a chat that was stored so.
    """
    of_person = {name: is_of_person(name) for name in set(recalled.names)}
    voices = set(zip(recalled.conversations, recalled.roles, recalled.names, strict=True))
    assisted = {
        conversation
        for conversation, role, name in voices
        if role == Role.ASSISTANT and not of_person[name]
    }
    named = zip(recalled.conversations, recalled.names, strict=True)
    return np.array(
        [of_person[name] and conversation not in assisted for conversation, name in named],
        dtype=np.bool_,
    )


def is_of_person(name: str | None) -> bool:
    return name is not None and role_called(name) is None


def share_asking(text: str) -> float:
    """
    The share of the sentences of a text that ask, in [0, 1]: by the signs at their ends, or of one
    without its sign by its words ("who drives").
    """
    if not _is_marked(text):
        return float(asks(text))
    ends = _ENDS.findall(text)
    return sum(map(_is_marked, ends)) / len(ends) if ends else 0.0


def _is_marked(text: str) -> bool:
    return "?" in text or "\uff1f" in text
