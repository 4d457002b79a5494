"""Forgetting: everywhere, in one go, with a receipt that was checked."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from app.domain.errors import ForewordError
from app.domain.ids import ConversationId, MessageId, TenantId
from app.ports import AnswerCache, Clock, NewId, VectorIndex
from app.ports.store import Store, Transaction
from app.ports.stored import Erased
from app.services.indexing import Indexer
from app.services.receipts import Recorder

_CONVERSATIONS_AT_ONCE = 50
"""Conversations of a user that one transaction erases, so that others can write in between."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """An erasure receipt. `remaining` is what a search of every index still found."""

    erasure_id: str
    erased: Erased
    vectors: int
    cache_entries: int
    remaining: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgetter:
    """
    Erases rows, full text and embeddings in one transaction, then vectors and caches.

    If the vector index does not answer, the outbox has a note and the indexer removes the vectors
    later; until then nothing shows them, since what is found is read from SQL.
    """

    store: Store
    vectors: VectorIndex
    cache: AnswerCache
    recorder: Recorder
    indexer: Indexer
    clock: Clock
    new_id: NewId

    async def message(self, tenant: TenantId, message_id: MessageId) -> Forgotten:
        async with self._erasing(tenant) as transaction:
            erased = await transaction.erase.message(message_id, now=self.clock())
        return await self._follow(tenant, erased)

    async def conversation(self, tenant: TenantId, conversation_id: ConversationId) -> Forgotten:
        async with self._erasing(tenant) as transaction:
            erased = await transaction.erase.conversation(conversation_id, now=self.clock())
        return await self._follow(tenant, erased)

    async def user(self, tenant: TenantId, user_id: str) -> Forgotten:
        """Erase a user, some conversations at a time; asked again after a crash, it goes on."""
        total = await self._follow(tenant, Erased())
        more = True
        while more:
            async with self._erasing(tenant) as transaction:
                erased, more = await transaction.erase.user(
                    user_id, limit=_CONVERSATIONS_AT_ONCE, now=self.clock()
                )
            part = await self._follow(tenant, erased)
            total = replace(
                total,
                erased=total.erased + part.erased,
                vectors=total.vectors + part.vectors,
                cache_entries=total.cache_entries + part.cache_entries,
                remaining=total.remaining + part.remaining,
            )
        return total

    @asynccontextmanager
    async def _erasing(self, tenant: TenantId) -> AsyncIterator[Transaction]:
        """No receipt is written meanwhile: it would outlive the erasure of what it tells of."""
        async with self.recorder.writing, self.store.write(tenant) as transaction:
            yield transaction

    async def _follow(self, tenant: TenantId, erased: Erased) -> Forgotten:
        """Take what SQL erased out of everything that is derived from it, and look again."""
        cached = bundles = 0
        if erased.scope is not None:
            cached = self.cache.forget(erased.scope)
            bundles = self.recorder.forget(erased.scope)
        vectors, remaining = await self._remove_vectors(erased)
        async with self.store.read(tenant) as snapshot:
            remaining += await snapshot.recall.remaining(erased.keys, erased.conversations)
        self.indexer.wake()
        return Forgotten(
            erasure_id=str(self.new_id()),
            erased=replace(erased, bundles=erased.bundles + bundles),
            vectors=vectors,
            cache_entries=cached,
            remaining=remaining,
        )

    async def _remove_vectors(self, erased: Erased) -> tuple[int, int]:
        """Vectors removed, and vectors that are still there."""
        if not erased.keys:
            return 0, 0
        try:
            known = await self.vectors.known(erased.keys)
            await self.vectors.remove(sorted(known))
            left = await self.vectors.known(erased.keys)
        except ForewordError:
            return 0, len(erased.keys)
        return len(known) - len(left), len(left)
