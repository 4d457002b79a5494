"""Long work on somebody's behalf: started, watched, one of a kind at a time."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from logging import getLogger
from types import MappingProxyType
from typing import Any
from uuid import UUID

from app.domain.errors import ForewordError, JobNotFound, JobRunning
from app.domain.ids import TenantId
from app.ports import Clock, NewId

_log = getLogger(__name__)

_NOTHING: Mapping[str, Any] = MappingProxyType({})

_REMEMBERED = 100
"""Jobs that have ended and can still be looked at."""


class JobStatus(StrEnum):
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


@dataclass(slots=True, kw_only=True)
class Progress:
    """How far something is, in items; `total` is what is known of it by now."""

    done: int = 0
    total: int = 0

    def tell(self, done: int, total: int) -> None:
        self.done, self.total = done, max(done, total)


Work = Callable[[Progress], Awaitable[Mapping[str, Any]]]
"""Does something long, tells how far it is, and returns facts for whoever asked."""


@dataclass(slots=True, kw_only=True)
class Job:
    """One piece of long work. It ends with this process; what it did stays and can be gone on."""

    id: UUID
    kind: str
    tenant: TenantId | None
    """Whose it is; None: of the whole service, which only its operator may see."""
    started_at: datetime
    work: Work
    about: Mapping[str, Any] = field(default_factory=dict)
    """What it is done to, known before anything came of it."""
    progress: Progress = field(default_factory=Progress)
    status: JobStatus = JobStatus.RUNNING
    finished_at: datetime | None = None
    error: str | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Jobs:
    """The long work of this process, newest last."""

    clock: Clock
    new_id: NewId
    _jobs: dict[UUID, Job] = field(default_factory=dict)
    _tasks: dict[UUID, asyncio.Task[Any]] = field(default_factory=dict)

    def start(
        self,
        kind: str,
        work: Work,
        *,
        about: Mapping[str, Any] = _NOTHING,
        tenant: TenantId | None = None,
    ) -> Job:
        """
        Begin `work` behind the requests, for a tenant or for the whole service; `about` is told
        with it.

        Raises:
            JobRunning: One of this kind, of the same tenant, runs already.
        """
        for other in self._jobs.values():
            same = (other.kind, other.tenant) == (kind, tenant)
            if same and other.status is JobStatus.RUNNING:
                raise JobRunning(job_id=str(other.id), kind=kind)
        now = self.clock()
        job = Job(
            id=self.new_id(), kind=kind, tenant=tenant, started_at=now, work=work, about=about
        )
        self._jobs[job.id] = job
        self._forget_old()
        task = asyncio.create_task(self._run(job))
        self._tasks[job.id] = task
        task.add_done_callback(lambda _: self._tasks.pop(job.id, None))
        return job

    def retry(self, job_id: UUID, tenant: TenantId, *, operates: bool) -> Job:
        """
        Begin once more what has ended.

        Raises:
            JobNotFound: There is none under this id, or it is not theirs.
            JobRunning: It, or one of its kind, still runs.
        """
        job = self.get(job_id, tenant, operates=operates)
        return self.start(job.kind, job.work, about=job.about, tenant=job.tenant)

    def get(self, job_id: UUID, tenant: TenantId, *, operates: bool) -> Job:
        """
        One job of this tenant or, for who `operates` the service, of all of it.

        Raises:
            JobNotFound: There is none under this id, it ended long ago, or it is not theirs.
        """
        job = self._jobs.get(job_id)
        if job is None or not _is_theirs(job, tenant, operates=operates):
            raise JobNotFound(job_id=str(job_id))
        return job

    def all(self, tenant: TenantId, *, operates: bool) -> list[Job]:
        """Those of this tenant and, for who `operates` the service, of all of it."""
        everybodys = self._jobs.values()
        return [each for each in everybodys if _is_theirs(each, tenant, operates=operates)]

    def keep(self, task: asyncio.Task[Any]) -> None:
        """Hold on to work that is no job, though nobody waits for it; it ends as jobs do."""
        held = self.new_id()
        self._tasks[held] = task
        task.add_done_callback(lambda _: self._tasks.pop(held, None))

    async def wait(self, job: Job) -> Job:
        """The same job, once it has ended."""
        if task := self._tasks.get(job.id):
            await asyncio.wait({task})
        return job

    async def stop(self) -> None:
        """End what runs; whatever it is, it can be gone on with."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _run(self, job: Job) -> None:
        try:
            job.facts = await job.work(job.progress)
            job.status = JobStatus.DONE
        except ForewordError as error:
            job.status, job.error = JobStatus.FAILED, str(error)
            _log.warning("a job failed", extra={"kind": job.kind, "reason": error.title})
        except Exception:  # noqa: BLE001  (told as what it is; the service goes on)
            _log.exception("a job stumbled", extra={"kind": job.kind})
            job.status, job.error = JobStatus.FAILED, "internal error"
        finally:
            job.finished_at = self.clock()
        _log.info("a job ended", extra={"kind": job.kind, "outcome": job.status.value})

    def _forget_old(self) -> None:
        ended = [each.id for each in self._jobs.values() if each.status is not JobStatus.RUNNING]
        for job_id in ended[: max(0, len(self._jobs) - _REMEMBERED)]:
            del self._jobs[job_id]


def _is_theirs(job: Job, tenant: TenantId, *, operates: bool) -> bool:
    return operates if job.tenant is None else job.tenant == tenant
