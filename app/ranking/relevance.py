"""How well candidates answer a query, from what they say and what stands around them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from app.ranking import Floats
from app.ranking.features import NAMES, Evidence, evidence
from app.ranking.labelling import by_words_of_label
from app.ranking.model import RelevanceModel, facts
from app.ranking.naming import by_label, by_name
from app.ranking.pool import EVERYTHING, Among, Pool
from app.ranking.query import QueryView
from app.ranking.rereading import Opinion, dealt

DENSE_SHARE = 0.6
"""Of a plain fusion; the rest is lexical."""

BY_MEANING, MAY_MATTER = 0.9, 0.28
"""
What a cosine counts without words, and up to where: a name that others hold must not keep out what
answers in words of its own, and that must not pass them.
"""

PLAIN, MEANS = (0.0, 0.25, 0.4, 1.0), (0.0, 0.15, 0.7, 1.0)
"""What a plain fusion means as a relevance: from 0.25 on it may matter, from 0.4 it likely does."""

FURTHER = np.float32(0.75)
"""What a chunk is worth of which a better one of the same message is there."""

FEW, MANY = 10, 30
"""
Messages up to which nothing learned is asked, and from which on nothing else is. What is learned
is learned on pools of about a hundred; in a handful, how far something stands out means little, and
everything is the neighbour of something that matches.
"""


HALF_BELOW, STEEPNESS = 1.75, 1.7
"""
How far below the best score of a pool a candidate counts half beside it, and how steeply that falls
there. A relevance alone tells whether a candidate is about what is asked, as most of a pool are: by
that, what was said today would pass whatever answers. So that it does not pass by being fresh, its
recency counts as much as it does (`scored` of app/ranking/candidates.py). Decision 60 of
docs/decisions.md has the figures.
"""


SENTENCE, ALL_OF_IT, AT_MOST, AHEAD = 3, 0.9999, 2, np.float32(0.5)
"""
From how many words on a query may be said as a whole, the share of their weights that is all of
them, how many times as many what says it has at most, and how far that comes before the best
without, in what a model's scores are told in.
"""

_MOST = 30.0
"""What is raised to a power at most; what lies that far below counts nothing anyhow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Relevance:
    """
    Relevance and what it is made of, each of shape (n,), in [0, 1].

    `single` is the relevance of each by itself, before the chunks of one message stand back;
    `standing` is what each counts beside the best one.
    """

    score: Floats
    single: Floats
    standing: Floats
    semantic: Floats
    lexical: Floats
    features: Mapping[str, Floats] = field(default_factory=dict)
    """
    By "feature.NAME" each feature, by "adds.NAME" what it added to the score of the model; once a
    cross-encoder read some, by "rerank" its scores, NaN for the others, and by "fused" the
    relevance of before.
    """


