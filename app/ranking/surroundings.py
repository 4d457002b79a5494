"""What stands around the candidates of a pool: before and after, in their conversation, near."""

import numpy as np

from app.ranking import Floats
from app.ranking.lines import Lines, held
from app.ranking.neighbours import Indexes, Places, conversations_at
from app.ranking.pool import Among
from app.ranking.query import QueryView

Columns = dict[str, Floats]
"""Features by name, each of shape (n,)."""

_BEST = 5
"""Candidates that the others are compared with."""

_REACH = {"close_by": 4.0, "close_by_wide": 15.0}
"""Messages of a conversation within which what stands close by loses two thirds of its weight."""

_OUT_OF_REACH = 300
"""Messages away, or more, or in another conversation: what stands there counts nothing."""


def windows(lines: Lines) -> Columns:
    """
    Cosines of means of neighbouring vectors: what is said in passing, with what it is about.

    A mean is not made: its dot product with the query is the sum of theirs, and the square of its
    length is the sum of the squares and of twice the products.
    """
    whole, told = slice(lines.size), lines.cosine
    own, prior, later = (lines.vectors[at] for at in (whole, lines.before, lines.after))
    mass = _dots(lines.vectors, lines.vectors)
    with_prior, with_later = 2 * _dots(own, prior), 2 * _dots(own, later)
    one = told[whole] + told[lines.before], mass[whole] + mass[lines.before] + with_prior
    other = told[whole] + told[lines.after], mass[whole] + mass[lines.after] + with_later
    mass_of_both = one[1] + mass[lines.after] + with_later + 2 * _dots(prior, later)
    both = one[0] + told[lines.after], mass_of_both
    sums = {"window_before": one, "window_after": other, "window": both}
    return {name: dot / _lengths(square) for name, (dot, square) in sums.items()}


def _dots(some: Floats, others: Floats) -> Floats:
    """The dot product of each row with the other's, shape (n,)."""
    return np.asarray(np.einsum("nd,nd->n", some, others), dtype=np.float32)


def _lengths(squares: Floats) -> Floats:
    return np.sqrt(np.maximum(squares, np.float32(1e-12)))


def beside(query: QueryView, lines: Lines) -> Columns:
    """Of the neighbours, one by one, and what their words add."""
    own, before, after = lines.hits[: lines.size], lines.before, lines.after
    near = np.maximum(np.maximum(lines.hits[before], lines.hits[after]), own)
    return {
        "before_cosine": lines.cosine[before],
        "after_cosine": lines.cosine[after],
        "before_bm25": lines.bm25[before],
        "after_bm25": lines.bm25[after],
        "beside_matched": held(near - own, query),
    }


def conversation(query: QueryView, lines: Lines, lexical: Floats, among: Among) -> Columns:
    """What else the pool holds of each candidate's conversation, and how close by."""
    _, group = np.unique(conversations_at(lines.spots), return_inverse=True)
    cosine, hits = lines.cosine[: lines.size], lines.hits[: lines.size]
    strength = cosine + lexical
    three, best = _best_others(group, strength)
    same = (group[:, None] == group).astype(np.float32)
    added = ((same.dot(hits) > hits) & (hits == 0)).astype(np.float32)
    return {
        "others": three,
        "others_best": best,
        "others_cosine": _best_others(group, cosine)[0],
        "others_matched": held(added, query),
        **_close_by(lines.spots, strength, among),
    }


def _close_by(spots: Places, strength: Floats, among: Among) -> Columns:
    """
    What is stronger than the pool's mean in the same conversation, summed, the closer the more.

    Of what the pool is judged among: whatever else there is adds nothing to others.
    """
    raised = np.zeros_like(strength)
    theirs = strength[among]
    raised[among] = np.maximum(theirs - theirs.mean(), 0)
    others = np.flatnonzero(raised)
    away = np.abs(spots[:, None] - spots[others])  # another conversation is too far away
    away = np.minimum(away, _OUT_OF_REACH).astype(np.float32)
    told = {name: np.exp(away / -np.float32(reach)) for name, reach in _REACH.items()}
    return {name: near.dot(raised[others]) - raised for name, near in told.items()}


def _best_others(group: Indexes, strength: Floats) -> tuple[Floats, Floats]:
    """The sum over the three best others of the group by three, and the best one; 0 for none."""
    order = np.lexsort((-strength, group))
    groups = group[order]
    starts = np.searchsorted(groups, np.arange(groups[-1] + 1))
    place = np.empty(len(group), dtype=np.intp)
    place[order] = np.arange(len(group)) - starts[groups]
    best = np.zeros((len(starts), 4), dtype=np.float32)
    first = np.flatnonzero(place < 4)
    best[group[first], place[first]] = strength[first]
    four = best[group]
    three = (four[:, 0] + four[:, 1] + four[:, 2]) / np.float32(3)
    without_itself = three + (four[:, 3] - strength) / np.float32(3)
    best_other: Floats = np.where(place == 0, four[:, 1], four[:, 0])
    return np.where(place < 3, without_itself, three).astype(np.float32), best_other


def alike(lines: Lines, lexical: Floats, among: Among) -> Columns:
    """How near each is to what looks best (relevance feedback) and to everything, of `among`."""
    vectors = lines.vectors[: lines.size]
    strength = (lines.cosine[: lines.size] + lexical)[among]
    theirs = vectors[among]
    wanted = theirs[np.argsort(-strength, kind="stable")[:_BEST]].mean(axis=0)
    wanted /= _lengths(wanted.dot(wanted))
    return {"like_best": vectors.dot(wanted), "typical": vectors.dot(theirs.mean(axis=0))}
