"""
What is answered of what was recalled, in a bundle or a search.

These are typed dictionaries, not models: they are made by the dozen for every answer, from values
of ours that need no validation.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, NotRequired
from uuid import UUID

from pydantic import Field
from typing_extensions import TypedDict

from app.domain.context import Candidate, Degraded, Intent, Source, Step
from app.domain.conversation import Role
from app.domain.entities import EntityType, RelatedEntity
from app.domain.memory import ItemType, LineageEdge
from app.services.context.gathering import LeftOut


class LineageOut(TypedDict):
    kind: str
    id: str
    external_id: str | None
    start: NotRequired[Annotated[int, Field(description="Of a part, in code points.")]]
    stop: NotRequired[Annotated[int, Field(description="Of a part, exclusive.")]]


class MemoryOut(TypedDict):
    id: UUID
    type: ItemType
    external_id: str | None
    conversation_id: UUID | None
    conversation_external_id: str | None
    label: str | None
    folder: str | None
    role: Role | None
    name: str | None
    content: str
    created_at: datetime
    tokens: int
    score: float
    sources: list[Source]
    signals: dict[str, float] | None
    lineage: list[LineageOut]
    erased: Annotated[bool, Field(description="In a replay: forgotten since.")]


class LeftOutOut(MemoryOut):
    reason: Annotated[str, Field(description="Why it is not among the results.")]


class DegradedOut(TypedDict):
    source: Source | Step
    reason: str


class RelatedEntityOut(TypedDict):
    id: UUID
    type: EntityType
    name: str
    content: Annotated[str, Field(description="In a line, with the relation that led there.")]
    mentions: Annotated[int, Field(description="In what the request may see.")]
    score: Annotated[float, Field(description="1 for what the query names.")]
    distance: Annotated[int, Field(description="Edges between it and what the query names.")]
    tokens: int
    lineage: list[LineageOut]


class SearchOut(TypedDict):
    query: str
    intent: Intent
    results: list[MemoryOut]
    left_out: Annotated[
        list[LeftOutOut], Field(description="With `explain`: what else was found, and its reason.")
    ]
    degraded: list[DegradedOut]
    timings_ms: dict[str, float]
    started_ms: Annotated[
        dict[str, float], Field(description="When each stage began, after the search did.")
    ]
    sufficient: bool
    respelled: Annotated[
        dict[str, str], Field(description="What was looked for instead of words spelt otherwise.")
    ]


def memory_out(candidate: Candidate, *, explain: bool) -> MemoryOut:
    item = candidate.item
    return MemoryOut(
        id=item.id,
        type=item.type,
        external_id=item.external_id,
        conversation_id=item.conversation_id,
        conversation_external_id=item.conversation_external_id,
        label=item.label,
        folder=item.folder,
        role=item.role,
        name=item.name,
        content=item.content,
        created_at=item.created_at,
        tokens=item.tokens,
        score=rounded(candidate.score),
        sources=sorted(candidate.sources),
        signals=_all_rounded(candidate.signals) if explain else None,
        lineage=[lineage_out(each) for each in item.lineage],
        erased=candidate.erased,
    )


def left_out_out(left: LeftOut) -> LeftOutOut:
    return LeftOutOut(**memory_out(left.candidate, explain=True), reason=left.reason)


def related_out(entity: RelatedEntity) -> RelatedEntityOut:
    return RelatedEntityOut(
        id=entity.id,
        type=entity.type,
        name=entity.name,
        content=entity.content,
        mentions=entity.mentions,
        score=rounded(entity.score),
        distance=entity.distance,
        tokens=entity.tokens,
        lineage=[lineage_out(each) for each in entity.lineage],
    )


def lineage_out(edge: LineageEdge) -> LineageOut:
    told = LineageOut(kind=edge.kind, id=edge.id, external_id=edge.external_id)
    if edge.start is not None and edge.stop is not None:
        told |= {"start": edge.start, "stop": edge.stop}
    return told


def degraded_out(degraded: Sequence[Degraded]) -> list[DegradedOut]:
    return [DegradedOut(source=each.source, reason=each.reason) for each in degraded]


_STAGES = ("embed", "semantic", "lexical", "episodic", "relational", "rerank")
"""What is told the time of, whether it had to be asked or not."""


def timings_out(seconds: Mapping[str, float]) -> dict[str, float]:
    """In milliseconds, by stage; what was not asked took none."""
    return {**dict.fromkeys(_STAGES, 0.0), **in_ms(seconds)}


def in_ms(seconds: Mapping[str, float]) -> dict[str, float]:
    return {stage: round(s * 1_000, 3) for stage, s in seconds.items()}


def rounded(value: float) -> float:
    """To the six digits after the point that are shown of any score."""
    return round(value, 6)


def _all_rounded(values: Mapping[str, float]) -> dict[str, float]:
    return {name: rounded(value) for name, value in values.items()}
