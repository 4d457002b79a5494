"""Widening a pool: an answer shares few words with its question, but it stands right behind it."""

from collections.abc import Collection, Sequence

import numpy as np

from app.domain.ids import MessageKey
from app.ranking import Floats
from app.ranking.bm25 import Bags, bm25
from app.ranking.features import over_best
from app.ranking.lines import cosines
from app.ranking.neighbours import Places, places
from app.ranking.pool import Surrounded, unpacked
from app.ranking.query import QueryView

BEST = {1: 10, 2: 16}
"""
By their reach, messages beside which some are let in that no source found. With 0, 5, 10 and 15
recall@10 is 0.794, 0.811, 0.813 and 0.812 on LoCoMo, and 0.649, 0.658, 0.658 and 0.658 on BEAM.
What stands beside these in turn is not read: with it, and 20, it is 0.810 and 0.653, and a read
costs twice as much more.
"""


@np.errstate(invalid="ignore")
def beside_best(
    query: QueryView, found: Surrounded, without: Collection[MessageKey] = ()
) -> Sequence[MessageKey]:
    """
    The neighbours within reach of the BEST of the messages that were found, by cosine and BM25
    alike; in ascending order, and none of `without`.
    """
    recalled, near = found.recalled, found.neighbours
    said = [at for at, message in enumerate(recalled.messages) if message > 0]
    if not said or not near.keys:
        return []
    strength = _strength(query, found)[said]
    spots = places(recalled.conversations, recalled.positions)[said]
    reach = recalled.reach
    best = _first(spots[np.argsort(-strength, kind="stable")], BEST[reach])
    sides = [best + offset for offset in range(-reach, reach + 1)]
    wanted = np.isin(places(near.conversations, near.positions), np.concatenate(sides))
    coming = (near.keys[at] for at in np.flatnonzero(wanted).tolist())
    return sorted(key for key in coming if key not in without)


def _strength(query: QueryView, found: Surrounded) -> Floats:
    """Of the whole messages, shape (n,)."""
    bags = Bags.unpack(found.recalled.whole_bags)
    frequencies = bags.frequencies(query.terms)
    words = bm25(frequencies, bags.length, query.idf, query.average_length)
    vectors = unpacked(found.recalled.context_vectors)
    alike = query.vector is not None and vectors.shape[1] == len(query.vector)
    return over_best(words, query) + (cosines(query, vectors) if alike else np.float32(0))


def _first(spots: Places, most: int) -> Places:
    """The first of them that are different, in no order."""
    _, at = np.unique(spots, return_index=True)
    return spots[np.sort(at)[:most]]
