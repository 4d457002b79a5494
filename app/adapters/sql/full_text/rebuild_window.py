"""
What full text lacks while it is built anew: a window of keys that shrinks with each batch.

Whoever takes something out of full text, or back in, asks the window first.
"""

from dataclasses import dataclass, replace
from typing import Self

from sqlalchemy import Column, ColumnElement, and_, not_, select, true
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.domain.memory import Table
from app.ports.projecting import Unbuilt

BEING_BUILT = "full_text_being_built"


@dataclass(frozen=True, slots=True)
class Span:
    """The rows whose keys are above `done`, up to `until`."""

    done: int
    until: int

    @property
    def left(self) -> int:
        return max(0, self.until - self.done)

    def holds(self, key: Column[int]) -> ColumnElement[bool]:
        return and_(key > self.done, key <= self.until)


@dataclass(frozen=True, slots=True)
class Window:
    """The messages and the memory items that are not in full text yet."""

    version: str
    messages: Span
    items: Span

    @classmethod
    def read(cls, stored: str) -> Self:
        version, *keys = stored.rsplit(" ", 4)
        done, until, items_done, items_until = map(int, keys)
        return cls(version, Span(done, until), Span(items_done, items_until))

    def __str__(self) -> str:
        spans = (self.messages, self.items)
        return " ".join([self.version, *(f"{each.done} {each.until}" for each in spans)])

    @property
    def left(self) -> int:
        return self.messages.left + self.items.left

    def next(self) -> tuple[Table, Span]:
        """Messages first."""
        table = Table.MESSAGE if self.messages.left else Table.MEMORY
        return table, self.span(table)

    def span(self, table: Table) -> Span:
        return self.items if table is Table.MEMORY else self.messages

    def without(self, unbuilt: Unbuilt) -> Self:
        """What is left behind a batch."""
        span = Span(unbuilt.until, self.span(unbuilt.table).until)
        if unbuilt.table is Table.MEMORY:
            return replace(self, items=span)
        return replace(self, messages=span)


async def built(connection: AsyncConnection) -> ColumnElement[bool]:
    """Of a message: full text has it or may have it. Not what a rebuild has yet to bring."""
    window = await window_of(connection, shared=True)
    return not_(window.messages.holds(t.message.c.key)) if window else true()


async def items_built(connection: AsyncConnection) -> ColumnElement[bool]:
    """The same of a memory item."""
    window = await window_of(connection, shared=True)
    return not_(window.items.holds(t.memory_item.c.key)) if window else true()


async def being_built(connection: AsyncConnection) -> bool:
    """Whether full text lacks what a rebuild has yet to bring."""
    p = d.projection.c
    window = select(p.name).where(p.name == BEING_BUILT)
    return (await connection.execute(window)).first() is not None


async def window_of(connection: AsyncConnection, *, shared: bool) -> Window | None:
    """The window, which on PostgreSQL does not move until this transaction ends."""
    p = d.projection.c
    wanted = select(p.version).where(p.name == BEING_BUILT).with_for_update(read=shared)
    stored = (await connection.execute(wanted)).scalar_one_or_none()
    return None if stored is None else Window.read(stored)
