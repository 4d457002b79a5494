"""
Deleting for good.

A conversation or a user is first taken out of everybody's reach, in one short step: its scope
becomes one of the tenant `ERASED`, which no key can be of. What lies there is then erased in
portions, so that others can write in between; after a crash whoever finds it goes on.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import ColumnElement, delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.answers.receipts import (
    blank_queries,
    erase_bundles,
    forget_all_shown,
    forget_shown,
)
from app.adapters.sql.derived.erasing import erase_items
from app.adapters.sql.derived.notes import note
from app.adapters.sql.derived.period_notes import forget_periods
from app.adapters.sql.dialect import take_name
from app.adapters.sql.erasing import erasures
from app.adapters.sql.erasing.rows import RowEraser
from app.adapters.sql.governing.personal import SqlPersonal
from app.adapters.sql.items.reading import SqlItems
from app.adapters.sql.items.unwanted import refuse
from app.adapters.sql.said.conversations import SqlConversations
from app.adapters.sql.said.counters import recount
from app.adapters.sql.said.labels import forget_labels
from app.adapters.sql.said.messages import SqlMessages
from app.adapters.sql.said.scopes import SqlScopes, hold_scopes
from app.adapters.sql.tenants import ensure_tenant
from app.domain.audit import user_subject
from app.domain.ids import (
    ERASED,
    ConversationId,
    ConversationKey,
    ItemId,
    MessageId,
    ScopeKey,
    TenantId,
)
from app.domain.profile import Purpose
from app.ports.stored import Erased, Erasure

_CONVERSATIONS_AT_ONCE = 100
_GONE = 2**62
"""Beyond every version: nothing of before may be told."""


@dataclass(frozen=True, slots=True)
class SqlEraser:
    connection: AsyncConnection
    tenant: TenantId

    async def message(self, message_id: MessageId, *, now: datetime) -> Erased:
        conversation, scope = await SqlMessages(self.connection, self.tenant).scope_of(message_id)
        await SqlConversations(self.connection, self.tenant).lock(conversation)
        key = select(t.message.c.key).where(t.message.c.id == message_id)
        keys = list((await self.connection.execute(key)).scalars())
        rows = RowEraser(self.connection, self.tenant)
        erased = await rows.messages(scope, keys, now=now)
        await recount(self.connection, [conversation])
        await SqlScopes(self.connection, self.tenant).touch(scope, erased=True)
        await note(self.connection, [conversation], now=now)
        bundles = await blank_queries(self.connection, scope, gone=erased.keys)
        return replace(erased, bundles=bundles)

    async def memory(self, item_id: ItemId, *, now: datetime) -> Erased:
        memory = await SqlItems(self.connection, self.tenant).get(item_id, now=now)
        await refuse(self.connection, memory)
        own = t.memory_item.c.id == (memory.parent or item_id)
        erased = await erase_items(self.connection, self.tenant, own, now=now)
        await SqlScopes(self.connection, self.tenant).touch(memory.scope, erased=True)
        bundles = await blank_queries(self.connection, memory.scope, gone=erased.keys)
        return replace(erased, scope=memory.scope, bundles=bundles)

    async def conversation(self, conversation_id: ConversationId, *, now: datetime) -> Erased:
        conversations = SqlConversations(self.connection, self.tenant)
        found = await conversations.get(conversation_id)
        await conversations.lock(found.key)
        doomed = {"tenant": ERASED, "user_id": str(uuid4()), "created_at": now}
        await ensure_tenant(self.connection, ERASED, now=now)
        new = insert(t.scope).values(doomed).returning(t.scope.c.key)
        key = ScopeKey((await self.connection.execute(new)).scalar_one())
        await self.connection.execute(
            update(t.conversation).where(t.conversation.c.key == found.key).values(scope_key=key)
        )
        await forget_labels(self.connection, [found.key])
        # Now that the scope is taken: a receipt that another process writes comes before or not.
        await SqlScopes(self.connection, self.tenant).touch(found.scope, erased=True)
        rows = RowEraser(self.connection, self.tenant)
        await rows.answers(d.idempotency.c.conversation_key == found.key)
        said_here = t.message.c.conversation_key == found.key
        erased = await forget_periods(self.connection, self.tenant, found.scope, said_here, now=now)
        bundles = await blank_queries(self.connection, found.scope, gone=erased.keys)
        return replace(erased, scope=found.scope, doomed=key, bundles=bundles)

    async def user(self, user_id: str | None, *, now: datetime) -> Erased:
        scope = await SqlScopes(self.connection, self.tenant).find(user_id)
        rows, subject = RowEraser(self.connection, self.tenant), user_subject(self.tenant, user_id)
        if scope is None:
            return Erased(bundles=await rows.bundles_of_user(subject))
        await hold_scopes(self.connection, [scope.key], entirely=True)
        personal = SqlPersonal(self.connection, self.tenant)
        gone = await personal.erase_profile(scope.key)
        gone += await personal.revoke(scope.key, list(Purpose))
        await ensure_tenant(self.connection, ERASED, now=now)
        await self.connection.execute(
            update(t.scope)
            .where(t.scope.c.key == scope.key)
            .values(tenant=ERASED, user_id=str(uuid4()), created_at=now, erased_version=_GONE)
        )
        await rows.answers(d.idempotency.c.scope_key == scope.key)
        await forget_all_shown(self.connection, scope.key)
        bundles = await erase_bundles(self.connection, scope.key)
        bundles += await rows.bundles_of_user(subject)
        return Erased(scope=scope.key, doomed=scope.key, bundles=bundles) + gone

    async def portion(self, doomed: ScopeKey, *, limit: int, now: datetime) -> tuple[Erased, bool]:
        erased, more = await self._portion(doomed, limit=limit, now=now)
        owners = [] if erased.scope is None else [erased.scope]
        await forget_shown(self.connection, erased.keys, scopes=owners)
        await erasures.go_on(self.connection, doomed, erased, now=now)
        return erased, more

    async def begin(self, erasure: Erasure, erased: Erased, *, now: datetime) -> None:
        await erasures.begin(self.connection, erasure, erased, now=now)

    async def end(self, erasure: UUID) -> Erased | None:
        return await erasures.end(self.connection, self.tenant, erasure)

    async def _portion(self, doomed: ScopeKey, *, limit: int, now: datetime) -> tuple[Erased, bool]:
        """Whoever is at it keeps others away."""
        s, c = t.scope.c, t.conversation.c
        await take_name(self.connection, f"erasure {doomed}")
        there = select(s.key).where(s.key == doomed, s.tenant == ERASED)
        if (await self.connection.execute(there)).first() is None:
            return Erased(), False
        some = select(c.key).where(c.scope_key == doomed).order_by(c.key)
        some = some.limit(_CONVERSATIONS_AT_ONCE).with_for_update()
        conversations = list((await self.connection.execute(some)).scalars())
        await hold_scopes(self.connection, [doomed])
        keys = await self._some(
            t.message.c.key, t.message.c.conversation_key.in_(conversations), limit=limit
        )
        rows = RowEraser(self.connection, self.tenant)
        erased = await rows.messages(await self._owner(keys, doomed), keys, now=now)
        if len(keys) < limit:
            emptied = [ConversationKey(key) for key in conversations]
            erased += await rows.conversations(emptied, now=now)
        if len(keys) < limit and len(conversations) < _CONVERSATIONS_AT_ONCE:
            erased += await rows.memory_items(doomed, limit=limit, now=now)
            return erased, not await self._done(doomed)
        return erased, True

    async def _owner(self, keys: Sequence[int], doomed: ScopeKey) -> ScopeKey:
        """Whose messages these are: a conversation that is erased alone left its user."""
        owner = select(t.message.c.scope_key).where(t.message.c.key.in_(keys[:1]))
        found = (await self.connection.execute(owner)).scalar_one_or_none()
        return doomed if found is None else ScopeKey(found)

    async def _done(self, doomed: ScopeKey) -> bool:
        """Drop the scope, unless somebody who was already writing left something in it, or may."""
        own = t.scope.c.key == doomed
        unwritten = select(t.scope.c.key).where(own).with_for_update(skip_locked=True)
        if (await self.connection.execute(unwritten)).first() is None:
            return False
        for owned in (t.conversation, t.memory_item):
            if await self._some(owned.c.key, owned.c.scope_key == doomed, limit=1):
                return False
        await self.connection.execute(delete(t.scope).where(own))
        return True

    async def _some(
        self, key: ColumnElement[int], condition: ColumnElement[bool], *, limit: int
    ) -> list[int]:
        first = select(key).where(condition).order_by(key).limit(limit)
        return list((await self.connection.execute(first)).scalars())
