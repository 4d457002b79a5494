"""What was said later of the same thing, and says that it changed, stands before what was."""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from app.domain.conversation import Role
from app.domain.memory import OF_MESSAGES
from app.ranking import Floats
from app.ranking.bm25 import term_numbers
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

_CHANGES = re.compile(
    r"""
    \b(?: no\ longer | anymore | instead\ of | from\ now\ on
    | (?:has|have|had|'ve|'s|was|were|got|been)\ (?:been\ )?(?:\w+\ )?
      (?:moved|changed|replaced|extended|postponed|rescheduled|cancell?ed|upgraded|raised|lowered
      |increased|reduced|renamed|switched|dropped|sold|shifted|pushed\ back)
    | (?:we|i|they|s?he)\ (?:just\ |now\ |finally\ |have\ |'ve\ )*
      (?:moved|changed|replaced|extended|postponed|rescheduled|cancell?ed|upgraded|raised|lowered
      |increased|reduced|renamed|switched|dropped|stopped|quit)
    | (?:moving|switching|changing)\ (?:away\ )?(?:from|to)
    | rather\ than | changed\ (?:my|our|her|his|their)\ minds?
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)


_TERMS = term_numbers(
    sorted(
        frozenset(
            terms_of(
                """
                longer anymore instead rather now moved changed replaced extended postponed
                rescheduled cancelled canceled upgraded raised lowered increased reduced renamed
                switched dropped sold shifted pushed stopped quit moving switching changing mind
                """
            )
        )
    )
)
"""Of these it has one: what has none is not read."""


def superseding(
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
    bags = pool.whole_bags
    may = np.bincount(bags.document[np.isin(bags.term, _TERMS)], minlength=len(said)) > 0
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
    rare = bags.document[np.isin(bags.term, own[holders <= _RARE])]
    hits = bags.frequencies(query.terms) > 0
    as_much = np.all(hits >= hits[old], axis=1) & hits[old].any()
    alike = as_much | (np.bincount(rare, minlength=len(cosine)) > 0)
    same: NDArray[np.bool_] = (cosine >= ALIKE) & alike
    return same
