"""Relevance where a query calls something by its name: its name tells it from all that is alike."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from app.ranking import Floats
from app.ranking.neighbours import places
from app.ranking.pool import Pool
from app.ranking.query import QueryView
from app.text.names import Name

NAMED = np.float32(0.8)
"""The relevance, at least, of what has the names that are all that is asked for."""

MISTAKEN = np.float32(0.5)
"""
That, at most, of what has the number of another where nothing has the one that is asked for, and of
all that is less likely still: what it is like made the whole pool look like answers.
"""

BESIDE = 2
"""Messages from one that says a name, within which another may answer without saying it again."""

_HALF = np.float32(0.5)

_LEAST = 1e-12
"""Nothing counts less beside the best (`beside_best` of relevance.py)."""

_READ = 4_000
"""Characters in which such a number is looked for."""


def by_name(query: QueryView, pool: Pool, score: Floats, meaning: Floats) -> Floats:
    """
    The scores, where names tell more than likeness, shape (n,).

    "checkout-api" is answered by what says that name; what does not, nor stands beside it, counts
    by its `meaning` alone at most. "Why did we hold 92ef6a1?" is answered by what says that number,
    and "ORA-01555" not by what is known of ORA-00942, however near it lies, unless it stands beside
    what says the number. Only what the scope knows decides: without full text, nothing.
    """
    named = query.wording.named
    if not (query.terms or named.numbered):
        return score
    known = [each.term for each in named.names if each.term in query.terms]
    there = pool.bags.frequencies(known) > 0
    if named.alone and known and len(known) == len(named.names):
        said: NDArray[np.bool_] = np.all(there, axis=1)
        rest = np.where(beside(pool, said), score, np.minimum(score, meaning))
        return np.where(said, np.maximum(score, NAMED), rest)
    if not named.numbered:
        return score
    any_there: NDArray[np.bool_] = np.any(there, axis=1)
    return _by_number(query, known, any_there, pool, score)


def _by_number(
    query: QueryView,
    known: Sequence[str],
    there: NDArray[np.bool_],
    pool: Pool,
    score: Floats,
) -> Floats:
    """
    The scores, where what is numbered is asked for, shape (n,).

    What says the number is a likely answer, above all that is less likely than NAMED, unless
    vectors alone are asked. What has only another number of its kind is none: where the number is
    among the `known` terms, but beside what says it, else wherever nothing known is `there`.
    """
    numbered = query.wording.named.numbered
    texts = [content[:_READ] for content in pool.recalled.contents]
    said = np.array([any(each.is_in(text) for each in numbered) for text in texts])
    if query.terms:
        score = np.where(said, raised(score), score)
    there = there | said
    unknown = [each for each in numbered if each.term not in known]
    if not unknown:
        return _less_of_others(numbered, texts, pool, score, there)
    mistaken = np.array([any(each.is_mistaken_in(text) for each in unknown) for text in texts])
    less = score <= score[mistaken & ~there].max(initial=-np.inf)
    return np.where(less & ~there, np.minimum(score, MISTAKEN), score)


def _less_of_others(
    numbered: Sequence[Name],
    texts: Sequence[str],
    pool: Pool,
    score: Floats,
    there: NDArray[np.bool_],
) -> Floats:
    """MISTAKEN at most for what has other numbers alone, away from what has one of these."""
    wrong = np.zeros(len(score), dtype=np.bool_)
    for at in np.flatnonzero((score > MISTAKEN) & ~there).tolist():
        wrong[at] = any(each.is_mistaken_in(texts[at]) for each in numbered)
    return np.where(wrong & ~beside(pool, there), MISTAKEN, score)


def raised(score: Floats) -> Floats:
    """The scores above NAMED, in their order."""
    return NAMED + (1 - NAMED) * score


def by_label(
    query: QueryView, pool: Pool, score: Floats, standing: Floats
) -> tuple[Floats, Floats]:
    """
    The scores, and what each counts beside the best, where the query calls conversations by their
    label, shape (n,).

    What was said there, or says the number itself, is what is asked about, however little it has in
    common with the question: its scores are raised above NAMED, in their order, and those of all
    else are halved.
    """
    theirs = np.isin(pool.recalled.conversations, [*query.called])
    if not theirs.any():
        return score, standing
    numbers = [each.term for each in query.wording.named.names if each.numbers]
    theirs |= np.any(pool.bags.frequencies(numbers) > 0, axis=1)
    return np.where(theirs, raised(score), _HALF * score), ahead(standing, theirs, left=_HALF)


def ahead(standing: Floats, theirs: NDArray[np.bool_], *, left: np.float32) -> Floats:
    """What each counts where the best of `theirs` counts 1, and all else what is `left` of it."""
    best = max(float(standing[theirs].max()), _LEAST)
    return np.where(theirs, standing / np.float32(best), left * standing)


def beside(pool: Pool, said: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """True for what stands close by one of these in its conversation, shape (n,)."""
    spots = places(pool.recalled.conversations, pool.recalled.positions)
    away = np.abs(spots[:, None] - spots[said])
    beside: NDArray[np.bool_] = np.any(away <= BESIDE, axis=1)
    return beside
