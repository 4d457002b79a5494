"""
What relevance is judged by: named features of the candidates of one query.

Cosines and BM25 mean different things in short chats, long chats and code, so most features are
standardised over the pool: how far a candidate stands out in its own query. A feature that does
not vary in a pool is 0 there and decides nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import log1p

import numpy as np

from app.ranking import Floats
from app.ranking.bm25 import bm25
from app.ranking.lines import Lines, cosines, embedded, held, meant
from app.ranking.people import AMONG_PEOPLE, among_people
from app.ranking.pool import EVERYTHING, Among, Pool
from app.ranking.query import QueryView
from app.ranking.surroundings import Columns, alike, beside, conversation, windows
from app.ranking.voices import Voices
from app.ranking.word_by_word import word_by_word
from app.text.opening import opening
from app.text.wording import Phrase

CLAMP = 5.0
"""Standard deviations beyond which a feature says no more."""

_RANK_SCALE = np.float32(10)

FULL_MATCH = 0.5
"""The share of a query's idf mass whose BM25 counts as a full lexical match."""

_READ = 4_000
"""Characters of a piece in which phrases are looked for."""

SAYS_ENOUGH = 24
"""Tokens of a piece beyond which it makes no difference that it is longer."""

OWN = np.float32(0.7)
"""What a chunk's own cosine is worth beside that of its whole message."""

STANDING_OUT: Mapping[str, str] = {
    "cosine": "cosine of the query and the whole message, if it is brief in context",
    "piece_cosine": "cosine of the query and the piece itself",
    "bm25": "BM25 of the whole message",
    "piece_bm25": "BM25 of the piece itself",
    "matched": "idf of the query's terms that the message holds, of all",
    "rarest": "idf of the rarest of these terms, over the rarest of the query",
    "opening_matched": "idf of the terms that the beginning of the piece holds, of all",
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
    "close_by": "cosine + BM25 share above the mean, of others some four messages away at most",
    "close_by_wide": "the same of some fifteen, in the same conversation too",
    "phrases": "pairs of the query's neighbouring words that the piece holds side by side, of all",
    "telling_phrases": "the same of pairs without a stop word",
    "like_best": "cosine of the message and the mean of the five best by cosine + BM25 share",
    "typical": "dot product of the message and the mean of the pool",
    "words": "mean over the query's words of the cosine of the piece's nearest word",
}
"""Standardised over the pool, clamped to CLAMP."""

AS_IT_IS: Mapping[str, str] = {
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
    **AMONG_PEOPLE,
    "length": "tokens of what was said, of 24 at most; 1 for what retells it",
}

MEANING: Mapping[str, str] = {**STANDING_OUT, **AS_IT_IS}
"""Every feature with what it is, in the order of the columns."""

NAMES: Sequence[str] = tuple(MEANING)

