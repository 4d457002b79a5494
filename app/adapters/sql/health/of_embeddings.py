"""Whether what is stored of vectors can be vectors of what is there."""

from collections.abc import Sequence

import numpy as np
from sqlalchemy import Integer, and_, exists, func, literal, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.dialect import numbers
from app.adapters.sql.narrowing.recallable import of_any_model
from app.adapters.sql.projecting.lead_in import lead_ins
from app.domain.ids import ItemKey
from app.domain.memory import Table, item_key, lies_in, rows_of
from app.ranking.pool import unpack_vectors

_BATCH = 2_000
_ROUNDING = 0.02
"""By which the length of a vector of float16 may differ from 1."""


async def orphaned_embeddings(connection: AsyncConnection) -> Sequence[ItemKey]:
    key, m, k, i = d.embedding.c.item_key, t.message.c, t.chunk.c, t.memory_item.c
    row, table = key.op(">>")(literal(2, Integer)), key.op("&")(3)
    owner = (
        and_(table == Table.MESSAGE, exists().where(m.key == row)),
        and_(table == Table.CHUNK, exists().where(k.key == row)),
        and_(table == Table.MEMORY, exists().where(i.key == row)),
    )
    lost = select(key).where(of_any_model(), ~or_(*owner)).distinct().order_by(key)
    return [ItemKey(each) for each in (await connection.execute(lost)).scalars()]


async def misshapen_embeddings(connection: AsyncConnection) -> Sequence[ItemKey]:
    e, m = d.embedding.c, d.embedding_model.c
    wrong = (
        select(e.item_key)
        .join(d.embedding_model, m.key == e.model_key)
        .where(or_(*(func.length(each) != 2 * m.dimension for each in (e.vector, e.in_context))))
        .distinct()
        .order_by(e.item_key)
    )
    return [ItemKey(each) for each in (await connection.execute(wrong)).scalars()]


async def out_of_context(
    connection: AsyncConnection, keys: Sequence[ItemKey], *, model: str
) -> Sequence[ItemKey]:
    """Messages among these that were embedded, but not with what leads in to them."""
    e, m = d.embedding.c, d.embedding_model.c
    ours = numbers([key for key in keys if lies_in(Table.MESSAGE, key)])
    alone = (
        select(e.item_key)
        .join(d.embedding_model, m.key == e.model_key)
        .where(m.name == model, e.item_key.in_(ours), e.in_context.is_(None))
    )
    embedded = [ItemKey(each) for each in (await connection.execute(alone)).scalars()]
    before = await lead_ins(connection, rows_of(Table.MESSAGE, embedded)) if embedded else {}
    return sorted(item_key(Table.MESSAGE, row) for row, texts in before.items() if texts)


async def wordless(
    connection: AsyncConnection, keys: Sequence[ItemKey], *, model: str, dimension: int
) -> Sequence[ItemKey]:
    """Those of these that were embedded without vectors of words, of this dimension."""
    e, m = d.embedding.c, d.embedding_model.c
    lacking = (
        select(e.item_key)
        .join(d.embedding_model, m.key == e.model_key)
        .where(
            m.name == model,
            e.item_key.in_(numbers(keys)),
            or_(e.words.is_(None), func.length(e.words) % dimension != 0),
        )
        .order_by(e.item_key)
    )
    return [ItemKey(each) for each in (await connection.execute(lacking)).scalars()]


async def unnormal_embeddings(connection: AsyncConnection) -> Sequence[ItemKey]:
    """Of their model's dimension, but not of length 1, alone or in context; some at a time."""
    m, found = d.embedding_model.c, set[ItemKey]()
    models = (await connection.execute(select(m.key, m.dimension))).all()
    for model, dimension in models:
        found |= await _unnormal(connection, model, dimension)
    return sorted(found)


async def _unnormal(connection: AsyncConnection, model: int, dimension: int) -> set[ItemKey]:
    e, last, found = d.embedding.c, -1, set[ItemKey]()
    while True:
        some = (
            select(e.item_key, e.vector, e.in_context)
            .where(e.model_key == model, e.item_key > last)
            .order_by(e.item_key)
            .limit(_BATCH)
        )
        rows = (await connection.execute(some)).all()
        if not rows:
            return found
        pairs = [(row.item_key, each) for row in rows for each in (row.vector, row.in_context)]
        shaped = [(key, each) for key, each in pairs if len(each or b"") == 2 * dimension]
        lengths = np.linalg.norm(unpack_vectors([each for _, each in shaped], dimension), axis=1)
        wrong = ~(np.abs(lengths - 1) <= _ROUNDING)  # what is no number is wrong too
        found |= {ItemKey(shaped[at][0]) for at in np.flatnonzero(wrong)}
        last = rows[-1].item_key
