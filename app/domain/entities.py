"""Who and what messages speak of, and how it hangs together."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from app.domain.ids import EntityId, EntityKey
from app.domain.memory import LineageEdge


class EntityType(StrEnum):
    """What an entity is."""

    PERSON = "person"
    ORGANISATION = "organisation"
    PLACE = "place"
    PRODUCT = "product"
    IDENTIFIER = "identifier"
    FILE = "file"
    URL = "url"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """content[start:stop] of a text names something of `type`, so a model says."""

    start: int
    stop: int
    type: EntityType


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """
    What messages of one user speak of.

    `names` are all that it is called, the fullest first; `mentions` counts places in messages.
    """

    key: EntityKey
    id: EntityId
    user_id: str | None
    type: EntityType
    name: str
    names: Sequence[str]
    mentions: int
    first_seen_at: datetime
    last_seen_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityFilter:
    """
    Which entities a list shows: those of a user that have `text` in their name, and of which
    somebody spoke at `known_at` or before.
    """

    user_id: str | None = None
    text: str | None = None
    type: EntityType | None = None
    known_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """
    `source` `relation` `target`; `weight` sums up how sure each message of its evidence is.

    `lineage` are the last of these messages.
    """

    source: EntityId
    relation: str
    target: EntityId
    weight: float
    first_seen_at: datetime
    last_seen_at: datetime
    lineage: Sequence[LineageEdge]


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbourhood:
    """
    An entity, the last messages that mention it, and what its heaviest edges lead to.

    Behind its own names it has those of what it is said to be the same as.
    """

    entity: Entity
    lineage: Sequence[LineageEdge]
    nodes: Sequence[Entity]
    edges: Sequence[Edge]


@dataclass(frozen=True, slots=True, kw_only=True)
class RelatedEntity:
    """
    An entity that a query names, or that is at most two edges away from one; what is said to be
    the same is no edge away.

    `content` tells it in a line, `tokens` counts that; `score` in (0, 1], `distance` in edges.
    `lineage` are the last messages that mention it, of those that the request may see.
    """

    key: EntityKey
    id: EntityId
    type: EntityType
    name: str
    content: str
    mentions: int
    score: float
    distance: int
    tokens: int
    lineage: Sequence[LineageEdge]
