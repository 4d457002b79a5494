"""What was said next: of a question that leans on the one before, it mostly is the answer."""

import numpy as np

from app.domain.ids import ConversationKey
from app.ranking import Floats
from app.ranking.pool import Recalled
from app.ranking.running import said_in

FOLLOW_UP_SHARE = np.float32(0.4)
"""
What being said next adds to a relevance, at most. Decision 119 of docs/decisions.md has the
figures.
"""

BEHIND = np.float32(0.95)
"""Of what the best one is worth: what is said next is not lifted beyond."""

NEXT = 8
"""Messages behind the best one that still count."""

_FADES = np.float32(5)
"""Messages over which it falls to 1/e."""


def going_on(
    recalled: Recalled, worth: Floats, running: ConversationKey | None
) -> tuple[Floats, Floats]:
    """
    What being said right behind the best message adds to what each is worth, and how near behind it
    each stands, in [0, 1], 0 for what is no message; each of shape (n,).

    A question and what it leans on, asked together, are most alike to what answered the first; what
    came of it was said a few messages later. It stays behind the best one, which may answer both.
    Of the running conversation, where both were just asked, nothing counts.

    Args:
        recalled: The n items.
        worth: What each is worth, shape (n,), in [0, 1].
        running: The conversation that goes on.
    """
    conversations, positions = np.array(recalled.conversations), np.array(recalled.positions)
    told = recalled.of_messages() & ~said_in(running, recalled)
    if not told.any():
        return np.zeros_like(worth), np.zeros_like(worth)
    best = int(np.argmax(np.where(told, worth, np.float32(-1))))
    behind = positions - positions[best]
    follows = told & (conversations == conversations[best]) & (behind > 0) & (behind <= NEXT)
    fading = np.exp((1 - behind.clip(1, NEXT)) / _FADES).astype(np.float32)
    near = np.where(follows, fading, np.float32(0))
    room = np.maximum(BEHIND * worth[best] - worth, np.float32(0))
    return np.minimum(FOLLOW_UP_SHARE * worth[best] * near, room), near
