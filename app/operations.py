"""Long work that a command is about: done by the server of the data, or else in this process."""

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import httpx

from app.adapters.presence import Address, held
from app.api.schemas.jobs import JobOut
from app.domain.audit import COMMAND
from app.domain.errors import DataDirectoryInUse
from app.domain.watching import Step, Watch
from app.services.common.jobs import JobStatus, Work
from app.settings import Settings
from app.terminal import run, server_of, stop

if TYPE_CHECKING:
    from app.api.deps import Services

_LOOK_AGAIN = 0.2
_ANSWER_WITHIN = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """How a server is asked for some work, and how it is found among services of our own."""

    path: str
    body: Mapping[str, object]
    work: Callable[["Services"], Work]
    working: bool = True
    """Whether services of our own do what else there is to do, or lie still."""


def done(settings: Settings, errand: Errand, watch: Watch) -> Mapping[str, Any]:
    """What came of it; if nothing could come of it, that ends the command."""
    try:
        with held(settings.data_dir) if settings.embedded else nullcontext():
            return run(_here(settings, errand, watch))
    except DataDirectoryInUse as error:
        return _there(server_of(settings.data_dir, error), errand, watch)


async def _here(settings: Settings, errand: Errand, watch: Watch) -> Mapping[str, Any]:
    from app.api.gate import acting  # noqa: PLC0415  (slow, and a server spares it)
    from app.api.logging import configure_logging  # noqa: PLC0415  (as above)
    from app.main import open_services  # noqa: PLC0415  (as above)

    configure_logging("error", json=False)
    async with AsyncExitStack() as stack:
        services = await open_services(settings, stack, working=errand.working)
        with acting(COMMAND):
            job = services.jobs.start("command", errand.work(services))
        while job.status is JobStatus.RUNNING:
            waiting = asyncio.create_task(services.jobs.wait(job))
            await asyncio.wait({waiting}, timeout=_LOOK_AGAIN)
            watch(_step(job.progress.done, job.progress.total))
        if job.error is not None:
            stop(job.error)
        return job.facts


def _there(server: Address, errand: Errand, watch: Watch) -> Mapping[str, Any]:
    headers = {"Authorization": f"Bearer {server.key}"}
    with httpx.Client(
        base_url=server.url, headers=headers, timeout=_ANSWER_WITHIN, trust_env=False
    ) as client:
        try:
            job = _job(client.post(errand.path, json=errand.body))
            while job.status is JobStatus.RUNNING:
                time.sleep(_LOOK_AGAIN)
                job = _job(client.get(f"/jobs/{job.id}"))
                watch(_step(job.progress.done, job.progress.total))
        except httpx.HTTPError as error:
            stop(f"the server at {server.url} does not answer: {error}")
    if job.error is not None:
        stop(job.error)
    return job.facts


def _job(answer: httpx.Response) -> JobOut:
    if answer.is_error:
        told = answer.json()
        stop(f"{told.get('title', answer.reason_phrase)} {told.get('detail', '')}".strip())
    return JobOut.model_validate_json(answer.content)


def _step(done: int, total: int) -> Step:
    return Step(name="working", done=done, total=total, unit="items")
