"""What messages speak of, linked as the worker does, and short ways to look at it."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from uuid_utils.compat import uuid7

from app.distil.entities.linking import Spoken, links_of, names_of
from app.distil.entities.naming import names_asked
from app.domain.entities import Entity, EntityFilter, Neighbourhood
from app.domain.ids import EntityKey, TenantId
from app.domain.walking import Views, Walk
from app.ports import RecallFilter
from app.ports.store import Store
from tests.stored import ACME, Kept, keep, last_of, said


async def tell_of(
    store: Store,
    *contents: str,
    speaker: str | None = None,
    tenant: TenantId = ACME,
    **about: Any,
) -> Kept:
    """Store a conversation and link it."""
    messages = [said(each, name=speaker) for each in contents]
    kept = await keep(store, *messages, tenant=tenant, **about)
    await link(store, kept, tenant=tenant)
    return kept


async def link(store: Store, kept: Kept, *, tenant: TenantId = ACME) -> None:
    async with store.read(tenant) as snapshot:
        found = await last_of(snapshot.messages, kept.conversation.key, limit=1_000)
    spoken = [
        Spoken(key=each.key, content=each.content or "", said_at=each.created_at, speaker=each.name)
        for each in found
    ]
    names = names_of(spoken)
    async with store.write(tenant) as transaction:
        relinked = await transaction.graph.begin(kept.scope.key, [each.key for each in spoken])
        known = await transaction.graph.known(kept.scope.key, names)
        current = [each for each in spoken if each.key in relinked.messages]
        links = links_of(current, known)
        await transaction.graph.add(kept.scope.key, links, relinked, new_id=uuid7)


async def entities(
    store: Store, *, tenant: TenantId = ACME, user_id: str | None = "alice", **wanted: Any
) -> Sequence[Entity]:
    async with store.read(tenant) as snapshot:
        asked = EntityFilter(user_id=user_id, **wanted)
        return (await snapshot.graph.page(asked, cursor=None, limit=1_000)).items


async def names(store: Store, **wanted: Any) -> dict[str, int]:
    """The mentions of each entity by its fullest name."""
    return {each.name: each.mentions for each in await entities(store, **wanted)}


async def around(
    store: Store, name: str, *, limit: int = 100, user_id: str | None = "alice"
) -> Neighbourhood:
    (found,) = [each for each in await entities(store, user_id=user_id) if each.name == name]
    async with store.read(ACME) as snapshot:
        return await snapshot.graph.around(found.id, limit=limit)


def edges(found: Neighbourhood) -> dict[tuple[str, str, str], float]:
    """The weight of each edge by the names of its ends; of those named together in order."""
    names = {each.id: each.name for each in [found.entity, *found.nodes]}
    told = {}
    for each in found.edges:
        source, target = names[each.source], names[each.target]
        if each.relation == "named together":
            source, target = sorted((source, target))
        told[source, each.relation, target] = round(each.weight, 6)
    return told


async def walk(store: Store, query: str, within: RecallFilter, *, tenant: TenantId = ACME) -> Walk:
    async with store.read(tenant) as snapshot:
        found, _, _ = await snapshot.graph.explore(names_asked(query), _Reached, within=within)
        return found


async def views(
    store: Store, query: str, within: RecallFilter, *, tenant: TenantId = ACME
) -> Views:
    """Of all that a query leads to."""
    async with store.read(tenant) as snapshot:
        *_, seen = await snapshot.graph.explore(names_asked(query), _Reached, within=within)
        return seen


@dataclass(frozen=True)
class _Reached:
    """All that a walk leads to."""

    walk: Walk

    @property
    def entities(self) -> Sequence[EntityKey]:
        reached = (each.entity for each in self.walk.seeds), (each.far for each in self.walk.steps)
        return list(dict.fromkeys(chain(*reached)))

    @property
    def edges(self) -> Sequence[int]:
        return sorted({each.edge for each in self.walk.steps})
