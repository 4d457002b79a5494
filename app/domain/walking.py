"""Where the entity graph leads to from what a query names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

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
    """What a query names, and the heaviest edges from there, and from where these lead to."""

    seeds: Sequence[Seed] = ()
    steps: Sequence[Step] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A message that mentions an entity; `pieces` counts the chunks of the message."""

    entity: EntityKey
    message: MessageKey
    pieces: int
    lineage: LineageEdge


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """An entity as a request may see it; without `content`, `score` and `distance`."""

    key: EntityKey
    id: EntityId
    type: EntityType
    name: str
    mentions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Views:
    """
    What a request may see of entities and edges: messages newest first.

    `stating` tells of an edge the messages of its evidence with their chunks; `facts` the memory
    items that were derived from a message.
    """

    places: Sequence[Place] = ()
    stating: Mapping[int, Mapping[MessageKey, int]] = field(default_factory=dict)
    facts: Mapping[MessageKey, Sequence[ItemKey]] = field(default_factory=dict)
    entities: Sequence[Shown] = ()
