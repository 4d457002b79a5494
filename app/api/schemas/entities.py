"""Entities, as they are listed and shown."""

from datetime import datetime
from typing import Self
from uuid import UUID

from pydantic import Field

from app.api.schemas.conversations import PageQuery
from app.api.schemas.fields import Answer, Body, Label, UserId
from app.api.schemas.recalled import LineageOut, lineage_out
from app.domain.entities import Edge, Entity, EntityFilter, EntityType, Neighbourhood


class EntityQuery(PageQuery):
    user_id: UserId | None = None
    q: Label | None = Field(default=None, description="In any of its names, however spelled.")
    type: EntityType | None = None

    def to_filter(self) -> EntityFilter:
        return EntityFilter(user_id=self.user_id, text=self.q, type=self.type)


class EntityAround(Body):
    limit: int = Field(default=50, ge=1, le=500, description="Edges of the entity itself.")


class EntityOut(Answer):
    id: UUID
    type: EntityType
    name: str
    names: list[str] = Field(
        description="All that it is called, the fullest first; then what the same is called."
    )
    mentions: int = Field(description="Places in messages.")
    first_seen_at: datetime
    last_seen_at: datetime

    @classmethod
    def of(cls, entity: Entity) -> Self:
        told = {name: getattr(entity, name) for name in EntityOut.model_fields}
        return cls.model_validate({**told, "names": list(entity.names)})


class EntityPage(Answer):
    items: list[EntityOut]
    next_cursor: str | None


class EdgeOut(Answer):
    source: UUID
    relation: str
    target: UUID
    weight: float = Field(description="How sure each of its messages is, summed up.")
    first_seen_at: datetime
    last_seen_at: datetime
    lineage: list[LineageOut] = Field(description="The last messages that state it.")

    @classmethod
    def of(cls, edge: Edge) -> Self:
        return cls(
            source=edge.source,
            relation=edge.relation,
            target=edge.target,
            weight=round(edge.weight, 6),
            first_seen_at=edge.first_seen_at,
            last_seen_at=edge.last_seen_at,
            lineage=[lineage_out(each) for each in edge.lineage],
        )


class NeighbourhoodOut(EntityOut):
    names: list[str] = Field(
        description="All that it is called, the fullest first; then what the same is called."
    )
    lineage: list[LineageOut] = Field(description="The last messages that mention it.")
    nodes: list[EntityOut]
    edges: list[EdgeOut]

    @classmethod
    def of_neighbourhood(cls, found: Neighbourhood) -> Self:
        return cls(
            **EntityOut.of(found.entity).model_dump(),
            lineage=[lineage_out(each) for each in found.lineage],
            nodes=[EntityOut.of(each) for each in found.nodes],
            edges=[EdgeOut.of(each) for each in found.edges],
        )
