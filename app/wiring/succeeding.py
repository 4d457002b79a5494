"""Opening the generation that serves, and the one that is to serve once it is complete."""

import asyncio
import shutil
from collections.abc import Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from logging import getLogger

from app.adapters.late import LateEmbedder
from app.adapters.sql.store import SqlStore
from app.adapters.vectors import forget_server_indexes, open_other_server_indexes
from app.ports import Removable
from app.services.indexing.generations import Generation, Generations
from app.settings import Settings, revealed
from app.wiring.models import OnBatch, open_embedder
from app.wiring.opening import claim_of, index_name, open_vectors

_log = getLogger(__name__)


async def open_generations(
    settings: Settings,
    embedder: LateEmbedder,
    on_batch: OnBatch,
    store: SqlStore,
    stack: AsyncExitStack,
) -> Generations:
    """
    The model that is set; where vectors of another one serve, and it can still be opened, that one,
    until those of the model that is set are complete.
    """
    claim = claim_of(settings, stack)
    wanted = Generation(embedder, await open_vectors(settings, embedder, stack, claim))
    elsewhere = await _elsewhere(settings, embedder, stack)
    if embedder.missing:
        return Generations(wanted, elsewhere=elsewhere)
    async with store.observe() as observations:
        before = await observations.serving_model()
    async with store.project() as projections:
        await projections.know_model(
            embedder.model,
            dimension=embedder.dimension,
            opened_as=settings.embedder.opened_as(),
            now=datetime.now(UTC),
        )
        if before is None:
            await projections.serve_model(embedder.model)
    if before is None or before.name == embedder.model:
        await _retire_here(settings, [embedder.model])
        return Generations(wanted, elsewhere=elsewhere)
    chosen = settings.embedder.model_copy(update=dict(before.opened_as))
    if chosen.base_url != settings.embedder.base_url:  # a key is for one place
        chosen = chosen.model_copy(update={"api_key": None})
    of_before = settings.model_copy(update={"embedder": chosen})
    old = await open_embedder(of_before, on_batch, stack)
    if old.model != before.name:
        _log.warning("the model of the stored vectors is gone", extra={"model": before.name})
        return Generations(wanted, whole=False, elsewhere=elsewhere)
    serving = Generation(old, await open_vectors(of_before, old, stack, claim))
    return Generations(serving, coming=wanted, elsewhere=elsewhere)


async def _elsewhere(
    settings: Settings, embedder: LateEmbedder, stack: AsyncExitStack
) -> Removable | None:
    """On a server another process may serve from an index that we do not open."""
    chosen = settings.qdrant
    if chosen.url is None:
        return None
    own = "" if embedder.missing else f"{chosen.collection}-{index_name(embedder.model)}"
    others = open_other_server_indexes(
        chosen.url,
        prefix=chosen.collection,
        own=own,
        api_key=revealed(chosen.api_key),
        timeout=chosen.timeout_s,
    )
    return await stack.enter_async_context(others)


async def retire(settings: Settings, kept: Sequence[str]) -> None:
    """Remove the indexes of models that are no longer kept."""
    chosen = settings.qdrant
    if chosen.url is not None:
        names = map(index_name, kept)
        await forget_server_indexes(
            chosen.url,
            prefix=chosen.collection,
            but={f"{chosen.collection}-{name}" for name in names},
            api_key=revealed(chosen.api_key),
            attempt_seconds=chosen.timeout_s,
        )
    await _retire_here(settings, kept)


async def _retire_here(settings: Settings, kept: Sequence[str]) -> None:
    """In the data directory, which is one process's: nobody else needs what it does not open."""
    names = {index_name(each) for each in kept}
    for each in settings.vectors_dir.glob("*/"):
        if each.name not in names:
            await asyncio.to_thread(shutil.rmtree, each, ignore_errors=True)
