"""How well candidates answer a query, from what they say and what stands around them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from app.ranking import Floats
from app.ranking.features import NAMES, Evidence, evidence
from app.ranking.model import RelevanceModel, facts
from app.ranking.pool import Pool, QueryView

DENSE_SHARE = 0.6
"""Of a plain fusion; the rest is lexical."""

PLAIN, MEANS = (0.0, 0.25, 0.4, 1.0), (0.0, 0.25, 0.7, 1.0)
"""What a plain fusion means as a relevance: from 0.4 on it is as likely an answer as from 0.7."""

FURTHER = np.float32(0.75)
"""What a chunk is worth of which a better one of the same message is there."""

FEW, MANY = 10, 40
"""
Messages up to which nothing learned is asked, and from which on nothing else is. What is learned
is learned on pools of about a hundred; in a handful, how far something stands out means little, and
everything is the neighbour of something that matches.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Relevance:
    """Relevance and what it is made of, each of shape (n,), in [0, 1]."""

    score: Floats
    semantic: Floats
    lexical: Floats
    features: Mapping[str, Floats] = field(default_factory=dict)
    """By "feature.NAME" each feature, by "adds.NAME" what it added to the score of the model."""


def relevance(
    query: QueryView, pool: Pool, model: RelevanceModel | None = None, *, explain: bool = False
) -> Relevance:
    """
    Judge by what was learned; without a model, in a small pool, or where a side is missing, fuse
    plainly.

    The sides are meaning and words. Where one is missing (no vector of the query, or no term that
    any document holds) the other one stands alone.

    What is not the best chunk of a message counts less, so that one long message does not take
    every place (BEAM, plain fusion: recall@10 0.513, without 0.499).
    """
    if not len(pool.recalled):
        nothing = np.zeros(0, dtype=np.float32)
        return Relevance(score=nothing, semantic=nothing, lexical=nothing)
    found = evidence(query, pool)
    embedded: NDArray[np.bool_] = np.any(pool.whole_vectors, axis=1)
    if model is None or query.vector is None or not (found.lexical.any() and embedded.any()):
        score = fused(query, found, embedded=embedded)
    else:
        plain, learned = fused(query, found, embedded=embedded), judged(query, found, model)
        score = _by_size(plain, learned, messages=len(set(pool.recalled.messages)))
    if pool.has_chunks:
        score = np.where(_further(pool, score), FURTHER * score, score)
    features = _explained(found, model) if explain and model else {}
    return Relevance(score=score, semantic=found.cosine, lexical=found.lexical, features=features)


def _further(pool: Pool, score: Floats) -> NDArray[np.bool_]:
    """True for each chunk of a message that a better one stands for, shape (n,)."""
    messages = np.array(pool.recalled.messages)
    order = np.lexsort((np.arange(len(score)), -score, ~pool.is_chunk))
    _, first = np.unique(messages[order], return_index=True)
    further = pool.is_chunk.copy()
    further[order[first]] = False
    return further


def _by_size(plain: Floats, learned: Floats, *, messages: int) -> Floats:
    """The plain relevance of a small pool, the learned one of a large one, both in between."""
    share = np.float32(np.clip((messages - FEW) / (MANY - FEW), 0, 1))
    return np.asarray(share * learned + (1 - share) * plain, dtype=np.float32)


def judged(query: QueryView, found: Evidence, model: RelevanceModel) -> Floats:
    """The relevance that `model` gives."""
    scores = model.network.scores(found.features)
    return model.calibration.relevance(scores, facts(scores, found, known=query.known))


def fused(query: QueryView, found: Evidence, *, embedded: NDArray[np.bool_]) -> Floats:
    """
    0.6 cosine + 0.4 BM25 share, or the side that is there, told as a relevance.

    A candidate that is not embedded yet is given half of its lexical part.
    """
    if query.vector is None:
        plain = found.lexical
    elif not found.lexical.any():
        plain = found.cosine
    else:
        meaning = np.where(embedded, found.cosine, found.lexical / np.float32(2))
        plain = DENSE_SHARE * meaning + (1 - DENSE_SHARE) * found.lexical
    return np.interp(plain, PLAIN, MEANS).astype(np.float32)


def _explained(found: Evidence, model: RelevanceModel) -> Mapping[str, Floats]:
    adds = model.network.contributions(found.features)
    told = {f"feature.{name}": found.features[:, at] for at, name in enumerate(NAMES)}
    return told | {f"adds.{name}": adds[:, at] for at, name in enumerate(NAMES)}
