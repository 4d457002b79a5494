from typing import Annotated
from uuid import UUID

from fastapi import Query

from app.api.deps import Tenant, Use
from app.api.openapi import chapter
from app.api.schemas.entities import (
    EntityAround,
    EntityOut,
    EntityPage,
    EntityQuery,
    NeighbourhoodOut,
)
from app.domain.ids import EntityId

router = chapter("entities", prefix="/entities")


@router.get("")
async def list_entities(
    wanted: Annotated[EntityQuery, Query()], services: Use, tenant: Tenant
) -> EntityPage:
    """Who and what a user's messages speak of, the most mentioned first."""
    async with services.store.read(tenant) as snapshot:
        page = await snapshot.graph.page(
            wanted.to_filter(), cursor=wanted.cursor, limit=wanted.limit
        )
    items = [EntityOut.of(each) for each in page.items]
    return EntityPage(items=items, next_cursor=page.next_cursor)


@router.get("/{entity_id}")
async def get_entity(
    entity_id: UUID, wanted: Annotated[EntityAround, Query()], services: Use, tenant: Tenant
) -> NeighbourhoodOut:
    """An entity with its heaviest edges, what these lead to, and the edges in between."""
    async with services.store.read(tenant) as snapshot:
        found = await snapshot.graph.around(EntityId(entity_id), limit=wanted.limit)
    return NeighbourhoodOut.of_neighbourhood(found)
