"""Rows, and all that is derived from them in SQL, erased in one transaction."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, delete, select, true
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.derived.erasing import derived_from, erase_items, said_elsewhere
from app.adapters.sql.derived.notes import note_again, note_summaries
from app.adapters.sql.derived.period_notes import forget_periods
from app.adapters.sql.dialect import numbers
from app.adapters.sql.full_text.asking import full_text
from app.adapters.sql.full_text.rebuild_window import built
from app.adapters.sql.graph.erasing import settle, touched
from app.adapters.sql.projecting.embeddings import forget_embeddings
from app.adapters.sql.projecting.lead_in import embed_again, hold_led_by
from app.adapters.sql.projecting.outbox import enqueue
from app.adapters.sql.said.counters import count
from app.adapters.sql.said.pieces import embedded_keys, pieces_of
from app.domain.ids import ERASED, ConversationKey, ScopeKey, TenantId
from app.domain.memory import ItemType
from app.ports.stored import Erased


@dataclass(frozen=True, slots=True)
class RowEraser:
    """
    Erases what it is told to; vectors follow through the outbox.

    The conversations are locked, or out of reach: nothing joins them between the statements.
    """

    connection: AsyncConnection
    tenant: TenantId

    async def messages(self, scope: ScopeKey, keys: Sequence[int], *, now: datetime) -> Erased:
        """Erase messages of one scope, with chunks, full text, and what was derived from them."""
        ours = t.message.c.key.in_(numbers(keys))
        stays = self.tenant != ERASED
        led = await hold_led_by(self.connection, keys) if stays else []
        links = await touched(self.connection, keys)
        doomed = (await self.connection.execute(_doomed(ours))).all()
        items = list((await self.connection.execute(embedded_keys(ours))).scalars())
        archived = {row.conversation_key for row in doomed if row.archived}
        shown = and_(ours, t.message.c.conversation_key.not_in(sorted(archived)))
        shown = and_(shown, await built(self.connection))
        entries = (await pieces_of(self.connection, shown)).entries
        await full_text(self.connection).remove(entries)
        again = await said_elsewhere(self.connection, and_(derived_from(ours), _is_fact()), ~ours)
        retold = await self._summed_up(derived_from(ours))
        derived = await forget_periods(self.connection, self.tenant, scope, ours, now=now)
        derived += await self._items(derived_from(ours), now=now)
        embeddings = await forget_embeddings(self.connection, items)
        await embed_again(self.connection, self.tenant, scope, led, now=now)
        await self.connection.execute(delete(t.message).where(ours))
        edges = await settle(self.connection, links)
        await enqueue(self.connection, self.tenant, scope, items, now=now)
        await count(self.connection, entries, sign=-1, touched=[scope])
        erased = Erased(
            scope=scope,
            conversations=sorted({row.conversation_key for row in doomed}),
            keys=items,
            messages=len(doomed),
            chunks=len(items) - len(doomed),
            embeddings=embeddings,
            full_text=len(entries),
            edges=edges,
            retold=retold,
        )
        await note_summaries(self.connection, retold)
        await note_again(self.connection, again, now=now)
        return erased + derived

    async def conversations(self, keys: Sequence[ConversationKey], *, now: datetime) -> Erased:
        """Erase conversations that have no messages any more."""
        inside = t.memory_item.c.conversation_key.in_(keys)
        again = await said_elsewhere(self.connection, and_(inside, _is_fact()), true())
        erased = await self._items(inside, now=now)
        await self.connection.execute(delete(t.conversation).where(t.conversation.c.key.in_(keys)))
        await note_again(self.connection, again, now=now)
        return erased

    async def memory_items(self, scope: ScopeKey, *, limit: int, now: datetime) -> Erased:
        """Erase up to `limit` memory items of a scope."""
        i = t.memory_item.c
        whole = select(i.key).where(i.scope_key == scope, i.parent_key.is_(None))
        return await self._items(i.key.in_(whole.order_by(i.key).limit(limit)), now=now)

    async def bundles_of_user(self, subject: str) -> int:
        """Erase the receipts of all that a user asked, also before there was a scope; how many."""
        told = delete(d.bundle).where(
            d.bundle.c.tenant == self.tenant, d.bundle.c.subject == subject
        )
        return (await self.connection.execute(told)).rowcount

    async def answers(self, about: ColumnElement[bool]) -> None:
        """Erase what is answered under idempotency keys: a retry finds nothing of before."""
        await self.connection.execute(delete(d.idempotency).where(about))

    async def _summed_up(self, items: ColumnElement[bool]) -> Sequence[ConversationKey]:
        """The conversations that any of the items sums up."""
        i = t.memory_item.c
        wanted = select(i.conversation_key).where(items, i.type == ItemType.SUMMARY.value)
        rows = (await self.connection.execute(wanted.distinct())).scalars()
        return tuple(sorted(ConversationKey(key) for key in rows if key is not None))

    async def _items(self, condition: ColumnElement[bool], *, now: datetime) -> Erased:
        """Erase memory items; of the conversations that they are in, others stay."""
        erased = await erase_items(self.connection, self.tenant, condition, now=now)
        return replace(erased, conversations=())


def _is_fact() -> ColumnElement[bool]:
    return t.memory_item.c.type == ItemType.FACT.value


def _doomed(condition: ColumnElement[bool]) -> Select[Any]:
    m, c = t.message.c, t.conversation.c
    return (
        select(m.conversation_key, c.archived)
        .join(t.conversation, c.key == m.conversation_key)
        .where(condition)
    )
