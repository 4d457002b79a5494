import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.adapters.weights import read_weights
from app.domain.errors import UnreadableWeights
from app.ranking import Floats
from app.ranking.bm25 import idf
from app.ranking.features import NAMES, evidence
from app.ranking.model import (
    FACTS,
    Calibration,
    RelevanceModel,
    facts,
)
from app.ranking.network import BRIEF, LONG, Network, Networks
from app.ranking.pool import Pool
from app.ranking.query import QueryView
from app.settings.recalling import RetrievalSettings
from tests.factories import an_item, recalled

EAST, NORTH = np.array([1, 0], np.float32), np.array([0, 1], np.float32)

RNG = np.random.default_rng(0)


def a_network(features: int = len(NAMES), hidden: int = 3, seed: int = 0) -> Network:
    rng = np.random.default_rng(seed)
    return Network(
        linear=rng.standard_normal(features).astype(np.float32),
        hidden=rng.standard_normal((features, hidden)).astype(np.float32),
        bias=rng.standard_normal(hidden).astype(np.float32),
        out=rng.standard_normal(hidden).astype(np.float32),
    )


def a_model() -> RelevanceModel:
    return RelevanceModel(
        networks=Networks(brief=a_network(), long=a_network(seed=1)),
        calibration=Calibration(
            slope=0.5, weights=np.arange(len(FACTS), dtype=np.float32), bias=-1.0
        ),
        learned={"sets": [{"name": "ours", "licence": "Apache-2.0", "questions": 3}]},
    )


def test_what_is_written_is_read_again() -> None:
    model = a_model()
    again = RelevanceModel.from_text(model.to_text())

    x = RNG.standard_normal((4, len(NAMES))).astype(np.float32)
    for one, other in (
        (again.networks.brief, model.networks.brief),
        (again.networks.long, model.networks.long),
    ):
        np.testing.assert_allclose(one.scores(x), other.scores(x), atol=5e-3)
    np.testing.assert_array_equal(again.calibration.weights, model.calibration.weights)
    assert (again.calibration.slope, again.calibration.bias) == (0.5, -1.0)
    assert again.learned == model.learned
    assert again.to_text() == model.to_text()


def test_each_feature_has_a_line_of_its_own_in_either_network() -> None:
    lines = a_model().to_text().splitlines()
    for name in NAMES:
        assert sum(line.startswith(f' "{name}": [') for line in lines) == 2


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"format": 2', '"format": 1', "is no file of weights, or of another format"),
        ('"format": 2,', "", "is no file of weights, or of another format"),
        (' "cosine": [', ' "cosinus": [', "its features are not those of this release"),
        ('"long"', '"longer"', "its parts do not fit together"),
        ('"slope"', '"incline"', "its parts do not fit together"),
        ('"bias": [', '"bias": [0.5, ', "its parts do not fit together"),
        ("{", "[", "is no JSON: "),
    ],
)
def test_a_file_that_does_not_fit_is_refused(old: str, new: str, told: str) -> None:
    with pytest.raises(UnreadableWeights, match=f"^{told}"):
        RelevanceModel.from_text(a_model().to_text().replace(old, new, 1))


def test_several_networks_are_one_with_their_mean() -> None:
    several = [a_network(seed=seed) for seed in range(3)]
    x = RNG.standard_normal((5, len(NAMES))).astype(np.float32)
    mean = np.mean([each.scores(x) for each in several], axis=0)
    np.testing.assert_allclose(Network.averaged(several).scores(x), mean, atol=1e-4)


def a_pool_of(length: float) -> Floats:
    """Features of a pool of five whose messages are so long on average."""
    x = RNG.standard_normal((5, len(NAMES))).astype(np.float32)
    x[:, NAMES.index("query_length")] = length
    return x


@pytest.mark.parametrize("length", [BRIEF - 1.5, BRIEF - 0.01, LONG + 0.01, LONG + 1.0])
def test_of_brief_messages_and_of_long_ones_one_network_judges(length: float) -> None:
    both, x = Networks(brief=a_network(), long=a_network(seed=1)), a_pool_of(length)
    judge = both.brief if length < BRIEF else both.long
    np.testing.assert_array_equal(both.scores(x), judge.scores(x))
    np.testing.assert_array_equal(both.contributions(x), judge.contributions(x))


