"""
The index of labels made anew, batch by batch, while the service runs.

It is never emptied: what is written meanwhile is indexed as ever, and each conversation that was
there before gets other terms in the place of those it had. `projection` tells the version that it
has, or that it is getting, with the last key that has it.
"""

from collections.abc import Sequence

from sqlalchemy import delete, exists, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.dialect import insert_or_replace, numbers, take_name
from app.adapters.sql.said.labels import Labelled, add_labels, forget_labels
from app.adapters.sql.said.scopes import hold_scopes

_NAME = "label_terms"


async def index_labels(connection: AsyncConnection, version: str, *, limit: int) -> bool:
    """Index up to `limit` labels in this version; whether there may be more to do."""
    await take_name(connection, _NAME)
    stored = await indexed_version(connection)
    if stored == version:
        return False
    before, _, done = stored.partition(" ")
    rows = await _next(connection, int(done) if done and before == version else 0, limit=limit)
    await forget_labels(connection, [each.key for each in rows])
    await add_labels(connection, rows)
    await _touch(connection, sorted({each.scope for each in rows}))
    more = len(rows) == limit
    row = {"name": _NAME, "version": f"{version} {rows[-1].key}" if more else version}
    store = insert_or_replace(connection, d.projection, key=["name"], values=["version"])
    await connection.execute(store, row)
    return more


async def indexed_version(connection: AsyncConnection) -> str:
    """The version that all labels are indexed in, or how far another has come; or nothing."""
    p = d.projection.c
    told = select(p.version).where(p.name == _NAME)
    return (await connection.execute(told)).scalar_one_or_none() or ""


async def begin_labels(connection: AsyncConnection) -> None:
    """Have every label indexed anew, and nothing stay of what is to be found by none."""
    await take_name(connection, _NAME)
    c = t.conversation.c
    there = exists().where(d.label_term.c.conversation_key == c.key)
    unfound = select(c.key).where(or_(c.label.is_(None), c.archived), there).order_by(c.key)
    taken = (await connection.execute(unfound.with_for_update())).scalars().all()
    await forget_labels(connection, taken)
    await connection.execute(delete(d.projection).where(d.projection.c.name == _NAME))


async def _next(connection: AsyncConnection, done: int, *, limit: int) -> Sequence[Labelled]:
    """The labels behind this key, taken: who changes one of them waits, or was waited for."""
    c = t.conversation.c
    behind = (
        select(c.key, c.scope_key, c.label)
        .where(c.key > done, c.label.is_not(None), c.archived.is_(False))
        .order_by(c.key)
        .limit(limit)
        .with_for_update()
    )
    return [Labelled(*row) for row in await connection.execute(behind)]


async def _touch(connection: AsyncConnection, scopes: Sequence[int]) -> None:
    """Answers that were made without these labels are not told again."""
    await hold_scopes(connection, scopes)
    s = t.scope.c
    newer = update(t.scope).where(s.key.in_(numbers(scopes))).values(version=s.version + 1)
    await connection.execute(newer)
