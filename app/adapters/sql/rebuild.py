"""
Full text made anew from the messages, batch by batch, while the service runs.

It is emptied at once, since nothing tells the terms that another version of the analyser made. What
is said from then on is indexed as ever; what was said before waits in a window of message keys that
shrinks with each batch. Whoever takes messages out of full text, or back in, asks the window first.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from sqlalchemy import Row, Select, bindparam, delete, func, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.dialect import insert_or_replace, is_postgres
from app.adapters.sql.full_text import Entry, full_text
from app.domain.ids import ConversationKey, ItemKey, ScopeKey
from app.domain.memory import Table, item_key, table_and_row
from app.ports.store import Analysed, Unbuilt

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

    def holds(self, key: ItemKey) -> bool:
        return self.done < table_and_row(key)[1] <= self.until


async def not_yet_built(connection: AsyncConnection) -> Callable[[ItemKey], bool]:
    """Whether full text will get an item later: then it is neither to be added nor removed."""
    window = await _window(connection, shared=True)
    return window.holds if window else lambda _: False


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
        m = t.message.c
        wanted = (
            select(m.key, m.name, m.content)
            .where(m.key > window.done, m.key <= window.until, m.terms.is_not(None))
            .order_by(m.key)
            .limit(limit)
        )
        rows = (await self.connection.execute(wanted)).all()
        return Unbuilt(
            after=window.done,
            until=rows[-1].key if len(rows) == limit else window.until,
            left=window.until - window.done,
            messages={item_key(Table.MESSAGE, row.key): (row.content, row.name) for row in rows},
        )

    async def build(self, unbuilt: Unbuilt, analysed: Mapping[ItemKey, Analysed]) -> None:
        window = await _window(self.connection, shared=False)
        if window is None or window.done != unbuilt.after:
            return  # another process was faster
        rows = await self._still_there(sorted(analysed))
        await self._keep_bags(rows, analysed)
        entries = [_entry(row, analysed) for row in rows if not row.archived]
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

    async def _still_there(self, keys: Sequence[ItemKey]) -> Sequence[Row[Any]]:
        m, c = t.message.c, t.conversation.c
        wanted: Select[Any] = (
            select(m.key, m.scope_key, m.conversation_key, c.archived)
            .join(t.conversation, c.key == m.conversation_key)
            .where(m.key.in_([table_and_row(key)[1] for key in keys]))
            .order_by(m.key)
        )
        rows: Sequence[Row[Any]] = (await self.connection.execute(wanted)).all()
        return rows

    async def _keep_bags(
        self, rows: Sequence[Row[Any]], analysed: Mapping[ItemKey, Analysed]
    ) -> None:
        bags = [
            {"of_key": row.key, "bag": analysed[item_key(Table.MESSAGE, row.key)].bag}
            for row in rows
        ]
        keep = update(t.message).where(t.message.c.key == bindparam("of_key"))
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


def _entry(row: Row[Any], analysed: Mapping[ItemKey, Analysed]) -> Entry:
    key = item_key(Table.MESSAGE, row.key)
    return Entry(
        key=key,
        scope=ScopeKey(row.scope_key),
        conversation=ConversationKey(row.conversation_key),
        terms=analysed[key].terms,
    )
