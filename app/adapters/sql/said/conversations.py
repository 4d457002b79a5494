from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Row,
    Select,
    delete,
    insert,
    select,
    tuple_,
    type_coerce,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql.cursors import decode_cursor, encode_cursor
from app.adapters.sql.dialect import is_postgres, keys_added, take_name
from app.adapters.sql.fetch import answered
from app.adapters.sql.narrowing.conversations import filter_conditions, listed_conditions
from app.adapters.sql.one_hop import UNREAD
from app.adapters.sql.said.conversation_rows import (
    ALL,
    BY_ID,
    BY_KEY,
    BY_NAME,
    LAST_POSITION,
    LOCKED,
    TAGS,
    conversation_of,
    is_of,
)
from app.adapters.sql.said.labels import Labelled, add_labels, forget_labels, labelled
from app.adapters.sql.types import Key, to_micros
from app.domain.context import Filters
from app.domain.conversation import (
    Conversation,
    ConversationChanges,
    ConversationFilter,
    NewConversation,
    Scope,
)
from app.domain.errors import ConversationNotFound
from app.domain.ids import ConversationId, ConversationKey, ScopeKey, TenantId
from app.ports.stored import Page

_AT_ONCE = 500
"""Names in one statement."""


@dataclass(frozen=True, slots=True)
class SqlConversations:
    """Conversations of one tenant, without their messages."""

    connection: AsyncConnection
    tenant: TenantId

    async def get(self, conversation_id: ConversationId) -> Conversation:
        found = await self._one(BY_ID, the_id=conversation_id)
        if found is None:
            raise ConversationNotFound(conversation_id=str(conversation_id))
        return found

    async def find_key(self, key: ConversationKey) -> Conversation | None:
        return await self._one(BY_KEY, the_key=key)

    async def find(self, scope: ScopeKey, external_id: str) -> Conversation | None:
        return await self._one(BY_NAME, of_scope=scope, named=external_id)

    async def named(self, scope: ScopeKey, external_ids: Collection[str]) -> Sequence[Conversation]:
        c = t.conversation.c
        names, rows = sorted(external_ids), list[Row[Any]]()
        for at in range(0, len(names), _AT_ONCE):
            wanted = c.external_id.in_(names[at : at + _AT_ONCE])
            rows += await self._rows(ALL.where(c.scope_key == scope, wanted))
        return await self._with_tags(sorted(rows, key=lambda row: row.key))

    async def going_beyond(
        self, scope: ScopeKey, external_id: str, *, position: int
    ) -> Sequence[Conversation]:
        c, said = t.conversation.c, t.message.c
        found = (
            ALL.join(t.message, said.conversation_key == c.key)
            .where(
                c.scope_key == scope,
                c.message_count > position + 1,
                said.position == position,
                said.external_id == external_id,
            )
            .order_by(c.key)
        )
        return await self._with_tags(await self._rows(found))

    async def claim(self, scope: ScopeKey, external_id: str) -> Conversation | None:
        await take_name(self.connection, _claimed(scope, external_id))
        return await self.find(scope, external_id)

    async def take(self, claims: Collection[tuple[ScopeKey, str]]) -> None:
        """In one order, whoever does it."""
        if not is_postgres(self.connection) or not claims:
            return
        for scope, external_id in sorted(claims):
            await take_name(self.connection, _claimed(scope, external_id))
        c = t.conversation.c
        named = tuple_(c.scope_key, c.external_id).in_(sorted(claims))
        locked = select(c.key).where(named, self._is_ours()).order_by(c.key)
        await self.connection.execute(locked.with_for_update())

    async def page(
        self, wanted: ConversationFilter, *, cursor: str | None, limit: int
    ) -> Page[Conversation]:
        newest_first = ALL.where(*listed_conditions(wanted))
        micros = type_coerce(t.conversation.c.created_at, BigInteger)
        if cursor:
            created_at, key = decode_cursor(cursor, parts=2)
            last_place = tuple_(created_at, key, types=[BigInteger(), Key])
            newest_first = newest_first.where(tuple_(micros, t.conversation.c.key) < last_place)
        newest_first = newest_first.order_by(
            t.conversation.c.created_at.desc(), t.conversation.c.key.desc()
        )
        rows = await self._rows(newest_first.limit(limit + 1))
        items = await self._with_tags(rows[:limit])
        more = len(rows) > limit
        last = items[-1] if more else None
        return Page(
            items=items,
            next_cursor=encode_cursor([to_micros(last.created_at), last.key]) if last else None,
        )

    async def stored(self, scope: ScopeKey, *, after: int, limit: int) -> Sequence[Conversation]:
        """Those of a scope in the order in which they were stored, behind the key `after`."""
        c = t.conversation.c
        behind = ALL.where(c.scope_key == scope, c.key > after).order_by(c.key)
        return await self._with_tags(await self._rows(behind.limit(limit)))

    async def labelled(
        self, scopes: Sequence[ScopeKey], *, terms: Collection[str], limit: int
    ) -> Mapping[ConversationKey, str]:
        reading = labelled(scopes, self.tenant, terms=terms, limit=limit)
        return await answered(self.connection, reading)

    async def matching(
        self, scope: ScopeKey, filters: Filters
    ) -> frozenset[ConversationKey] | None:
        conditions = filter_conditions(filters)
        if not conditions:
            return None
        keys = select(t.conversation.c.key).where(
            t.conversation.c.scope_key == scope, self._is_ours(), *conditions
        )
        return frozenset((await self.connection.execute(keys)).scalars())

    async def keys(
        self, scope: ScopeKey, ids: Sequence[ConversationId]
    ) -> frozenset[ConversationKey]:
        if not ids:
            return frozenset()
        wanted = select(t.conversation.c.key).where(
            t.conversation.c.scope_key == scope, self._is_ours(), t.conversation.c.id.in_(ids)
        )
        return frozenset((await self.connection.execute(wanted)).scalars())

    async def add(
        self, new: NewConversation, *, conversation_id: ConversationId, scope: Scope, now: datetime
    ) -> Conversation:
        row: dict[str, Any] = {
            "id": conversation_id,
            "scope_key": scope.key,
            "external_id": new.external_id,
            "label": new.label,
            "folder": new.folder,
            "importance": new.importance,
            "metadata": new.metadata,
            "system_prompt": new.system_prompt,
            "archived": new.archived,
            "created_at": new.created_at or now,
            "updated_at": new.updated_at or now,
            "written_at": now,
            "message_count": 0,
            "token_count": 0,
            "last_message_at": None,
        }
        (added,) = await keys_added(self.connection, t.conversation, [row])
        key = ConversationKey(added)
        await self._tag(key, new.tags)
        await add_labels(self.connection, [_found_by(key, scope.key, new.label, new.archived)])
        stored = {name: value for name, value in row.items() if name != "scope_key"}
        return Conversation(
            key=key,
            scope=scope.key,
            user_id=scope.user_id,
            tags=list(dict.fromkeys(new.tags)),
            **stored,
        )

    async def change(
        self, key: ConversationKey, changes: ConversationChanges, *, now: datetime
    ) -> None:
        columns = changes.given - {"tags"}
        values = {name: getattr(changes, name) for name in columns}
        values |= {"updated_at": now, "written_at": now}
        c = t.conversation.c
        ours = update(t.conversation).where(c.key == key, self._is_ours()).values(values)
        told = ours.returning(c.scope_key, c.label, c.archived)
        changed = (await self.connection.execute(told)).one_or_none()
        if changed is None:
            raise ConversationNotFound("it was deleted meanwhile")
        if columns & {"label", "archived"}:
            await forget_labels(self.connection, [key])
            await add_labels(self.connection, [_found_by(key, *changed)])
        if "tags" in changes.given:
            await self.connection.execute(
                delete(t.conversation_tag).where(t.conversation_tag.c.conversation_key == key)
            )
            await self._tag(key, changes.tags)

    async def date(self, key: ConversationKey, *, updated_at: datetime) -> None:
        c = t.conversation.c
        await self.connection.execute(
            update(t.conversation)
            .where(c.key == key, self._is_ours())
            .values(updated_at=updated_at)
        )

    async def lock(self, key: ConversationKey) -> int:
        """On SQLite the transaction is the only writer already; the clause is left out there."""
        asked = {"the_key": key, "of_tenant": self.tenant}
        if (await self.connection.execute(LOCKED, asked)).first() is None:
            raise ConversationNotFound("it was deleted meanwhile")
        found = (
            await self.connection.execute(LAST_POSITION, {"the_key": key})
        ).scalar_one_or_none()
        return 0 if found is None else found + 1

    async def _tag(self, key: ConversationKey, tags: Sequence[str]) -> None:
        distinct = list(dict.fromkeys(tags))
        rows = [
            {"conversation_key": key, "position": position, "tag": tag}
            for position, tag in enumerate(distinct)
        ]
        if rows:
            await self.connection.execute(
                insert(t.conversation_tag), rows, execution_options=UNREAD
            )

    def _is_ours(self) -> ColumnElement[bool]:
        return is_of(self.tenant)

    async def _rows(self, wanted: Select[Any], **asked: object) -> Sequence[Row[Any]]:
        found = await self.connection.execute(wanted, {"of_tenant": self.tenant, **asked})
        return cast("Sequence[Row[Any]]", found.all())

    async def _one(self, wanted: Select[Any], **asked: object) -> Conversation | None:
        rows = await self._rows(wanted, **asked)
        return (await self._with_tags(rows))[0] if rows else None

    async def _with_tags(self, rows: Sequence[Row[Any]]) -> list[Conversation]:
        tags: dict[int, list[str]] = {row.key: [] for row in rows}
        for key, tag in await self.connection.execute(TAGS, {"the_keys": list(tags)}):
            tags[key].append(tag)
        return [conversation_of(row, tags) for row in rows]


def _found_by(key: int, scope: int, label: str | None, archived: bool) -> Labelled:  # noqa: FBT001  (the columns of a row)
    return Labelled(key, scope, None if archived else label)


def _claimed(scope: ScopeKey, external_id: str) -> str:
    return f"conversation {scope} {external_id}"
