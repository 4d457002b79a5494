"""
What relevance is judged by: named features of the candidates of one query.

Cosines and BM25 mean different things in short chats, long chats and code, so most features are
standardised over the pool: how far a candidate stands out in its own query. A feature that does
not vary in a pool is 0 there and decides nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

import numpy as np

from app.ranking import Floats
from app.ranking.bm25 import Bags, bm25
from app.ranking.neighbours import Indexes, places, standing
from app.ranking.pool import Pool, QueryView, unpack_vectors
from app.text.terms import terms_of
from app.text.wording import tells_time

CLAMP = 5.0
"""Standard deviations beyond which a feature says no more."""

_RANK_SCALE = 10.0

FULL_MATCH = 0.5
"""The share of a query's idf mass whose BM25 counts as a full lexical match."""

OWN = np.float32(0.7)
"""What a chunk's own cosine is worth beside that of its whole message."""

MEANING: Mapping[str, str] = {
    # Standardised over the pool, clamped to CLAMP.
    "cosine": "cosine of the query and the whole message",
    "piece_cosine": "cosine of the query and the piece itself",
    "bm25": "BM25 of the whole message",
    "piece_bm25": "BM25 of the piece itself",
    "matched": "idf of the query's terms that the message holds, of all",
    "rarest": "idf of the rarest of these terms, over the rarest of the query",
    "bm25_no_names": "BM25 without the query's terms that are names of speakers",
    "matched_no_names": "matched, without these names",
    "window_before": "cosine of the query and the mean of the message and the one before",
    "window_after": "the same with the one after",
    "window": "the same with both",
    "beside_matched": "what the messages on either side add to matched",
    "before_cosine": "cosine of the message before, 0 where there is none",
    "after_cosine": "of the message after",
    "before_bm25": "BM25 of the message before, 0 where there is none",
    "after_bm25": "of the message after",
    "others": "mean cosine + BM25 share of the three best others of the same conversation",
    "others_best": "the same of the best one",
    "others_cosine": "mean cosine of the three nearest others of the same conversation",
    "others_matched": "what the others of the same conversation in the pool add to matched",
    "like_best": "cosine of the message and the mean of the five best by cosine + BM25 share",
    "typical": "dot product of the message and the mean of the pool",
    # From 0 to 1.
    "cosine_rank": "10 / (10 + rank by cosine)",
    "bm25_rank": "10 / (10 + rank by BM25)",
    "window_rank": "10 / (10 + rank by window)",
    "both_ranks": "10 / (10 + the worse of the ranks by cosine and by BM25)",
    "speaker_named": "1 where the query names who said it",
    "other_named": "1 where it names another speaker",
    "time_told": "1 where the query asks for a time or number and the message names one",
    # -1 or 1 where it applies, 0 elsewhere.
    "said_by_asker": "the query speaks of who asks: 1 for the user's messages, -1 for others",
    "said_to_assistant": "the query speaks to the assistant: likewise",
    # The same for all candidates of a query: they shift what the others are worth.
    "query_length": "mean log length of the pool's messages",
    "query_best_cosine": "best cosine of the pool",
    "query_best_bm25": "best BM25 of the pool over the query's idf",
    "query_terms": "log of the number of known terms",
    "query_known": "idf of the known terms, of all",
    "query_of_asker": "1 where the query speaks of who asks",
    "query_names": "1 where it names a speaker",
    "query_asks_when": "1 where it asks for a time or number",
    "query_cosine_peak": "how far the best cosine stands out, in standard deviations",
    "query_bm25_peak": "how far the best BM25 stands out",
}
"""Every feature with what it is, in the order of the columns."""

NAMES: Sequence[str] = tuple(MEANING)

Columns = dict[str, Floats]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """
    The pool's features, shape (n, len(NAMES)), and what they were made of.

    `cosine` of the whole, or most of the piece's where that is more, and `matched` of the whole,
    each of shape (n,), in [0, 1]; `lexical` is BM25 of the piece over the best of the pool, or over
    half of what the query asks for, if that is more.
    """

    features: Floats
    cosine: Floats
    lexical: Floats
    matched: Floats


