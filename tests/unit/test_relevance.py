from collections.abc import Sequence
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.memory import RETELLING, ItemType
from app.ranking import Floats
from app.ranking.bm25 import bm25, idf
from app.ranking.features import FULL_MATCH, NAMES, OWN
from app.ranking.model import FACTS, Calibration, RelevanceModel
from app.ranking.network import Networks
from app.ranking.pool import Pool, pack_vector
from app.ranking.query import QueryView
from app.ranking.relevance import (
    DENSE_SHARE,
    FURTHER,
    HALF_BELOW,
    MANY,
    MEANS,
    PLAIN,
    beside_best,
    relevance,
    reread,
)
from app.ranking.rereading import Opinion
from tests.factories import a_chunk, an_item, recalled

EAST, NORTH, WEST = (np.array(each, np.float32) for each in ([1, 0], [0, 1], [-1, 0]))


def a_query(*terms: str, vector: Floats | None = EAST, unknown: float = 0.0) -> QueryView:
    """`unknown` is what the terms of the query are worth that no document holds."""
    weights = idf(10, [1] * len(terms))
    mass = float(weights.sum()) + unknown
    return QueryView(vector=vector, terms=terms, idf=weights, idf_mass=mass, average_length=3.0)


def a_pool(*contents: str, vectors: dict[int, Floats] | None = None) -> Pool:
    items = [an_item(row, text) for row, text in enumerate(contents, 1)]
    return Pool.of(recalled(*items, vectors=vectors), dimension=2)


def told(plain: Sequence[float] | Floats) -> list[float]:
    """Plain fusions as relevances."""
    return [float(each) for each in np.interp(plain, PLAIN, MEANS)]


def test_meaning_and_words_are_fused() -> None:
    pool = a_pool("tea", "milk", "tea with much sugar", vectors={0: NORTH, 1: EAST, 2: WEST})
    found = relevance(a_query("tea"), pool)

    assert found.semantic.tolist() == [0, 1, 0]
    assert found.lexical[0] == 1
    assert found.lexical[1] == 0
    assert 0 < found.lexical[2] < 1
    expected = told(DENSE_SHARE * found.semantic + (1 - DENSE_SHARE) * found.lexical)
    np.testing.assert_allclose(found.score, expected)


@pytest.mark.parametrize("terms", [(), ("coffee",)])
def test_where_no_word_is_found_meaning_stands_alone(terms: Sequence[str]) -> None:
    pool = a_pool("tea", "milk", vectors={0: EAST, 1: NORTH})
    assert relevance(a_query(*terms), pool).score.tolist() == [1, 0]


def test_without_a_vector_words_stand_alone() -> None:
    pool = a_pool("tea", "milk", vectors={0: NORTH, 1: EAST})
    found = relevance(a_query("tea", vector=None), pool)
    assert found.score.tolist() == [1, 0]
    assert found.semantic.tolist() == [0, 0]


def test_a_lucky_match_of_one_word_is_no_full_match() -> None:
    pool = a_pool("tea", "milk")
    worth = float(idf(10, [1])[0])
    query = a_query("tea", vector=None, unknown=9 * worth)
    alone = relevance(a_query("tea", vector=None), pool).score
    lucky = relevance(query, pool).score
    (bm25_of_tea,) = bm25(
        np.ones((1, 1), np.float32), np.ones(1, np.float32), np.array([worth], np.float32), 3.0
    )
    assert alone.tolist() == [1, 0]
    assert lucky.tolist() == pytest.approx(told([bm25_of_tea / (FULL_MATCH * 10 * worth), 0]))
    assert lucky[0] < 0.4


def test_an_item_that_is_not_embedded_yet_is_given_half_of_what_its_words_earn() -> None:
    pool = a_pool("tea", "milk", vectors={1: EAST})
    found = relevance(a_query("tea"), pool)
    assert found.score.tolist() == pytest.approx(told([1 - DENSE_SHARE / 2, DENSE_SHARE]))


def test_what_answers_in_other_words_may_matter_beside_a_name_that_others_hold() -> None:
    vectors = {at: unit(cosine) for at, cosine in enumerate([0.1, 0.31, 0.17])}
    held, near, far = relevance(a_query("tea"), a_pool("tea", "milk", "cup", vectors=vectors)).score
    assert far < MEANS[1] <= near < MEANS[2] < held


