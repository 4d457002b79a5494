"""Building the graph of a scope: a few statements for any number of messages."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Update, bindparam, case, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.dialect import is_postgres, numbers
from app.adapters.sql.graph.erasing import forget, settle, touched
from app.adapters.sql.graph.reading import SqlGraph
from app.adapters.sql.one_hop import UNREAD
from app.adapters.sql.said.scopes import SqlScopes
from app.adapters.sql.types import Instant
from app.distil.entities.linking import Links, NewEvidence, NewMention
from app.distil.entities.register import Named
from app.distil.entities.relations import BOTH_WAYS
from app.distil.entities.sameness import SAME_AS
from app.domain.ids import MessageKey, ScopeKey
from app.ports import NewId
from app.ports.graph import Relinked

Keys = Mapping[int, int]
"""The key of each entity, by the identity of its `Named`."""


@dataclass(frozen=True, slots=True)
class SqlGraphWriter(SqlGraph):
    async def begin(self, scope: ScopeKey, messages: Sequence[MessageKey]) -> Relinked:
        owned = select(t.message.c.key).where(
            t.message.c.key.in_(numbers(messages)), t.message.c.scope_key == scope
        )
        there = list((await self.connection.execute(owned)).scalars())
        relinked = await touched(self.connection, there)
        if relinked.entities or relinked.edges:
            await forget(self.connection, there)
        return relinked

    async def add(
        self, scope: ScopeKey, links: Links, relinked: Relinked, *, new_id: NewId
    ) -> None:
        if links.mentions:
            keys = await self._put_entities(scope, links, new_id)
            aliases = await self._put_names(scope, links, keys)
            await self._mentions(links.mentions, keys, aliases)
            await self._evidence(links.evidence, keys)
        await settle(self.connection, relinked)
        if links.mentions or relinked.entities:
            await SqlScopes(self.connection, self.tenant).touch(scope)

    async def _put_entities(self, scope: ScopeKey, links: Links, new_id: NewId) -> Keys:
        """Store those that come in, count up those that are there; the keys of all."""
        times: defaultdict[int, list[datetime]] = defaultdict(list)
        for mention in links.mentions:
            times[id(mention.entity)].append(mention.said_at)
        named = links.register.entities()
        keys = {id(each): each.key for each in named if each.key is not None}
        new = [
            {"id": new_id(), "scope_key": scope, **_told(each), **_counted(times[id(each)])}
            for each in links.register.new
        ]
        if new:
            e = d.entity.c
            stored = insert(d.entity).returning(e.normal_name, e.key)
            found = {row[0]: row[1] for row in await self.connection.execute(stored, new)}
            keys |= {id(each): found[each.normal] for each in links.register.new}
        more = [
            {"of_entity": each.key, **{f"new_{k}": v for k, v in _counted(times[id(each)]).items()}}
            for each in named
            if each.key is not None and id(each) in times
        ]
        if more:
            await self.connection.execute(_COUNT_UP, more, execution_options=UNREAD)
        for each in links.register.changed:
            renamed = update(d.entity).where(d.entity.c.key == each.key).values(**_told(each))
            await self.connection.execute(renamed, execution_options=UNREAD)
        return keys

    async def _put_names(
        self, scope: ScopeKey, links: Links, keys: Keys
    ) -> Mapping[tuple[int, str], int]:
        """Store the names that come in; the keys of all by entity and normal form."""
        aliases: dict[tuple[int, str], int] = {}
        new = list[dict[str, object]]()
        for entity in links.register.entities():
            for normal, each in entity.names.items():
                if each.key is not None:
                    aliases[keys[id(entity)], normal] = each.key
                    continue
                row = {"entity_key": keys[id(entity)], "scope_key": scope, "normal_name": normal}
                new.append({**row, "name": each.name, "said": each.said})
        if new:
            a = d.entity_alias.c
            stored = insert(d.entity_alias).returning(a.entity_key, a.normal_name, a.key)
            for entity_key, normal, key in await self.connection.execute(stored, new):
                aliases[entity_key, normal] = key
        said = [
            each.key
            for entity in links.register.entities()
            for each in entity.names.values()
            if each.changed and each.key is not None
        ]
        if said:
            now_said = update(d.entity_alias).where(d.entity_alias.c.key.in_(numbers(said)))
            await self.connection.execute(now_said.values(said=True), execution_options=UNREAD)
        return aliases

    async def _mentions(
        self,
        mentions: Sequence[NewMention],
        keys: Keys,
        aliases: Mapping[tuple[int, str], int],
    ) -> None:
        rows = [
            {
                "entity_key": keys[id(each.entity)],
                "message_key": each.message,
                "start": each.start,
                "stop": each.stop,
                "alias_key": aliases[keys[id(each.entity)], each.normal],
                "said_at": each.said_at,
            }
            for each in mentions
        ]
        await self.connection.execute(insert(d.mention), rows, execution_options=UNREAD)

    async def _evidence(self, evidence: Sequence[NewEvidence], keys: Keys) -> None:
        if not evidence:
            return
        several: defaultdict[tuple[int, str, int], list[NewEvidence]] = defaultdict(list)
        for each in evidence:
            several[_ends(each, keys)].append(each)
        rows = [
            {
                "source_key": source,
                "relation": relation,
                "target_key": target,
                "same": relation == SAME_AS,
                "weight": sum(each.weight for each in told),
                "first_seen_at": min(each.said_at for each in told),
                "last_seen_at": max(each.said_at for each in told),
            }
            for (source, relation, target), told in sorted(several.items())
        ]
        stored = await self.connection.execute(_add_up(self.connection), rows)
        edges = {(source, relation, target): key for source, relation, target, key in stored}
        proofs = [
            {
                "edge_key": edges[ends],
                "message_key": each.message,
                "weight": each.weight,
                "said_at": each.said_at,
            }
            for ends, told in several.items()
            for each in told
        ]
        await self.connection.execute(insert(d.edge_evidence), proofs, execution_options=UNREAD)


def _told(named: Named) -> dict[str, object]:
    return {"type": named.type.value, "name": named.name, "normal_name": named.normal}


def _counted(times: Sequence[datetime]) -> dict[str, object]:
    return {"mentions": len(times), "first_seen_at": min(times), "last_seen_at": max(times)}


def _counting_up() -> Update:
    e = d.entity.c
    first = bindparam("new_first_seen_at", type_=Instant)
    last = bindparam("new_last_seen_at", type_=Instant)
    return (
        update(d.entity)
        .where(e.key == bindparam("of_entity"))
        .values(
            mentions=e.mentions + bindparam("new_mentions"),
            first_seen_at=_smaller(e.first_seen_at, first),
            last_seen_at=_larger(e.last_seen_at, last),
        )
    )


def _smaller(one: ColumnElement[Any], other: ColumnElement[Any]) -> ColumnElement[Any]:
    return case((one > other, other), else_=one)


def _larger(one: ColumnElement[Any], other: ColumnElement[Any]) -> ColumnElement[Any]:
    return case((one < other, other), else_=one)


_COUNT_UP = _counting_up()


def _ends(evidence: NewEvidence, keys: Keys) -> tuple[int, str, int]:
    """What has no direction goes from the smaller key to the larger."""
    source, target = keys[id(evidence.source)], keys[id(evidence.target)]
    if evidence.relation in BOTH_WAYS:
        source, target = min(source, target), max(source, target)
    return source, evidence.relation, target


def _add_up(connection: AsyncConnection) -> Any:  # noqa: ANN401  (an insert of either database)
    """An insert that adds the weight to an edge that is there; its ends and its key."""
    dialect = postgresql if is_postgres(connection) else sqlite
    c, put = d.edge.c, dialect.insert(d.edge)
    new = put.excluded
    return put.on_conflict_do_update(
        index_elements=["source_key", "target_key", "relation"],
        set_={
            "weight": c.weight + new.weight,
            "first_seen_at": _smaller(c.first_seen_at, new.first_seen_at),
            "last_seen_at": _larger(c.last_seen_at, new.last_seen_at),
        },
    ).returning(c.source_key, c.relation, c.target_key, c.key)