def evidence(query: QueryView, pool: Pool) -> Evidence:
    """Look at every candidate of a pool of at least one."""
    lines = Lines.of(query, pool)
    lexical = _over_best(lines.bm25[: lines.size], query)
    speakers = frozenset[str]().union(*map(_terms_of_name, pool.recalled.names))
    named = speakers.intersection(query.terms)
    whole = _words(query, lines)
    raw = {
        **whole,
        **_without_names(query, lines, named),
        **_own(query, pool, whole),
        **_windows(lines),
        **_beside(query, lines),
        **_conversation(query, pool, lines, lexical),
        **_alike(lines, lexical),
    }
    level = standardised(np.stack(list(raw.values()), axis=1).astype(np.float32))
    columns = dict(zip(raw, level.T, strict=True))
    columns |= _ranks(raw) | _voices(query, pool, named)
    columns |= _of_query(query, lines, columns, named)
    cosine = lines.cosine[: lines.size]
    if pool.has_chunks:
        cosine = np.maximum(cosine, OWN * _cosines(query, pool.vectors))
    return Evidence(
        features=np.stack([columns[name] for name in NAMES], axis=1).astype(np.float32),
        cosine=np.clip(cosine, 0, 1),
        lexical=_over_best(raw["piece_bm25"], query),
        matched=lines.matched(slice(lines.size), query),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """
    The `size` whole messages of a pool, then their neighbours, then one line for "nothing there".

    `vectors` (m, d), `cosine` (m,), `bm25` (m,), and which terms they hold, `hits` (m, t);
    `frequencies` and `length` are what BM25 reads. `at` tells by offset which line stands there.
    """

    size: int
    vectors: Floats
    cosine: Floats
    bm25: Floats
    hits: Floats
    frequencies: Floats
    length: Floats
    at: Mapping[int, Indexes]

    @classmethod
    def of(cls, query: QueryView, pool: Pool) -> Self:
        recalled, beside = pool.recalled, pool.neighbours
        own = places(recalled.conversations, recalled.positions)
        known = np.concatenate([own, places(beside.conversations, beside.positions)])
        dimension = pool.whole_vectors.shape[1]
        nothing = np.zeros((1, dimension), dtype=np.float32)
        others = unpack_vectors(beside.vectors, dimension)
        vectors = np.concatenate([pool.whole_vectors, others, nothing])
        bags = Bags.unpack(beside.bags)
        frequencies = np.concatenate(
            [pool.whole_bags.frequencies(query.terms), bags.frequencies(query.terms)]
        )
        length = np.concatenate([pool.whole_bags.length, bags.length])
        lexical = bm25(frequencies, length, query.idf, query.average_length)
        hits = np.zeros((len(vectors), len(query.terms)), dtype=np.float32)
        hits[:-1] = frequencies > 0
        return cls(
            size=len(own),
            vectors=vectors,
            cosine=_cosines(query, vectors),
            bm25=np.append(lexical, np.float32(0)),
            hits=hits,
            frequencies=frequencies[: len(own)],
            length=length[: len(own)],
            at=standing(own, known),
        )

    def held(self, hits: Floats, query: QueryView) -> Floats:
        """The share of the query's idf mass that `hits`, shape (n, t), stand for."""
        mass = query.idf_mass if query.idf_mass > 0 else 1.0
        return np.asarray(hits @ query.idf / np.float32(mass), dtype=np.float32)

    def matched(self, lines: slice, query: QueryView) -> Floats:
        return self.held(self.hits[lines], query)


def _cosines(query: QueryView, vectors: Floats) -> Floats:
    if query.vector is None:
        return np.zeros(len(vectors), dtype=np.float32)
    return np.asarray(vectors @ query.vector, dtype=np.float32)


def _embedded(cosine: Floats, vectors: Floats) -> Floats:
    """The cosines, where what is not embedded yet counts as the mean of what is."""
    there = vectors.any(axis=1)
    if there.all() or not there.any():
        return cosine
    return np.where(there, cosine, cosine[there].mean()).astype(np.float32)


def standardised(columns: Floats) -> Floats:
    """
    How many standard deviations above its column's mean each of the values, shape (n, c), lies.

    Clamped; zeros where a column does not vary.
    """
    deviation = columns.std(axis=0)
    away = (columns - columns.mean(axis=0)) / (deviation + np.float32(1e-4))
    varies = deviation > 1e-6  # rounding
    return np.where(varies, np.clip(away, -CLAMP, CLAMP), 0).astype(np.float32)


def _over_best(scores: Floats, query: QueryView) -> Floats:
    best = max(float(scores.max(initial=0.0)), FULL_MATCH * query.idf_mass)
    return scores / np.float32(best) if best > 0 else scores


def _own(query: QueryView, pool: Pool, whole: Columns) -> Columns:
    """Of the pieces themselves; the same as of the whole where nothing is a chunk."""
    if not pool.has_chunks:
        return {"piece_cosine": whole["cosine"], "piece_bm25": whole["bm25"]}
    frequencies = pool.bags.frequencies(query.terms)
    lexical = bm25(frequencies, pool.bags.length, query.idf, query.average_length)
    cosine = _embedded(_cosines(query, pool.vectors), pool.vectors)
    return {"piece_cosine": cosine, "piece_bm25": lexical}


def _words(query: QueryView, lines: Lines) -> Columns:
    """Of the whole messages."""
    whole = slice(lines.size)
    hits = lines.hits[whole]
    rarest = (hits * query.idf).max(axis=1, initial=0.0)
    return {
        "cosine": _embedded(lines.cosine[whole], lines.vectors[whole]),
        "bm25": lines.bm25[whole],
        "matched": lines.matched(whole, query),
        "rarest": rarest / np.float32(max(float(query.idf.max(initial=0.0)), 1e-6)),
    }


def _without_names(query: QueryView, lines: Lines, names: frozenset[str]) -> Columns:
    """As if the query did not hold the names of speakers, which stand in front of all they said."""
    plain = np.array([term not in names for term in query.terms], dtype=np.float32)
    weights = query.idf * plain
    lexical = bm25(lines.frequencies, lines.length, weights, query.average_length)
    hits = lines.hits[: lines.size]
    return {"bm25_no_names": lexical, "matched_no_names": hits @ weights}


def _windows(lines: Lines) -> Columns:
    """
    Cosines of means of neighbouring vectors: what is said in passing, with what it is about.

    A mean is not made: its dot product with the query is the sum of theirs, and the square of its
    length is the sum of the squares and of twice the products.
    """
    whole, before, after = slice(lines.size), lines.at[-1], lines.at[1]
    own, prior, later = lines.vectors[whole], lines.vectors[before], lines.vectors[after]
    told, mass = lines.cosine, _dots(lines.vectors, lines.vectors)
    with_prior, with_later = 2 * _dots(own, prior), 2 * _dots(own, later)
    one = told[whole] + told[before], mass[whole] + mass[before] + with_prior
    other = told[whole] + told[after], mass[whole] + mass[after] + with_later
    both = one[0] + told[after], one[1] + mass[after] + with_later + 2 * _dots(prior, later)
    sums = {"window_before": one, "window_after": other, "window": both}
    return {name: dot / _lengths(square) for name, (dot, square) in sums.items()}


def _dots(some: Floats, others: Floats) -> Floats:
    """The dot product of each row with the other's, shape (n,)."""
    return np.asarray(np.einsum("nd,nd->n", some, others), dtype=np.float32)


def _lengths(squares: Floats) -> Floats:
    return np.sqrt(np.maximum(squares, np.float32(1e-12)))


_BESIDE = {-1: "before", 1: "after"}


def _beside(query: QueryView, lines: Lines) -> Columns:
    """Of the neighbours, one by one, and what their words add."""
    columns: Columns = {}
    for offset, name in _BESIDE.items():
        columns[f"{name}_cosine"] = lines.cosine[lines.at[offset]]
        columns[f"{name}_bm25"] = lines.bm25[lines.at[offset]]
    own = lines.hits[: lines.size]
    near = np.maximum.reduce([own, lines.hits[lines.at[-1]], lines.hits[lines.at[1]]])
    columns["beside_matched"] = lines.held(near - own, query)
    return columns


def _conversation(query: QueryView, pool: Pool, lines: Lines, lexical: Floats) -> Columns:
    """What else the pool holds of each candidate's conversation."""
    conversations = np.asarray(pool.recalled.conversations, dtype=np.int64)
    _, group = np.unique(conversations, return_inverse=True)
    cosine, hits = lines.cosine[: lines.size], lines.hits[: lines.size]
    three, best = _best_others(group, cosine + lexical)
    holders = np.zeros((int(group.max()) + 1, hits.shape[1]), dtype=np.float32)
    np.add.at(holders, group, hits)
    added = ((holders[group] > hits) & (hits == 0)).astype(np.float32)
    return {
        "others": three,
        "others_best": best,
        "others_cosine": _best_others(group, cosine)[0],
        "others_matched": lines.held(added, query),
    }


def _best_others(group: Indexes, strength: Floats) -> tuple[Floats, Floats]:
    """The sum over the three best others of the group by three, and the best one; 0 for none."""
    order = np.lexsort((-strength, group))
    starts = np.searchsorted(group[order], np.arange(int(group.max()) + 1))
    place = np.empty(len(group), dtype=np.intp)
    place[order] = np.arange(len(group)) - starts[group[order]]
    best = np.zeros((len(starts), 4), dtype=np.float32)
    first = place < 4
    best[group[first], place[first]] = strength[first]
    four = best[group]
    of_three = np.where(place < 3, four.sum(axis=1) - strength, four[:, :3].sum(axis=1))
    return of_three / np.float32(3), np.where(place == 0, four[:, 1], four[:, 0])


def _alike(lines: Lines, lexical: Floats) -> Columns:
    """How near each is to what looks best (relevance feedback), and to everything found."""
    vectors = lines.vectors[: lines.size]
    best = np.argsort(-(lines.cosine[: lines.size] + lexical), kind="stable")[:5]
    wanted = vectors[best].mean(axis=0)
    wanted = wanted / _lengths(wanted @ wanted)
    return {"like_best": vectors @ wanted, "typical": vectors @ vectors.mean(axis=0)}


def _ranks(columns: Columns) -> Columns:
    by_cosine, by_words = _rank(columns["cosine"]), _rank(columns["bm25"])
    ranks = {
        "cosine_rank": by_cosine,
        "bm25_rank": by_words,
        "window_rank": _rank(columns["window"]),
        "both_ranks": np.maximum(by_cosine, by_words),
    }
    scale = np.float32(_RANK_SCALE)
    return {name: scale / (scale + rank) for name, rank in ranks.items()}


def _rank(column: Floats) -> Floats:
    """How many are better; equals share a rank, so that the order of the pool does not matter."""
    return np.searchsorted(np.sort(-column), -column).astype(np.float32)


@lru_cache(maxsize=4_096)
def _terms_of_name(name: str | None) -> frozenset[str]:
    return frozenset(terms_of(name)) if name else frozenset()


def _voices(query: QueryView, pool: Pool, named: frozenset[str]) -> Columns:
    """Who said it, against whom the query speaks of."""
    recalled, wording = pool.recalled, query.wording
    own = [_terms_of_name(name) for name in recalled.names]
    by_user = np.array([1.0 if role == "user" else -1.0 for role in recalled.roles], np.float32)
    told = [wording.asks_when and tells_time(content) for content in recalled.contents]
    return {
        "speaker_named": np.array([bool(each & named) for each in own], dtype=np.float32),
        "other_named": np.array([bool(named - each) for each in own], dtype=np.float32),
        "said_by_asker": by_user * np.float32(wording.of_asker),
        "said_to_assistant": by_user * np.float32(wording.of_assistant),
        "time_told": np.array(told, dtype=np.float32),
    }


def _of_query(query: QueryView, lines: Lines, columns: Columns, named: frozenset[str]) -> Columns:
    """What is the same for the whole pool, in about -1 to 1."""
    mass = query.idf_mass if query.idf_mass > 0 else 1.0
    lengths = np.log1p(lines.length)
    best = float(lines.bm25.max(initial=0.0)) / mass
    values = {
        "query_length": float(lengths.mean()) / 1.5 - 2.0,
        "query_best_cosine": (float(lines.cosine[: lines.size].max()) - 0.55) * 4,
        "query_best_bm25": best - 1.0,
        "query_terms": float(np.log1p(len(query.terms))) - 1.5,
        "query_known": (query.known - 0.8) * 2,
        "query_of_asker": float(query.wording.of_asker),
        "query_names": float(bool(named)),
        "query_asks_when": float(query.wording.asks_when),
        "query_cosine_peak": float(columns["cosine"].max()) / 2 - 1.5,
        "query_bm25_peak": float(columns["bm25"].max()) / 2 - 1.5,
    }
    return {name: np.full(lines.size, value, dtype=np.float32) for name, value in values.items()}
