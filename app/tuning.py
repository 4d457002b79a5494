"""Measuring retrieval and learning its weights, on a service of our own that is asked it all."""

import asyncio
import tempfile
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path

from app.adapters.sql.copies.backup import is_empty
from app.adapters.sql.migrate import as_it_is
from app.adapters.weights import read_weights
from app.api.logging import configure_logging
from app.domain.errors import EmbedderUnavailable, ForewordError, VectorIndexUnavailable
from app.domain.ids import TenantId
from app.domain.watching import Watch
from app.evaluation.asking import Asker, Sample
from app.evaluation.commands import Report, evaluate, tune
from app.evaluation.learning import Before, Schooling
from app.evaluation.sets import EvaluationSet, TooLittleAsked, UnreadableSet, read_set
from app.evaluation.study import Bars, answered
from app.main import open_services
from app.ranking.model import RelevanceModel
from app.services.indexing.indexer import Indexer
from app.settings import Settings
from app.terminal import run, stop

_TENANT = TenantId("evaluation")
"""Who asks; the sets are stored in a database that holds nothing of anybody else."""

_THERE_WITHIN, _LOOK_AGAIN = 10.0, 0.1
"""Seconds that parts may take to be there: what was late for the start is tried again meanwhile."""

_UNDISTILLED = {"facts": False, "summaries": False, "graph": False}
"""Flags of who asks: what is measured must not depend on how far distilling got meanwhile."""


def read_sets(files: Sequence[Path]) -> Sequence[EvaluationSet]:
    """
    The sets in these files.

    Raises:
        UnreadableSet: One is not there, or is none.
    """
    return [read_set(each) for each in files]


def licensed(sets: Sequence[EvaluationSet], told: Sequence[str]) -> Sequence[EvaluationSet]:
    """
    The sets with the licences that are `told`, each as NAME=TEXT.

    Raises:
        UnreadableSet: One is of no set here, tells nothing, or otherwise than one before.
    """
    licences: dict[str, str] = {}
    names = {each.name for each in sets}
    for each in told:
        name, _, text = each.partition("=")
        if name not in names or not text.strip():
            raise UnreadableSet(
                f"--licence {name}: NAME=TEXT, of one of {', '.join(sorted(names))}"
            )
        if licences.setdefault(name, text) != text:
            raise UnreadableSet(f"--licence {name}: told twice, and not the same")
    return [replace(each, licence=licences.get(each.name, each.licence)) for each in sets]


def model_of(settings: Settings, weights: Path | None) -> RelevanceModel:
    """
    The model in `weights`, else in the file of the settings, else the shipped one.

    Raises:
        UnreadableWeights: There is no such file, or it does not fit this release.
    """
    return read_weights(weights or settings.retrieval.weights)


def measured(
    settings: Settings, sets: Sequence[EvaluationSet], model: RelevanceModel, watch: Watch
) -> Report:
    """
    What `model` finds on the sets; a database in use ends the command.

    Raises:
        TooLittleAsked: Of one of them nothing can be measured.
    """
    return evaluate(_samples(settings, sets, watch), model, _bars(settings))


def tuned(
    settings: Settings, sets: Sequence[EvaluationSet], watch: Watch, *, keep: float = 0.0
) -> tuple[RelevanceModel, Report]:
    """
    What was learned from the sets, and what it finds on questions held out of learning.

    So much of what the weights of the settings, else the shipped ones, say is kept, 0 to 1.

    Raises:
        TooLittleAsked: From one of them, or beside what is held out, nothing can be learned.
    """
    before = Before(networks=model_of(settings, None).networks, share=keep) if keep else None
    samples = _samples(settings, sets, watch)
    return tune(samples, sets, Schooling(before=before), _bars(settings), watch)


def _bars(settings: Settings) -> Bars:
    chosen = settings.retrieval
    return Bars(floor=chosen.floor, sufficient=chosen.sufficient)


def _samples(settings: Settings, sets: Sequence[EvaluationSet], watch: Watch) -> Sequence[Sample]:
    """Every question with what was found for it, some of each set."""
    for each in sets:
        if not each.memories:
            raise TooLittleAsked(f"{each.name}: no question names a message that answers it")
    configure_logging("error", json=False)
    with tempfile.TemporaryDirectory() as directory:
        apart = _apart(settings, Path(directory))
        samples = run(_asked(apart, sets, watch))
    found = {each.place.set for each in answered(samples)}
    for each in sets:
        if each.name not in found:
            raise TooLittleAsked(f"{each.name}: nothing at all was found for any of its questions")
    return samples


def _apart(settings: Settings, directory: Path) -> Settings:
    """
    The same with what is embedded in `directory`.

    Asking ranks nothing, so the weights are none: those that are there may be of other features.
    """
    weights = directory / "untaught.json"
    weights.write_text(RelevanceModel.untaught().to_text(), encoding="utf-8")
    retrieval = settings.retrieval.model_copy(update={"weights": weights})
    return settings.model_copy(update={"data_dir": directory, "retrieval": retrieval})


async def _asked(
    settings: Settings, sets: Sequence[EvaluationSet], watch: Watch
) -> Sequence[Sample]:
    await _check_empty(settings.database_url)
    async with AsyncExitStack() as stack:
        services = await open_services(settings, stack)
        await _check_parts(services.waiter.indexer)
        await services.flags.change(_TENANT, _UNDISTILLED, reset=())
        asker = Asker(
            tenant=_TENANT,
            ingestor=services.ingestor,
            waiter=services.waiter,
            surveyor=services.forge.surveyor,
            forge=services.forge.forge,
            look=partial(_check_parts, services.waiter.indexer),
        )
        return await asker.samples(sets, watch)


async def _check_empty(url: str) -> None:
    """End the command where anything but sets is stored: nothing takes the sets out again."""
    async with as_it_is(url) as database:
        if database is not None and not await is_empty(database, but_for=_TENANT):
            stop("the database is not empty: sets are stored in one of their own only")


async def _check_parts(indexer: Indexer) -> None:
    """End the command where what indexes the sets is missing: it would be waited for in vain."""
    until = time.monotonic() + _THERE_WITHIN
    while (error := await _missing(indexer)) is not None:
        if time.monotonic() > until:
            stop(f"{error.title.rstrip('.')}: {error}")
        await asyncio.sleep(_LOOK_AGAIN)


async def _missing(indexer: Indexer) -> ForewordError | None:
    try:
        await indexer.embedder.embed(["Is anybody there?"])
        await indexer.vectors.count()
    except (EmbedderUnavailable, VectorIndexUnavailable) as error:
        return error
    return None
