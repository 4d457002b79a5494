"""Long work that runs behind the requests: of one's own tenant, or of the whole service."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Annotated
from uuid import UUID

from fastapi import Query
from pydantic import Field, StrictBool

from app.api.asking import KnownQuery
from app.api.deps import OPERATOR_ONLY, Tenant, Use, WhoAsks
from app.api.openapi import chapter
from app.api.paging import page_of
from app.api.schemas.conversations import PageQuery
from app.api.schemas.fields import Body, Real
from app.api.schemas.jobs import JobList, JobOut, WaitingOut
from app.domain.errors import JobNotFound
from app.domain.projections import INDEXES, Projection
from app.services.common.jobs import JobStatus

router = chapter("operate", route_class=KnownQuery)


class ReindexIn(Body):
    projection: Projection | None = Field(
        default=None, description="What is made anew; without it `fts`, `vectors` and `graph`."
    )


class PruneIn(Body):
    after_days: Real = Field(
        gt=0, le=36_500, description="Days since somebody last wrote to it or changed it."
    )
    dry_run: StrictBool = Field(
        default=True, description="Tell what would be erased, erase nothing."
    )


class DoctorIn(Body):
    fix: StrictBool = Field(default=False, description="Put right what can be.")


@router.get("/jobs")
async def list_jobs(
    wanted: Annotated[PageQuery, Query()], services: Use, tenant: Tenant, caller: WhoAsks
) -> JobList:
    """
    The long work of this process for the tenant and, for an operator, for the whole service, newest
    first, then the conversations and periods of the tenant that distilling has given up (`kind` is
    `distil` or `summarise`); how much waits for the workers, and how many items indexing has given
    up.
    """
    own = map(JobOut.of, reversed(services.jobs.all(tenant, operates=caller.operates)))
    letters = await services.consolidator.given_up(tenant)
    backlog = await services.readiness.backlog(None if caller.operates else tenant)
    page = page_of([*own, *map(JobOut.of_given_up, letters)], wanted)
    return JobList(
        items=list(page.items),
        next_cursor=page.next_cursor,
        waiting=WaitingOut.of(backlog),
        dead_letters=backlog.dead_items,
        operator=caller.operates,
    )


@router.get("/jobs/{job_id}")
async def get_job(job_id: UUID, services: Use, tenant: Tenant, caller: WhoAsks) -> JobOut:
    """One of those that are listed."""
    for letter in await services.consolidator.given_up(tenant):
        if letter.id == job_id:
            return JobOut.of_given_up(letter)
    return JobOut.of(services.jobs.get(job_id, tenant, operates=caller.operates))


@router.post("/jobs/{job_id}/retry", status_code=202)
async def retry_job(job_id: UUID, services: Use, tenant: Tenant, caller: WhoAsks) -> JobOut:
    """Begin once more what has ended, or try a conversation or period that was given up."""
    with suppress(JobNotFound):
        return JobOut.of(services.jobs.retry(job_id, tenant, operates=caller.operates))
    letter = await services.consolidator.revive(tenant, job_id)
    return JobOut.of_given_up(letter, status=JobStatus.RUNNING)


@router.post("/admin/reindex", status_code=202, dependencies=[OPERATOR_ONLY])
async def reindex(services: Use, body: ReindexIn | None = None) -> JobOut:
    """Make full text, vectors, the graph or all that is distilled anew, of every tenant."""
    one = body.projection if body else None
    work = partial(services.reindexer.reindex, one)
    return JobOut.of(services.jobs.start("reindex", work, about=_of_indexes(one)))


@router.post("/admin/reembed", status_code=202, dependencies=[OPERATOR_ONLY])
async def reembed(services: Use) -> JobOut:
    """Embed everything of every tenant anew with the model that serves."""
    return JobOut.of(
        services.jobs.start("reindex", services.reindexer.reembed, about={"index": "embeddings"})
    )


@router.post("/admin/retry-dead-letters", status_code=202)
async def retry_dead_letters(services: Use, caller: WhoAsks) -> JobOut:
    """Give what indexing has given up, of the tenant, or for an operator of all, another try."""
    tenant = None if caller.operates else caller.tenant
    work = partial(services.reindexer.revive, tenant=tenant)
    return JobOut.of(services.jobs.start("retry", work, tenant=tenant))


@router.post("/admin/doctor", status_code=202, dependencies=[OPERATOR_ONLY])
async def doctor(services: Use, body: DoctorIn | None = None) -> JobOut:
    """Compare what was said with all that is derived from it, of every tenant; `facts` tells."""
    work = services.doctor.treated if body and body.fix else services.doctor.examined
    return JobOut.of(services.jobs.start("doctor", work))


@router.post("/admin/prune", status_code=202)
async def prune(body: PruneIn, services: Use, tenant: Tenant) -> JobOut:
    """Erase the tenant's conversations that nobody wrote to for long; first, tell which many."""
    work = partial(
        services.pruner.prune,
        since=services.pruner.before(timedelta(days=body.after_days)),
        dry_run=body.dry_run,
        tenant=tenant,
    )
    return JobOut.of(services.jobs.start("prune", work, tenant=tenant))


@router.post("/admin/backup", status_code=202, dependencies=[OPERATOR_ONLY])
async def backup(services: Use) -> JobOut:
    """Write a backup of every tenant into `backups` of the data directory; `facts` names it."""
    return JobOut.of(services.jobs.start("backup", services.back_up))


def _of_indexes(one: Projection | None) -> Mapping[str, str]:
    return {"index": ", ".join(each.value for each in ([one] if one else INDEXES))}
