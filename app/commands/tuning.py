"""The commands `foreword eval` and `foreword tune`."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from app.progress import watched
from app.terminal import AsJson, a_console, settings_of, stop

if TYPE_CHECKING:
    from app.evaluation.commands import Report
    from app.evaluation.study import Declined
    from app.settings import Settings

_FIGURES = ("recall@10", "mrr@10", "ndcg@5", "recall@500t", "recall@1000t", "recall@2000t")

Sets = Annotated[list[Path], typer.Argument(help="Evaluation sets: JSON, gzip allowed.")]

_DATABASE = "A database for sets only, where they stay; none: SQLite, gone afterwards."
_KEEP = "The share of what the weights that are set, else the shipped ones, say that is kept."
_LICENCE = "Of a set that does not tell it, as NAME=TEXT, for the weights file; may be repeated."
_QDRANT = 'Where to keep their vectors, ":memory:" for the client\'s own index; none: Qdrant Edge.'


def eval_command(
    sets: Sets,
    as_json: AsJson = False,  # noqa: FBT002  (a switch)
    weights: Annotated[Path | None, typer.Option(help="Other weights than the set ones.")] = None,
    database_url: Annotated[str | None, typer.Option(help=_DATABASE)] = None,
    qdrant_url: Annotated[str | None, typer.Option(help=_QDRANT)] = None,
) -> None:
    """Measure retrieval on sets of questions, beside simpler ways, and what each feature adds."""
    from app import tuning  # noqa: PLC0415  (slow)

    settings = _settings(database_url, qdrant_url)
    with _usable():
        model, read = tuning.model_of(settings, weights), tuning.read_sets(sets)
        with watched(quiet=as_json) as watch:
            report = tuning.measured(settings, read, model, watch)
    _tell(report, as_json=as_json)


def tune_command(
    sets: Sets,
    out: Annotated[Path, typer.Option(help="The weights file to write.", dir_okay=False)],
    as_json: AsJson = False,  # noqa: FBT002  (a switch)
    licence: Annotated[list[str] | None, typer.Option(help=_LICENCE)] = None,
    keep: Annotated[float, typer.Option(help=_KEEP, min=0, max=1)] = 0.0,
) -> None:
    """Learn weights from sets of questions; figures are of questions held out of learning."""
    from app import tuning  # noqa: PLC0415  (slow)

    if not out.parent.is_dir():  # told before all is learned
        stop(f"there is no directory {out.parent}")
    settings = _settings()
    with _usable():
        read = tuning.licensed(tuning.read_sets(sets), licence or ())
        with watched(quiet=as_json) as watch:
            model, report = tuning.tuned(settings, read, watch, keep=keep)
    out.write_text(model.to_text(), encoding="utf-8")
    _tell(report, as_json=as_json)


@contextmanager
def _usable() -> Iterator[None]:
    """Sets that cannot be read, or ask too little, end the command with a line."""
    from app.evaluation.sets import TooLittleAsked, UnreadableSet  # noqa: PLC0415  (slow)

    try:
        yield
    except (UnreadableSet, TooLittleAsked) as error:
        stop(str(error))


def _settings(database_url: str | None = None, qdrant_url: str | None = None) -> "Settings":
    """Those of this process, but on the engines named here, embedded where none is."""
    return settings_of(
        database={"url": database_url, "replica_url": None}, qdrant={"url": qdrant_url}
    )


def _tell(report: "Report", *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(report.to_json()))
        return
    console = a_console()
    for name in next(iter(report.tables.values())):
        console.print(_figures(report, name))
        console.print(_worth(report, name))
        console.print(_declined(report.declined[name]) + "\n")


def _declined(kept: "Declined") -> str:
    shares = {
        "those asked of another memory": kept.unanswerable_declined,
        "near misses": kept.near_misses_declined,
        "questions with an answer": kept.answerable_declined,
    }
    told = [f"{share:.0%} of {those}" for those, share in shares.items() if share is not None]
    return (
        f"Nothing sufficient for {', '.join(told)}; "
        f"the floor costs {kept.recall_lost:.3f} of recall@10"
    )


def _figures(report: "Report", name: str) -> Table:
    table = Table("", *_FIGURES, title=name)
    for way, figures in report.tables.items():
        cells = [figures[name][figure] for figure in _FIGURES]
        table.add_row(way, *(f"{mean:.3f} [{low:.3f}, {high:.3f}]" for mean, low, high in cells))
    return table


def _worth(report: "Report", name: str) -> Table:
    table = Table("feature", "recall@10 lost without it")
    for feature, worth in sorted(report.worth[name].items(), key=lambda each: -each[1]):
        table.add_row(feature, f"{worth:+.4f}")
    return table
