"""Whether the index of labels holds what the labels say."""

from collections import defaultdict
from collections.abc import Sequence

from sqlalchemy import case, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.dialect import numbers
from app.adapters.sql.health.of_scopes import is_doomed
from app.adapters.sql.rebuilding.labels import indexed_version
from app.domain.ids import ConversationKey
from app.text.labels import VERSION, indexed_terms

_BATCH = 2_000


async def labels_are_being_indexed(connection: AsyncConnection) -> bool:
    """In the terms of this version; none of it may be there yet."""
    return await indexed_version(connection) != VERSION


async def mislabelled(connection: AsyncConnection) -> Sequence[ConversationKey]:
    """Read some at a time; what is being erased is looked up no more."""
    c, found, last = t.conversation.c, list[ConversationKey](), 0
    to_be_found = case((c.archived.is_(False), c.label)).label("label")
    while True:
        some = (
            select(c.key, c.scope_key, to_be_found)
            .where(c.key > last, ~is_doomed(c.scope_key))
            .order_by(c.key)
            .limit(_BATCH)
        )
        rows = (await connection.execute(some)).all()
        if not rows:
            return found
        held = await _held(connection, [row.key for row in rows])
        for row in rows:
            wanted = {(row.scope_key, term) for term in indexed_terms(row.label or "")}
            if held.get(row.key, set()) != wanted:
                found.append(ConversationKey(row.key))
        last = rows[-1].key


async def _held(
    connection: AsyncConnection, keys: Sequence[int]
) -> dict[int, set[tuple[int, str]]]:
    """Scope and term of each entry, by conversation."""
    p, held = d.label_term.c, defaultdict[int, set[tuple[int, str]]](set)
    entries = select(p.conversation_key, p.scope_key, p.term)
    ours = entries.where(p.conversation_key.in_(numbers(keys)))
    for key, scope, term in await connection.execute(ours):
        held[key].add((scope, term))
    return held
