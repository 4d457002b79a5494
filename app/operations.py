"""Long work that a command is about: done by a server, or else in this process."""

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from app.domain.audit import COMMAND
from app.domain.watching import Step, Watch
from app.services.common.jobs import JobStatus, Work
from app.settings import Settings
from app.terminal import run, server_or_alone, stop

if TYPE_CHECKING:
    from app.api.deps import Services
    from app.client import Client

_LOOK_AGAIN = 0.2
_ANSWER_WITHIN = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """How a server is asked for some work, and how it is found among services of our own."""

    job: str
    work: Callable[["Services"], Work]
    about: Mapping[str, object] = field(default_factory=dict)
    working: bool = True
    """Whether services of our own do what else there is to do, or lie still."""


def done(settings: Settings, errand: Errand, watch: Watch) -> Mapping[str, Any]:
    """
    What came of it, at the server of the data or here.

    If nothing could come of it, that ends the command.

    Raises:
        ClientError: The server refused.
    """
    with server_or_alone(settings) as server:
        if server is None:
            return run(_here(settings, errand, watch))
        return done_there(server.url, server.key, errand, watch)


def done_there(url: str, key: str | None, errand: Errand, watch: Watch) -> Mapping[str, Any]:
    """
    What came of it at a server; if nothing could come of it, that ends the command.

    Raises:
        ClientError: The server refused, or does not answer.
    """
    from app.client import Client  # noqa: PLC0415  (slow)

    with Client(url, key, seconds=_ANSWER_WITHIN) as client:
        return _asked(client, errand, watch)


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


def _asked(client: "Client", errand: Errand, watch: Watch) -> Mapping[str, Any]:
    job = client.start(errand.job, **errand.about)
    while job["status"] == JobStatus.RUNNING:
        time.sleep(_LOOK_AGAIN)
        job = client.job(job["id"])
        watch(_step(job["progress"]["done"], job["progress"]["total"]))
    if job["error"] is not None:
        stop(job["error"])
    return job["facts"]


def _step(done: int, total: int) -> Step:
    return Step(name="working", done=done, total=total, unit="items")
