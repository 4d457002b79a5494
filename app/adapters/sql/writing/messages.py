"""Messages stored, and with archived conversations taken out of the indexes and put back."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import ColumnElement, Update, and_, bindparam, case, or_, select, update

from app.adapters.sql import tables as t
from app.adapters.sql.answers.receipts import forget_shown
from app.adapters.sql.derived.notes import note
from app.adapters.sql.derived.period_notes import retell
from app.adapters.sql.dialect import keys_added, numbers
from app.adapters.sql.full_text.asking import full_text
from app.adapters.sql.full_text.entries import Entry
from app.adapters.sql.full_text.rebuild_window import built, items_built
from app.adapters.sql.items.pieces import item_keys_of, item_pieces_of
from app.adapters.sql.one_hop import UNREAD
from app.adapters.sql.projecting.lead_in import hold_near, lead_in_again, lead_ins
from app.adapters.sql.projecting.outbox import enqueue
from app.adapters.sql.said.counters import terms_in
from app.adapters.sql.said.messages import SqlMessages
from app.adapters.sql.said.pieces import Pieces, add_chunks, embedded_keys, keys_of, pieces_of
from app.adapters.sql.said.scopes import SqlScopes
from app.domain.conversation import Conversation, Rating, Way
from app.domain.ids import ItemKey, MessageKey, ScopeKey
from app.domain.memory import Table, item_key
from app.ports.stored import PreparedMessage

_AT_ONCE = 500
"""Names in one statement."""


@dataclass(frozen=True, slots=True)
class SqlMessageWriter(SqlMessages):
    async def append(
        self, conversation: Conversation, messages: Sequence[PreparedMessage], *, now: datetime
    ) -> Sequence[ItemKey]:
        if not messages:
            return []
        rows = [_row(conversation, each) for each in messages]
        keys = [MessageKey(key) for key in await keys_added(self.connection, t.message, rows)]
        await self._count(conversation, messages, now=now)
        pieces = await self._pieces(conversation, keys, messages)
        if conversation.archived:
            return []
        await self._index(conversation, pieces, now=now)
        await note(self.connection, [conversation.key], now=now)
        return pieces.keys

    async def unindex(self, conversation: Conversation, *, now: datetime) -> None:
        keys, held = await self._keys(conversation), await self._held(conversation)
        await full_text(self.connection).remove(held.entries)
        await enqueue(self.connection, self.tenant, conversation.scope, keys, now=now)
        await self._touch(conversation, held, sign=-1)
        said = (await self.connection.execute(embedded_keys(_in(conversation)))).scalars()
        shown = {*keys, *said}  # also what systems said, which is in no index
        await forget_shown(self.connection, shown, scopes=[conversation.scope])
        await retell(self.connection, self.tenant, conversation, now=now)

    async def reindex(self, conversation: Conversation, *, now: datetime) -> None:
        keys, held = await self._keys(conversation), await self._held(conversation)
        await self._index(conversation, replace(held, keys=keys), now=now)
        await retell(self.connection, self.tenant, conversation, now=now)
        await note(self.connection, [conversation.key], now=now)

    async def take_ways(self, ways: Sequence[tuple[Conversation, Way]], *, now: datetime) -> None:
        """Scopes before messages, and of each the lower keys first, as all who take several do."""
        turned: dict[bool, list[int]] = {False: [], True: []}
        scopes: set[ScopeKey] = set()
        for conversation, way in ways:
            for names, aside in ((way.current, False), (way.left, True)):
                if keys := await self._other(conversation, names, aside=aside):
                    turned[aside] += keys
                    scopes.add(conversation.scope)
        if not scopes:
            return
        for scope in sorted(scopes):
            await SqlScopes(self.connection, self.tenant).touch(scope)
        near = await hold_near(self.connection, [*turned[False], *turned[True]])
        before = await lead_ins(self.connection, [key for _, key in near])
        for aside, keys in turned.items():
            here = t.message.c.key.in_(numbers(keys))
            marked = update(t.message).where(here).values(aside=aside)
            await self.connection.execute(marked, execution_options=UNREAD)
        after = await lead_ins(self.connection, [key for _, key in near])
        led = [each for each in near if before.get(each[1]) != after.get(each[1])]
        await lead_in_again(self.connection, self.tenant, led, now=now)

    async def _other(
        self, conversation: Conversation, names: Collection[str], *, aside: bool
    ) -> list[int]:
        """Of the messages that have these names those that are not as they are to be."""
        c, wanted, found = t.message.c, sorted(names), list[int]()
        for at in range(0, len(wanted), _AT_ONCE):
            some = (c.external_id.in_(wanted[at : at + _AT_ONCE]), c.aside.is_(not aside))
            keys = select(c.key).where(_in(conversation), *some)
            found += (await self.connection.execute(keys)).scalars()
        return found

    async def _held(self, conversation: Conversation) -> Pieces:
        """What full text may hold of a conversation; not what a rebuild has yet to bring."""
        messages = and_(_in(conversation), await built(self.connection))
        items = and_(_about(conversation), await items_built(self.connection))
        return await pieces_of(self.connection, messages) + await item_pieces_of(
            self.connection, items
        )

    async def _keys(self, conversation: Conversation) -> Sequence[ItemKey]:
        """Of all that the indexes hold of a conversation that is not archived."""
        return [
            *await keys_of(self.connection, _in(conversation)),
            *await item_keys_of(self.connection, _about(conversation)),
        ]

    async def _pieces(
        self,
        conversation: Conversation,
        keys: Sequence[MessageKey],
        messages: Sequence[PreparedMessage],
    ) -> Pieces:
        """What the indexes will hold of messages just stored under `keys`; stores the chunks."""
        pairs = list(zip(keys, messages, strict=True))
        chunks = [(key, each.chunks) for key, each in pairs]
        chunk_keys = await add_chunks(self.connection, conversation.scope, chunks)
        recalled = [(key, each) for key, each in pairs if each.bag is not None]
        message_keys = [item_key(Table.MESSAGE, key) for key, _ in recalled]
        chunk_terms = [chunk.terms for _, several in chunks for chunk in several]
        terms = [
            *(
                (key, each.terms)
                for key, (_, each) in zip(message_keys, recalled, strict=True)
                if not each.chunks
            ),
            *zip(chunk_keys, chunk_terms, strict=True),
        ]
        return Pieces(
            keys=[*chunk_keys, *message_keys],
            entries=[
                Entry(key=key, scope=conversation.scope, conversation=conversation.key, terms=each)
                for key, each in terms
            ],
        )

    async def _index(self, conversation: Conversation, pieces: Pieces, *, now: datetime) -> None:
        await full_text(self.connection).add(pieces.entries)
        await enqueue(self.connection, self.tenant, conversation.scope, pieces.keys, now=now)
        await self._touch(conversation, pieces, sign=1)

    async def _touch(self, conversation: Conversation, pieces: Pieces, *, sign: int) -> None:
        scopes = SqlScopes(self.connection, self.tenant)
        messages, terms = sign * len(pieces.entries), sign * terms_in(pieces.entries)
        await scopes.touch(conversation.scope, messages=messages, terms=terms)

    async def _count(
        self, conversation: Conversation, messages: Sequence[PreparedMessage], *, now: datetime
    ) -> None:
        asked = {
            "of_conversation": conversation.key,
            "said": len(messages),
            "long": sum(each.message.tokens for each in messages),
            "latest": max((each.message.created_at for each in messages), default=None),
            "moment": now,
        }
        await self.connection.execute(_COUNTED, asked, execution_options=UNREAD)


def _counted() -> Update:
    c = t.conversation.c
    before, latest = c.last_message_at, bindparam("latest", type_=c.last_message_at.type)
    return (
        update(t.conversation)
        .where(c.key == bindparam("of_conversation"))
        .values(
            message_count=c.message_count + bindparam("said"),
            token_count=c.token_count + bindparam("long"),
            last_message_at=case((or_(before.is_(None), before < latest), latest), else_=before),
            updated_at=bindparam("moment"),
            written_at=bindparam("moment"),
        )
    )


_COUNTED = _counted()
"""Made once: it belongs to every turn."""


def _in(conversation: Conversation) -> ColumnElement[bool]:
    return t.message.c.conversation_key == conversation.key


def _about(conversation: Conversation) -> ColumnElement[bool]:
    return t.memory_item.c.conversation_key == conversation.key


def _row(conversation: Conversation, prepared: PreparedMessage) -> dict[str, object]:
    message = prepared.message
    return {
        "id": message.id,
        "conversation_key": conversation.key,
        "scope_key": conversation.scope,
        "position": message.position,
        "external_id": message.external_id,
        "role": message.role.value,
        "name": message.name,
        "content": message.content,
        "tool_calls": message.tool_calls,
        "tool_call_id": message.tool_call_id,
        "importance": message.importance,
        "metadata": message.metadata,
        "created_at": message.created_at,
        "tokens": message.tokens,
        "content_hash": prepared.content_hash,
        "terms": prepared.bag,
        "chunks": len(prepared.chunks),
        "echo": list(message.echo) or None,
        "unwanted": sorted(message.unwanted) or None,
        "aside": message.aside,
        **_rated(message.rating),
    }


def _rated(rating: Rating | None) -> dict[str, object]:
    if rating is None:
        return {"rated": None, "tags": None}
    tags = {"kind": rating.kind, "topics": list(rating.topics)}
    return {"rated": rating.importance, "tags": tags}
