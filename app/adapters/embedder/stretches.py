"""What a model reads of a text that is too long for it, in word pieces of its own tokenizer."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from tokenizers import Encoding

from app.ports.embedding import Embedding

Pieces = list[int]

MOST_WORDS = 32
"""Word pieces of a text of which a vector is kept."""


@dataclass(frozen=True, slots=True)
class _Edges:
    """The special pieces before and behind whatever is read."""

    before: Pieces
    behind: Pieces

    @classmethod
    def of(cls, read: Encoding) -> Self:
        special = read.special_tokens_mask
        opening, closing = special.index(0), special[::-1].index(0)
        return cls(read.ids[:opening], read.ids[len(special) - closing :])

    def room(self, most: int) -> int:
        return most - len(self.before) - len(self.behind)


def behind_prompt(first: Encoding, prompt: int, *, most: int) -> list[Pieces]:
    """
    A text as stretches of at most `most` pieces that each begin with the prompt before it.

    Args:
        first: All of it, what does not fit as its `overflowing`.
        prompt: Characters of the prompt.
        most: Pieces that the model reads at once.
    """
    edges, content = _Edges.of(first), _all_of(first)
    inside = first.offsets[len(edges.before) : len(first.ids) - len(edges.behind)]
    size = sum(stop <= prompt for _, stop in inside)
    before = [*edges.before, *content[:size]]
    room = edges.room(most) - size
    starts = range(size, len(content), room)
    return [[*before, *content[start : start + room], *edges.behind] for start in starts]


def both_ends(first: Encoding, last: Encoding, *, most: int) -> Pieces:
    """
    A quarter of `most` pieces from where a text begins, a quarter from where it ends.

    A question before or behind a log or a page weighs twice as much beside them as with halves: its
    cosine to the answer was higher in each of twelve tries, 0.39 instead of 0.27 in the mean.
    """
    edges = _Edges.of(first)
    each = edges.room(most) // 4
    return [*edges.before, *_content(first)[:each], *_all_of(last)[-each:], *edges.behind]


def _all_of(read: Encoding) -> Pieces:
    return [piece for each in (read, *read.overflowing) for piece in _content(each)]


def _content(read: Encoding) -> Pieces:
    """Its word pieces without the special ones."""
    marked = zip(read.ids, read.special_tokens_mask, strict=True)
    return [piece for piece, special in marked if not special]


def joined(embedded: Sequence[Embedding], whole: Sequence[Sequence[Pieces]]) -> Sequence[Embedding]:
    """
    One for each text: the mean of the vectors of its stretches, by their word pieces, of length 1,
    and the first MOST_WORDS of their words.

    Args:
        embedded: One for each stretch, in order.
        whole: The stretches of each text, at least one.
    """
    each = iter(embedded)
    parts = ([next(each) for _ in stretches] for stretches in whole)
    told = zip(parts, whole, strict=True)
    return [_joined(some, [len(stretch) for stretch in stretches]) for some, stretches in told]


def _joined(parts: Sequence[Embedding], sizes: Sequence[int]) -> Embedding:
    words = np.concatenate([each.words for each in parts])[:MOST_WORDS]
    if len(parts) == 1:
        return Embedding(parts[0].vector, words)
    both = np.array(sizes, dtype=np.float32).dot(np.stack([each.vector for each in parts]))
    length = max(float(np.linalg.norm(both)), float(np.finfo(np.float32).tiny))
    return Embedding(np.asarray(both / length, dtype=np.float32), words)
