"""Relevance where a query calls something by its name: its name tells it from all that is alike."""

import numpy as np

from app.ranking import Floats
from app.ranking.pool import Pool
from app.ranking.query import QueryView

NAMED = np.float32(0.8)
"""The relevance, at least, of what has the names that are all that is asked for."""

MISTAKEN = np.float32(0.5)
"""
That, at most, of what has the number of another where nothing has the one that is asked for, and of
all that is less likely still: what it is like made the whole pool look like answers.
"""

_READ = 4_000
"""Characters in which such a number is looked for."""


def by_name(query: QueryView, pool: Pool, score: Floats) -> Floats:
    """
    The scores, where names tell more than likeness, shape (n,).

    "checkout-api" is answered by what says that name, and "ORA-01555" is not by what is known of
    ORA-00942, however near it lies. Only what the scope knows decides: without full text, nothing.
    """
    named = query.wording.named
    if not (named.names and query.terms):
        return score
    known = [each.term for each in named.names if each.term in query.terms]
    there = pool.bags.frequencies(known) > 0
    if named.alone and len(known) == len(named.names):
        return np.where(there.all(axis=1), np.maximum(score, NAMED), score)
    unknown = [each for each in named.names if each.kin is not None and each.term not in known]
    if not unknown:
        return score
    texts = [said[:_READ] for said in pool.recalled.contents]
    mistaken = np.array([any(each.is_mistaken_in(said) for each in unknown) for said in texts])
    mistaken &= ~there.any(axis=1)
    less = score <= score[mistaken].max(initial=-np.inf)
    return np.where(less & ~there.any(axis=1), np.minimum(score, MISTAKEN), score)
