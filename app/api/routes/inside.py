"""Seeing inside: why something was retrieved, how much there is, what works."""

from dataclasses import replace
from typing import Annotated, Any
from uuid import UUID

from fastapi import Query, Response
from fastapi.responses import JSONResponse
from prometheus_client import CONTENT_TYPE_LATEST
from pydantic import Field

from app.api.deps import Tenant, Use, WhoAsks
from app.api.openapi import chapter
from app.api.schemas.context import Question, SearchIn
from app.api.schemas.fields import Answer, Body, UserId
from app.api.schemas.metrics import MetricsOut, Window, window_of
from app.api.schemas.recalled import DegradedOut, degraded_out, timings_out
from app.domain.context import Intent
from app.domain.memory import ItemType

router = chapter("see inside")


class RetrievalQuery(Body):
    q: Question
    conversation_id: UUID | None = None
    user_id: UserId | None = None
    limit: int = Field(default=20, ge=1, le=500)


class ResultOut(Answer):
    id: UUID
    content: str
    score: float
    source: str
    type: ItemType
    signals: dict[str, float]


class RetrievalOut(Answer):
    query: str
    intent: Intent
    results: list[ResultOut]
    metrics: dict[str, float]
    flags: dict[str, Any]
    degraded: list[DegradedOut]


@router.get("/memory/debug/retrieval")
async def debug_retrieval(
    services: Use, tenant: Tenant, query: Annotated[RetrievalQuery, Query()]
) -> RetrievalOut:
    """What a context for `q` would be chosen from, and why."""
    asked = SearchIn(
        query=query.q,
        conversation_id=query.conversation_id,
        user_id=query.user_id,
        max_items=query.limit,
    )
    request = replace(asked.to_request(), explain=True)
    found = await services.forge.search(tenant, request)
    return RetrievalOut(
        query=query.q,
        intent=found.intent,
        results=[
            ResultOut(
                id=each.item.id,
                content=each.item.content,
                score=round(each.score, 6),
                source="+".join(sorted(each.sources)),
                type=each.item.type,
                signals={name: round(value, 6) for name, value in each.signals.items()},
            )
            for each in found.candidates
        ],
        metrics={f"{stage}_ms": took for stage, took in timings_out(found.timings).items()},
        flags=await services.flags.in_force(tenant),
        degraded=degraded_out(found.degraded),
    )


class StatsOut(Answer):
    conversations: int
    messages: int
    chunks: int
    memory_items: int
    users: int
    vectors: int | None = Field(
        description="Of the tenant; to the operator of all, and null while the index is down."
    )
    index_lag: int = Field(
        description="Items that wait to be indexed, of the tenant; to the operator of all."
    )
    index_lag_seconds: float
    dead_letters: int
    index_sizes: dict[str, int] = Field(
        description="Bytes, by part, of all tenants, to the operator; as of the last minute."
    )
    consent: dict[str, int] = Field(description="Users who agree now, by purpose.")


@router.get("/memory/debug/stats")
async def debug_stats(services: Use, caller: WhoAsks) -> StatsOut:
    """How much is stored and indexed; what tells of other tenants, to the operator only."""
    tenant, readiness = caller.tenant, services.readiness
    async with services.store.read(tenant) as snapshot:
        counts = await snapshot.counts()
        consents = await snapshot.personal.consents(now=services.flags.clock())
    every = caller.operates
    outbox = await readiness.outbox(None if every else tenant)
    return StatsOut(
        conversations=counts.conversations,
        messages=counts.messages,
        chunks=counts.chunks,
        memory_items=counts.memory_items,
        users=counts.users,
        vectors=await readiness.vector_count() if every else counts.embeddings,
        index_lag=outbox.depth,
        index_lag_seconds=round(outbox.oldest_age, 3),
        dead_letters=outbox.dead,
        index_sizes=dict(await services.sizes()) if every else {},
        consent={purpose.value: users for purpose, users in consents.items()},
    )


@router.get("/memory/metrics")
async def retrieval_metrics(
    services: Use, tenant: Tenant, window: Annotated[Window, Query()] = "24h"
) -> MetricsOut:
    """What was measured of the contexts of the last `window`: 45m, 24h, 30d; kept for 30 days."""
    return MetricsOut.of(window, await services.meter.measure(tenant, window_of(window)))


@router.head("/metrics", include_in_schema=False)
@router.get("/metrics", include_in_schema=False)
async def metrics(services: Use) -> Response:
    """For Prometheus; while the database is down, with the outbox as it was last seen."""
    await services.readiness.parts()
    return Response(services.telemetry.exposition(), media_type=CONTENT_TYPE_LATEST)


@router.head("/healthz", include_in_schema=False)
@router.get("/healthz")
async def healthz() -> dict[str, str]:
    """The process runs."""
    return {"status": "ok"}


@router.head("/readyz", include_in_schema=False)
@router.get("/readyz", responses={503: {"description": "Requests cannot be served."}})
async def readyz(services: Use) -> JSONResponse:
    """200 as soon as requests can be served, be it only reads; each part by name, with its lag."""
    parts = await services.readiness.parts()
    ready = parts["database"].status != "down"
    document = {
        "status": "ready" if ready else "not ready",
        "parts": {name: {"status": part.status, **part.facts} for name, part in parts.items()},
    }
    return JSONResponse(document, status_code=200 if ready else 503)
