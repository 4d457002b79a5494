"""
What leads in to a brief message: "the second one" says what it is about by what stands before it.

Decision 112 of docs/decisions.md has the figures.
"""

from collections.abc import Iterable, Sequence

BRIEF = 15
"""Tokens of a message, at most, to which anything leads in."""

MESSAGES = 3
"""How many of those right before it lead in, at most."""

ROOM = 60
"""Tokens of all of these: what is longer says too much of its own."""


def leading_in(before: Iterable[tuple[str, int]]) -> Sequence[str]:
    """
    The texts that lead in, in the order in which they were said.

    Args:
        before: What was said right before a brief message, the nearest first, each with its tokens.
    """
    texts, room = list[str](), ROOM
    for text, tokens in before:
        room -= tokens
        if room < 0 or len(texts) == MESSAGES:
            break
        texts.append(text)
    return texts[::-1]
