"""How a text begins: what it is about is mostly said there."""

from functools import lru_cache

from app.text.scripts import fold

OPENING = 240
"""Characters. A function's name and the first line of its docstring fit in."""

_FENCE = "```"


def opening(text: str) -> str:
    """The folded first OPENING characters, without the fence of a code block before them."""
    begun = text[: 2 * OPENING].lstrip()
    if begun.startswith(_FENCE):
        begun = begun[begun.find("\n") + 1 :]
    begun = begun[:OPENING]
    return begun.lower() if begun.isascii() else _folded(begun)


@lru_cache(maxsize=4_096)
def _folded(begun: str) -> str:
    """Remembered, since folding takes as long as all the rest that is asked of a candidate."""
    return fold(begun)
