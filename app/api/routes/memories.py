from collections.abc import Sequence
from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import Query

from app.api.deps import Tenant, Use
from app.api.openapi import chapter
from app.api.paging import page_of
from app.api.reading import ReadBeside
from app.api.schemas.conversations import ErasureOut, PageQuery
from app.api.schemas.memories import (
    KeptOut,
    LineagePage,
    MemoryIn,
    MemoryItemOut,
    MemoryPage,
    MemoryPatch,
    MemoryQuery,
)
from app.api.schemas.recalled import lineage_out
from app.api.writing import AsWriting
from app.domain.ids import ItemId
from app.domain.memories import ItemView, Memory
from app.ports.store import Snapshot

router = chapter("memories", route_class=ReadBeside)


@router.post("/memories", status_code=201)
async def store_memory(
    body: MemoryIn, writing: AsWriting, services: Use, tenant: Tenant
) -> KeptOut:
    """Store a fact, the gist of a tool's answer, a procedure, or a document for everybody."""
    kept = await services.keeper.keep(tenant, [body.to_memory()], await writing.once(body))
    facts = KeptOut.of(kept, indexed=False).model_dump(mode="json")
    indexed = await writing.settle(
        services,
        tenant,
        kept.outbox_key,
        of=[each.id for each in kept.memories],
        facts=facts,
        replayed=kept.replayed,
    )
    return KeptOut.of(kept, indexed=indexed)


@router.get("/memories")
async def list_memories(
    wanted: Annotated[MemoryQuery, Query()], services: Use, tenant: Tenant
) -> MemoryPage:
    """
    What holds of a user (without `user_id`: of no user) and of the documents, newest first; with
    `type` the entities, the most mentioned first, or the profile, if the user agrees to one.
    """
    now = services.keeper.clock()
    async with services.store.read(tenant) as snapshot:
        page = await services.viewer.page(
            snapshot, wanted.to_filter(now), cursor=wanted.cursor, limit=wanted.limit
        )
        items = await items_out(snapshot, page.items, now)
    return MemoryPage(items=items, next_cursor=page.next_cursor)


@router.get("/memories/{memory_id}")
async def get_memory(memory_id: UUID, services: Use, tenant: Tenant) -> MemoryItemOut:
    """Any item that a bundle or a list shows; a message or chunk as it is recalled."""
    now = services.keeper.clock()
    async with services.store.read(tenant) as snapshot:
        found = await services.viewer.get(snapshot, ItemId(memory_id), now=now)
        (told,) = await items_out(snapshot, [found], now)
    return told


@router.get("/memories/{memory_id}/lineage")
async def get_lineage(
    memory_id: UUID, wanted: Annotated[PageQuery, Query()], services: Use, tenant: Tenant
) -> LineagePage:
    """What an item was derived from; of a message or chunk where it stands."""
    now = services.keeper.clock()
    async with services.store.read(tenant) as snapshot:
        lineage = await services.viewer.lineage(snapshot, ItemId(memory_id), now=now)
    page = page_of(lineage, wanted)
    items = [lineage_out(each) for each in page.items]
    return LineagePage(items=items, next_cursor=page.next_cursor)


@router.patch("/memories/{memory_id}")
async def change_memory(
    memory_id: UUID, body: MemoryPatch, services: Use, tenant: Tenant
) -> MemoryItemOut:
    """Set what is given. A document is not changed: store it again under its source."""
    changed = await services.keeper.change(tenant, ItemId(memory_id), body.to_changes())
    services.waiter.wake()
    async with services.store.read(tenant) as snapshot:
        (told,) = await items_out(snapshot, [changed], services.keeper.clock())
    return told


@router.delete("/memories/{memory_id}")
async def delete_memory(memory_id: UUID, services: Use, tenant: Tenant) -> ErasureOut:
    """Erase an item, a document with its older versions; what it superseded holds again."""
    return ErasureOut.of(await services.forgetter.memory(tenant, ItemId(memory_id)))


async def items_out(
    snapshot: Snapshot, items: Sequence[Memory | ItemView], now: datetime
) -> list[MemoryItemOut]:
    """The items as they are told, with what each superseded."""
    stored = [each for each in items if isinstance(each, Memory)]
    superseded = await snapshot.memories.superseded(stored, now=now)
    return [MemoryItemOut.of(each, superseded.get(each.id, ())) for each in items]
