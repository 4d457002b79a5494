"""Reading memory items of all types: entities and profiles too, which are no rows of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from app.domain.entities import Entity, EntityFilter
from app.domain.errors import EntityNotFound, MemoryNotFound
from app.domain.ids import EntityId, ItemId, ScopeKey
from app.domain.memories import (
    ItemView,
    Memory,
    MemoryFilter,
    profile_id,
    scope_of_profile,
)
from app.domain.memory import ItemType, LineageEdge
from app.domain.profile import Profile, Section
from app.ports import TokenCounter
from app.ports.store import Snapshot
from app.ports.stored import Page
from app.services.context.knowing import known_profile
from app.services.context.relating import named
from app.text.profile import profile_lines

_NOTHING: Page[ItemView] = Page(items=[], next_cursor=None)


@dataclass(frozen=True, slots=True)
class Viewer:
    """Reads items of any type, a profile only while its user agrees to it."""

    tokens: TokenCounter

    async def page(
        self, snapshot: Snapshot, wanted: MemoryFilter, *, cursor: str | None, limit: int
    ) -> Page[Memory] | Page[ItemView]:
        """
        Items, newest first; given their type, entities, the most mentioned first, or the profile.

        Raises:
            InvalidCursor: The cursor is not one of this list's.
        """
        match wanted.type:
            case ItemType.ENTITY | ItemType.PROFILE if wanted.conversation_id is not None:
                return _NOTHING
            case ItemType.ENTITY:
                such = EntityFilter(user_id=wanted.user_id, known_at=wanted.at)
                found = await snapshot.graph.page(such, cursor=cursor, limit=limit)
                views = [self._entity(each) for each in found.items]
                return Page(items=views, next_cursor=found.next_cursor)
            case ItemType.PROFILE:
                return await self._profiles(snapshot, wanted)
            case _:
                return await snapshot.memories.page(wanted, cursor=cursor, limit=limit)

    async def get(self, snapshot: Snapshot, item_id: ItemId, *, now: datetime) -> Memory | ItemView:
        """
        An item, message, chunk, entity or profile.

        Raises:
            MemoryNotFound: There is nothing of this id, or nothing that may be told.
        """
        try:
            return await snapshot.memories.recalled(item_id, now=now)
        except MemoryNotFound:
            view = await self._view(snapshot, item_id, now=now)
            if view is None:
                raise
            return view

    async def lineage(
        self, snapshot: Snapshot, item_id: ItemId, *, now: datetime
    ) -> Sequence[LineageEdge]:
        """
        What an item was derived from: an entity from the last messages that mention it, a profile
        from facts.

        Raises:
            MemoryNotFound: There is nothing of this id, or nothing that may be told.
        """
        found = await self.get(snapshot, item_id, now=now)
        if isinstance(found, Memory):
            return await snapshot.memories.lineage(found)
        if found.type is ItemType.ENTITY:
            return (await snapshot.graph.around(EntityId(item_id), limit=1)).lineage
        profile = await _profile(snapshot, scope_of_profile(item_id), now=now)
        facts = dict.fromkeys(profile.facts if profile else ())
        return [LineageEdge(kind="memory", id=str(each)) for each in facts]

    async def _view(self, snapshot: Snapshot, item_id: ItemId, *, now: datetime) -> ItemView | None:
        if (scope := scope_of_profile(item_id)) is not None:
            profile = await _profile(snapshot, scope, now=now)
            user_id = await snapshot.scopes.find_user(scope)
            return self._told(profile, scope, user_id) if profile else None
        try:
            return self._entity(await snapshot.graph.get(EntityId(item_id)))
        except EntityNotFound:
            return None

    async def _profiles(self, snapshot: Snapshot, wanted: MemoryFilter) -> Page[ItemView]:
        scope = await snapshot.scopes.find(wanted.user_id)
        if scope is None:
            return _NOTHING
        then = None if wanted.at == wanted.now else wanted.at
        profile = await _profile(snapshot, scope.key, now=wanted.now, as_of=then)
        if profile is None:
            return _NOTHING
        return Page(items=[self._told(profile, scope.key, scope.user_id)], next_cursor=None)

    def _entity(self, entity: Entity) -> ItemView:
        content = entity_line(entity)
        told = {"type": entity.type.value, "name": entity.name, "names": list(entity.names)}
        return ItemView(
            id=ItemId(entity.id),
            type=ItemType.ENTITY,
            user_id=entity.user_id,
            content=content,
            metadata={**told, "mentions": entity.mentions},
            tokens=self.tokens.count(content),
            created_at=entity.first_seen_at,
            updated_at=entity.last_seen_at,
        )

    def _told(self, profile: Profile, scope: ScopeKey, user_id: str | None) -> ItemView:
        content = profile_lines(profile)
        sources = {section.value: profile.sources(section) for section in Section}
        derived = {
            section: {name: [str(fact) for fact in facts] for name, facts in entries.items()}
            for section, entries in sources.items()
            if entries
        }
        return ItemView(
            id=profile_id(scope),
            type=ItemType.PROFILE,
            user_id=user_id,
            content=content,
            metadata={"derived": derived},
            tokens=self.tokens.count(content),
            created_at=profile.updated_at,
            updated_at=profile.updated_at,
        )


def entity_line(entity: Entity) -> str:
    """Such as "Bob Smith (person), also called Bob"."""
    about = named(entity.name, entity.type)
    others = [each for each in entity.names if each != entity.name]
    return f"{about}, also called {', '.join(others)}" if others else about


async def _profile(
    snapshot: Snapshot, scope: ScopeKey | None, *, now: datetime, as_of: datetime | None = None
) -> Profile | None:
    """The profile of a scope, if there is anything in it, and consent to it holds."""
    if scope is None:
        return None
    found = await known_profile(snapshot.personal, scope, now=now, as_of=as_of)
    return None if found is None or found.is_empty else found
