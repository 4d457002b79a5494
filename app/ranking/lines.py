"""The messages of a pool and those beside them in one table, so that each is looked at once."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from app.ranking import Floats
from app.ranking.bm25 import Bags, saturation
from app.ranking.neighbours import Indexes, Places, places, standing
from app.ranking.pool import Among, Pool
from app.ranking.query import QueryView

SPELLED = np.float32(0.5)
"""
What a cosine counts where its model does not read the script of the query, and no word is the same:
what it finds may be in a bundle, and is no likely answer.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """
    The `size` whole messages of a pool, then their neighbours, then one line for "nothing there".

    `vectors` (m, d) and `cosine` (m,); which of the query's terms they hold, `hits` (m, t), and
    what each term is worth in BM25, `saturated` (m, t); `bm25` (m,). `before` and `after` tell
    which line stands there, `length` the terms of each message of the pool, `spots` where each of
    these stands; all four (size,).
    """

    size: int
    spots: Places
    vectors: Floats
    cosine: Floats
    hits: Floats
    saturated: Floats
    bm25: Floats
    length: Floats
    before: Indexes
    after: Indexes

    @classmethod
    def of(cls, query: QueryView, pool: Pool) -> Self:
        recalled, beside = pool.recalled, pool.neighbours
        size, bags = len(recalled), Bags.unpack(beside.bags)
        own = places(recalled.conversations, recalled.positions)
        around = standing(own, np.append(own, places(beside.conversations, beside.positions)))
        frequencies = np.zeros((size + len(bags.length) + 1, len(query.terms)), dtype=np.float32)
        frequencies[:size] = pool.whole_bags.frequencies(query.terms)
        frequencies[size:-1] = bags.frequencies(query.terms)
        length = np.concatenate([pool.whole_bags.length, bags.length, np.zeros(1, np.float32)])
        saturated = saturation(frequencies, length, query.average_length)
        return cls(
            size=size,
            spots=own,
            vectors=pool.around,
            cosine=cosines(query, pool.around),
            hits=(frequencies > 0).astype(np.float32),
            saturated=saturated,
            bm25=saturated.dot(query.idf),
            length=pool.whole_bags.length,
            before=around[-1],
            after=around[1],
        )


def cosines(query: QueryView, vectors: Floats) -> Floats:
    """Of the query and each of n vectors, shape (n,); 0 without a vector of the query."""
    if query.vector is None:
        return np.zeros(len(vectors), dtype=np.float32)
    return np.asarray(vectors.dot(query.vector), dtype=np.float32)


def embedded(cosine: Floats, vectors: Floats, among: Among) -> Floats:
    """The cosines, where what is not embedded yet counts as the mean of what is, of `among`."""
    return filled(cosine, np.any(vectors, axis=1), among)


def filled(column: Floats, there: NDArray[np.bool_], among: Among) -> Floats:
    """The column, where what is not `there` counts as the mean of what is, of `among`."""
    known = column[among][there[among]]
    if there.all() or not len(known):
        return column
    return np.where(there, column, known.mean()).astype(np.float32)


def meant(query: QueryView, cosine: Floats, matched: Floats) -> Floats:
    """
    What cosines tell of meaning, shape (n,): where the query was spelled, no more than its words.

    Texts that are spelled letter by letter are all near each other.
    """
    if query.read:
        return cosine
    told = np.maximum(np.sqrt(matched), SPELLED * cosine)
    return np.asarray(np.minimum(cosine, told), dtype=np.float32)


def held(hits: Floats, query: QueryView) -> Floats:
    """The share of the query's idf mass that `hits`, shape (n, t), stand for."""
    mass = query.idf_mass if query.idf_mass > 0 else 1.0
    return np.asarray(hits.dot(query.idf / np.float32(mass)), dtype=np.float32)
