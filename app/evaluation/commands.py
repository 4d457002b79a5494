"""`foreword eval` and `foreword tune`: what they do, apart from the command line."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from app.domain.watching import Watch, counting, unwatched
from app.evaluation import study
from app.evaluation.asking import Sample
from app.evaluation.learning import Schooling
from app.evaluation.sets import EvaluationSet
from app.ranking.model import RelevanceModel


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Figures by way and set, what is declined by set, and each feature's worth by set."""

    tables: Mapping[str, study.Table]
    declined: Mapping[str, study.Declined]
    worth: Mapping[str, Mapping[str, float]]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def evaluate(samples: Sequence[Sample], model: RelevanceModel, bars: study.Bars) -> Report:
    """What `model` finds, beside the simpler ways, and what each feature is worth to it."""
    scores = [model.networks.scores(each.found.features) for each in samples]
    return Report(
        tables={"model": study.table(samples, scores), **_baselines(samples)},
        declined=study.declined(samples, scores, model, bars),
        worth=study.ablation(samples, model.networks),
    )


def tune(
    samples: Sequence[Sample],
    sets: Sequence[EvaluationSet],
    schooling: Schooling,
    bars: study.Bars,
    watch: Watch = unwatched,
) -> tuple[RelevanceModel, Report]:
    """
    Learn from all samples; the report is about questions held out of what was learned for them.

    `sets` are told in the weights, with their licences. With one set there is nothing to leave out.
    """
    folds, own_sets = study.folds(samples), [each.place.set for each in samples]
    networks = len(set(folds)) + (len(sets) if len(sets) > 1 else 0) + 1
    taught = counting(watch, "learning", "networks", networks)
    scores = study.held_out(samples, folds, schooling, taught)
    tables = {"held out": study.table(samples, scores)}
    if len(sets) > 1:
        left_out = study.held_out(samples, own_sets, schooling, taught)
        tables["set left out"] = study.table(samples, left_out)
    learned = _told(samples, sets, schooling, tables)
    model = study.tuned(samples, scores, schooling, learned)
    taught(1)
    report = Report(
        tables={**tables, **_baselines(samples)},
        declined=study.declined(samples, scores, model, bars),
        worth=study.ablation(samples, model.networks),
    )
    return model, report


def _baselines(samples: Sequence[Sample]) -> Mapping[str, study.Table]:
    return {name: study.by(way, samples) for name, way in study.BASELINES.items()}


def _told(
    samples: Sequence[Sample],
    sets: Sequence[EvaluationSet],
    schooling: Schooling,
    tables: Mapping[str, study.Table],
) -> Mapping[str, Any]:
    """What the weights file says of where its weights come from."""
    counts = [sum(each.place.set == one.name for each in study.answered(samples)) for one in sets]
    return {
        "sets": [
            {"name": one.name, "licence": one.licence, "questions": count}
            for one, count in zip(sets, counts, strict=True)
        ],
        "schooling": _hyperparameters(schooling),
        "figures": {way: _means(table) for way, table in tables.items()},
    }


def _hyperparameters(schooling: Schooling) -> Mapping[str, Any]:
    kept = schooling.before.share if schooling.before else 0.0
    told = asdict(replace(schooling, before=None))
    del told["before"]
    return {**told, "kept": kept}


def _means(table: study.Table) -> Mapping[str, Mapping[str, float]]:
    return {
        name: {figure: round(values[0], 4) for figure, values in row.items()}
        for name, row in table.items()
    }
