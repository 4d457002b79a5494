"""One job of a kind runs at a time, of each tenant and of the service."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from app.domain.errors import JobNotFound, JobRunning, StoreUnavailable
from app.services.common.jobs import Jobs, JobStatus, Progress
from tests.factories import HandClock, Ids
from tests.stored import ACME, OTHER


class Gate:
    """Work that ends when it may."""

    def __init__(self) -> None:
        self.opened = asyncio.Event()

    async def work(self, _: Progress) -> Mapping[str, Any]:
        await self.opened.wait()
        return {"items": 1}


async def test_a_job_stands_in_nobody_elses_way() -> None:
    jobs, gate = Jobs(clock=HandClock(), new_id=Ids()), Gate()
    running = [
        jobs.start("prune", gate.work, tenant=ACME),
        jobs.start("prune", gate.work, tenant=OTHER),
        jobs.start("doctor", gate.work),
    ]
    with pytest.raises(JobRunning) as refused:
        jobs.start("prune", gate.work, tenant=ACME)
    assert refused.value.facts["job_id"] == str(running[0].id)
    with pytest.raises(JobRunning):
        jobs.retry(running[2].id, OTHER, operates=True)

    gate.opened.set()
    ended = [await jobs.wait(each) for each in running]

    assert [each.status for each in ended] == [JobStatus.DONE] * 3
    again = jobs.retry(running[1].id, OTHER, operates=False)
    assert (again.kind, again.tenant) == ("prune", OTHER)
    await jobs.stop()


async def test_whose_a_job_is_decides_who_sees_it() -> None:
    jobs, gate = Jobs(clock=HandClock(), new_id=Ids()), Gate()
    own, common = jobs.start("prune", gate.work, tenant=ACME), jobs.start("doctor", gate.work)

    for operates, everybodys in ((False, []), (True, [common])):
        assert jobs.all(ACME, operates=operates) == [own, *everybodys]
        assert jobs.all(OTHER, operates=operates) == everybodys
        with pytest.raises(JobNotFound):
            jobs.get(own.id, OTHER, operates=operates)
        with pytest.raises(JobNotFound):
            jobs.retry(own.id, OTHER, operates=operates)
    assert jobs.get(common.id, OTHER, operates=True) is common
    with pytest.raises(JobNotFound):
        jobs.get(common.id, ACME, operates=False)
    with pytest.raises(JobNotFound):
        jobs.retry(common.id, ACME, operates=False)
    await jobs.stop()


async def test_why_a_job_failed_is_in_the_log_without_what_was_said(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def failing(_: Progress) -> Mapping[str, Any]:
        raise StoreUnavailable("no answer to INSERT 'I am Ann'")

    jobs = Jobs(clock=HandClock(), new_id=Ids())
    job = await jobs.wait(jobs.start("prune", failing, tenant=ACME))
    assert (job.status, job.error) == (JobStatus.FAILED, "no answer to INSERT 'I am Ann'")
    (told,) = [vars(each) for each in caplog.records if each.levelname == "WARNING"]
    assert (told["kind"], told["reason"]) == ("prune", StoreUnavailable().title)
    assert "Ann" not in caplog.text
