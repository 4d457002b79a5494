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

NEXT = 8
"""Messages behind the best one that still count."""

_FADES = np.float32(5)
"""Messages over which it falls to 1/e."""


def said_next(recalled: Recalled, worth: Floats, running: ConversationKey | None) -> Floats:
    """
    How near behind the best message each one was said, times what that is worth, shape (n,).

    A question and what it leans on, asked together, are most alike to what answered the first; what
    came of it was said a few messages later. Of the running conversation, where both were just
    asked, nothing counts.

    Args:
        recalled: The n items.
        worth: What each is worth, shape (n,), in [0, 1].
        running: The conversation that goes on.

    Returns:
        In [0, 1], 0 for what is no message.
    """
    conversations, positions = np.array(recalled.conversations), np.array(recalled.positions)
    told = recalled.of_messages() & ~said_in(running, recalled)
    if not told.any():
        return np.zeros(len(recalled), dtype=np.float32)
    best = int(np.argmax(np.where(told, worth, np.float32(-1))))
    behind = positions - positions[best]
    near = told & (conversations == conversations[best]) & (behind > 0) & (behind <= NEXT)
    fading = np.exp((1 - behind.clip(1, NEXT)) / _FADES)
    return np.where(near, worth[best] * fading, 0).astype(np.float32)
