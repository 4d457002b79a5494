"""The graph of one tenant's users, as it is read."""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    ColumnElement,
    FromClause,
    Row,
    Select,
    Table,
    exists,
    false,
    func,
    literal,
    or_,
    select,
    true,
    tuple_,
    union_all,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.cursors import decode_cursor, encode_cursor
from app.adapters.sql.dialect import numbers
from app.adapters.sql.fetch import answered
from app.adapters.sql.graph.names import KNOWN
from app.adapters.sql.graph.walking import explored, viewed
from app.adapters.sql.types import Key
from app.distil.entities.register import KnownName
from app.domain.entities import Edge, Entity, EntityFilter, EntityType, Neighbourhood
from app.domain.errors import EntityNotFound
from app.domain.ids import EntityId, EntityKey, ScopeKey, TenantId
from app.domain.memory import LineageEdge
from app.domain.walking import Views, Walk
from app.ports import RecallFilter
from app.ports.graph import R
from app.ports.stored import Page
from app.text.scripts import fold

_LINEAGE = 10
"""Messages that are told of an entity, and of an edge; the last ones."""


@dataclass(frozen=True, slots=True)
class SqlGraph:
    """What is out of reach to be erased is in nobody's graph, nor what it alone speaks of."""

    connection: AsyncConnection
    tenant: TenantId

    async def known(self, scope: ScopeKey, names: Collection[str]) -> Sequence[KnownName]:
        if not names:
            return []
        rows = await KNOWN.fetch(
            self.connection, of_scope=scope, of_tenant=self.tenant, names=sorted(names)
        )
        return [
            KnownName(
                key=key,
                normal=normal,
                name=name,
                said=bool(said),
                entity=entity,
                full=full,
                full_name=full_name,
                type=EntityType(kind),
            )
            for key, normal, name, said, entity, full, full_name, kind in rows
        ]

    async def explore(
        self, names: Collection[str], reach: Callable[[Walk], R], *, within: RecallFilter
    ) -> tuple[Walk, R, Views]:
        exploring = explored(names, reach, tenant=self.tenant, within=within)
        return await answered(self.connection, exploring)

    async def views(
        self, entities: Sequence[EntityKey], edges: Sequence[int], *, within: RecallFilter
    ) -> Views:
        viewing = viewed(entities, edges, tenant=self.tenant, within=within)
        return await answered(self.connection, viewing)

    async def get(self, entity_id: EntityId) -> Entity:
        rows = (await self.connection.execute(self._all().where(d.entity.c.id == entity_id))).all()
        if not rows:
            raise EntityNotFound(entity_id=str(entity_id))
        (found,) = await self._entities(rows)
        return found

    async def page(self, wanted: EntityFilter, *, cursor: str | None, limit: int) -> Page[Entity]:
        e, s = d.entity.c, t.scope.c
        own = (s.user_id == (wanted.user_id or ""), s.shared.is_(False))
        listed = self._all().where(*own, *_conditions(wanted))
        if cursor:
            last = tuple_(*decode_cursor(cursor, parts=2), types=[Key, Key])
            listed = listed.where(tuple_(e.mentions, e.key) < last)
        listed = listed.order_by(e.mentions.desc(), e.key.desc()).limit(limit + 1)
        rows = (await self.connection.execute(listed)).all()
        items = await self._entities(rows[:limit])
        if len(rows) <= limit:
            return Page(items=items, next_cursor=None)
        return Page(items=items, next_cursor=encode_cursor([items[-1].mentions, items[-1].key]))

    async def around(self, entity_id: EntityId, *, limit: int) -> Neighbourhood:
        entity, e = await self.get(entity_id), d.edge.c
        heaviest = _edges().where(or_(e.source_key == entity.key, e.target_key == entity.key))
        heaviest = heaviest.order_by(e.same.desc(), e.weight.desc(), e.key.desc()).limit(limit)
        own = (await self.connection.execute(heaviest)).all()
        far = {key for row in own for key in (row.source_key, row.target_key)} - {entity.key}
        others = _edges().where(e.source_key.in_(numbers(far)), e.target_key.in_(numbers(far)))
        others = others.order_by(e.weight.desc(), e.key.desc()).limit(limit)
        rows = [*own, *(await self.connection.execute(others)).all()]
        neighbours = self._all().where(d.entity.c.key.in_(numbers(far)))
        neighbours = neighbours.order_by(d.entity.c.mentions.desc(), d.entity.c.key.desc())
        nodes = await self._entities((await self.connection.execute(neighbours)).all())
        ids = {each.key: each.id for each in [entity, *nodes]}
        stated = await self._lineage(d.edge_evidence, "edge_key", [row.key for row in rows])
        mentioned = await self._lineage(d.mention, "entity_key", [entity.key])
        return Neighbourhood(
            entity=entity,
            lineage=mentioned[entity.key],
            nodes=nodes,
            edges=[
                Edge(
                    source=ids[row.source_key],
                    relation=row.relation,
                    target=ids[row.target_key],
                    weight=row.weight,
                    first_seen_at=row.first_seen_at,
                    last_seen_at=row.last_seen_at,
                    lineage=stated[row.key],
                )
                for row in rows
                if row.source_key in ids and row.target_key in ids
            ],
        )

    def _all(self) -> Select[Any]:
        return (
            select(d.entity, t.scope.c.user_id)
            .join(t.scope, t.scope.c.key == d.entity.c.scope_key)
            .where(t.scope.c.tenant == self.tenant, _reachable(d.mention, "entity_key", d.entity))
        )

    async def _entities(self, rows: Sequence[Row[Any]]) -> Sequence[Entity]:
        names = await self._names([row.key for row in rows])
        return [
            Entity(
                key=EntityKey(row.key),
                id=EntityId(row.id),
                user_id=row.user_id or None,
                type=EntityType(row.type),
                name=row.name if row.name in names[row.key] else names[row.key][0],
                names=names[row.key],
                mentions=row.mentions,
                first_seen_at=row.first_seen_at,
                last_seen_at=row.last_seen_at,
            )
            for row in rows
        ]

    async def _names(self, keys: Sequence[int]) -> Mapping[int, Sequence[str]]:
        """
        What each is called in any message in reach, the fullest name first, and behind that what it
        is called elsewhere: by what is said to be the same.
        """
        names: defaultdict[int, list[tuple[bool, str]]] = defaultdict(list)
        if not keys:
            return {}
        a, said = d.entity_alias.c, _said()
        own = select(a.entity_key, a.name, false()).where(a.entity_key.in_(numbers(keys)), *said)
        others = [
            same.where(near.in_(numbers(keys)), a.entity_key == far, *said).with_only_columns(
                near, a.name, true()
            )
            for same in _same()
            for near, far in [same.selected_columns]
        ]
        for key, name, other in await self.connection.execute(union_all(own, *others)):
            names[key].append((bool(other), name))
        return {
            key: list(dict.fromkeys(name for _, name in sorted(each, key=_own_and_fullest_first)))
            for key, each in names.items()
        }

    async def _lineage(
        self, table: Table, owner: str, keys: Sequence[int]
    ) -> Mapping[int, Sequence[LineageEdge]]:
        """The last messages of each, newest first, of a table of those that an `owner` has."""
        told: defaultdict[int, list[LineageEdge]] = defaultdict(list)
        if not keys:
            return told
        m, of = t.message.c, table.c[owner]
        ranks = func.dense_rank().over(partition_by=of, order_by=table.c.message_key.desc())
        ranked = (
            select(of.label("owner"), m.key, m.id, m.external_id, ranks.label("rank"))
            .select_from(_messages_of(table))
            .where(of.in_(numbers(keys)), _in_reach())
            .distinct()
            .subquery()
        )
        r = ranked.c
        last = select(ranked).where(r.rank <= _LINEAGE).order_by(r.owner, r.key.desc())
        for row in await self.connection.execute(last):
            edge = LineageEdge(kind="message", id=str(row.id), external_id=row.external_id)
            told[row.owner].append(edge)
        return told


