from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import uuid4

from sqlalchemy import delete, insert, literal, select, update

from app.adapters.sql import tables as t
from app.adapters.sql.derived.erasing import erase_items
from app.adapters.sql.dialect import insert_or_replace, keys_added
from app.adapters.sql.full_text.asking import full_text
from app.adapters.sql.full_text.entries import Entry
from app.adapters.sql.items.by_subject import SqlItemsBySubject
from app.adapters.sql.items.full_text import entries_held, unindex_items
from app.adapters.sql.items.timeline import earliest, superseded
from app.adapters.sql.items.unwanted import refuse, take
from app.adapters.sql.narrowing.items import will_sum_up_several
from app.adapters.sql.one_hop import UNREAD
from app.adapters.sql.projecting.embeddings import forget_embeddings
from app.adapters.sql.projecting.outbox import enqueue
from app.adapters.sql.said.counters import terms_in
from app.adapters.sql.said.scopes import SqlScopes, hold_scopes
from app.domain.errors import MessageNotFound, NeverValid
from app.domain.ids import ItemId, ItemKey, MessageId, ScopeKey
from app.domain.memories import Memory, MemoryChanges
from app.domain.memory import Table, item_key, table_and_row
from app.ports.stored import PlacedMemory, PreparedChunk, PreparedMemory


@dataclass(frozen=True, slots=True)
class SqlItemWriter(SqlItemsBySubject):
    """The same, to be changed. Vectors follow through the outbox."""

    async def lock(self, scope: ScopeKey, messages: Sequence[MessageId]) -> None:
        """Conversations first, as whoever appends and whoever erases take them."""
        m = t.message.c
        wanted = select(m.id, m.conversation_key).where(m.id.in_(messages), m.scope_key == scope)
        found = (await self.connection.execute(wanted)).all() if messages else []
        if missing := set(messages) - {row.id for row in found}:
            raise MessageNotFound(message_id=str(min(missing)))
        inside = sorted({row.conversation_key for row in found})
        c = t.conversation.c
        held = select(c.key).where(c.key.in_(inside)).order_by(c.key)
        if inside:
            await self.connection.execute(held.with_for_update(read=True, key_share=True))
        await hold_scopes(self.connection, [scope])

    async def take(self, item: Memory) -> None:
        await take(self.connection, item)

    async def refuse(self, item: Memory) -> None:
        await refuse(self.connection, item)

    async def drop(self, old: Memory, *, now: datetime) -> None:
        """Erase what nobody would derive any more."""
        own = t.memory_item.c.key == table_and_row(old.key)[1]
        await erase_items(self.connection, self.tenant, own, now=now)

    async def add(self, placed: PlacedMemory, *, now: datetime) -> ItemKey:
        prepared = placed.prepared
        row = _row(placed, now=now)
        (key,) = await keys_added(self.connection, t.memory_item, [row])
        parts = [_part(row, key, at, part) for at, part in enumerate(prepared.parts)]
        keys = await keys_added(self.connection, t.memory_item, parts) if parts else [key]
        terms = [part.terms for part in prepared.parts] or [prepared.terms]
        whole = item_key(Table.MEMORY, key)
        entries = [
            Entry(
                key=item_key(Table.MEMORY, each),
                scope=placed.scope,
                conversation=placed.conversation,
                terms=told,
                item=whole,
            )
            for each, told in zip(keys, terms, strict=True)
        ]
        shown = [] if placed.archived else entries
        in_words = [] if will_sum_up_several(placed) else shown
        await self._index(placed.scope, [each.key for each in shown], in_words, now=now)
        found_at = now if prepared.new.derived else None
        await self.derive(placed.scope, whole, prepared.new.derived_from, found_at=found_at)
        return whole

    async def supersede(self, old: Memory, *, by: ItemKey, now: datetime) -> None:
        row, heir = table_and_row(old.key)[1], table_and_row(by)[1]
        keys = await superseded(self.connection, row, by=heir, now=now)
        await enqueue(self.connection, self.tenant, old.scope, keys, now=now)

    async def release(self, old: Memory, *, now: datetime) -> Sequence[ItemId]:
        i, row = t.memory_item.c, table_and_row(old.key)[1]
        ended = select(i.key, i.id).where(i.superseded_by == row, i.parent_key.is_(None))
        freed = (await self.connection.execute(ended.order_by(i.valid_from, i.key))).all()
        keys = list[ItemKey]()
        for each in (*(one.key for one in freed), row):
            keys += await superseded(self.connection, each, by=None, now=now)
        await enqueue(self.connection, self.tenant, old.scope, keys, now=now)
        return [ItemId(each.id) for each in freed]

    async def derive(
        self,
        scope: ScopeKey,
        key: ItemKey,
        messages: Sequence[MessageId],
        *,
        reworded: bool = False,
        found_at: datetime | None = None,
    ) -> None:
        if not messages:
            return
        m = t.message.c
        ours = (m.id.in_(messages), m.scope_key == scope)
        wanted = select(m.key).where(*ours).order_by(m.key)
        found = (await self.connection.execute(wanted)).scalars()
        own = {"item_key": table_and_row(key)[1], "reworded": reworded, "found_at": found_at}
        rows = [{**own, "message_key": each} for each in found]
        if not rows:
            return
        edges = insert_or_replace(
            self.connection, t.lineage, key=["item_key", "message_key"], values=["found_at"]
        )
        await self.connection.execute(edges, rows, execution_options=UNREAD)

    async def change(
        self, old: Memory, changes: MemoryChanges, fresh: PreparedMemory | None, *, now: datetime
    ) -> None:
        row = table_and_row(old.key)[1]
        if fresh is not None:
            row = await self._replace(old, fresh, now=now)
        i = t.memory_item.c
        values = {name: getattr(changes, name) for name in changes.given - {"content", "valid_to"}}
        if values.get("valid_from", old.valid_from) is None:
            values["valid_from"] = old.created_at
        values |= await self._ends(old, changes, values.get("valid_from", old.valid_from))
        values |= {"updated_at": now}
        await self.connection.execute(
            update(t.memory_item).where(i.key == row).values(values), execution_options=UNREAD
        )
        before = select(i.key).where(i.superseded_by == row, i.parent_key.is_(None))
        keys = [item_key(Table.MEMORY, row)]
        for each in list((await self.connection.execute(before)).scalars()):
            keys += await superseded(self.connection, each, by=row, now=now)
        await enqueue(self.connection, self.tenant, old.scope, keys, now=now)
        await SqlScopes(self.connection, self.tenant).touch(old.scope)

    async def _ends(
        self, old: Memory, changes: MemoryChanges, begins: datetime
    ) -> Mapping[str, datetime | None]:
        ends_at = changes.valid_to if "valid_to" in changes.given else old.ends_at
        heir = await self._heir_begins(old)
        valid_to = earliest(ends_at, heir)
        if valid_to is not None and valid_to <= begins:
            raise NeverValid(valid_from=begins, valid_to=valid_to)
        return {"ends_at": ends_at, "valid_to": valid_to}

    async def _heir_begins(self, old: Memory) -> datetime | None:
        i = t.memory_item.c
        wanted = select(i.valid_from).where(i.id == old.superseded_by)
        return (await self.connection.execute(wanted)).scalar_one_or_none()

    async def _replace(self, old: Memory, fresh: PreparedMemory, *, now: datetime) -> int:
        """
        Give an item other content, and with it another key: a vector of the old text that an
        indexer is still working at cannot be taken for one of the new.
        """
        i, row = t.memory_item.c, table_and_row(old.key)[1]
        await unindex_items(self.connection, i.key == row)
        await forget_embeddings(self.connection, [old.key])
        await self.connection.execute(
            update(t.memory_item).where(i.key == row).values(id=uuid4()), execution_options=UNREAD
        )
        key = await self._copy(row, old, fresh)
        for edges, column in (
            (t.lineage, "item_key"),
            (t.profile_entry, "item_key"),
            (t.memory_item, "superseded_by"),
        ):
            moved = update(edges).where(edges.c[column] == row)
            await self.connection.execute(moved.values({column: key}), execution_options=UNREAD)
        await self.connection.execute(
            delete(t.memory_item).where(i.key == row), execution_options=UNREAD
        )
        await enqueue(self.connection, self.tenant, old.scope, [old.key], now=now)
        own = [item_key(Table.MEMORY, key)]
        held = await entries_held(self.connection, i.key == key)
        await self._index(old.scope, own, held, now=now)
        return key

    async def _copy(self, row: int, old: Memory, fresh: PreparedMemory) -> int:
        i = t.memory_item.c
        counted = {
            "id": literal(old.id, i.id.type),
            "content": literal(fresh.new.content),
            "tokens": literal(fresh.tokens),
            "content_hash": literal(fresh.content_hash, i.content_hash.type),
            "terms": literal(fresh.bag, i.terms.type),
        }
        names = [each.name for each in i if each.name != "key"]
        same = select(*(counted.get(name, i[name]) for name in names)).where(i.key == row)
        copied = insert(t.memory_item).from_select(names, same).returning(i.key)
        return int((await self.connection.execute(copied)).scalar_one())

    async def _index(
        self, scope: ScopeKey, keys: Sequence[ItemKey], entries: Sequence[Entry], *, now: datetime
    ) -> None:
        await full_text(self.connection).add(entries)
        await enqueue(self.connection, self.tenant, scope, keys, now=now)
        scopes = SqlScopes(self.connection, self.tenant)
        await scopes.touch(scope, messages=len(entries), terms=terms_in(entries))


