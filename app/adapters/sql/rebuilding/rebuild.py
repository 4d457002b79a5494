"""
Full text made anew from the messages, batch by batch, while the service runs.

It is emptied at once, since nothing tells the terms that another version of the analyser made. What
is said from then on is indexed as ever; what was said before waits in a window of keys that shrinks
with each batch (`rebuild_window.py`).
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    Row,
    bindparam,
    delete,
    false,
    func,
    literal,
    null,
    or_,
    schema,
    select,
    text,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.dialect import insert_or_replace, is_postgres, wait_for_long
from app.adapters.sql.full_text.asking import full_text
from app.adapters.sql.full_text.entries import Entry
from app.adapters.sql.full_text.rebuild_window import BEING_BUILT, Span, Window, window_of
from app.adapters.sql.items.pieces import item_entry
from app.adapters.sql.narrowing.items import sums_up_several
from app.adapters.sql.rebuilding.health import make_anew
from app.adapters.sql.said.counters import count
from app.domain.ids import ConversationKey, ItemKey, ScopeKey
from app.domain.memory import Table, item_key, rows_of
from app.ports.projecting import Analysed, Unbuilt
from app.text.echo import own_words

_BUILT = "full_text"

_Texts = Mapping[ItemKey, tuple[str, str | None]]


@dataclass(frozen=True, slots=True)
class SqlRebuild:
    """What a worker needs to build full text anew."""

    connection: AsyncConnection

    async def begin_full_text(self, version: str, *, sound: bool) -> bool:
        if sound and await self._built() == version:
            return False
        if is_postgres(self.connection):  # nobody writes what the window would not know of
            await wait_for_long(self.connection)
            locked = "LOCK TABLE message, memory_item IN SHARE ROW EXCLUSIVE MODE"
            await self.connection.execute(text(locked))
        if not sound:
            await make_anew(self.connection)
        window = await window_of(self.connection, shared=False)
        begun = window is not None and window.version == version
        if not sound or (await self._built() != version and not begun):
            await self._empty()
            spans = [Span(0, await self._last(rows)) for rows in (t.message, t.memory_item)]
            await self._move(Window(version, *spans))
        return await window_of(self.connection, shared=False) is not None

    async def unbuilt(self, *, limit: int) -> Unbuilt | None:
        window = await window_of(self.connection, shared=True)
        if window is None:
            return None
        table, span = window.next()
        read = self._items if table is Table.MEMORY else self._messages
        texts, last = await read(span, limit=limit)
        return Unbuilt(
            table=table,
            after=span.done,
            until=last if last is not None else span.until,
            left=window.left,
            texts=texts,
        )

    async def _messages(self, span: Span, *, limit: int) -> tuple[_Texts, int | None]:
        """The first messages of a span, with their chunks; the last key, if there may be more."""
        m, k = t.message.c, t.chunk.c
        wanted = (
            select(m.key, m.name, m.content, m.echo)
            .where(span.holds(m.key), m.terms.is_not(None))
            .order_by(m.key)
            .limit(limit)
        )
        rows = (await self.connection.execute(wanted)).all()
        last = rows[-1].key if len(rows) == limit else None
        here = Span(span.done, span.until if last is None else last).holds(m.key)
        of_chunks = select(k.key, m.name, k.content, null().label("echo")).join(
            t.message, m.key == k.message_key
        )
        of_chunks = of_chunks.where(here, m.terms.is_not(None))
        chunks = (await self.connection.execute(of_chunks)).all()
        texts = {
            item_key(table, row.key): (own_words(row.content, row.echo or ()), row.name)
            for table, several in ((Table.MESSAGE, rows), (Table.CHUNK, chunks))
            for row in several
        }
        return texts, last

    async def _items(self, span: Span, *, limit: int) -> tuple[_Texts, int | None]:
        """The same of memory items, of which each is a row."""
        i = t.memory_item.c
        wanted = (
            select(i.key, i.content)
            .where(span.holds(i.key), i.terms.is_not(None))
            .order_by(i.key)
            .limit(limit)
        )
        rows = (await self.connection.execute(wanted)).all()
        texts = {item_key(Table.MEMORY, row.key): (row.content, None) for row in rows}
        return texts, rows[-1].key if len(rows) == limit else None

    async def build(self, unbuilt: Unbuilt, analysed: Mapping[ItemKey, Analysed]) -> None:
        window = await window_of(self.connection, shared=False)
        if window is None or window.span(unbuilt.table).done != unbuilt.after:
            return  # another process was faster
        entries: list[Entry] = []
        for table, rows in await self._still_there(analysed):
            await self._keep_bags(table, rows, analysed)
            smallest = [row for row in rows if not row.chunks and not row.kept_out]
            entries += [_entry(table, row, analysed) for row in smallest]
        await full_text(self.connection).add(entries)
        await count(self.connection, entries)
        await self._move(window.without(unbuilt))

    async def _last(self, rows: schema.Table) -> int:
        return (await self.connection.execute(select(func.max(rows.c.key)))).scalar() or 0

    async def _built(self) -> str | None:
        p = d.projection.c
        wanted = select(p.version).where(p.name == _BUILT)
        return (await self.connection.execute(wanted)).scalar_one_or_none()

    async def _empty(self) -> None:
        s = t.scope.c
        await full_text(self.connection).clear()
        await self.connection.execute(delete(d.projection).where(d.projection.c.name == _BUILT))
        nothing = update(t.scope).values(messages=0, terms=0, version=s.version + 1)
        await self.connection.execute(nothing)

    async def _move(self, window: Window) -> None:
        """Store the window; one that has closed becomes the version that full text now has."""
        closed = not window.left
        row = {"name": BEING_BUILT, "version": str(window)}
        if closed:
            row = {"name": _BUILT, "version": window.version}
            gone = delete(d.projection).where(d.projection.c.name == BEING_BUILT)
            await self.connection.execute(gone)
        store = insert_or_replace(self.connection, d.projection, key=["name"], values=["version"])
        await self.connection.execute(store, row)

    async def _still_there(
        self, keys: Collection[ItemKey]
    ) -> Sequence[tuple[Table, Sequence[Row[Any]]]]:
        """Messages, chunks and memory items, in order; only messages have chunks."""
        m, c, k = t.message.c, t.conversation.c, t.chunk.c
        told = (m.scope_key, m.conversation_key, c.archived.label("kept_out"))
        conversation = c.key == m.conversation_key
        rows = rows_of(Table.MESSAGE, keys)
        messages = select(m.key, *told, m.chunks).join(t.conversation, conversation)
        chunks = (
            select(k.key, *told, literal(0).label("chunks"))
            .join(t.message, m.key == k.message_key)
            .join(t.conversation, conversation)
        )
        i = t.memory_item.c
        items = select(
            i.key,
            i.scope_key,
            i.conversation_key,
            func.coalesce(i.parent_key, i.key).label("root"),
            or_(sums_up_several(), func.coalesce(c.archived, false())).label("kept_out"),
            literal(0).label("chunks"),
        ).outerjoin(t.conversation, c.key == i.conversation_key)
        wanted = {
            Table.MESSAGE: messages.where(m.key.in_(rows)).order_by(m.key),
            Table.CHUNK: chunks.where(m.key.in_(rows)).order_by(k.key),
            Table.MEMORY: items.where(i.key.in_(rows_of(Table.MEMORY, keys))).order_by(i.key),
        }
        return [
            (table, (await self.connection.execute(each)).all()) for table, each in wanted.items()
        ]

    async def _keep_bags(
        self, table: Table, rows: Sequence[Row[Any]], analysed: Mapping[ItemKey, Analysed]
    ) -> None:
        stored = _STORED[table]
        bags = [{"of_key": row.key, "bag": analysed[item_key(table, row.key)].bag} for row in rows]
        keep = update(stored).where(stored.c.key == bindparam("of_key"))
        if bags:
            await self.connection.execute(keep.values(terms=bindparam("bag")), bags)


_STORED = {Table.MESSAGE: t.message, Table.CHUNK: t.chunk, Table.MEMORY: t.memory_item}


def _entry(table: Table, row: Row[Any], analysed: Mapping[ItemKey, Analysed]) -> Entry:
    key = item_key(table, row.key)
    if table is Table.MEMORY:
        return item_entry(row, analysed[key].terms)
    return Entry(
        key=key,
        scope=ScopeKey(row.scope_key),
        conversation=ConversationKey(row.conversation_key),
        terms=analysed[key].terms,
    )