_AT: Mapping[str, int] = {name: at for at, name in enumerate(NAMES)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """
    The pool's features, shape (n, len(NAMES)), and what they were made of.

    `cosine` of the whole by itself, or most of the piece's where that is more, as far as it tells
    of meaning, and `matched` of the whole, each of shape (n,), in [0, 1]; `lexical` is BM25 of the
    piece over the best of the pool, or over half of what the query asks for, if that is more. The
    pool is what lies `among`: the others are compared with it, and it with none of them.
    """

    features: Floats
    cosine: Floats
    lexical: Floats
    matched: Floats
    among: Among = field(default_factory=lambda: EVERYTHING)


def evidence(query: QueryView, pool: Pool) -> Evidence:
    """Look at every candidate of a pool of at least one."""
    lines, among = Lines.of(query, pool), pool.among
    lexical = over_best(lines.bm25[: lines.size], query, among)
    voices = Voices.of(query, pool)
    words = _words(query, lines, voices.named, among)
    pieces = _pieces(query, pool, lines, words, among)
    long = np.minimum(np.array(pool.recalled.tokens, dtype=np.float32) / SAYS_ENOUGH, 1)
    raw = {
        **words,
        **pieces,
        **windows(lines),
        **beside(query, lines),
        **conversation(query, lines, lexical, among),
        **alike(lines, lexical, among),
        "words": word_by_word(query.words, pool.recalled.words, among),
        **among_people(pool.recalled),
        "length": np.where(pool.recalled.of_messages(), long, np.float32(1)),
    }
    features = np.empty((lines.size, len(NAMES)), dtype=np.float32)
    _fill(features, raw | _ranks(raw, among) | voices.columns())
    features[:, : len(STANDING_OUT)] = standardised(features[:, : len(STANDING_OUT)], among)
    _fill(features, _of_query(query, lines, features, voices, among))
    cosine = cosines(query, pool.whole_vectors)
    if pool.has_chunks:
        cosine = np.maximum(cosine, OWN * cosines(query, pool.vectors))
    told = meant(query, np.clip(cosine, 0, 1), words["matched"])
    return Evidence(
        features=features,
        cosine=voices.beyond_name(told, words["matched_no_names"]),
        lexical=over_best(pieces["piece_bm25"], query, among),
        matched=words["matched"],
        among=among,
    )


def _fill(features: Floats, columns: Mapping[str, Floats | float]) -> None:
    for name, column in columns.items():
        features[:, _AT[name]] = column


def standardised(columns: Floats, among: Among = EVERYTHING) -> Floats:
    """
    How many standard deviations above its column's mean each of the values, shape (n, c), lies.

    Mean and deviation are of the rows `among`. Clamped; zeros where a column does not vary.
    """
    away = columns - columns[among].mean(axis=0)
    theirs = away[among]
    deviation = np.sqrt(np.einsum("nc,nc->c", theirs, theirs) / np.float32(len(theirs)))
    varies = deviation > 1e-6  # rounding
    away *= np.where(varies, 1 / (deviation + np.float32(1e-4)), np.float32(0))
    return np.asarray(np.clip(away, -CLAMP, CLAMP), dtype=np.float32)


def over_best(scores: Floats, query: QueryView, among: Among = EVERYTHING) -> Floats:
    """Scores over the best of those `among`, and not above 1."""
    best = max(float(scores[among].max(initial=0.0)), FULL_MATCH * query.idf_mass)
    return np.minimum(scores / np.float32(best), np.float32(1)) if best > 0 else scores


def _words(query: QueryView, lines: Lines, names: frozenset[str], among: Among) -> Columns:
    """
    Of the whole messages.

    Some are told as if the query did not hold the `names` of speakers, which stand in front of all
    that they said.
    """
    whole = slice(lines.size)
    hits, rarest = lines.hits[whole], max(float(query.idf.max(initial=0.0)), 1e-6)
    matched = held(hits, query)
    words = {
        "cosine": embedded(lines.cosine[whole], lines.vectors[whole], among),
        "bm25": lines.bm25[whole],
        "matched": matched,
        "rarest": (hits * query.idf).max(axis=1, initial=0.0) / np.float32(rarest),
    }
    if not names:
        return words | {"bm25_no_names": words["bm25"], "matched_no_names": matched}
    plain = query.idf * np.array([term not in names for term in query.terms], dtype=np.float32)
    return words | {
        "bm25_no_names": lines.saturated[whole].dot(plain),
        "matched_no_names": hits.dot(plain),
    }


def _pieces(query: QueryView, pool: Pool, lines: Lines, whole: Columns, among: Among) -> Columns:
    """Of the pieces themselves; much the same as of the whole where nothing is a chunk."""
    cosine, lexical, hits = whole["cosine"], whole["bm25"], lines.hits[: lines.size]
    if pool.has_chunks:
        frequencies = pool.bags.frequencies(query.terms)
        lexical = bm25(frequencies, pool.bags.length, query.idf, query.average_length)
        cosine = embedded(cosines(query, pool.vectors), pool.vectors, among)
        hits = (frequencies > 0).astype(np.float32)
    begun = held(_begun(hits, pool.recalled.contents, query.terms), query)
    return {
        "piece_cosine": cosine,
        "piece_bm25": lexical,
        "opening_matched": begun,
        **_phrased(pool.recalled.contents, query.wording.phrases),
    }


def _phrased(contents: Sequence[str], phrases: Sequence[Phrase]) -> Columns:
    """The share of the phrases, and of the telling ones, that each content holds."""
    texts, pairs = [each[:_READ].lower() for each in contents], [each.words for each in phrases]
    there = np.array([[pair in text for pair in pairs] for text in texts], dtype=np.float32)
    telling = np.array([each.telling for each in phrases], dtype=np.float32)
    there = there.reshape(len(contents), len(phrases))
    return {
        "phrases": there.sum(axis=1) / np.float32(max(len(phrases), 1)),
        "telling_phrases": there.dot(telling / max(float(telling.sum()), 1.0)),
    }


def _begun(hits: Floats, contents: Sequence[str], terms: Sequence[str]) -> Floats:
    """Of the `hits`, those in the opening of a content, be it inside of a word; shape (n, t)."""
    there = np.zeros(hits.shape, dtype=np.float32)
    rows, columns = (each.tolist() for each in np.nonzero(hits))
    openings = {row: opening(contents[row]) for row in set(rows)}
    inside = [terms[term] in openings[row] for row, term in zip(rows, columns, strict=True)]
    there[rows, columns] = inside
    return there


def _ranks(columns: Columns, among: Among) -> Columns:
    by_cosine, by_words = _rank(columns["cosine"], among), _rank(columns["bm25"], among)
    ranks = {
        "cosine_rank": by_cosine,
        "bm25_rank": by_words,
        "window_rank": _rank(columns["window"], among),
        "both_ranks": np.maximum(by_cosine, by_words),
    }
    return {name: _RANK_SCALE / (_RANK_SCALE + rank) for name, rank in ranks.items()}


def _rank(column: Floats, among: Among) -> Floats:
    """How many are better; equals share a rank, so that the order of the pool does not matter."""
    falling = -column
    return np.searchsorted(np.sort(falling[among]), falling).astype(np.float32)


def _of_query(
    query: QueryView, lines: Lines, features: Floats, voices: Voices, among: Among
) -> Mapping[str, float]:
    """What is the same for the whole pool, in about -1 to 1."""
    mass = query.idf_mass if query.idf_mass > 0 else 1.0
    own, beside = lines.bm25[: lines.size][among], lines.bm25[lines.size : -1]
    best = float(max(own.max(initial=0.0), beside.max(initial=0.0))) / mass
    peaks = features[among][:, [_AT["cosine"], _AT["bm25"]]].max(axis=0)
    return {
        "query_length": float(np.log1p(lines.length[among]).mean()) / 1.5 - 2.0,
        "query_best_cosine": (float(lines.cosine[: lines.size][among].max()) - 0.55) * 4,
        "query_best_bm25": best - 1.0,
        "query_terms": log1p(len(query.terms)) - 1.5,
        "query_known": (query.known - 0.8) * 2,
        "query_of_asker": float(query.wording.of_asker),
        "query_names": float(bool(voices.named)),
        "query_asks_when": float(query.wording.asks_when),
        "query_cosine_peak": float(peaks[0]) / 2 - 1.5,
        "query_bm25_peak": float(peaks[1]) / 2 - 1.5,
    }
