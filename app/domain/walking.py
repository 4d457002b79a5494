"""Where the entity graph leads to from what a query names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from app.domain.entities import EntityType
from app.domain.ids import EntityId, EntityKey, ItemKey, MessageKey
from app.domain.memory import LineageEdge


@dataclass(frozen=True, slots=True, kw_only=True)
class Seed:
    """An entity that a query names; `mentions` are all that it has."""

    entity: EntityKey
    mentions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """
    An edge from an entity that was reached to another one, whose `mentions` these are.

    `outwards` tells that it is `near` that the relation is said of.
    """

    edge: int
    near: EntityKey
    far: EntityKey
    outwards: bool
    relation: str
    weight: float
    mentions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """
    What a query names, and the heaviest edges from there, and from where these lead to; with each
    entity goes what is said to be the same.
    """

    seeds: Sequence[Seed] = ()
    steps: Sequence[Step] = ()


class Reached(Protocol):
    """What is to be told of, of what a walk led to: entities, the nearest first, and edges."""

    @property
    def entities(self) -> Sequence[EntityKey]: ...

    @property
    def edges(self) -> Sequence[int]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """
    An entity as a request may see it; without `content`, `score` and `distance`.

    `lineage` are the last messages that mention it, each once.
    """

    key: EntityKey
    id: EntityId
    type: EntityType
    name: str
    mentions: int
    lineage: Sequence[LineageEdge]


@dataclass(frozen=True, slots=True, kw_only=True)
class Views:
    """
    What a request may see of entities and edges: messages newest first.

    `places` tells of an entity the last messages that mention it, each with the number of its
    chunks; `stating` the same of an edge and the messages of its evidence; `facts` the memory items
    that were derived from a message.
    """

    places: Mapping[EntityKey, Mapping[MessageKey, int]] = field(default_factory=dict)
    stating: Mapping[int, Mapping[MessageKey, int]] = field(default_factory=dict)
    facts: Mapping[MessageKey, Sequence[ItemKey]] = field(default_factory=dict)
    entities: Sequence[Shown] = ()
