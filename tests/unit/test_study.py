"""Learning, calibrating and reporting on samples that are made up."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from app.evaluation import study
from app.evaluation.asking import Place, Sample
from app.evaluation.calibrating import calibrate
from app.evaluation.commands import evaluate, tune
from app.evaluation.learning import Schooling
from app.evaluation.sets import EvaluationSet
from app.ranking.features import NAMES, Evidence
from app.ranking.model import RelevanceModel, facts
from app.ranking.network import Networks

SCHOOLING = Schooling(steps=40, hidden=2, seeds=(0,))
SIZE = 12


def a_sample(number: int, *, at_home: bool, set_name: str = "ours", memory: str = "m0") -> Sample:
    """The first candidate answers, has the largest cosine, and at home everything matches more."""
    rng = np.random.default_rng((number, at_home))
    cosine = rng.uniform(0.0, 0.4, SIZE).astype(np.float32)
    if at_home:
        cosine[0] += 0.4
    features = rng.standard_normal((SIZE, len(NAMES))).astype(np.float32)
    features[:, NAMES.index("cosine")] = (cosine - cosine.mean()) / cosine.std()
    return Sample(
        place=Place(set=set_name, memory=memory, number=number, at_home=at_home),
        found=Evidence(features=features, cosine=cosine, lexical=cosine, matched=cosine),
        known=0.9 if at_home else 0.4,
        messages=[f"x{at}" for at in range(SIZE)],
        keys=range(SIZE),
        tokens=[20] * SIZE,
        wanted=frozenset(["x0"]) if at_home else frozenset(),
    )


def samples(count: int = 40, **about: str) -> Sequence[Sample]:
    return [
        a_sample(number, at_home=at_home, memory=f"m{number % 5}", set_name=name)
        for name in about.get("names", "ours").split()
        for number in range(count)
        for at_home in (True, False)
    ]


def test_of_a_message_in_pieces_the_best_one_counts() -> None:
    sample = replace(
        a_sample(1, at_home=True), messages=["a", "b", "b", *"cdefghijk"], wanted=frozenset("b")
    )
    assert sample.answers.tolist()[:3] == [-1, 0, 0]
    found = sample.ordered(np.array([2, 1, 3, *[0] * 9], np.float32))
    assert list(found.evidence)[:2] == [True, False]
    assert len(found.evidence) == SIZE - 1


def test_equal_scores_are_ordered_newest_first() -> None:
    sample = a_sample(1, at_home=True)
    assert sample.ordered(np.zeros(SIZE, np.float32)).evidence[-1]


def test_folds_keep_memories_together() -> None:
    made = samples()
    by_memory: dict[str, set[int]] = {}
    for sample, fold in zip(made, study.folds(made), strict=True):
        by_memory.setdefault(sample.place.memory, set()).add(fold)
    assert all(len(each) == 1 for each in by_memory.values())
    assert len(set().union(*by_memory.values())) == study.FOLDS


def test_of_one_memory_the_questions_are_spread() -> None:
    made = [a_sample(number, at_home=True) for number in range(8)]
    assert set(study.folds(made)) == set(range(study.FOLDS))


def test_both_askings_of_a_question_are_in_one_fold() -> None:
    made = samples()
    parts = study.folds(made)
    for at in range(0, len(made), 2):
        assert parts[at] == parts[at + 1]


def test_the_baselines_order_by_what_they_are_called_after() -> None:
    made = samples(4)
    for name, way in study.BASELINES.items():
        figures = study.by(way, made)["ours"]
        assert figures["recall@10"][0] == 1, name
        assert figures["mrr@10"][1] <= figures["mrr@10"][0] <= figures["mrr@10"][2]


def test_calibration_tells_pools_with_an_answer_from_those_without() -> None:
    made = samples()
    scores = [each.found.cosine * 10 for each in made]
    calibration = calibrate(made, scores)

    best = [
        calibration.relevance(score, facts(score, each.found, known=each.known)).max()
        for each, score in zip(made, scores, strict=True)
    ]
    home = [value for each, value in zip(made, best, strict=True) if each.wanted]
    away = [value for each, value in zip(made, best, strict=True) if not each.wanted]
    assert min(home) > max(away)
    assert calibration.slope > 0


def test_a_set_without_unanswered_questions_does_not_change_what_scores_mean() -> None:
    made = samples()
    scores = [each.found.cosine * 10 for each in made]
    more = [a_sample(number, at_home=True, set_name="theirs") for number in range(90, 99)]
    both = calibrate([*made, *more], [*scores, *(each.found.cosine for each in more)])
    alone = calibrate(made, scores)
    assert (both.slope, both.bias, both.weights.tolist()) == (
        alone.slope,
        alone.bias,
        alone.weights.tolist(),
    )


def test_without_unanswered_questions_scores_still_mean_something() -> None:
    made = [each for each in samples() if each.wanted]
    calibration = calibrate(made, [each.found.cosine * 10 for each in made])
    assert np.isfinite([calibration.slope, calibration.bias, *calibration.weights]).all()


def test_tuning_reports_what_was_held_out_and_tells_its_sets() -> None:
    made = samples(20, names="ours theirs")
    sets = [
        EvaluationSet(name=name, licence="Apache-2.0", memories=()) for name in ("ours", "theirs")
    ]
    model, report = tune(made, sets, SCHOOLING, study.Bars(floor=0.25, sufficient=0.25))

    assert list(report.tables) == ["held out", "set left out", *study.BASELINES]
    assert report.tables["held out"]["theirs"]["recall@10"][0] > 0.8
    assert (report.declined["ours"].unanswerable_declined or 0.0) > 0.8
    assert report.declined["ours"].recall_lost < 0.2
    assert [each["name"] for each in model.learned["sets"]] == ["ours", "theirs"]
    assert [each["questions"] for each in model.learned["sets"]] == [20, 20]
    assert RelevanceModel.from_text(model.to_text()).to_text() == model.to_text()


def test_with_one_set_none_is_left_out() -> None:
    sets = [EvaluationSet(name="ours", licence="Apache-2.0", memories=())]
    _, report = tune(samples(8), sets, SCHOOLING, study.Bars(floor=0.25, sufficient=0.25))
    assert "set left out" not in report.tables


def test_what_decides_is_worth_most() -> None:
    model = RelevanceModel.untaught()
    linear = np.zeros(len(NAMES), np.float32)
    linear[NAMES.index("cosine")] = 1
    networks = Networks.alike(replace(model.networks.brief, linear=linear))
    model = replace(model, networks=networks)
    report = evaluate(samples(20), model, study.Bars(floor=0.0, sufficient=0.0))

    worth = report.worth["ours"]
    assert max(worth, key=lambda name: worth[name]) == "cosine"
    assert worth["typical"] == pytest.approx(0)
    assert list(worth) == list(NAMES)
    assert report.to_json()["declined"]["ours"]["recall_lost"] == 0


def test_near_misses_do_not_change_what_scores_mean() -> None:
    made = samples()
    near = [replace(each, wanted=frozenset()) for each in made if each.wanted][:10]
    alone = calibrate(made, [each.found.cosine * 10 for each in made])
    both = calibrate([*made, *near], [each.found.cosine * 10 for each in [*made, *near]])
    assert (both.slope, both.bias, both.weights.tolist()) == (
        alone.slope,
        alone.bias,
        alone.weights.tolist(),
    )


def test_near_misses_are_told_beside_what_is_asked_elsewhere() -> None:
    made = samples()
    near = [replace(each, wanted=frozenset()) for each in made if each.wanted][:10]
    bars = study.Bars(floor=0.0, sufficient=1.0)

    with_near = evaluate([*made, *near], RelevanceModel.untaught(), bars).declined["ours"]
    without = evaluate(made, RelevanceModel.untaught(), bars).declined["ours"]

    assert with_near.unanswerable_declined == without.unanswerable_declined
    assert with_near.answerable_declined == without.answerable_declined
    assert without.near_misses_declined is None
    assert with_near.near_misses_declined == 1.0


def test_where_all_is_asked_at_home_nothing_is_told_of_elsewhere() -> None:
    made = [each for each in samples() if each.wanted]
    report = evaluate(made, RelevanceModel.untaught(), study.Bars(floor=0.25, sufficient=0.25))
    assert report.declined["ours"].unanswerable_declined is None
