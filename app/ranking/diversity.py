"""Room for something else: what is much like better items gives way a little."""

import numpy as np

from app.ranking import Floats

ALIKE = 0.8
"""Above this cosine two items are about the same; above dedup.SAME one of them is not there."""

DEPTH = 64
"""Items, best first, among which is looked for what is alike."""


def places(vectors: Floats, count: int) -> Floats:
    """
    The place of each of `count` items, from 1 on, further back for what repeats those before it.

    A place is multiplied by 1 + the sum of (cosine - ALIKE) over the better items that are alike:
    one alike item hardly counts, a dozen do.

    Source: Carbonell, Goldstein: "The Use of MMR, Diversity-Based Reranking …", SIGIR 1998.

    Args:
        vectors: Unit vectors of the n <= `count` best, which are looked at; zeros for what has
            none, shape (n, d).
        count: Of all items.
    """
    repeated = np.tril(np.maximum(vectors.dot(vectors.T) - ALIKE, 0), -1).sum(axis=1)
    own: Floats = np.arange(1, count + 1, dtype=np.float32)
    own[: len(vectors)] *= 1 + repeated
    return own
