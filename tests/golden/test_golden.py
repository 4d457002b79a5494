"""What the application finds of the golden set: floors to be raised as ranking improves."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import NamedTuple

import pytest

from app.settings import Settings
from tests.api.speaking import settings_for, talking_to
from tests.databases import run_apart
from tests.fakes_embedder import a_compiled_model
from tests.golden.asking import Asked, ask_all, ask_densely, store_all
from tests.golden.golden_set import golden_set


class Floor(NamedTuple):
    """The least that is accepted, a little below what was measured."""

    recall: float
    """Mean share of the evidence among the first ten messages."""
    rank: float
    """Mean of 1 / rank of the first evidence."""


CATEGORIES = {
    "code": Floor(0.97, 0.89),
    "fact": Floor(0.92, 0.50),
    "identifier": Floor(0.96, 0.95),
    "language": Floor(0.97, 0.86),
    "long": Floor(0.97, 0.86),
    "negation": Floor(0.75, 0.53),
    "paraphrase": Floor(0.63, 0.42),
    "speaker": Floor(0.93, 0.77),
    "time": Floor(0.90, 0.70),
}

LANGUAGES = {
    "de": Floor(0.97, 0.75),
    "en": Floor(0.88, 0.71),
    "es": Floor(0.97, 0.43),
    "fr": Floor(0.97, 0.97),
    "ja": Floor(0.97, 0.87),
    "ru": Floor(0.97, 0.69),
    "th": Floor(0.97, 0.97),
    "zh": Floor(0.97, 0.87),
}

EVERYTHING = Floor(0.89, 0.72)

_IDENTIFIER, _MORE_IDENTIFIERS = "identifier", 1.2

DECLINED = 0.62
"""The least share of the questions without an answer that are told so."""

WRONGLY_DECLINED = 0.23
"""The greatest share of the other questions that are told the same; what is found is shown."""

WRONGLY_EMPTY = 0.03
"""The greatest share of the other questions to which nothing at all is shown."""


@dataclass(frozen=True, slots=True)
class Answers:
    """What every question found, and what those for identifiers find by vectors alone."""

    all: list[Asked] = field(default_factory=list)
    densely: list[Asked] = field(default_factory=list)


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Answers:
    a_compiled_model()
    answers = Answers()
    run_apart(_ask_everything(settings_for(tmp_path_factory.mktemp("golden")), answers))
    return answers


@pytest.fixture(scope="module")
def asked(answers: Answers) -> Sequence[Asked]:
    """Every question with what it found, on the embedded engines and the real model."""
    return answers.all


async def _ask_everything(settings: Settings, answers: Answers) -> None:
    golden = golden_set()
    async with talking_to(settings) as client:
        await store_all(client, golden)
        answers.all.extend(await ask_all(client, golden))
        densely = await ask_densely(client, golden, category=_IDENTIFIER)
        answers.densely.extend(densely)


def test_identifiers_are_found_far_better_than_by_vectors_alone(answers: Answers) -> None:
    hybrid = fmean(each.recall for each in answers.all if each.category == _IDENTIFIER)
    dense = fmean(each.recall for each in answers.densely)
    assert hybrid >= _MORE_IDENTIFIERS * dense, f"{hybrid:.3f} against {dense:.3f}"


@pytest.mark.parametrize("category", CATEGORIES)
def test_a_category_is_found_as_well_as_it_was(asked: Sequence[Asked], category: str) -> None:
    chosen = _answerable(asked, lambda each: each.category == category)
    _assert_found(chosen, CATEGORIES[category])


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_is_found_as_well_as_it_was(asked: Sequence[Asked], language: str) -> None:
    chosen = _answerable(asked, lambda each: each.language == language)
    _assert_found(chosen, LANGUAGES[language])


def test_all_of_it_is_found_as_well_as_it_was(asked: Sequence[Asked]) -> None:
    _assert_found(_answerable(asked), EVERYTHING)


def test_every_category_and_language_has_a_floor(asked: Sequence[Asked]) -> None:
    answerable = _answerable(asked)
    assert {each.category for each in answerable} == CATEGORIES.keys()
    assert {each.language for each in answerable} == LANGUAGES.keys()


def test_what_was_never_said_is_declined(asked: Sequence[Asked]) -> None:
    unanswerable = [each for each in asked if not each.evidence]
    answered = [each for each in unanswerable if not each.declined]
    share = 1 - len(answered) / len(unanswerable)
    assert share >= DECLINED, _told(f"{share:.3f} declined", answered)


def test_what_was_said_is_not_declined(asked: Sequence[Asked]) -> None:
    answerable = _answerable(asked)
    declined = [each for each in answerable if each.declined]
    share = len(declined) / len(answerable)
    assert share <= WRONGLY_DECLINED, _told(f"{share:.3f} declined", declined)


def test_what_was_said_is_shown(asked: Sequence[Asked]) -> None:
    answerable = _answerable(asked)
    empty = [each for each in answerable if not each.found]
    share = len(empty) / len(answerable)
    assert share <= WRONGLY_EMPTY, _told(f"{share:.3f} empty", empty)


def _answerable(
    asked: Sequence[Asked], wanted: Callable[[Asked], bool] = lambda _: True
) -> list[Asked]:
    return [each for each in asked if each.evidence and wanted(each)]


def _assert_found(asked: Sequence[Asked], floor: Floor) -> None:
    measured = Floor(
        recall=fmean(each.recall for each in asked),
        rank=fmean(each.reciprocal_rank for each in asked),
    )
    missed = [each for each in asked if each.recall < 1]
    heading = f"recall@10 {measured.recall:.3f}, MRR {measured.rank:.3f} of {len(asked)}"
    assert measured.recall >= floor.recall, _told(heading, missed)
    assert measured.rank >= floor.rank, _told(heading, missed)


def _told(heading: str, asked: Sequence[Asked]) -> str:
    """The questions that went wrong, each with what was wanted and what came instead."""
    lines = [
        f"{each.user}: {each.question!r} wants {sorted(each.evidence)}, found {each.found[:5]}"
        for each in asked
    ]
    return "\n  ".join([f"{heading}; missed:", *lines])
