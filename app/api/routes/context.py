from dataclasses import replace
from typing import Annotated, Any
from uuid import UUID

from fastapi import Header, Query, Request, Response

from app.api.accepting import prefers
from app.api.deps import Tenant, Use
from app.api.openapi import chapter
from app.api.passing import EVENTS
from app.api.reading import ReadBeside
from app.api.schemas.bundles import BundleOut, bundle_out
from app.api.schemas.context import ContextIn, SearchIn
from app.api.schemas.recalled import (
    SearchOut,
    degraded_out,
    in_ms,
    left_out_out,
    memory_out,
    timings_out,
)
from app.api.telling import Telling
from app.domain.ids import BundleId

router = chapter("context", route_class=ReadBeside)

_ALSO_EVENTS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The bundle; or, as events, what each source found (`memory_debug`), what "
        "is in (`item`), and then the bundle.",
        "content": {EVENTS: {"schema": {"type": "string"}}},
    }
}


@router.post("/context", response_model=BundleOut, responses=_ALSO_EVENTS)
async def build_context(
    body: ContextIn,
    request: Request,
    services: Use,
    tenant: Tenant,
    cache_control: Annotated[str, Header()] = "",
) -> Response:
    """
    Build the context for the next turn: the most relevant memory that fits the budget.

    With `Accept: text/event-stream` it is told while it is built.
    """
    fresh = "no-cache" in cache_control.lower()
    if prefers(request, EVENTS):
        prepared = await services.forge.prepare(tenant, body.to_request())
        return Telling(request, services.forge, prepared, fresh=fresh).answer()
    answered = await services.forge.answer(tenant, body.to_request(), fresh=fresh)
    return Response(answered.body, media_type="application/json")


@router.post("/search")
async def search(body: SearchIn, services: Use, tenant: Tenant) -> SearchOut:
    """The ranked candidates alone, without a budget."""
    request = body.to_request()
    found = await services.forge.search(tenant, request)
    return SearchOut(
        query=request.query,
        intent=found.intent,
        results=[memory_out(each, explain=request.explain) for each in found.candidates],
        left_out=[left_out_out(each) for each in found.left_out],
        degraded=degraded_out(found.degraded),
        timings_ms=timings_out(found.timings),
        started_ms=in_ms(found.starts),
        sufficient=found.sufficient,
        respelled=dict(found.respelled),
    )


@router.get("/bundles/{bundle_id}")
async def replay_bundle(
    bundle_id: UUID,
    services: Use,
    tenant: Tenant,
    explain: Annotated[bool, Query(description="With the signals, asked for or not.")] = False,  # noqa: FBT002  (of the address)
) -> BundleOut:
    """
    A bundle as it was answered; what was erased since is marked and empty.

    `query` is empty once anything of its user was erased, since it could repeat that. With
    `explain` the items have their signals also where they were not asked for.
    """
    bundle = await services.replayer.replay(tenant, BundleId(bundle_id))
    bundle = replace(bundle, explained=bundle.explained or explain)
    return bundle_out(bundle, request=None, cache_hit=False)
