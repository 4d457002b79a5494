"""Who there is, what they agreed to, and their profiles."""

from typing import Annotated

from fastapi import Query

from app.api.deps import Tenant, Use
from app.api.openapi import chapter
from app.api.paths import NameInPath, UserInPath
from app.api.reading import ReadBeside
from app.api.schemas.conversations import ErasureOut
from app.api.schemas.users import (
    ConsentIn,
    ConsentOut,
    ProfileIn,
    ProfileOut,
    UserOut,
    UserPage,
    UserQuery,
)

router = chapter("govern", prefix="/users", route_class=ReadBeside)


@router.get("")
async def list_users(
    wanted: Annotated[UserQuery, Query()], services: Use, tenant: Tenant
) -> UserPage:
    """Of whom there is anything, in order of their ids; not "no user", nor who was erased."""
    async with services.store.read(tenant) as snapshot:
        page = await snapshot.scopes.page(
            begins=wanted.begins, cursor=wanted.cursor, limit=wanted.limit
        )
    return UserPage(items=[UserOut.of(each) for each in page.items], next_cursor=page.next_cursor)


@router.get("/{user_id}/consent")
async def get_consent(user_id: UserInPath, services: Use, tenant: Tenant) -> ConsentOut:
    """What a user agrees to now; nothing, unless somebody said so."""
    steward = services.steward
    consent = await steward.consent(tenant, user_id)
    there = await steward.has_profile(tenant, user_id)
    return ConsentOut.of(user_id, consent, now=steward.clock(), has_profile=there)


@router.put("/{user_id}/consent")
async def put_consent(
    user_id: UserInPath, body: ConsentIn, services: Use, tenant: Tenant
) -> ConsentOut:
    """Grant or revoke the purposes that are named. What a revoked one covered is erased."""
    steward = services.steward
    consent, forgotten = await steward.change_consent(tenant, user_id, body.to_changes())
    there = await steward.has_profile(tenant, user_id)
    told = ConsentOut.of(user_id, consent, now=steward.clock(), has_profile=there)
    return told.with_erasure(forgotten)


@router.delete("/{user_id}/consent")
async def revoke_consent(user_id: NameInPath, services: Use, tenant: Tenant) -> ErasureOut:
    """Revoke everything, and erase the profile with all that tells of it."""
    return ErasureOut.of(await services.steward.revoke(tenant, user_id))


@router.get("/{user_id}/profile")
async def get_profile(user_id: UserInPath, services: Use, tenant: Tenant) -> ProfileOut:
    """The profile of a user who agrees to it; 403 without consent."""
    return ProfileOut.of(user_id, await services.steward.profile(tenant, user_id))


@router.put("/{user_id}/profile")
async def put_profile(
    user_id: UserInPath, body: ProfileIn, services: Use, tenant: Tenant
) -> ProfileOut:
    """Merge into the profile of a user who agrees to it; 403 without consent."""
    profile = await services.steward.change_profile(tenant, user_id, body.to_changes())
    return ProfileOut.of(user_id, profile)


@router.delete("/{user_id}/profile")
async def delete_profile(user_id: NameInPath, services: Use, tenant: Tenant) -> ErasureOut:
    """Erase the profile; the consent stays."""
    return ErasureOut.of(await services.steward.erase_profile(tenant, user_id))