def test_what_is_near_by_spelling_alone_is_no_likely_answer() -> None:
    pool = a_pool("tea", "milk", "cup", vectors={0: EAST, 1: EAST, 2: unit(0.8)})
    query = a_query("tea", unknown=float(idf(10, [1])[0]))

    held, near, less = relevance(replace(query, read=False), pool).score.tolist()
    assert MEANS[1] < less < near < MEANS[2] < held
    assert relevance(query, pool).score.tolist()[1] > MEANS[2] / 2 > near


def test_what_no_word_speaks_for_stays_below_where_its_script_is_not_read() -> None:
    pool = a_pool("milk", "cup", vectors={0: unit(0.75), 1: unit(0.7)})
    assert max(relevance(a_query("tea"), pool).score) > MEANS[2]
    assert max(relevance(replace(a_query("tea"), read=False), pool).score) < MEANS[2]


def test_what_nothing_speaks_for_is_not_lifted_by_what_was_learned() -> None:
    pool = a_pool("tea", *["milk"] * 19, vectors={0: EAST} | dict.fromkeys(range(1, 20), NORTH))
    first, *others = relevance(a_query("tea"), pool, a_model(bm25=0.1)).score.tolist()
    assert first > MEANS[2]
    assert not any(others)


def test_nothing_is_relevant_in_an_empty_pool() -> None:
    found = relevance(a_query("tea"), a_pool())
    assert [found.score.shape, found.semantic.shape, found.lexical.shape] == [(0,)] * 3


CONTENTS = st.lists(
    st.lists(st.sampled_from(["tea", "milk", "cup"]), max_size=6).map(" ".join), max_size=8
)
ANGLES = st.none() | st.floats(0, 6.5, width=32)


def unit(cosine: float) -> Floats:
    """A vector of this cosine to EAST, of length 1."""
    return np.array([cosine, np.sqrt(1 - cosine**2)], np.float32)


def towards(angle: float | None) -> Floats | None:
    return None if angle is None else np.array([np.cos(angle), np.sin(angle)], np.float32)


@st.composite
def asked_pools(draw: st.DrawFn) -> tuple[QueryView, list[str], dict[int, Floats]]:
    contents = draw(CONTENTS)
    vectors = {at: towards(draw(ANGLES)) for at in range(len(contents))}
    terms = draw(st.lists(st.sampled_from(["tea", "milk", "absent"]), unique=True))
    query = a_query(*terms, vector=towards(draw(ANGLES)), unknown=draw(st.sampled_from([0, 1, 9])))
    return query, contents, {at: each for at, each in vectors.items() if each is not None}


@given(asked_pools())
def test_relevance_and_its_parts_are_shares(
    asked: tuple[QueryView, list[str], dict[int, Floats]],
) -> None:
    query, contents, vectors = asked
    found = relevance(query, a_pool(*contents, vectors=vectors))
    for part in (found.score, found.semantic, found.lexical):
        assert part.shape == (len(contents),)
        assert ((part >= 0) & (part <= 1.000001)).all()


@given(asked_pools(), st.randoms(use_true_random=False))
def test_the_order_of_the_pool_does_not_matter(
    asked: tuple[QueryView, list[str], dict[int, Floats]], random: Random
) -> None:
    query, contents, vectors = asked
    places = list(range(len(contents)))
    random.shuffle(places)
    shuffled = {to: vectors[at] for to, at in enumerate(places) if at in vectors}

    straight = relevance(query, a_pool(*contents, vectors=vectors)).score
    mixed = relevance(query, a_pool(*[contents[at] for at in places], vectors=shuffled)).score

    np.testing.assert_allclose(mixed, straight[places], atol=1e-6)


LONG = an_item(7, "green tea and black coffee")


def of_chunks(own: Sequence[Floats], whole: Floats) -> Pool:
    """Chunks of one message, and a short message of its own behind them."""
    chunks = [a_chunk(row, LONG, row, 9 + row) for row in range(len(own))]
    found = recalled(*chunks, an_item(8, "milk"), vectors=dict(enumerate([*own, NORTH])))
    wholes = [*[pack_vector(whole)] * len(own), found.vectors[-1]]
    return Pool.of(replace(found, whole_vectors=wholes), dimension=2)


