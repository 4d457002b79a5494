"""What services need of the store for the entity graph."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from app.distil.entities.linking import Links
from app.distil.entities.register import KnownName
from app.domain.entities import Entity, EntityFilter, Neighbourhood
from app.domain.ids import EntityId, EntityKey, MessageKey, ScopeKey
from app.domain.walking import Reached, Views, Walk
from app.ports import NewId, RecallFilter
from app.ports.stored import Page

R = TypeVar("R", bound=Reached)


class GraphReader(Protocol):
    """The graph of one tenant's users. What an archived conversation says is listed, not walked."""

    async def known(self, scope: ScopeKey, names: Collection[str]) -> Sequence[KnownName]:
        """What is called by one of `names`, or may be, by a part of a longer name."""
        ...

    async def get(self, entity_id: EntityId) -> Entity:
        """
        One entity.

        Raises:
            EntityNotFound: There is none under this id in this tenant.
        """
        ...

    async def page(self, wanted: EntityFilter, *, cursor: str | None, limit: int) -> Page[Entity]:
        """
        Entities, the most mentioned first.

        Raises:
            InvalidCursor: The cursor is not one of this list's.
        """
        ...

    async def around(self, entity_id: EntityId, *, limit: int) -> Neighbourhood:
        """
        An entity with what it is said to be the same as, whose names it has then too, and with its
        heaviest edges, `limit` in all; and the edges between what these lead to.

        Raises:
            EntityNotFound: There is none under this id in this tenant.
        """
        ...

    async def explore(
        self, names: Collection[str], reach: Callable[[Walk], R], *, within: RecallFilter
    ) -> tuple[Walk, R, Views]:
        """
        From what is called by one of `names` over at most two edges, a bounded number of them, and
        any between what is said to be the same; what `reach` makes of that, in whatever thread; and
        `views` of it.

        What the filter hides is not walked over.
        """
        ...

    async def views(
        self, entities: Sequence[EntityKey], edges: Sequence[int], *, within: RecallFilter
    ) -> Views:
        """
        Where these are mentioned and stated, in what the filter lets be found.

        The first of `entities` that are mentioned there at all are told of as `Shown`.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Relinked:
    """
    The messages whose links are to be stored, and what of before they had a part in: the keys of
    entities and edges that are true again only once that is done.
    """

    messages: frozenset[MessageKey]
    entities: Sequence[int] = ()
    edges: Sequence[int] = ()


class GraphWriter(GraphReader, Protocol):
    async def begin(self, scope: ScopeKey, messages: Sequence[MessageKey]) -> Relinked:
        """
        Take the graph of a scope for this transaction, with those of `messages` that are there, of
        which it forgets what they said.
        """
        ...

    async def add(
        self, scope: ScopeKey, links: Links, relinked: Relinked, *, new_id: NewId
    ) -> None:
        """Store what the messages say that `begin` took, and touch the scope."""
        ...
