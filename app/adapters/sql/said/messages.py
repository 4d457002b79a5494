from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Row,
    Select,
    Subquery,
    bindparam,
    func,
    literal,
    or_,
    select,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql.cursors import decode_cursor, encode_cursor
from app.adapters.sql.dialect import numbers, octets
from app.domain.conversation import Message, Rating, Role
from app.domain.errors import MessageNotFound
from app.domain.ids import (
    ConversationId,
    ConversationKey,
    MessageId,
    MessageKey,
    ScopeKey,
    TenantId,
)
from app.ports.stored import PAGE_BYTES, Page, StoredMessage


@dataclass(frozen=True, slots=True)
class SqlMessages:
    """The messages of one tenant, in the order they were said."""

    connection: AsyncConnection
    tenant: TenantId

    async def get(self, keys: Sequence[MessageKey]) -> Sequence[Message]:
        wanted = self._all().where(t.message.c.key.in_(keys)).order_by(t.message.c.position)
        return [_message(row) for row in await self.connection.execute(wanted)]

    async def one(self, message_id: MessageId) -> Message:
        wanted = self._all().where(t.message.c.id == message_id)
        row = (await self.connection.execute(wanted)).one_or_none()
        if row is None:
            raise MessageNotFound(message_id=str(message_id))
        return _message(row)

    async def page(
        self,
        conversation: ConversationKey,
        *,
        cursor: str | None,
        limit: int,
        newest_first: bool,
        most_bytes: int = PAGE_BYTES,
    ) -> Page[Message]:
        position = t.message.c.position
        following = self._weights(t.message.c.conversation_key == conversation)
        if cursor:
            (place,) = decode_cursor(cursor, parts=1)
            last = literal(place, BigInteger)  # a forged one may be larger than any position
            following = following.where(position < last if newest_first else position > last)
        way = position.desc() if newest_first else position
        summed = _summed(following.order_by(way).limit(limit + 1), newest_first=newest_first)
        fits = or_(summed.c.place == 1, summed.c.weight <= most_bytes)
        wanted = (
            self._all()
            .add_columns(summed.c.found)
            .join(summed, summed.c.key == t.message.c.key)
            .where(summed.c.place <= limit, fits)
            .order_by(way)
        )
        rows = (await self.connection.execute(wanted)).all()
        items = [_message(row) for row in rows]
        more = bool(rows) and rows[0].found > len(rows)
        return Page(items=items, next_cursor=encode_cursor([items[-1].position]) if more else None)

    async def of_several(
        self, several: Sequence[ConversationKey]
    ) -> Mapping[ConversationKey, Sequence[Message]]:
        """All that was said in these conversations."""
        c = t.message.c
        wanted = self._all().where(c.conversation_key.in_(numbers(several)))
        said: dict[ConversationKey, list[Message]] = {each: [] for each in several}
        for row in await self.connection.execute(wanted.order_by(c.conversation_key, c.position)):
            said[ConversationKey(row.conversation_key)].append(_message(row))
        return said

    async def weights(self, several: Sequence[ConversationKey]) -> Mapping[ConversationKey, int]:
        """Bytes of all that was said in each of these conversations; 0 where nothing was."""
        weighed = self._weights(t.message.c.conversation_key.in_(numbers(several))).subquery().c
        wanted = select(weighed.conversation_key, func.sum(weighed.weight).label("weight"))
        rows = await self.connection.execute(wanted.group_by(weighed.conversation_key))
        found = {ConversationKey(row.conversation_key): int(row.weight) for row in rows}
        return {each: found.get(each, 0) for each in several}

    async def stored(
        self,
        conversation: ConversationKey,
        *,
        external_ids: Sequence[str],
        content_hashes: Sequence[bytes],
        last: int,
        ids: Sequence[MessageId] = (),
    ) -> Sequence[StoredMessage]:
        asked = {
            "of_tenant": self.tenant,
            "inside": conversation,
            "names": list(external_ids),
            "hashes": list(content_hashes),
            "most": last,
        }
        if ids:
            rows = await self.connection.execute(_ALIKE_BY_ID, {**asked, "ids": list(ids)})
        else:
            rows = await self.connection.execute(_ALIKE, asked)
        return [StoredMessage(**row._mapping) for row in rows]  # noqa: SLF001  (SQLAlchemy's public name)

    async def scope_of(self, message_id: MessageId) -> tuple[ConversationKey, ScopeKey]:
        wanted = (
            select(t.message.c.conversation_key, t.message.c.scope_key)
            .join(t.conversation, t.conversation.c.key == t.message.c.conversation_key)
            .join(t.scope, t.scope.c.key == t.conversation.c.scope_key)
            .where(t.message.c.id == message_id, t.scope.c.tenant == self.tenant)
        )
        row = (await self.connection.execute(wanted)).one_or_none()
        if row is None:
            raise MessageNotFound(message_id=str(message_id))
        return ConversationKey(row.conversation_key), ScopeKey(row.scope_key)

    def _weights(self, within: ColumnElement[bool]) -> Select[Any]:
        """What each message weighs: the database tells, so that nobody has to read it."""
        c = t.message.c
        parts = (octets(self.connection, each) for each in (c.content, c.tool_calls, c.metadata))
        weight = reduce(add, parts).label("weight")
        return select(c.key, c.conversation_key, c.position, weight).where(within)

    def _all(self) -> Select[Any]:
        return (
            select(t.message, t.conversation.c.id.label("conversation_id"))
            .join(t.conversation, t.conversation.c.key == t.message.c.conversation_key)
            .join(t.scope, t.scope.c.key == t.conversation.c.scope_key)
            .where(t.scope.c.tenant == self.tenant)
        )