def test_a_chunk_is_as_near_as_its_whole_message_or_nearly_as_itself() -> None:
    by_whole = relevance(a_query(), of_chunks([NORTH], whole=EAST))
    assert by_whole.semantic.tolist() == [1, 0]
    by_itself = relevance(a_query(), of_chunks([EAST], whole=NORTH))
    assert by_itself.semantic.tolist() == pytest.approx([OWN, 0])


def test_one_chunk_stands_for_its_message_and_the_others_count_less() -> None:
    found = relevance(a_query(), of_chunks([NORTH, EAST, NORTH], whole=EAST))
    assert found.semantic.tolist() == [1, 1, 1, 0]
    assert found.score.tolist() == pytest.approx([1, FURTHER, FURTHER, 0])


def a_model(**weights: float) -> RelevanceModel:
    """A linear model of the named features, calibrated by the best cosine."""
    linear = np.array([weights.get(name, 0.0) for name in NAMES], np.float32)
    untaught = RelevanceModel.untaught()
    level = np.array([4.0 if name == "best_cosine" else 0.0 for name in FACTS], np.float32)
    return replace(
        untaught,
        networks=Networks.alike(replace(untaught.networks.brief, linear=linear)),
        calibration=Calibration(slope=1.0, weights=level, bias=-2.0),
    )


def many(*contents: str, vectors: dict[int, Floats]) -> Pool:
    """A large pool: these, and what says nothing and points nowhere near."""
    filler = [f"filler {at}" for at in range(MANY - len(contents))]
    away = dict.fromkeys(range(len(contents), MANY), -EAST)
    return a_pool(*contents, *filler, vectors={**vectors, **away})


def test_what_was_learned_decides_the_order_of_a_large_pool() -> None:
    pool = many("tea", "milk", "cup", vectors={0: NORTH, 1: EAST, 2: WEST})
    by_words = relevance(a_query("tea"), pool, a_model(bm25=1.0)).score
    by_meaning = relevance(a_query("tea"), pool, a_model(cosine=1.0)).score
    assert by_words.argmax() == 0
    assert by_meaning.argmax() == 1


def test_what_holds_all_that_is_looked_up_is_the_best_and_what_is_asked_is_as_learned() -> None:
    vectors = {0: EAST, 1: NORTH, 2: EAST}
    pool = many("green tea cup and milk", "milk", "green tea cup", vectors=vectors)
    against_words, query = a_model(bm25=-1.0), a_query("green", "tea", "cup")
    asking = replace(query, wording=replace(query.wording, asks=True))
    too_little = a_query("tea", "cup")

    assert relevance(query, pool, against_words).score.argmax() == 0
    for other in (asking, too_little):
        assert relevance(other, pool, against_words).score.argmax() not in {0, 2}


def test_a_small_pool_is_fused_plainly() -> None:
    pool = a_pool("tea", "milk", vectors={0: EAST, 1: NORTH})
    told, plain = (relevance(a_query("tea"), pool, each) for each in (a_model(bm25=-1.0), None))
    np.testing.assert_array_equal(told.score, plain.score)


def test_relevance_tells_a_near_pool_from_a_far_one() -> None:
    near = many("tea", "milk", vectors={0: EAST, 1: NORTH})
    far = many("tea", "milk", vectors={0: WEST, 1: NORTH})
    model = a_model(bm25=1.0)
    assert relevance(a_query("tea"), near, model).score.max() > 0.85
    assert relevance(a_query("tea"), far, model).score.max() < 0.15


@pytest.mark.parametrize("kind", sorted(RETELLING))
def test_what_retells_messages_changes_nothing_of_how_they_are_judged(kind: ItemType) -> None:
    said = many("tea", "milk and tea", "cup", vectors={0: NORTH, 1: EAST, 2: WEST})
    facts = [replace(an_item(900 + at, "tea tea tea"), type=kind) for at in range(3)]
    retold = recalled(*facts, vectors=dict.fromkeys(range(3), EAST))
    pool = Pool.of(retold.and_also(said.recalled), dimension=2)
    model = a_model(bm25=1.0, cosine=1.0)

    alone = relevance(a_query("tea"), said, model, explain=True)
    beside = relevance(a_query("tea"), pool, model, explain=True)

    np.testing.assert_allclose(beside.score[3:], alone.score)
    np.testing.assert_allclose(beside.features["feature.bm25"][3:], alone.features["feature.bm25"])
    assert beside.score[:3].min() > alone.score.mean()


