"""Forgetting: everywhere, in one go, with a receipt that was checked."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from logging import getLogger
from typing import Self
from uuid import UUID

from app.domain.audit import Action, subject, user_subject
from app.domain.conversation import Conversation
from app.domain.errors import ForewordError
from app.domain.ids import (
    ERASED,
    ConversationId,
    ConversationKey,
    ItemId,
    ItemKey,
    MessageId,
    ScopeKey,
    TenantId,
)
from app.ports import Clock, Removable
from app.ports.store import Store
from app.ports.stored import Erased, Erasure
from app.services.erasing.erasure import Erasing, ErasureDesk, Forgotten, Left
from app.services.indexing.indexer import Indexer

_log = getLogger(__name__)

Far = Callable[[int, int], None]
"""Is told how many messages and memory items are erased, of how many."""

Resummarise = Callable[[TenantId, ConversationKey], Awaitable[bool]]

Drop = Callable[[TenantId, str | None, Conversation | None], Awaitable[None]]
"""Of a user, or of one conversation of theirs."""

_MESSAGES_AT_ONCE = 200
"""Messages that one transaction erases, so that others can write in between."""

_BETWEEN_PORTIONS = 0.005
"""Seconds in which others write."""

_REMOVALS = 3

_LEFT_ALONE = timedelta(minutes=1)
"""
After this nobody is at an erasure any more: each portion is noted. Who is all the same, waits for a
lock, and finds nothing left.
"""


@dataclass(frozen=True, slots=True)
class _Gone:
    """What SQL erased, how many vectors went, and what is left."""

    erased: Erased = field(default_factory=Erased)
    vectors: int = 0
    left: Left = field(default_factory=Left)

    def __add__(self, other: Self) -> Self:
        return replace(
            self,
            erased=self.erased + other.erased,
            vectors=self.vectors + other.vectors,
            left=self.left + other.left,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgetter:
    """
    Erases rows, full text and embeddings in one transaction, then vectors and caches.

    Conversations and users are out of reach with the first transaction, and gone with the last of
    many. If the vector index does not answer, the outbox has a note and the indexer removes the
    vectors later; until then nothing shows them, since what is found is read from SQL.
    """

    store: Store
    desk: ErasureDesk
    vectors: Removable
    """Every index there is."""
    indexer: Indexer
    clock: Clock
    resummarise: Resummarise | None = None
    """Makes the summary of a conversation anew; whether it did."""
    waiting: list[Drop] = field(default_factory=list)
    """Drops what is on its way to be stored, so that it comes after no erasure."""
    _busy: set[ScopeKey] = field(default_factory=set)

    async def message(self, tenant: TenantId, message_id: MessageId) -> Forgotten:
        now = self.clock()
        async with self.desk.erasing(tenant) as erasing:
            erased = await erasing.transaction.erase.message(message_id, now=now)
            about = subject("message", message_id)
            await erasing.note(Action.MESSAGE_ERASED, about, erased, now=now)
        forgotten = await self._follow(erasing, erased)
        return replace(forgotten, summaries=await self._summed_up(tenant, erased))

    async def _summed_up(self, tenant: TenantId, erased: Erased) -> int:
        if self.resummarise is None:
            return 0
        return sum([await self.resummarise(tenant, each) for each in erased.retold])

    async def memory(self, tenant: TenantId, item_id: ItemId) -> Forgotten:
        """Erase a memory item; what it superseded holds again."""
        now = self.clock()
        async with self.desk.erasing(tenant) as erasing:
            erased = await erasing.transaction.erase.memory(item_id, now=now)
            await erasing.note(Action.MEMORY_ERASED, subject("memory", item_id), erased, now=now)
        return await self._follow(erasing, erased)

    async def conversation(
        self, tenant: TenantId, conversation_id: ConversationId, *, watch: Far | None = None
    ) -> Forgotten:
        now = self.clock()
        if self.waiting:
            async with self.store.read(tenant) as snapshot:
                found = await snapshot.conversations.get(conversation_id)
            await self._drop_waiting(tenant, found.user_id, found)
        async with self.desk.erasing(tenant) as erasing:
            doomed = await erasing.transaction.erase.conversation(conversation_id, now=now)
            about = subject("conversation", conversation_id)
            begun = await erasing.note(Action.CONVERSATION_ERASED, about, doomed, now=now)
        return await self._erase(erasing.id, begun, doomed, watch=watch)

    async def idle_conversation(
        self, tenant: TenantId, conversation_id: ConversationId, *, since: datetime
    ) -> Forgotten | None:
        """
        Erase a conversation unless somebody wrote to it, changed it or imported it since then.

        Raises:
            ConversationNotFound: It is gone already.
        """
        now = self.clock()
        async with self.desk.erasing(tenant) as erasing:
            conversations = erasing.transaction.conversations
            await conversations.lock((await conversations.get(conversation_id)).key)
            if (await conversations.get(conversation_id)).written_at >= since:
                return None
            doomed = await erasing.transaction.erase.conversation(conversation_id, now=now)
            about = subject("conversation", conversation_id)
            begun = await erasing.note(Action.CONVERSATION_PRUNED, about, doomed, now=now)
        return await self._erase(erasing.id, begun, doomed)

    async def user(self, tenant: TenantId, user_id: str, *, watch: Far | None = None) -> Forgotten:
        """Erase a user: from now on out of reach; after a crash the rest goes at the next start."""
        now = self.clock()
        await self._drop_waiting(tenant, user_id)
        async with self.desk.erasing(tenant) as erasing:
            about = user_subject(tenant, user_id)
            gone = await erasing.transaction.erase.user(user_id, now=now)
            doomed = replace(gone, user=about)
            begun = await erasing.note(Action.USER_ERASED, about, doomed, now=now)
        return await self._erase(erasing.id, begun, doomed, watch=watch)

    async def _drop_waiting(
        self, tenant: TenantId, user_id: str | None, conversation: Conversation | None = None
    ) -> None:
        for drop in self.waiting:
            await drop(tenant, user_id, conversation)

    async def resume(self) -> None:
        """Erase what a process that was killed, or a database that was away, left behind."""
        async with self.store.observe() as observations:
            left = await observations.unfinished(until=self.clock() - _LEFT_ALONE)
        for begun in left:
            if begun.scope not in self._busy:
                doomed = Erased(doomed=begun.scope)
                erased = (await self._erase(begun.id, begun, doomed, resumed=True)).erased
                _log.info("an erasure was completed", extra={"messages": erased.messages})

    def is_at(self, doomed: ScopeKey) -> bool:
        """Whether this process erases it at this moment."""
        return doomed in self._busy

    async def tick(self) -> None:
        """The same, again and again; what fails is tried with the next."""
        try:
            await self.resume()
        except ForewordError as error:
            _log.warning("erasing is put off", extra={"reason": str(error)})

    async def _follow(self, erasing: Erasing, erased: Erased) -> Forgotten:
        """Take what SQL erased at once out of everything else, and look again."""
        cached, erased = self.desk.out_of_memory(erased, receipts=False)
        gone = await self._out_of_vectors(erased)
        async with self.store.read_latest(erasing.tenant) as snapshot:
            held = await snapshot.recall.remaining(erased.keys, erased.conversations, erased.items)
        left = Left(count=held) + await self.desk.left_on_replica(erased)
        return self._receipt(erasing.id, gone + _Gone(left=left), cached)

    async def _erase(
        self,
        erasure_id: UUID,
        begun: Erasure | None,
        doomed: Erased,
        *,
        resumed: bool = False,
        watch: Far | None = None,
    ) -> Forgotten:
        """Take what is doomed out of everything, look again, and tell that it is over."""
        cached, held = self.desk.out_of_memory(doomed, receipts=doomed.user is not None)
        gone = await self._out_of_vectors(held)
        if begun is not None:
            self._busy.add(begun.scope)
            try:
                gone = await self._portions(begun.scope, gone, watch)
                facts = {"vectors": gone.vectors, **gone.left.told(), "resumed": resumed}
                await self.desk.end(
                    begun,
                    found_here=Erased(bundles=held.bundles - doomed.bundles),
                    now=self.clock(),
                    facts=facts,
                )
            finally:
                self._busy.discard(begun.scope)
        return self._receipt(erasure_id, gone, cached)

    async def _portions(self, doomed: ScopeKey, gone: _Gone, watch: Far | None) -> _Gone:
        """Erase what is doomed, portion by portion; all of it, with what was `gone` before."""
        total = 0 if watch is None else await self._size(doomed)
        if watch is not None:
            watch(0, total)
        more = True
        while more:
            part, more = await self._portion(doomed)
            gone += await self._out_of_vectors(part)
            gone += _Gone(left=await self._left_in_sql(part))
            if watch is not None:
                watch(min(gone.erased.messages + gone.erased.memory_items, total), total)
        async with self.store.read_latest(ERASED) as snapshot:
            held = await snapshot.recall.held(gone.erased.conversations)
        left = Left(count=held) + await self.desk.left_on_replica(gone.erased)
        return gone + _Gone(left=left)

    async def _size(self, doomed: ScopeKey) -> int:
        async with self.store.read_latest(ERASED) as snapshot:
            return await snapshot.recall.size(doomed)

    async def _portion(self, doomed: ScopeKey) -> tuple[Erased, bool]:
        async with self.store.write(ERASED) as transaction:
            part, more = await transaction.erase.portion(
                doomed, limit=_MESSAGES_AT_ONCE, now=self.clock()
            )
        if more:
            await asyncio.sleep(_BETWEEN_PORTIONS)
        return part, more

    async def _left_in_sql(self, part: Erased) -> Left:
        async with self.store.read_latest(ERASED) as snapshot:
            return Left(count=await snapshot.recall.remaining(part.keys, [], part.items))

    def _receipt(self, erasure_id: UUID, gone: _Gone, cached: int) -> Forgotten:
        self.indexer.wake()
        return self.desk.receipt(
            erasure_id,
            gone.erased,
            vectors=gone.vectors,
            cache_entries=cached,
            left=gone.left,
        )

    async def _out_of_vectors(self, erased: Erased) -> _Gone:
        return _Gone(erased, *await self._remove_vectors(erased))

    async def _remove_vectors(self, erased: Erased) -> tuple[int, Left]:
        """
        Vectors removed, and vectors that are still there, or may be.

        An indexer that was at it may put one in once more: it is taken out again.
        """
        if not erased.keys:
            return 0, Left()
        gone = frozenset[ItemKey]()
        try:
            left = await self.vectors.known(erased.keys)
            for _ in range(_REMOVALS):
                if not left:
                    break
                await self.vectors.remove(sorted(left))
                gone |= left
                left = await self.vectors.known(erased.keys)
        except ForewordError:
            return 0, Left(count=len(erased.keys), unasked=frozenset({"vectors"}))
        return len(gone - left), Left(count=len(left))
