"""What was said later of the same thing, and says that it changed, stands before what was."""

import re
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from app.domain.conversation import Role
from app.domain.memory import OF_MESSAGES
from app.ranking import Floats
from app.ranking.bm25 import numbers_in_order
from app.ranking.pool import Pool
from app.ranking.query import QueryView
from app.text.terms import terms_of

OLD = 3
"""Of the best so many may have been superseded."""

ALIKE = np.float32(0.45)
"""
The cosine from which a message speaks of the same as another, if it has a word that few others of
the pool have, or all that the other has of the query.
"""

_MOST = 2
"""Messages that are lifted, for each of these."""

_RARE = 4
"""Messages of a pool that hold a term at most, where that tells what they speak of."""

_READ, _LONGEST = 30, 600
"""The best of a pool, later than an old one, that are read for a change, and characters of each."""

_DONE = (
    *("moved", "changed", "replaced", "extended", "postponed", "rescheduled", "canceled"),
    *("cancelled", "upgraded", "raised", "lowered", "increased", "reduced", "renamed", "switched"),
    "dropped",
)
_DONE_TO, _DONE_BY = ("sold", "shifted", "pushed back"), ("stopped", "quit")
_GOING_ON = ("moving", "switching", "changing")
"""How it is told that something, or somebody, has changed it, and that it is under way."""

_CHANGES = re.compile(
    rf"""
    \b(?: no\ longer | anymore | instead\ of | from\ now\ on | rather\ than
    | (?:has|have|had|'ve|'s|was|were|got|been)\ (?:been\ )?(?:\w+\ )?
      (?:{"|".join(map(re.escape, (*_DONE, *_DONE_TO)))})
    | (?:we|i|they|s?he)\ (?:just\ |now\ |finally\ |have\ |'ve\ )*
      (?:{"|".join((*_DONE, *_DONE_BY))})
    | (?:{"|".join(_GOING_ON)})\ (?:away\ )?(?:from|to)
    | changed\ (?:my|our|her|his|their)\ minds?
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)

_TERMS = numbers_in_order(
    terms_of(
        " ".join(
            ["longer anymore instead rather now mind", *_DONE, *_DONE_TO, *_DONE_BY, *_GOING_ON]
        )
    )
)
"""Of these it has one: what has none is not read."""


def with_changes(
    query: QueryView, pool: Pool, worth: Floats, standing: Floats, floor: float
) -> tuple[Floats, Floats, Mapping[str, Floats]]:
    """
    What each is worth, and how far it stands beside the best, with what tells of a change as good
    as what it takes the place of; and the signal that says which did. Each of shape (n,).
    """
    changes = _superseding(query, pool, worth, floor)
    if not changes:
        return worth, standing, {}
    worth, standing = worth.copy(), standing.copy()
    told = np.full_like(worth, np.nan)
    for later, old in changes:
        worth[later], standing[later] = worth[old], max(standing[later], standing[old])
        told[later] = 1
    return worth, standing, {"changed": told}


def _superseding(
    query: QueryView, pool: Pool, worth: Floats, floor: float
) -> Sequence[tuple[int, int]]:
    """
    Which messages tell that what one of the best says changed: (later one, old one).

    Both are of the user, and speak of the same. What people with names tell each other changes all
    the time (LoCoMo: recall@10 .809 instead of .812).
    """
    recalled = pool.recalled
    said = np.array([kind in OF_MESSAGES for kind in recalled.types], dtype=np.bool_)
    voices = zip(recalled.roles, recalled.names, strict=True)
    said &= np.array([role == Role.USER and not name for role, name in voices], dtype=np.bool_)
    may = pool.whole_bags.holding(_TERMS)
    if not (said & may).any():
        return []
    order = np.argsort(-worth, kind="stable")
    order = order[said[order] & (worth[order] >= floor)]
    at = np.array(recalled.created_at, dtype=np.float64)
    read = [each for each in order[:_READ].tolist() if may[each]]
    telling = [each for each in read if _tells_change(recalled.contents[each])]
    found: list[tuple[int, int]] = []
    for old in order[:OLD].tolist():
        later = [each for each in telling if at[each] > at[old] and worth[each] < worth[old]]
        if later:
            same = _speaking_of_the_same(query, pool, old)
            found += [(each, old) for each in later if same[each]][:_MOST]
    return found


def _tells_change(content: str) -> bool:
    return len(content) <= _LONGEST and bool(_CHANGES.search(content))


def _speaking_of_the_same(query: QueryView, pool: Pool, old: int) -> NDArray[np.bool_]:
    """True for what means something like one, in some of its words, shape (n,)."""
    cosine = pool.whole_vectors.dot(pool.whole_vectors[old])
    bags = pool.whole_bags
    own = bags.term[bags.document == old]
    held = np.isin(bags.term, own)
    holders = np.bincount(np.searchsorted(own, bags.term[held]), minlength=len(own))
    rare = bags.holding(own[holders <= _RARE])
    hits = bags.frequencies(query.terms) > 0
    as_much = np.all(hits >= hits[old], axis=1) & hits[old].any()
    same: NDArray[np.bool_] = (cosine >= ALIKE) & (as_much | rare)
    return same
