"""
Relevance where a query says what a label says: "How much are the flights for the Lisbon trip?".

What a conversation is about often stands in its label alone: all that is said in it goes without
saying so, and what was said about another trip is as near. Decision 109 of docs/decisions.md has
the figures.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from math import log, sqrt

import numpy as np

from app.ranking import Floats
from app.ranking.naming import ahead
from app.ranking.pool import Pool
from app.ranking.query import QueryView
from app.text.labels import terms_of_label

LIFT = np.float32(0.3)
"""What of the rest of its relevance is added, at most, to what was said under such a label."""

FADE = np.float32(0.5)
"""What is taken, at most, from all else."""

FITS = 0.3
"""How well the best label fits, at least, to be what is asked about."""

AS_WELL = 0.8
"""How well another one does, beside it."""


def fitting(sought: Collection[str], labels: Collection[str]) -> Mapping[str, float]:
    """
    Those of the labels that a query for these terms is about, and how well each fits, in [0, 1].

    That is the geometric mean of how much of the label the query says, where a word counts the more
    the fewer labels have it, and of how much of the query the label says. The best ones count, and
    none where even these share little with it.
    """
    told = {label: terms_of_label(label) for label in labels}
    often = Counter(term for terms in told.values() for term in terms)
    rarity = {term: log(1 + len(told) / count) for term, count in often.items()}
    fits = dict[str, float]()
    for label, terms in told.items():
        if both := terms.intersection(sought):
            share = sum(rarity[term] for term in both) / sum(rarity[term] for term in terms)
            fits[label] = sqrt(share * len(both) / len(sought))
    best = max(fits.values(), default=0.0)
    return {each: fit for each, fit in fits.items() if fit >= max(FITS, AS_WELL * best)}


def by_words_of_label(
    query: QueryView, pool: Pool, score: Floats, standing: Floats
) -> tuple[Floats, Floats]:
    """
    The scores, and what each counts beside the best, where the query says what labels say, (n,).

    What was said under such a label, or says all of these words itself, is nearer to what is asked
    than it looks, and all else is further from it.
    """
    labels = pool.recalled.labels
    fits = fitting(query.sought, {each for each in labels if each})
    if not fits:
        return score, standing
    fit = np.array([fits.get(each or "", 0.0) for each in labels], dtype=np.float32)
    words = query.sought & frozenset().union(*map(terms_of_label, fits))
    known = [each for each in query.terms if each in words]
    theirs = fit > 0
    if len(known) == len(words):
        theirs |= np.all(pool.bags.frequencies(known) > 0, axis=1)
    left = np.float32(1) - FADE * fit.max()
    lifted = np.where(theirs, score + LIFT * fit * (1 - score), left * score)
    return lifted, ahead(standing, theirs, left=left)
