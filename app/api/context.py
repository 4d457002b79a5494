from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Header, Response

from app.api.deps import Tenant, Use
from app.api.schemas.context import (
    BundleOut,
    ContextIn,
    DegradedOut,
    MemoryOut,
    SearchIn,
    SearchOut,
)
from app.domain.ids import BundleId

router = APIRouter(tags=["context"])


@router.post("/context", response_model=BundleOut)
async def build_context(
    body: ContextIn,
    services: Use,
    tenant: Tenant,
    cache_control: Annotated[str, Header()] = "",
) -> Response:
    """Build the context for the next turn: the most relevant memory that fits the budget."""
    fresh = "no-cache" in cache_control.lower()
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
        results=[MemoryOut.of(each, explain=request.explain) for each in found.candidates],
        degraded=[DegradedOut(source=each.source, reason=each.reason) for each in found.degraded],
        timings_ms={stage: round(s * 1_000, 3) for stage, s in found.timings.items()},
        sufficient=found.sufficient,
    )


@router.get("/bundles/{bundle_id}")
async def replay_bundle(bundle_id: UUID, services: Use, tenant: Tenant) -> BundleOut:
    """A bundle as it was answered; what was erased since is marked and empty."""
    bundle = await services.replayer.replay(tenant, BundleId(bundle_id))
    return BundleOut.of(bundle, request=None, cache_hit=False)
