"""What a cross-encoder thinks of the best candidates, told on the scale of relevance."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.ranking import Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """
    What a cross-encoder said of some candidates: their indexes, and `scores` of the same length,
    more being better, on a scale of its own.

    `share` is what its order counts beside the relevance that was there, from 0 to 1.
    """

    at: Sequence[int]
    scores: Floats
    share: float


def best_for_reading(relevance: Floats, *, most: int) -> list[int]:
    """The indexes of the `most` highest, best first; of equals the first."""
    order: list[int] = np.argsort(-relevance, kind="stable")[:most].tolist()
    return order


def dealt(relevance: Floats, opinion: Opinion) -> Floats:
    """
    Deal the relevances of what was read out anew, shape (n,): the highest to what the cross-encoder
    likes best, and so on. Of each item, `share` comes from this and the rest from what it had.

    Only the order of its scores is used. Their scale differs from one cross-encoder to the next
    (logits, logistics of them, similarities), and with none of them is the middle the point from
    which on a text is an answer. A relevance is calibrated: floor, `min_score` and `sufficient` are
    measured on it. So the relevances stay the ones that the calibration gave: none is higher than
    the highest nor lower than the lowest of those read, their sum stays, and a pool without a
    likely answer has none afterwards. What the cross-encoder can do is to decide which candidates
    deserve the high ones: with a share above 1/2 its order wins where two changed places.

    Equal scores share what falls to them, so that they part nothing. What was not read keeps its
    relevance.
    """
    told = relevance.copy()
    if not len(opinion.at):
        return told
    read = relevance[list(opinion.at)]
    values, group = np.unique(-opinion.scores, return_inverse=True)
    highest_first = np.sort(read)[::-1]
    order = np.argsort(group, kind="stable")
    sums = np.bincount(group[order], weights=highest_first, minlength=len(values))
    means = sums / np.bincount(group, minlength=len(values))
    told[list(opinion.at)] = (1 - opinion.share) * read + opinion.share * means[group]
    return told