def _own_and_fullest_first(called: tuple[bool, str]) -> tuple[bool, int, str]:
    elsewhere, name = called
    return elsewhere, -name.count(" "), name


def _messages_of(table: Table) -> FromClause:
    conversation = t.conversation.c.key == t.message.c.conversation_key
    messages = table.join(t.message, t.message.c.key == table.c.message_key)
    return messages.join(t.conversation, conversation)


def _in_reach() -> ColumnElement[bool]:
    """That a conversation is not being erased."""
    return t.conversation.c.scope_key == t.message.c.scope_key


def _reachable(table: Table, owner: str, of: Table) -> ColumnElement[bool]:
    """That any message of `table` is in reach."""
    told = select(literal(1)).select_from(_messages_of(table))
    return told.where(table.c[owner] == of.c.key, _in_reach()).correlate(of).exists()


def _said() -> Sequence[ColumnElement[bool]]:
    """That anybody says a name, in a message in reach."""
    return d.entity_alias.c.said, _reachable(d.mention, "alias_key", d.entity_alias)


def _edges() -> Select[Any]:
    return select(d.edge).where(_reachable(d.edge_evidence, "edge_key", d.edge))


def _same() -> Sequence[Select[Any]]:
    """Each entity, `near`, with what it is said to be the same as, `far`, by edges either way."""
    e, said = d.edge.c, _edges().where(d.edge.c.same)
    return [
        said.with_only_columns(near.label("near"), far.label("far"))
        for near, far in ((e.source_key, e.target_key), (e.target_key, e.source_key))
    ]


def _conditions(wanted: EntityFilter) -> Sequence[ColumnElement[bool]]:
    conditions = list[ColumnElement[bool]]()
    if wanted.type is not None:
        conditions.append(d.entity.c.type == wanted.type.value)
    if wanted.known_at is not None:
        conditions.append(d.entity.c.first_seen_at <= wanted.known_at)
    if wanted.text:
        conditions.append(_called(fold(wanted.text)))
    return conditions


def _called(text: str) -> ColumnElement[bool]:
    """That `text` is in a name of an entity, or of what it is said to be the same as."""
    e, a = d.entity.c, d.entity_alias.c
    called = (*_said(), a.normal_name.contains(text, autoescape=True))
    own = exists().where(a.entity_key == e.key, *called)
    others = [
        same.where(near == e.key, a.entity_key == far, *called).correlate(d.entity).exists()
        for same in _same()
        for near, far in [same.selected_columns]
    ]
    return or_(own, *others)
