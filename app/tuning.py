"""The commands `foreword eval` and `foreword tune`."""

import asyncio
import json
import tempfile
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console
from rich.table import Table

from app.adapters.weights import read_weights
from app.domain.ids import LOCAL_TENANT
from app.evaluation.asking import Asker, Sample
from app.evaluation.commands import Report, evaluate, tune
from app.evaluation.learning import Schooling
from app.evaluation.sets import EvaluationSet, read_set
from app.evaluation.study import Bars
from app.main import open_services
from app.ranking.model import RelevanceModel
from app.services.situation import Surveyor
from app.settings import DatabaseSettings, QdrantSettings, Settings, load_settings

_FIGURES = ("recall@10", "mrr@10", "ndcg@5", "recall@500t", "recall@1000t", "recall@2000t")

Sets = Annotated[list[Path], typer.Argument(help="Evaluation sets: JSON, gzip allowed.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def eval_command(
    sets: Sets,
    as_json: AsJson = False,  # noqa: FBT002  (a switch)
    weights: Annotated[Path | None, typer.Option(help="Other weights than the set ones.")] = None,
) -> None:
    """Measure retrieval on sets of questions, beside simpler ways, and what each feature adds."""
    settings = load_settings()
    try:
        model = read_weights(weights or settings.retrieval.weights)
        read = [read_set(each) for each in sets]
    except ValueError as error:
        _stop(error)
    samples = _samples(settings, read)
    _tell(evaluate(samples, model, _bars(settings)), as_json=as_json)


def tune_command(
    sets: Sets,
    out: Annotated[Path, typer.Option(help="The weights file to write.")],
    as_json: AsJson = False,  # noqa: FBT002  (a switch)
) -> None:
    """Learn weights from sets of questions; figures are of questions held out of learning."""
    settings = load_settings()
    try:
        read = [read_set(each) for each in sets]
    except ValueError as error:
        _stop(error)
    samples = _samples(settings, read)
    model, report = tune(samples, read, Schooling(), _bars(settings))
    out.write_text(model.to_text(), encoding="utf-8")
    _tell(report, as_json=as_json)


def _bars(settings: Settings) -> Bars:
    chosen = settings.retrieval
    return Bars(floor=chosen.floor, sufficient=chosen.sufficient)


def _samples(settings: Settings, sets: Sequence[EvaluationSet]) -> Sequence[Sample]:
    """Every question with what was found for it, over a store that is gone afterwards."""
    with tempfile.TemporaryDirectory() as directory:
        apart = _apart(settings, Path(directory))
        return asyncio.run(_asked(apart, sets))


def _apart(settings: Settings, directory: Path) -> Settings:
    """
    The same on the embedded engines in `directory`.

    Asking ranks nothing, so the weights are none: those that are there may be of other features.
    """
    weights = directory / "untaught.json"
    weights.write_text(RelevanceModel.untaught().to_text(), encoding="utf-8")
    retrieval = settings.retrieval.model_copy(update={"weights": weights})
    embedded = {"database": DatabaseSettings(), "qdrant": QdrantSettings()}
    return settings.model_copy(update={"data_dir": directory, "retrieval": retrieval, **embedded})


async def _asked(settings: Settings, sets: Sequence[EvaluationSet]) -> Sequence[Sample]:
    async with AsyncExitStack() as stack:
        services = await open_services(settings, stack)
        asker = Asker(
            tenant=LOCAL_TENANT,
            ingestor=services.ingestor,
            waiter=services.waiter,
            surveyor=Surveyor(services.store),
            forge=services.forge.forge,
        )
        return await asker.samples(sets)


def _tell(report: Report, *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(report.to_json()))
        return
    console = Console()
    for name in next(iter(report.tables.values())):
        console.print(_figures(report, name))
        console.print(_worth(report, name))
        kept = report.declined[name]
        console.print(
            f"Nothing sufficient for {kept.unanswerable_declined:.0%} of the questions without an "
            f"answer, {kept.answerable_declined:.0%} of the others; the floor costs "
            f"{kept.recall_lost:.3f} of recall@10\n"
        )


def _figures(report: Report, name: str) -> Table:
    table = Table("", *_FIGURES, title=name)
    for way, figures in report.tables.items():
        cells = [figures[name][figure] for figure in _FIGURES]
        table.add_row(way, *(f"{mean:.3f} [{low:.3f}, {high:.3f}]" for mean, low, high in cells))
    return table


def _worth(report: Report, name: str) -> Table:
    table = Table("feature", "recall@10 lost without it")
    for feature, worth in sorted(report.worth[name].items(), key=lambda each: -each[1]):
        table.add_row(feature, f"{worth:+.4f}")
    return table


def _stop(error: Exception) -> NoReturn:
    """End with one clear line."""
    typer.echo(f"foreword: {error}", err=True)
    raise typer.Exit(2)
