"""What the indexes hold of messages: the keys of all, and full text of the smallest pieces."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from sqlalchemy import ColumnElement, Row, Select, and_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql.dialect import keys_added, shifted
from app.adapters.sql.full_text.entries import Entry
from app.adapters.sql.portioned import portions
from app.domain.ids import ConversationKey, ItemKey, MessageKey, ScopeKey
from app.domain.memory import Table, item_key, table_and_row
from app.ports.stored import PreparedChunk
from app.text.echo import own_words
from app.text.terms import indexed_text, terms_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Pieces:
    """
    Messages as the indexes know them.

    `keys` are those of messages and chunks, each message behind its chunks; `entries` are what
    full text holds.
    """

    keys: Sequence[ItemKey]
    entries: Sequence[Entry]

    def __add__(self, other: Self) -> Self:
        return replace(
            self, keys=[*self.keys, *other.keys], entries=[*self.entries, *other.entries]
        )


async def pieces_of(connection: AsyncConnection, condition: ColumnElement[bool]) -> Pieces:
    """The pieces of the messages that meet `condition`, made again from the truth."""
    m, k = t.message.c, t.chunk.c
    told = (m.scope_key, m.conversation_key, m.name)
    indexed = (m.terms.is_not(None), condition)
    messages: Select[Any] = select(m.key, *told, m.content, m.chunks, m.echo).where(*indexed)
    chunks: Select[Any] = (
        select(k.key, *told, k.content).join(t.message, m.key == k.message_key).where(*indexed)
    )
    of_messages = (await connection.execute(messages.order_by(m.key))).all()
    of_chunks = (await connection.execute(chunks.order_by(k.key))).all()
    return Pieces(
        keys=[
            *(item_key(Table.CHUNK, row.key) for row in of_chunks),
            *(item_key(Table.MESSAGE, row.key) for row in of_messages),
        ],
        entries=[
            *(
                _entry(Table.MESSAGE, row, own_words(row.content, row.echo or ()))
                for row in of_messages
                if not row.chunks
            ),
            *(_entry(Table.CHUNK, row, row.content) for row in of_chunks),
        ],
    )


async def keys_of(connection: AsyncConnection, condition: ColumnElement[bool]) -> Sequence[ItemKey]:
    """The keys of the same pieces; nothing is read that they hold."""
    indexed = and_(t.message.c.terms.is_not(None), condition)
    keys = (await connection.execute(embedded_keys(indexed))).scalars()
    return sorted(map(ItemKey, keys), key=_chunks_first)


def _chunks_first(key: ItemKey) -> tuple[bool, int]:
    table, row = table_and_row(key)
    return table is not Table.CHUNK, row


def embedded_keys(condition: ColumnElement[bool]) -> Select[Any]:
    """The item keys of the messages that meet `condition`, and of their chunks."""
    m, k = t.message.c, t.chunk.c
    messages = select(shifted(m.key, 2)).where(condition)
    chunks = select(key_of_chunk()).join(t.message, m.key == k.message_key).where(condition)
    return select(messages.union_all(chunks).subquery().c[0])


def key_of_chunk() -> ColumnElement[int]:
    """The item key of a chunk's row."""
    return shifted(t.chunk.c.key, 2) + Table.CHUNK


async def add_chunks(
    connection: AsyncConnection,
    scope: ScopeKey,
    chunks: Sequence[tuple[MessageKey, Sequence[PreparedChunk]]],
) -> Sequence[ItemKey]:
    """Store the chunks of each message; their item keys, in order."""
    placed = [
        (message, position, chunk)
        for message, several in chunks
        for position, chunk in enumerate(several)
    ]
    keys: list[ItemKey] = []
    for some in portions(placed):
        rows = [_row(scope, *each) for each in some]
        stored = await keys_added(connection, t.chunk, rows)
        keys += [item_key(Table.CHUNK, key) for key in stored]
    return keys


def _row(
    scope: ScopeKey, message: MessageKey, position: int, chunk: PreparedChunk
) -> dict[str, object]:
    return {
        "id": chunk.id,
        "message_key": message,
        "scope_key": scope,
        "position": position,
        "kind": chunk.span.kind.value,
        "language": chunk.span.language,
        "start": chunk.span.start,
        "stop": chunk.span.stop,
        "content": chunk.content,
        "tokens": chunk.tokens,
        "content_hash": chunk.content_hash,
        "terms": chunk.bag,
    }


def _entry(table: Table, row: Row[Any], content: str) -> Entry:
    return Entry(
        key=item_key(table, row.key),
        scope=ScopeKey(row.scope_key),
        conversation=ConversationKey(row.conversation_key),
        terms=terms_of(indexed_text(content, row.name)),
    )