def test_in_between_both_judge_and_the_nearer_one_more() -> None:
    both = Networks(brief=a_network(), long=a_network(seed=1))
    x = a_pool_of(BRIEF + 0.25 * (LONG - BRIEF))
    for mixed, brief, long in (
        (both.scores(x), both.brief.scores(x), both.long.scores(x)),
        (both.contributions(x), both.brief.contributions(x), both.long.contributions(x)),
    ):
        np.testing.assert_allclose(mixed, 0.75 * brief + 0.25 * long, rtol=1e-4, atol=1e-5)


def test_one_network_may_judge_all() -> None:
    network = a_network()
    alike, x = Networks.alike(network), a_pool_of((BRIEF + LONG) / 2)
    np.testing.assert_allclose(alike.scores(x), network.scores(x), rtol=1e-5)


def test_without_hidden_units_contributions_add_up_to_the_score() -> None:
    network = a_network(hidden=0)
    x = RNG.standard_normal((6, len(NAMES))).astype(np.float32)
    scores = network.scores(x)
    np.testing.assert_allclose(
        network.contributions(x).sum(axis=1), scores - scores.mean(), atol=1e-4
    )


def test_a_small_step_changes_the_score_as_its_contribution_says() -> None:
    network, step = a_network(features=2), np.float32(1e-2)
    x = np.array([[0.3, -0.2], [0.3 + step, -0.2]], dtype=np.float32)
    told = network.contributions(x)
    measured = np.diff(network.scores(x))[0]
    assert told[1, 0] - told[0, 0] == pytest.approx(measured, rel=0.05)
    np.testing.assert_allclose(told[:, 1], 0, atol=1e-6)


SCORES = st.lists(st.floats(-20, 20, width=32), min_size=1, max_size=12).map(
    lambda each: np.array(each, np.float32)
)


@given(SCORES, st.floats(0.1, 5), st.lists(st.floats(-3, 3), min_size=7, max_size=7))
def test_relevance_keeps_the_order_and_lies_in_0_to_1(
    scores: Floats, slope: float, told: list[float]
) -> None:
    calibration = Calibration(slope=slope, weights=np.ones(7, np.float32), bias=0.0)
    found = calibration.relevance(scores, np.array(told, np.float32))
    assert ((found >= 0) & (found <= 1)).all()
    order = np.argsort(scores, kind="stable")
    assert (np.diff(found[order]) >= -1e-6).all()


def test_what_is_far_behind_an_answer_is_off_topic_however_sure_that_is() -> None:
    sure = Calibration(slope=0.2, weights=np.zeros(7, np.float32), bias=4.0)
    scores = np.array([0, -3, -10], np.float32)
    best, near, far = sure.relevance(scores, np.zeros(7, np.float32)).tolist()
    assert best == pytest.approx(1 / (1 + np.exp(-4.0)))
    assert near == pytest.approx(1 / (1 + np.exp(-3.4)))
    assert far < RetrievalSettings().floor


def test_only_differences_between_scores_matter() -> None:
    calibration = Calibration(slope=1.0, weights=np.zeros(7, np.float32), bias=0.3)
    told = np.zeros(7, np.float32)
    scores = np.array([1, 3, 2], np.float32)
    np.testing.assert_allclose(
        calibration.relevance(scores, told), calibration.relevance(scores + 100, told), atol=1e-6
    )


def test_what_is_known_of_a_pool_is_told_in_order() -> None:
    items = recalled(an_item(1, "tea"), an_item(2, "milk"), vectors={0: NORTH, 1: EAST})
    weights = idf(10, [1])
    query = QueryView(
        vector=EAST, terms=["tea"], idf=weights, idf_mass=float(weights.sum()), average_length=1.0
    )
    found = evidence(query, Pool.of(items, dimension=2))
    told = dict(zip(FACTS, facts(np.array([3, 1], np.float32), found, known=0.5), strict=True))
    assert told == pytest.approx(
        {
            "best_cosine": 1,
            "cosine": 0,
            "best_matched": 1,
            "matched": 1,
            "lexical": 1,
            "known": 0.5,
            "lead": 2,
        }
    )


def test_the_shipped_weights_can_be_read_and_tell_where_they_come_from() -> None:
    shipped = read_weights(None)
    for each in (shipped.networks.brief, shipped.networks.long):
        assert each.linear.shape == (len(NAMES),)
    assert all(each["licence"] for each in shipped.learned["sets"])