def _row(placed: PlacedMemory, *, now: datetime) -> dict[str, object]:
    prepared, new = placed.prepared, placed.prepared.new
    heir = placed.superseded_by
    return {
        "id": prepared.id,
        "scope_key": placed.scope,
        "conversation_key": placed.conversation,
        "parent_key": None,
        "position": 0,
        "start": None,
        "stop": None,
        "parts": len(prepared.parts),
        "type": new.type.value,
        "subject": new.subject,
        "content": new.content,
        "source": new.source,
        "importance": new.importance,
        "metadata": new.metadata,
        "tokens": prepared.tokens,
        "content_hash": prepared.content_hash,
        "terms": prepared.bag,
        "created_at": new.created_at or now,
        "updated_at": now,
        "valid_from": placed.valid_from,
        "ends_at": new.valid_to,
        "valid_to": placed.valid_to,
        "expires_at": new.expires_at,
        "superseded_by": None if heir is None else table_and_row(heir)[1],
        "derived": new.derived,
    }


def _part(
    whole: Mapping[str, object], key: int, position: int, part: PreparedChunk
) -> dict[str, object]:
    """A row as its document, but for what it says."""
    return {
        **whole,
        "id": part.id,
        "parent_key": key,
        "position": position,
        "start": part.span.start,
        "stop": part.span.stop,
        "parts": 0,
        "content": part.content,
        "metadata": {},
        "tokens": part.tokens,
        "content_hash": part.content_hash,
        "terms": part.bag,
    }