@np.errstate(invalid="ignore")
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

    What retells messages is compared with what was said, which is judged as if it were not there.
    """
    if not len(pool.recalled):
        nothing = np.zeros(0, dtype=np.float32)
        return Relevance(
            score=nothing, single=nothing, standing=nothing, semantic=nothing, lexical=nothing
        )
    found = evidence(query, pool)
    score, standing = _weighed(query, pool, found, model)
    if query.wording.named.names:
        score = by_name(query, pool, score, as_relevance(found.cosine))
    if query.called:
        score, standing = by_label(query, pool, score, standing)
    elif query.sought:
        score, standing = by_words_of_label(query, pool, score, standing)
    return Relevance(
        score=_standing_back(pool, score),
        single=score,
        standing=standing,
        semantic=found.cosine,
        lexical=found.lexical,
        features=_explained(found, model) if explain and model else {},
    )


def _weighed(
    query: QueryView, pool: Pool, found: Evidence, model: RelevanceModel | None
) -> tuple[Floats, Floats]:
    """The relevance of each by itself, whatever is named, and what it counts beside the best."""
    embedded: NDArray[np.bool_] = np.any(pool.whole_vectors, axis=1)
    plain, among = fused(query, found, embedded=embedded), found.among
    by_both = found.lexical[among].any() and embedded[among].any()
    if model is None or query.vector is None or not by_both:
        return plain, np.ones_like(plain)
    scores = whole_first(query, pool, found, model.networks.scores(found.features))
    share = _share(messages=len(np.unique(np.array(pool.recalled.messages)[among])))
    learned = judged(query, found, model, scores)
    return _shared(plain, learned, share), beside_best(scores, among) ** share


def reread(pool: Pool, judged: Relevance, opinion: Opinion) -> Relevance:
    """The relevance of the same pool once a cross-encoder has read some of it."""
    single, standing = dealt(judged.single, opinion), dealt(judged.standing, opinion)
    scores = np.full(len(single), np.nan, dtype=np.float32)
    scores[list(opinion.at)] = opinion.scores
    return replace(
        judged,
        score=_standing_back(pool, single),
        single=single,
        standing=standing,
        features={**judged.features, "fused": judged.score, "rerank": scores},
    )


def _standing_back(pool: Pool, score: Floats) -> Floats:
    return np.where(_further(pool, score), FURTHER * score, score) if pool.has_chunks else score


def _further(pool: Pool, score: Floats) -> NDArray[np.bool_]:
    """True for each chunk of a message that a better one stands for, shape (n,)."""
    messages = np.array(pool.recalled.messages)
    order = np.lexsort((np.arange(len(score)), -score, ~pool.is_chunk))
    _, first = np.unique(messages[order], return_index=True)
    further = pool.is_chunk.copy()
    further[order[first]] = False
    return further


def _share(*, messages: int) -> np.float32:
    """What is learned counts in a pool of so many messages, from 0 to 1."""
    return np.float32(np.clip((messages - FEW) / (MANY - FEW), 0, 1))


def _shared(plain: Floats, learned: Floats, share: np.float32) -> Floats:
    """Their product, to the power of their shares: a sum would lift everything over the floor."""
    return np.asarray(learned**share * plain ** (1 - share), dtype=np.float32)


def judged(query: QueryView, found: Evidence, model: RelevanceModel, scores: Floats) -> Floats:
    """The relevance that `model` gives by its `scores`."""
    told = facts(scores, found, known=query.known)
    return model.calibration.relevance(scores, told, found.among)


def whole_first(query: QueryView, pool: Pool, found: Evidence, scores: Floats) -> Floats:
    """
    The scores of a model, shape (n,), where the best of what says each word that is looked for,
    without asking, and hardly more is the best of all, and the others of that rise with it.

    What was learned was learned of questions, whose answer mostly stands beside what is like them:
    a sentence that is looked up by itself would come behind the next one that was said.
    """
    little = pool.whole_bags.length <= AT_MOST * len(query.terms)
    whole = (found.matched >= ALL_OF_IT) & little
    if query.wording.asks or len(query.terms) < SENTENCE or not whole[found.among].any():
        return scores
    behind = scores[found.among].max() + AHEAD - scores[found.among][whole[found.among]].max()
    return np.where(whole, scores + np.maximum(behind, 0), scores).astype(np.float32)


def beside_best(scores: Floats, among: Among = EVERYTHING) -> Floats:
    """What each counts beside the best of those `among`, which counts 1, shape (n,), in [0, 1]."""
    below = np.maximum(scores[among].max() - scores, 0)
    fallen = np.expm1(np.minimum(STEEPNESS * below, _MOST)) / np.expm1(STEEPNESS * HALF_BELOW)
    return np.asarray(1 / (1 + fallen), dtype=np.float32)


def fused(query: QueryView, found: Evidence, *, embedded: NDArray[np.bool_]) -> Floats:
    """
    0.6 cosine + 0.4 BM25 share, or the side that is there, told as a relevance; at least what the
    cosine alone may stand for.

    Meaning stands alone only where its model reads the script of the query: else every text that it
    cannot spell would be a likely answer. A candidate that is not embedded yet is given half of its
    lexical part.
    """
    if query.vector is None:
        plain = found.lexical
    elif query.read and not found.lexical[found.among].any():
        plain = found.cosine
    else:
        meaning = np.where(embedded, found.cosine, found.lexical / np.float32(2))
        both = DENSE_SHARE * meaning + (1 - DENSE_SHARE) * found.lexical
        plain = np.maximum(both, np.minimum(BY_MEANING * found.cosine, MAY_MATTER))
    return as_relevance(plain)


def as_relevance(plain: Floats) -> Floats:
    """What a plain fusion means."""
    return np.interp(plain, PLAIN, MEANS).astype(np.float32)


def _explained(found: Evidence, model: RelevanceModel) -> Mapping[str, Floats]:
    adds = model.networks.contributions(found.features, found.among)
    told = {f"feature.{name}": found.features[:, at] for at, name in enumerate(NAMES)}
    return told | {f"adds.{name}": adds[:, at] for at, name in enumerate(NAMES)}
