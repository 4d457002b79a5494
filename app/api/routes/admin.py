"""Governing one's own tenant: keys, and what was done with them."""

from typing import Annotated
from uuid import UUID

from fastapi import Query

from app.api.deps import Tenant, Use
from app.api.openapi import chapter
from app.api.reading import ReadBeside
from app.api.schemas.admin import (
    AuditPage,
    AuditQuery,
    EntryOut,
    KeyIn,
    KeyOut,
    KeyPage,
    NewKeyOut,
)
from app.api.schemas.conversations import PageQuery
from app.api.writing import AsOnce, hash_of
from app.domain.audit import user_subject
from app.domain.ids import KeyId

router = chapter("govern", prefix="/admin", route_class=ReadBeside)


@router.get("/keys")
async def list_keys(
    wanted: Annotated[PageQuery, Query()], services: Use, tenant: Tenant
) -> KeyPage:
    """The tenant's keys, newest first, revoked ones too; never what opens."""
    async with services.store.read(tenant) as snapshot:
        page = await snapshot.keys.page(cursor=wanted.cursor, limit=wanted.limit)
    return KeyPage(items=[KeyOut.of(each) for each in page.items], next_cursor=page.next_cursor)


@router.post("/keys", status_code=201)
async def create_key(body: KeyIn, once: AsOnce, services: Use, tenant: Tenant) -> NewKeyOut:
    """
    Make a key of this tenant. It is shown now and never again.

    A retry under the same `Idempotency-Key` makes no other one: it is answered 409, with the
    `key_id` of the first, which is to be revoked if its answer was lost.

    With the first key of all, access without a key ends.
    """
    key, spelled = await services.keys.create(
        tenant,
        name=body.name,
        permissions=frozenset(body.scopes),
        expires_at=body.expires_at,
        once=once.with_body(hash_of(body)),
    )
    services.doorkeeper.forget()
    return NewKeyOut(**KeyOut.of(key).model_dump(), key=spelled)


@router.delete("/keys/{key_id}")
async def revoke_key(key_id: UUID, services: Use, tenant: Tenant) -> KeyOut:
    """Close a key for good, here at once, in other processes within seconds."""
    key = await services.keys.revoke(tenant, KeyId(key_id))
    services.doorkeeper.forget()
    return KeyOut.of(key)


@router.get("/audit")
async def read_audit(
    wanted: Annotated[AuditQuery, Query()], services: Use, tenant: Tenant
) -> AuditPage:
    """Who did what to what, under which key, newest first: writes, erasures and keys."""
    subject = wanted.subject
    if wanted.user_id is not None:
        subject = user_subject(tenant, wanted.user_id)
    async with services.store.read(tenant) as snapshot:
        page = await snapshot.audit.page(
            action=wanted.action, subject=subject, cursor=wanted.cursor, limit=wanted.limit
        )
    return AuditPage(items=[EntryOut.of(each) for each in page.items], next_cursor=page.next_cursor)
