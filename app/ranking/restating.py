"""What was said later of the same in other figures: "I weigh 84 kilos", "I weigh 82 and a half"."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from app.ranking import Floats
from app.ranking.later import OLD
from app.ranking.pool import Pool
from app.ranking.query import QueryView
from app.text.change import LONGEST
from app.text.scripts import fold
from app.text.terms import terms_of

_ALIKE = np.float32(0.75)
"""The cosine from which a message may say the same in other figures."""

_OF_WORDS = 0.5
"""Of its words, and those of the old one, the fewer: so many both have, but for figures."""

_LATER = 3_600.0
"""Seconds, at least, that lie between: what is told in one go in several figures is a list."""

_FIGURE = re.compile(
    r"(?<![\w-])[\d$\u20ac\u00a3][\d.,:/]*(?!\w*-\d)"
    r"|\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|(?:thir|four|fif|six|seven|eigh|nine)teen"
    r"|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|hundred|thousand|half)\b"
)
"""An amount, an hour or a version; not what numbers things, as PAY-1188, of which each is one."""


def restated(
    query: QueryView,
    pool: Pool,
    worth: Floats,
    passing: NDArray[np.bool_],
    hits: NDArray[np.bool_],
) -> Sequence[tuple[int, int]]:
    """
    Which messages say what one of the best says, of the same voice, later and in other figures:
    (later one, old one).

    They have all that the old one has of the query, or it would be told of Ann what holds of Ben.
    Only where what holds is asked for: not what was, how things went, or of a time that is named.

    Args:
        query: What is asked.
        pool: What was found, n items.
        worth: Of each, shape (n,).
        passing: True for what may be let in, shape (n,).
        hits: Which of the t terms of the query each message has, shape (n, t).
    """
    if query.wording.of_course or query.wording.of_past or query.intervals:
        return []
    said = pool.recalled.of_messages() & passing
    order = pool.recalled.best_first(worth)
    found: list[tuple[int, int]] = []
    for old in order[said[order]][:OLD].tolist():
        alike = said & (pool.whole_vectors.dot(pool.whole_vectors[old]) >= _ALIKE)
        alike &= (worth < worth[old]) & np.all(hits >= hits[old], axis=1)
        found += [(each, old) for each in _in_other_figures(pool, old, np.flatnonzero(alike))]
    return found


def _in_other_figures(pool: Pool, old: int, among: NDArray[np.intp]) -> Iterator[int]:
    """The newest of those `among` a pool that do, and not in one go with it, if any does."""
    recalled = pool.recalled
    from_then = recalled.created_at[old] + _LATER
    for at in sorted(among.tolist(), key=recalled.created_at.__getitem__, reverse=True):
        voices = {(recalled.roles[each], recalled.names[each]) for each in (at, old)}
        said_later = recalled.created_at[at] >= from_then and len(voices) == 1
        if said_later and _is_restated(recalled.contents[old], recalled.contents[at]):
            yield at
            return


def _is_restated(old: str, new: str) -> bool:
    if max(len(old), len(new)) > LONGEST:
        return False
    (figures, words), (others, anew) = _told(old), _told(new)
    fewer = min(len(words), len(anew))
    return bool(
        figures and others and figures != others and len(words & anew) >= _OF_WORDS * fewer > 0
    )


@lru_cache(maxsize=1_024)
def _told(content: str) -> tuple[frozenset[str], frozenset[str]]:
    """The figures of a message, and its other terms."""
    folded = fold(content)
    figures = frozenset(each.rstrip(".,:") for each in _FIGURE.findall(folded))
    return figures, frozenset(terms_of(_FIGURE.sub(" ", folded)))
