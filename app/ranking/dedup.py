"""Leaving out what is said twice."""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from app.domain.memory import OF_MESSAGES, ItemType
from app.ranking import Floats
from app.ranking.bm25 import Bags
from app.ranking.pool import Pool, Recalled
from app.text.scripts import UNSPACED, WORD_CHARACTER

SAME = 0.95
"""Above this cosine two items say the same, if their words allow it."""

SHARED = 0.45
"""
The share of the words of both that two items have in common, at least, if they say the same. A
model gives one vector to all that it has no word pieces for: of Thai, Lao, Khmer, Burmese and
Amharic the default one takes any two sentences for equal (cosine 1.00), which share 0.0 to 0.4 of
their words or trigrams. The least that two of LoCoMo share that do say the same is 0.46.
"""

_NUMBER = re.compile(r"\d+")
_INSIDE = re.compile(f"{WORD_CHARACTER}{{2}}")


def near_each_other(vectors: Floats) -> NDArray[np.bool_]:
    """
    True where two of n items have a cosine above SAME, shape (n, n).

    Args:
        vectors: Unit vectors, or zeros for what has none, shape (n, d).
    """
    similar: NDArray[np.bool_] = vectors.dot(vectors.T) > SAME
    np.fill_diagonal(similar, val=False)
    return similar


def repeating(pool: Pool) -> NDArray[np.bool_]:
    """
    True where item i says what item j does and nothing besides, shape (n, n).

    They are near, share words, and i names no number that j does not: a flight on 3 May is not one
    on 9 May, however near their vectors are.
    """
    similar = near_each_other(pool.vectors)
    at = np.flatnonzero(similar.any(axis=1))
    if len(at):
        contents = [pool.recalled.contents[each] for each in at.tolist()]
        similar[np.ix_(at, at)] &= (_shared(pool.bags, at) >= SHARED) & ~_more_numbers(contents)
    return similar


def _shared(bags: Bags, at: NDArray[np.intp]) -> Floats:
    """What share of the distinct terms of both the documents `at` have in common, (k, k)."""
    theirs = np.flatnonzero(np.isin(bags.document, at))
    terms, column = np.unique(bags.term[theirs], return_inverse=True)
    holds = np.zeros((len(at), len(terms)), dtype=np.float32)
    holds[np.searchsorted(at, bags.document[theirs]), column] = 1
    both, sizes = holds.dot(holds.T), holds.sum(axis=1)
    return np.asarray(both / np.maximum(sizes[:, None] + sizes - both, 1), dtype=np.float32)


def _more_numbers(contents: Sequence[str]) -> NDArray[np.bool_]:
    """True where text i names a number that text j does not, shape (k, k)."""
    numbers = [frozenset(_NUMBER.findall(said)) for said in contents]
    column = {number: at for at, number in enumerate(sorted(frozenset().union(*numbers)))}
    names = np.zeros((len(numbers), len(column)), dtype=np.float32)
    for row, said in enumerate(numbers):
        names[row, [column[number] for number in said]] = 1
    return np.asarray(names.dot(1 - names.T) > 0)


def duplicates(
    order: NDArray[np.intp], hashes: Sequence[bytes], similar: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """
    Mark what an item before it in `order` already says: the same hash, or all that it says.

    Args:
        order: The n indexes, best first.
        hashes: Content hashes, one per item.
        similar: True where item i says nothing that item j does not, shape (n, n).

    Returns:
        True for each duplicate, shape (n,), by index. The best of several equals is none.
    """
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
        kept[index] = True
    return marked


def repeated(
    pool: Pool, order: NDArray[np.intp], *, quotable: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """
    What repeats a better item; of messages, what repeats a better message; and what quotes one, of
    those that are `quotable`.
    """
    recalled, similar = pool.recalled, repeating(pool)
    again = duplicates(order, recalled.hashes, similar)
    retelling = recalled.retelling
    if not retelling.any():
        return again
    retold = retelling[order]
    if (retold[:-1] & ~retold[1:]).any():  # what is pinned stands before messages
        said = duplicates(order[~retold], recalled.hashes, similar)
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
            quotes[at] = _says(said, words)
    return quotes


def _quoted(told: str) -> str:
    """The words behind whose they are, if they are told like that."""
    return told.partition(": ")[2].rstrip(".!")


def _says(said: str, words: str) -> bool:
    """
    Whether `words` stand in what is said, and not within others: "nuts" is not in "doughnuts", nor
    80 in 1800. Scripts without spaces have no such borders.
    """
    at = said.find(words)
    while at >= 0:
        stop = at + len(words)
        if not (_is_one_word(said[at - 1 : at + 1]) or _is_one_word(said[stop - 1 : stop + 1])):
            return True
        at = said.find(words, at + 1)
    return False


def _is_one_word(pair: str) -> bool:
    """Whether two characters side by side, if there are two, belong to one word."""
    return _INSIDE.fullmatch(pair) is not None and not UNSPACED.search(pair)


def saying(pool: Pool, told: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The messages that say what the items `told` do, which hide these; shape (n,)."""
    recalled = pool.recalled
    types, contents = recalled.types, recalled.contents
    quoted = [words for at in np.flatnonzero(told).tolist() if (words := _quoted(contents[at]))]
    alike: NDArray[np.bool_] = np.any(repeating(pool)[told], axis=0)
    return np.array(
        [
            kind in OF_MESSAGES and (same or any(_says(said, words) for words in quoted))
            for kind, said, same in zip(types, contents, alike.tolist(), strict=True)
        ],
        dtype=np.bool_,
    )
