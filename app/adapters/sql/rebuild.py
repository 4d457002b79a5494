"""
Full text made anew from the messages, batch by batch, while the service runs.

It is emptied at once, since nothing tells the terms that another version of the analyser made. What
is said from then on is indexed as ever; what was said before waits in a window of message keys that
shrinks with each batch. Whoever takes messages out of full text, or back in, asks the window first.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from sqlalchemy import (
    ColumnElement,
    Row,
    and_,
    bindparam,
    delete,
    func,
    literal,
    not_,
    select,
    text,
    true,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.dialect import insert_or_replace, is_postgres
from app.adapters.sql.full_text import Entry, full_text
from app.domain.ids import ConversationKey, ItemKey, ScopeKey
from app.domain.memory import Table, item_key, rows_of
from app.ports.projecting import Analysed, Unbuilt

_BUILT, _BEING_BUILT = "full_text", "full_text_being_built"


@dataclass(frozen=True, slots=True)
class _Window:
    """The messages whose keys are above `done`, up to `until`, are not in full text yet."""

    version: str
    done: int
    until: int

    @classmethod
    def read(cls, stored: str) -> Self:
        version, done, until = stored.rsplit(" ", 2)
        return cls(version, int(done), int(until))

    def __str__(self) -> str:
        return f"{self.version} {self.done} {self.until}"

    def condition(self) -> ColumnElement[bool]:
        return and_(t.message.c.key > self.done, t.message.c.key <= self.until)


async def built(connection: AsyncConnection) -> ColumnElement[bool]:
    """Of a message: full text has it or may have it. Not what a rebuild has yet to bring."""
    window = await _window(connection, shared=True)
    return not_(window.condition()) if window else true()


async def _window(connection: AsyncConnection, *, shared: bool) -> _Window | None:
    """The window, which on PostgreSQL does not move until this transaction ends."""
    p = d.projection.c
    wanted = select(p.version).where(p.name == _BEING_BUILT).with_for_update(read=shared)
    stored = (await connection.execute(wanted)).scalar_one_or_none()
    return None if stored is None else _Window.read(stored)


@dataclass(frozen=True, slots=True)
class SqlRebuild:
    """What a worker needs to build full text anew."""

    connection: AsyncConnection

    async def begin_full_text(self, version: str) -> bool:
        if await self._built() == version:
            return False
        if is_postgres(self.connection):  # nobody writes what the window would not know of
            await self.connection.execute(text("LOCK TABLE message IN SHARE ROW EXCLUSIVE MODE"))
        window = await _window(self.connection, shared=False)
        if await self._built() != version and (window is None or window.version != version):
            await self._empty()
            last = (await self.connection.execute(select(func.max(t.message.c.key)))).scalar()
            await self._move(_Window(version, 0, last or 0))
        return await _window(self.connection, shared=False) is not None

    async def unbuilt(self, *, limit: int) -> Unbuilt | None:
        window = await _window(self.connection, shared=True)
        if window is None:
            return None
        m, k = t.message.c, t.chunk.c
        wanted = (
            select(m.key, m.name, m.content)
            .where(window.condition(), m.terms.is_not(None))
            .order_by(m.key)
            .limit(limit)
        )
        rows = (await self.connection.execute(wanted)).all()
        until = rows[-1].key if len(rows) == limit else window.until
        here = and_(m.key > window.done, m.key <= until, m.terms.is_not(None))
        of_chunks = select(k.key, m.name, k.content).join(t.message, m.key == k.message_key)
        chunks = (await self.connection.execute(of_chunks.where(here))).all()
        return Unbuilt(
            after=window.done,
            until=until,
            left=window.until - window.done,
            texts={
                item_key(table, row.key): (row.content, row.name)
                for table, several in ((Table.MESSAGE, rows), (Table.CHUNK, chunks))
                for row in several
            },
        )

    async def build(self, unbuilt: Unbuilt, analysed: Mapping[ItemKey, Analysed]) -> None:
        window = await _window(self.connection, shared=False)
        if window is None or window.done != unbuilt.after:
            return  # another process was faster
        entries: list[Entry] = []
        for table, rows in await self._still_there(analysed):
            await self._keep_bags(table, rows, analysed)
            smallest = [row for row in rows if not row.chunks and not row.archived]
            entries += [_entry(table, row, analysed) for row in smallest]
        await full_text(self.connection).add(entries)
        await self._count(entries)
        await self._move(_Window(window.version, unbuilt.until, window.until))

    async def _built(self) -> str | None:
        p = d.projection.c
        wanted = select(p.version).where(p.name == _BUILT)
        return (await self.connection.execute(wanted)).scalar_one_or_none()

    async def _empty(self) -> None:
        s = t.scope.c
        await full_text(self.connection).clear()
        nothing = update(t.scope).values(messages=0, terms=0, version=s.version + 1)
        await self.connection.execute(nothing)

    async def _move(self, window: _Window) -> None:
        """Store the window; one that has closed becomes the version that full text now has."""
        closed = window.done >= window.until
        row = {"name": _BEING_BUILT, "version": str(window)}
        if closed:
            row = {"name": _BUILT, "version": window.version}
            gone = delete(d.projection).where(d.projection.c.name == _BEING_BUILT)
            await self.connection.execute(gone)
        store = insert_or_replace(self.connection, d.projection, key=["name"], values=["version"])
        await self.connection.execute(store, row)

    async def _still_there(
        self, keys: Iterable[ItemKey]
    ) -> Sequence[tuple[Table, Sequence[Row[Any]]]]:
        """Messages and chunks, in order; a chunk has none of its own."""
        m, c, k = t.message.c, t.conversation.c, t.chunk.c
        told = (m.scope_key, m.conversation_key, c.archived)
        conversation = c.key == m.conversation_key
        rows = rows_of(Table.MESSAGE, keys)
        messages = select(m.key, *told, m.chunks).join(t.conversation, conversation)
        chunks = (
            select(k.key, *told, literal(0).label("chunks"))
            .join(t.message, m.key == k.message_key)
            .join(t.conversation, conversation)
        )
        found = await self.connection.execute(messages.where(m.key.in_(rows)).order_by(m.key))
        of_them = await self.connection.execute(chunks.where(m.key.in_(rows)).order_by(k.key))
        return [(Table.MESSAGE, found.all()), (Table.CHUNK, of_them.all())]

    async def _keep_bags(
        self, table: Table, rows: Sequence[Row[Any]], analysed: Mapping[ItemKey, Analysed]
    ) -> None:
        stored = t.message if table is Table.MESSAGE else t.chunk
        bags = [{"of_key": row.key, "bag": analysed[item_key(table, row.key)].bag} for row in rows]
        keep = update(stored).where(stored.c.key == bindparam("of_key"))
        if bags:
            await self.connection.execute(keep.values(terms=bindparam("bag")), bags)

    async def _count(self, entries: Sequence[Entry]) -> None:
        s = t.scope.c
        messages = Counter(each.scope for each in entries)
        terms = Counter[ScopeKey]()
        for each in entries:
            terms[each.scope] += len(each.terms)
        for scope in sorted(messages):
            values = {
                "messages": s.messages + messages[scope],
                "terms": s.terms + terms[scope],
                "version": s.version + 1,
            }
            await self.connection.execute(update(t.scope).where(s.key == scope).values(values))


def _entry(table: Table, row: Row[Any], analysed: Mapping[ItemKey, Analysed]) -> Entry:
    key = item_key(table, row.key)
    return Entry(
        key=key,
        scope=ScopeKey(row.scope_key),
        conversation=ConversationKey(row.conversation_key),
        terms=analysed[key].terms,
    )
