"""What the graph loses with messages: mentions, names, evidence, edges, entities."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Row, and_, delete, exists, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.dialect import numbers
from app.adapters.sql.said.scopes import hold_scopes
from app.distil.entities.entity import SPELLED_EXACTLY
from app.distil.entities.register import fuller, parts_of
from app.domain.entities import EntityType
from app.domain.ids import MessageKey
from app.ports.graph import Relinked


async def touched(connection: AsyncConnection, messages: Sequence[int]) -> Relinked:
    """
    What goes with these messages, or gets smaller. Until the transaction ends nobody builds on it.

    Their scopes come first: who holds a scope has its graph, too.
    """
    m = t.message.c
    ours = m.key.in_(numbers(messages))
    await hold_scopes(connection, select(m.scope_key).where(ours))
    held = select(m.key).where(ours).order_by(m.key).with_for_update()
    keys = (await connection.execute(held)).scalars().all()
    mentioned = select(d.mention.c.entity_key).where(d.mention.c.message_key.in_(numbers(messages)))
    proven = select(d.edge_evidence.c.edge_key).where(
        d.edge_evidence.c.message_key.in_(numbers(messages))
    )
    return Relinked(
        messages=frozenset(map(MessageKey, keys)),
        entities=list((await connection.execute(mentioned.distinct())).scalars()),
        edges=list((await connection.execute(proven.distinct())).scalars()),
    )


async def forget(connection: AsyncConnection, messages: Sequence[int]) -> None:
    """Drop what these messages say; `settle` is to follow."""
    for table in (d.mention, d.edge_evidence):
        said = table.c.message_key.in_(numbers(messages))
        await connection.execute(delete(table).where(said))


async def settle(connection: AsyncConnection, left: Relinked) -> int:
    """Once the messages are gone, make what they touched true again; how many edges went."""
    edges = await _weigh(connection, left.edges)
    if left.entities:
        await _count(connection, left.entities)
        await _rename(connection, left.entities)
    return edges


async def _weigh(connection: AsyncConnection, keys: Sequence[int]) -> int:
    """Drop edges without evidence, weigh the others anew; how many went."""
    if not keys:
        return 0
    e, p = d.edge.c, d.edge_evidence.c
    ours, proof = e.key.in_(numbers(keys)), p.edge_key == e.key
    gone = await connection.execute(delete(d.edge).where(ours, ~exists().where(proof)))
    await connection.execute(
        update(d.edge)
        .where(ours)
        .values(
            weight=_over(func.sum(p.weight), proof),
            first_seen_at=_over(func.min(p.said_at), proof),
            last_seen_at=_over(func.max(p.said_at), proof),
        )
    )
    return gone.rowcount


async def _count(connection: AsyncConnection, keys: Sequence[int]) -> None:
    """Drop entities without mention, count the others anew."""
    e, n = d.entity.c, d.mention.c
    ours, ending = e.key.in_(numbers(keys)), n.entity_key == e.key
    await connection.execute(delete(d.entity).where(ours, ~exists().where(ending)))
    await connection.execute(
        update(d.entity)
        .where(ours)
        .values(
            mentions=_over(func.count(), ending),
            first_seen_at=_over(func.min(n.said_at), ending),
            last_seen_at=_over(func.max(n.said_at), ending),
        )
    )


def _over(value: ColumnElement[Any], condition: ColumnElement[bool]) -> Any:  # noqa: ANN401  (SQLAlchemy's)
    return select(value).where(condition).scalar_subquery()


async def _rename(connection: AsyncConnection, keys: Sequence[int]) -> None:
    """A name that nobody said is forgotten; the fullest of what is left is the entity's."""
    a = d.entity_alias.c
    unsaid = ~exists().where(d.mention.c.alias_key == a.key)
    lost = delete(d.entity_alias).where(and_(a.entity_key.in_(numbers(keys)), a.said, unsaid))
    bare = set((await connection.execute(lost.returning(a.entity_key))).scalars())
    if not bare:
        return
    left = (
        select(d.entity_alias, d.entity.c.type)
        .join(d.entity)
        .where(a.entity_key.in_(numbers(bare)))
    )
    by_entity: dict[int, list[Row[Any]]] = {}
    for row in await connection.execute(left.order_by(a.key)):
        by_entity.setdefault(row.entity_key, []).append(row)
    for entity, rows in by_entity.items():
        await _call(connection, entity, rows)


async def _call(connection: AsyncConnection, entity: int, rows: Sequence[Row[Any]]) -> None:
    """Name an entity by what is said of it still, with the parts of that."""
    said = [row for row in rows if row.said]
    best = said[0]
    for row in said[1:]:
        best = row if fuller(row.normal_name, best.normal_name) else best
    named = {"name": best.name, "normal_name": best.normal_name}
    await connection.execute(update(d.entity).where(d.entity.c.key == entity).values(**named))
    parts = _parts(said)
    stale = [row.key for row in rows if not row.said and row.normal_name not in parts]
    await connection.execute(delete(d.entity_alias).where(d.entity_alias.c.key.in_(numbers(stale))))
    known = {row.normal_name for row in rows}
    new = [
        {
            "entity_key": entity,
            "scope_key": best.scope_key,
            "normal_name": normal,
            "name": name,
            "said": False,
        }
        for normal, name in parts.items()
        if normal not in known
    ]
    if new:
        await connection.execute(insert(d.entity_alias), new)


def _parts(said: Sequence[Row[Any]]) -> Mapping[str, str]:
    """By which parts of what is said an entity may be called."""
    return {
        normal: name
        for row in said
        if EntityType(row.type) not in SPELLED_EXACTLY
        for normal, name in parts_of(row.normal_name, row.name)
    }
