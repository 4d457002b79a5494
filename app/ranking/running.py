"""The conversation that goes on comes first; what was said elsewhere, if that is not enough."""

import numpy as np
from numpy.typing import NDArray

from app.domain.ids import ConversationKey
from app.ranking import Floats
from app.ranking.pool import Recalled

RUNNING_SHARE = np.float32(0.1)
"""
What being said in the conversation that goes on adds to a relevance. Decision 79 of
docs/decisions.md has the figures.
"""

ENOUGH = 3
"""Good ones in the conversation that goes on, with which it is enough."""


def said_in(conversation: ConversationKey | None, recalled: Recalled) -> NDArray[np.bool_]:
    """True for what was said in `conversation`, or was drawn from it alone, shape (n,)."""
    if conversation is None:
        return np.zeros(len(recalled), dtype=np.bool_)
    return np.array([each == conversation for each in recalled.conversations], dtype=np.bool_)


def told_once(
    likely: NDArray[np.bool_], relevance: Floats, recalled: Recalled
) -> NDArray[np.bool_]:
    """Of what is `likely`, the best piece of each message, and each text once, shape (n,)."""
    once, known = np.zeros(len(recalled), dtype=np.bool_), set[object]()
    for at in sorted(np.flatnonzero(likely).tolist(), key=lambda at: -float(relevance[at])):
        told = {recalled.messages[at], recalled.hashes[at]}
        once[at] = known.isdisjoint(told)
        known |= told
    return once


def outdone(
    relevance: Floats, good: NDArray[np.bool_], here: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """
    True for what was said elsewhere and is worth less than each of ENOUGH good ones of the
    conversation that goes on, shape (n,); where there are fewer good ones, for nothing.

    Args:
        relevance: Of each item, with what lifts it, shape (n,).
        good: Which are likely answers, each told once, shape (n,).
        here: What was said in the conversation that goes on, shape (n,).
    """
    enough = np.sort(relevance[good & here])[-ENOUGH:]
    if len(enough) < ENOUGH:
        return np.zeros(len(here), dtype=np.bool_)
    worse: NDArray[np.bool_] = ~here & (relevance < enough[0])
    return worse
