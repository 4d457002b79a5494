"""What a tenant switches while the service runs."""

from app.api.deps import Tenant, Use
from app.api.openapi import chapter
from app.api.reading import ReadBeside
from app.api.schemas.flags import FlagsIn, FlagsOut

router = chapter("govern", prefix="/flags", route_class=ReadBeside)


@router.get("")
async def get_flags(services: Use, tenant: Tenant) -> FlagsOut:
    """The flags of this tenant, with their defaults."""
    return FlagsOut.of(await services.flags.current(tenant), services.flags.unavailable)


@router.put("")
async def put_flags(body: FlagsIn, services: Use, tenant: Tenant) -> FlagsOut:
    """Switch what is named; it holds from the next request on."""
    flags = await services.flags.change(tenant, body.given(), reset=body.reset())
    return FlagsOut.of(flags, services.flags.unavailable)
