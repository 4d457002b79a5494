from collections.abc import Collection

from sqlalchemy import delete
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables_derived as d
from app.adapters.sql.dialect import numbers
from app.adapters.sql.narrowing.recallable import of_any_model
from app.domain.ids import ItemKey


async def forget_embeddings(connection: AsyncConnection, keys: Collection[ItemKey]) -> int:
    """Drop the embeddings of these items, of every model; how many there were."""
    stored = delete(d.embedding).where(of_any_model(), d.embedding.c.item_key.in_(numbers(keys)))
    return (await connection.execute(stored)).rowcount
