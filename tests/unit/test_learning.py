from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import numpy as np
import pytest

from app.evaluation.descent import slopes
from app.evaluation.learning import Before, Lesson, Schooling, _Batch, learn, learn_both
from app.evaluation.sets import TooLittleAsked
from app.ranking import Floats
from app.ranking.features import NAMES
from app.ranking.network import BRIEF, LONG, Networks

SCHOOLING = Schooling(steps=60, hidden=4, seeds=(0, 1))


def lessons(count: int, *, name: str = "ours", seed: int = 0) -> Sequence[Lesson]:
    """In each, the candidate with the largest second feature is the answer."""
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(count):
        x = rng.standard_normal((8, len(NAMES))).astype(np.float32)
        answers = np.full(8, -1)
        answers[x[:, 1].argmax()] = 0
        made.append(Lesson(set=name, features=x, answers=answers))
    return made


def test_what_tells_the_answer_is_found_out() -> None:
    network = learn(lessons(150), Schooling(steps=150, hidden=4, seeds=(0, 1)))
    unseen = lessons(40, seed=1)
    right = [network.scores(each.features).argmax() == each.answers.argmax() for each in unseen]
    assert np.mean(right) > 0.7


def test_learning_twice_gives_the_same() -> None:
    first, second = (learn(lessons(10), SCHOOLING) for _ in range(2))
    np.testing.assert_array_equal(first.linear, second.linear)
    np.testing.assert_array_equal(first.hidden, second.hidden)


def test_questions_whose_answer_was_not_found_teach_nothing() -> None:
    unanswered = Lesson(
        set="ours",
        features=np.full((3, len(NAMES)), 9, np.float32),
        answers=np.full(3, -1),
    )
    first, second = learn(lessons(10), SCHOOLING), learn([*lessons(10), unanswered], SCHOOLING)
    np.testing.assert_array_equal(first.linear, second.linear)


def test_of_nothing_nothing_is_learned() -> None:
    (one,) = lessons(1)
    unanswered = replace(one, answers=np.full(8, -1))
    for useless in ([], [unanswered]):
        with pytest.raises(TooLittleAsked, match="too little to learn from"):
            learn(useless, SCHOOLING)


def test_what_can_only_speak_for_a_candidate_never_speaks_against_it() -> None:
    network = learn(
        [Lesson(set="x", features=-each.features, answers=each.answers) for each in lessons(30)],
        SCHOOLING,
    )
    assert network.linear[NAMES.index("cosine")] >= 0
    assert network.linear[NAMES.index("piece_cosine")] == 0


def loss(network: dict[str, Floats], batch: _Batch) -> float:
    bent = np.tanh(batch.x @ network["hidden"] + network["bias"])
    scores = (batch.x @ network["linear"] + bent @ network["out"]).astype(np.float64)
    total = 0.0
    for number, weight in enumerate(batch.weight):
        own = batch.lesson == number
        chance = np.exp(scores[own]) / np.exp(scores[own]).sum()
        answer = batch.answer[own]
        for which in sorted(set(answer[answer >= 0])):
            total -= weight * batch.share[which] * np.log(chance[answer == which].sum())
    return total


@pytest.mark.parametrize("name", ["linear", "hidden", "bias", "out"])
def test_the_gradient_is_that_of_the_loss(name: str) -> None:
    """Two answering messages, one of them in two pieces."""
    rng = np.random.default_rng(2)
    made = [
        Lesson(
            set="ours",
            features=cast("Floats", rng.standard_normal((5, 3))),
            answers=np.array([0, -1, 1, 1, -1]),
        ),
        Lesson(
            set="ours",
            features=cast("Floats", rng.standard_normal((4, 3))),
            answers=np.array([-1, 0, -1, -1]),
        ),
    ]
    batch = _Batch.of(made, [0.5, 0.5])
    shapes = {"linear": (3,), "hidden": (3, 2), "bias": (2,), "out": (2,)}
    network: dict[str, Floats] = {
        each: cast("Floats", rng.standard_normal(shape)) for each, shape in shapes.items()
    }
    told = slopes(network, batch, 0.0, rng)[name]

    flat, step = network[name].reshape(-1), 1e-5
    for at in range(flat.size):
        before = flat[at]
        flat[at] = before + step
        above = loss(network, batch)
        flat[at] = before - step
        below = loss(network, batch)
        flat[at] = before
        assert told.reshape(-1)[at] == pytest.approx((above - below) / (2 * step), abs=1e-4)


def test_every_set_weighs_the_same() -> None:
    """One lesson against thirty that say the opposite, each kind a set of its own."""
    many = [
        Lesson(set="many", features=each.features, answers=each.answers) for each in lessons(30)
    ]
    (one,) = lessons(1, name="one", seed=5)
    network = learn([*many, one], SCHOOLING)
    scores = network.scores(one.features)
    assert scores.argmax() == one.answers.argmax()


def of_length(length: float, count: int, *, seed: int) -> Sequence[Lesson]:
    """Lessons of pools whose messages are so long; in long ones the third feature tells."""
    made = []
    for each in lessons(count, name=str(length), seed=seed):
        x = each.features.copy()
        x[:, NAMES.index("query_length")] = length
        telling = 2 if length >= LONG else 1
        answers = np.full(len(x), -1)
        answers[x[:, telling].argmax()] = 0
        made.append(replace(each, features=x, answers=answers))
    return made


@pytest.mark.parametrize("length", [BRIEF - 1, LONG + 1])
def test_what_tells_in_brief_messages_and_in_long_ones_is_learned_apart(length: float) -> None:
    taught = [*of_length(BRIEF - 1, 150, seed=0), *of_length(LONG + 1, 150, seed=1)]
    networks = learn_both(taught, Schooling(steps=300, hidden=4, seeds=(0,)))
    unseen = of_length(length, 40, seed=2)
    right = [networks.scores(each.features).argmax() == each.answers.argmax() for each in unseen]
    assert np.mean(right) > 0.7
    assert networks.brief is not networks.long


def test_of_few_lessons_of_one_kind_one_network_learns_all() -> None:
    taught = [*of_length(BRIEF - 1, 60, seed=0), *of_length(LONG + 1, 10, seed=1)]
    networks = learn_both(taught, SCHOOLING)
    assert networks.brief is networks.long


def test_what_is_learned_is_condensed_to_as_many_units_as_wanted() -> None:
    networks = learn_both(lessons(60), replace(SCHOOLING, units=5))
    assert networks.brief.hidden.shape == networks.long.hidden.shape == (len(NAMES), 5)


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_so_much_of_what_was_known_before_is_kept(share: float) -> None:
    taught = lessons(60)
    known = Networks(brief=learn(lessons(9, seed=3), SCHOOLING), long=learn(taught, SCHOOLING))
    learned = learn(taught, SCHOOLING)
    both = learn_both(taught, replace(SCHOOLING, before=Before(networks=known, share=share)))
    for network, old in ((both.brief, known.brief), (both.long, known.long)):
        x = lessons(1, seed=4)[0].features
        wanted = share * old.scores(x) + (1 - share) * learned.scores(x)
        np.testing.assert_allclose(network.scores(x), wanted, atol=1e-4)


def test_of_nothing_neither_network_learns() -> None:
    with pytest.raises(TooLittleAsked, match="too little to learn from"):
        learn_both([], SCHOOLING)
