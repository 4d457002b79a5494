"""The order of what a search finds, the same for every engine."""

from collections.abc import Awaitable, Callable, Sequence

from app.domain.ids import ItemKey

Found = Sequence[tuple[ItemKey, float]]
"""Keys with their cosine, best first; the engine decides between equals."""

_DIGITS = 6
_WIDEN = 4


def as_cosine(score: float) -> float:
    """An engine's score as a cosine in [-1, 1], to the digits that are not rounding noise."""
    return round(min(1.0, max(-1.0, score)), _DIGITS)


async def nearest(fetch: Callable[[int], Awaitable[Found]], limit: int) -> Found:
    """The `limit` best that `fetch(n)`, which finds the n best, can find; ties by key.

    Engines cut a row of equals ("thanks" a thousand times) where they please. So one more than
    wanted is fetched, and more still as long as the last one in is no better than the first out.
    """
    if limit < 1:
        return []
    wanted = limit + 1
    found = await fetch(wanted)
    while len(found) == wanted and found[-1][1] == found[limit - 1][1]:
        wanted *= _WIDEN
        found = await fetch(wanted)
    return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:limit]
