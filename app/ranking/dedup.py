"""Leaving out what is said twice."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from app.domain.memory import OF_MESSAGES, ItemType
from app.ranking import Floats
from app.ranking.pool import Recalled

SAME = 0.95
"""Above this cosine two items say the same."""


def duplicates(
    order: NDArray[np.intp], hashes: Sequence[bytes], vectors: Floats
) -> NDArray[np.bool_]:
    """
    Mark what an item before it in `order` already says: the same hash, or a cosine above SAME.

    Args:
        order: The n indexes, best first.
        hashes: Content hashes, one per item.
        vectors: Unit vectors, or zeros for what has none, shape (n, d).

    Returns:
        True for each duplicate, shape (n,), by index. The best of several equals is none.
    """
    similar = vectors.dot(vectors.T) > SAME
    np.fill_diagonal(similar, val=False)
    alike: list[bool] = np.any(similar, axis=1).tolist()
    marked = np.zeros(len(hashes), dtype=np.bool_)
    kept = np.zeros(len(hashes), dtype=np.bool_)
    seen: set[bytes] = set()
    for index in order.tolist():
        said = hashes[index]
        if said in seen or (alike[index] and (similar[index] & kept).any()):
            marked[index] = True
            continue
        seen.add(said)
        if alike[index]:  # of what is like nothing, nobody asks whether it is kept
            kept[index] = True
    return marked


def repeated(
    recalled: Recalled, order: NDArray[np.intp], vectors: Floats, *, quotable: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """
    What repeats a better item; of messages, what repeats a better message; and what quotes one, of
    those that are `quotable`.
    """
    again = duplicates(order, recalled.hashes, vectors)
    retelling = recalled.retelling
    if not retelling.any():
        return again
    retold = retelling[order]
    if (retold[:-1] & ~retold[1:]).any():  # what is pinned stands before messages
        said = duplicates(order[~retold], recalled.hashes, vectors)
        again = np.where(retelling, again, said)
    return again | _quoting(recalled, quotable)


_QUOTING = frozenset({ItemType.FACT, ItemType.TOOL})
"""What may be a message's words behind whose they are; a summary stands for more than one."""


def _quoting(recalled: Recalled, passing: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """What of `passing` quotes a message that is there, shape (n,)."""
    types, contents = recalled.types, recalled.contents
    at_hand = np.flatnonzero(passing).tolist()
    quotes = np.zeros(len(recalled), dtype=np.bool_)
    if not (retold := [at for at in at_hand if types[at] in _QUOTING]):
        return quotes
    said = "\0".join(contents[at] for at in at_hand if types[at] in OF_MESSAGES)
    for at in retold:
        if words := _quoted(contents[at]):
            quotes[at] = words in said
    return quotes


def _quoted(told: str) -> str:
    """The words behind whose they are, if they are told like that."""
    return told.partition(": ")[2].rstrip(".!")


def saying(recalled: Recalled, told: NDArray[np.bool_], vectors: Floats) -> NDArray[np.bool_]:
    """The messages that say what the items `told` do, which hide these; shape (n,)."""
    types, contents = recalled.types, recalled.contents
    quoted = [words for at in np.flatnonzero(told).tolist() if (words := _quoted(contents[at]))]
    alike: NDArray[np.bool_] = np.any(vectors.dot(vectors[told].T) > SAME, axis=1)
    return np.array(
        [
            kind in OF_MESSAGES and (same or any(words in said for words in quoted))
            for kind, said, same in zip(types, contents, alike.tolist(), strict=True)
        ],
        dtype=np.bool_,
    )