def _summed(weights: Select[Any], *, newest_first: bool) -> Subquery:
    """Each with its place, what those up to it weigh together, and how many were found."""
    c = weights.subquery("following").c
    way = c.position.desc() if newest_first else c.position
    return select(
        c.key,
        func.row_number().over(order_by=way).label("place"),
        func.sum(c.weight).over(order_by=way).label("weight"),
        func.count().over().label("found"),
    ).subquery("summed")


def rating_of(rated: int | None, tags: Mapping[str, Any] | None) -> Rating | None:
    if rated is None or tags is None:
        return None
    return Rating(kind=tags["kind"], importance=rated, topics=tags["topics"])


def _message(row: Row[Any]) -> Message:
    return Message(
        key=MessageKey(row.key),
        id=MessageId(row.id),
        conversation_id=ConversationId(row.conversation_id),
        position=row.position,
        external_id=row.external_id,
        role=Role(row.role),
        name=row.name,
        content=row.content,
        tool_calls=row.tool_calls,
        tool_call_id=row.tool_call_id,
        importance=row.importance,
        metadata=row.metadata,
        created_at=row.created_at,
        tokens=row.tokens,
        echo=[(start, stop) for start, stop in row.echo or ()],
        unwanted=frozenset(row.unwanted or ()),
        rating=rating_of(row.rated, row.tags),
        aside=row.aside,
    )


def _alike(*more: ColumnElement[bool]) -> Select[Any]:
    """Of a conversation the newest messages, and those of these names, these words or `more`."""
    c = t.message.c
    inside = c.conversation_key == bindparam("inside")
    newest = select(c.key).where(inside).order_by(c.position.desc()).limit(bindparam("most"))
    named = c.external_id.in_(bindparam("names", expanding=True))
    said = c.content_hash.in_(bindparam("hashes", expanding=True))
    return (
        select(c.id, c.position, c.external_id, c.role, c.name, c.content_hash, c.created_at)
        .join(t.scope, t.scope.c.key == c.scope_key)
        .where(
            t.scope.c.tenant == bindparam("of_tenant"),
            inside,
            or_(c.key.in_(newest), named, said, *more),
        )
        .order_by(c.position)
    )


_ALIKE = _alike()
_ALIKE_BY_ID = _alike(t.message.c.id.in_(bindparam("ids", expanding=True)))
"""Made once: they belong to every turn."""
