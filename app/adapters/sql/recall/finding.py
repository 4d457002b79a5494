"""Finding and hydrating memory items: the hot path of every read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.fetch import Constant, answered, one_of
from app.adapters.sql.full_text.asking import full_text
from app.adapters.sql.narrowing.items import WHENEVER, held_by
from app.adapters.sql.narrowing.recallable import narrowing, of_any_model
from app.adapters.sql.recall.chunk_rows import CHUNKS_OF_MESSAGES
from app.adapters.sql.recall.hydrating import recalled
from app.adapters.sql.recall.lexical import Search, found
from app.adapters.sql.recall.opening import opened
from app.adapters.sql.recall.pinned import pinned_items, pinned_messages
from app.adapters.sql.recall.pooling import hydrated, surrounded
from app.adapters.sql.types import to_micros
from app.domain.conversation import Conversation, Scope
from app.domain.ids import ConversationKey, ItemKey, MessageKey, ScopeKey, TenantId
from app.domain.memory import Table, item_key
from app.ports import Part, RecallFilter
from app.ports.stored import LexicalAnswer, Opening
from app.ranking.pool import Recalled, Surrounded, Widening
from app.ranking.query import NOTHING_UNSOUGHT, Unsought
from app.text.terms import QueryTerms

_PLACES_AT_ONCE = 500
"""Conversations that one look into full text asks for."""


@dataclass(frozen=True, slots=True)
class SqlRecall:
    connection: AsyncConnection
    tenant: TenantId

    async def hydrate(
        self,
        keys: Sequence[ItemKey],
        *,
        scopes: Sequence[ScopeKey],
        model: str,
        now: datetime | None = None,
    ) -> Recalled:
        held = WHENEVER if now is None else {**WHENEVER, "unexpired": to_micros(now)}
        reading = hydrated(keys, scopes=scopes, tenant=self.tenant, model=model, held=held)
        return await answered(self.connection, reading)

    async def surrounded(
        self,
        keys: Sequence[ItemKey],
        *,
        within: RecallFilter,
        model: str,
        unsought: Unsought = NOTHING_UNSOUGHT,
        widening: Widening | None = None,
    ) -> Surrounded:
        reading = surrounded(
            keys,
            tenant=self.tenant,
            within=within,
            model=model,
            unsought=unsought,
            widening=widening,
        )
        return await answered(self.connection, reading)

    async def opening(
        self,
        conversation: Conversation,
        *,
        within: RecallFilter,
        most: int,
        kept: int,
        summary: str | None,
    ) -> Opening:
        reading = opened(
            conversation, tenant=self.tenant, within=within, most=most, kept=kept, summary=summary
        )
        return await answered(self.connection, reading)

    async def chunks(
        self, messages: Sequence[MessageKey], *, scopes: Sequence[ScopeKey], model: str
    ) -> Recalled:
        found = await CHUNKS_OF_MESSAGES.fetch(
            self.connection,
            wanted_keys=list(messages),
            of_scopes=list(scopes),
            of_tenant=self.tenant,
            of_model=model,
        )
        return recalled(found)

    async def remaining(
        self,
        keys: Sequence[ItemKey],
        conversations: Sequence[ConversationKey],
        items: Sequence[ItemKey] = (),
    ) -> int:
        ((left,),) = await _EMBEDDED.fetch(self.connection, wanted_keys=list(keys))
        held = await full_text(self.connection).held(conversations, items)
        return int(left) + len(set(keys).intersection(held))

    async def frequencies(
        self, terms: Sequence[str], *, scopes: Sequence[ScopeKey]
    ) -> Mapping[str, int]:
        index = full_text(self.connection)
        return await answered(self.connection, index.frequencies(scopes, terms))

    async def held_among(
        self, terms: Sequence[str], *, scopes: Sequence[ScopeKey]
    ) -> Mapping[str, int]:
        index = full_text(self.connection)
        return await answered(self.connection, index.held_among(scopes, terms))

    async def held(self, conversations: Sequence[ConversationKey]) -> int:
        index, held = full_text(self.connection), 0
        for start in range(0, len(conversations), _PLACES_AT_ONCE):
            held += len(await index.held(conversations[start : start + _PLACES_AT_ONCE]))
        return held

    async def size(self, scope: ScopeKey) -> int:
        c, i = t.conversation.c, t.memory_item.c
        said = select(func.coalesce(func.sum(c.message_count), 0)).where(c.scope_key == scope)
        whole = select(func.count()).where(i.scope_key == scope, i.parent_key.is_(None))
        counted = select(said.scalar_subquery() + whole.scalar_subquery())
        return int((await self.connection.execute(counted)).scalar_one())

    async def pinned(self, within: RecallFilter, *, limit: int) -> Sequence[ItemKey]:
        narrow = narrowing(within)
        asked = {
            "of_scopes": list(within.scopes),
            "of_tenant": self.tenant,
            "most": limit,
            **narrow,
        }
        names, keys = frozenset(narrow), list[ItemKey]()
        if within.of_whole_messages():
            rows = await pinned_messages(names).fetch(self.connection, **asked)
            keys += [item_key(Table.MESSAGE, key) for (key,) in rows]
        if within.of_items():
            found = pinned_items(names, within.types)
            rows = await found.fetch(self.connection, **asked, **held_by(within))
            keys += [item_key(Table.MEMORY, key) for (key,) in rows]
        return keys

    async def find(
        self,
        asked: QueryTerms,
        *,
        scope: Scope,
        within: RecallFilter,
        limit: int,
        without: Sequence[str] = (),
        besides: Part | None = None,
    ) -> LexicalAnswer:
        search = Search(
            tenant=self.tenant, scope=scope, within=within, limit=limit, without=without
        )
        return await answered(
            self.connection, found(full_text(self.connection), asked, search, besides)
        )


def _embedded(*, on_postgres: bool) -> Select[Any]:
    held = one_of(d.embedding.c.item_key, "wanted_keys", on_postgres=on_postgres)
    return select(func.count()).select_from(d.embedding).where(of_any_model(), held)


_EMBEDDED = Constant(sqlite=_embedded(on_postgres=False), postgres=_embedded(on_postgres=True))