@pytest.mark.parametrize("vector", [None, EAST])
def test_where_a_side_is_missing_nothing_learned_is_asked(vector: Floats | None) -> None:
    pool = a_pool("tea", "milk", vectors={0: EAST, 1: NORTH})
    query = a_query(*(() if vector is not None else ("tea",)), vector=vector)
    told, plain = relevance(query, pool, a_model(bm25=-1.0)), relevance(query, pool)
    assert told.score.tolist() == plain.score.tolist() == [1, 0]


def test_every_feature_and_what_it_adds_is_told_where_that_is_asked_for() -> None:
    pool = a_pool("tea", "milk", vectors={0: NORTH, 1: EAST})
    model = a_model(bm25=2.0)
    assert not relevance(a_query("tea"), pool, model).features

    told = relevance(a_query("tea"), pool, model, explain=True).features

    assert set(told) == {f"{kind}.{name}" for kind in ("feature", "adds") for name in NAMES}
    np.testing.assert_allclose(told["adds.bm25"], 2 * told["feature.bm25"], atol=1e-6)
    assert not told["adds.cosine"].any()


def test_nothing_has_no_relevance() -> None:
    assert relevance(a_query("tea"), a_pool(), a_model()).score.shape == (0,)


def test_what_a_cross_encoder_reads_is_told_beside_the_relevance_of_before() -> None:
    pool = a_pool("tea", "milk", "tea with milk")
    before = relevance(a_query("tea", vector=None), pool)

    after = reread(pool, before, opinion(1, 2))

    assert after.score.max() <= before.score.max()
    assert after.score[0] == before.score[0]
    assert after.score[1] == max(before.score[1:])
    assert (after.features["fused"] == before.score).all()
    assert np.isnan(after.features["rerank"]).tolist() == [True, False, False]
    assert after.features["rerank"][1:].tolist() == [2, 1]


def test_the_chunk_that_reads_best_stands_for_its_message() -> None:
    pool = of_chunks([np.array([0.8, 0.6], np.float32), EAST], whole=NORTH)
    before = relevance(a_query(), pool)

    after = reread(pool, before, opinion(0, 1))

    assert before.score[1] == before.single[1] > before.single[0] > 0
    assert after.score[0] == pytest.approx(before.single[1])
    assert after.score[1] == pytest.approx(FURTHER * before.single[0])


def opinion(*liked: int) -> Opinion:
    """These, the first one best, and nothing else counts."""
    scores = np.arange(len(liked), 0, -1, dtype=np.float32)
    return Opinion(at=liked, scores=scores, share=1.0)


scores = st.lists(st.floats(-30, 30, width=32), min_size=1, max_size=40)


@given(told=scores, shift=st.integers(-50, 50))
def test_the_best_of_a_pool_counts_whole_and_others_the_less_the_further_below(
    told: list[float], shift: int
) -> None:
    each = np.array(told, np.float32)
    standing = beside_best(each)
    assert standing.max() == standing[each.argmax()] == 1
    assert standing.min() >= 0
    order = np.argsort(each, kind="stable")
    assert (np.diff(standing[order]) >= 0).all()
    np.testing.assert_allclose(beside_best(each + np.float32(shift)), standing, atol=1e-3)


def test_what_lies_so_far_below_the_best_counts_half_beside_it() -> None:
    best, half, far = beside_best(np.array([5, 5 - HALF_BELOW, -5], np.float32))
    assert best == 1
    assert half == pytest.approx(0.5, abs=0.01)
    assert far < 0.01


def test_what_retells_better_than_any_message_counts_no_more_than_whole() -> None:
    assert beside_best(np.array([9, 1, 0], np.float32), np.array([1, 2]))[0] == 1


def test_in_a_small_pool_nothing_stands_back_behind_the_best() -> None:
    pool = a_pool("tea", "milk", vectors={0: EAST, 1: NORTH})
    assert relevance(a_query("tea"), pool, a_model(bm25=9.0)).standing.tolist() == [1, 1]
