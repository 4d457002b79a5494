"""Bringing in what an export holds: in batches, each stored whole, and nothing of it twice."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import assert_never

from app.domain.conversation import NewConversation
from app.domain.errors import (
    ConsentMissing,
    ConversationNotFound,
    MemoryNotFound,
    MessageNotFound,
    MetadataTooLarge,
    NeverValid,
    ProfileTooLarge,
)
from app.domain.ids import ItemId, TenantId
from app.formats.found import Agreed, Ended, Found, Rejected, Said, Told
from app.ports import Clock
from app.ports.store import Store, Transaction
from app.ports.stored import NOBODY, About
from app.services.common.once import IdempotencyKey, answered, keep_answer
from app.services.memories.keep import MemoryKeeper
from app.services.memories.stewarding import Steward
from app.services.moving.batches import next_batch, owned, portions
from app.services.moving.continuing import taken
from app.services.moving.imported import Imported
from app.services.moving.items import Items
from app.services.writing.identities import item_here
from app.services.writing.ingest import Ingestor, Stored

_REFUSED = (
    *(ConversationNotFound, MessageNotFound, MemoryNotFound),
    *(NeverValid, ConsentMissing, ProfileTooLarge, MetadataTooLarge),
)
"""What is wrong with one record, not with the store."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Importer:
    """
    Stores what an export holds.

    Whoever is interrupted begins again: what is there is known by the ids that it brings, or by
    what it says, and is not stored twice.
    """

    store: Store
    ingestor: Ingestor
    keeper: MemoryKeeper
    steward: Steward
    clock: Clock

    async def run(
        self,
        tenant: TenantId,
        reading: Iterable[Found],
        imported: Imported,
        *,
        user_id: str | None = None,
        once: IdempotencyKey | None = None,
    ) -> Imported:
        """
        Store all of `reading`, tell in `imported` how far it is, and return what is to be answered.

        That is what was done; or, where the same request was made twice and the other one ended
        first, what that did.

        Args:
            user_id: Whose memory it is; None: whose each record says it is.

        Raises:
            ImportUnreadable: It is no export of any kind that is known.
            IdempotencyConflict: The idempotency key was used with another file meanwhile.
        """
        found = portions(owned(reading, user_id))
        while batch := await asyncio.to_thread(next_batch, found):
            for kind, run in groupby(batch, key=type):
                await self._store(kind, tenant, list(run), imported)
        return await self._kept(tenant, imported, user_id, once) if once else imported

    async def before(self, tenant: TenantId, once: IdempotencyKey) -> Imported | None:
        """
        What the same request did before.

        Raises:
            IdempotencyConflict: The idempotency key was used with another file.
        """
        async with self.store.write(tenant) as transaction:
            answer = await answered(transaction, once)
        return None if answer is None else Imported.of_answer(answer)

    async def _kept(
        self, tenant: TenantId, imported: Imported, user_id: str | None, once: IdempotencyKey
    ) -> Imported:
        now = self.clock()
        async with self.store.write(tenant) as transaction:
            if before := await answered(transaction, once):
                return Imported.of_answer(before)
            scope = None if user_id is None else await transaction.scopes.find(user_id)
            held = scope is not None and await transaction.scopes.hold(scope.key)
            about = About(scope=scope.key) if scope and held else NOBODY
            await keep_answer(transaction, once, imported.to_answer(), about=about, now=now)
        return imported

    async def _store(
        self, kind: type[Found], tenant: TenantId, run: Sequence[Found], imported: Imported
    ) -> None:
        if kind is Said:
            await self._say(tenant, [each for each in run if isinstance(each, Said)], imported)
        elif kind is Told:
            await self._tell(tenant, [each for each in run if isinstance(each, Told)], imported)
        else:
            for each in run:
                await self._one(tenant, each, imported)

    async def _say(self, tenant: TenantId, several: Sequence[Said], imported: Imported) -> None:
        for one in several:
            imported.reject(one.rejected)
        told = [each for each in several if each.conversation.messages or each.conversation.id]
        for each in await self._stored(tenant, told) if told else ():
            imported.conversations += each.begun
            imported.messages += len(each.message_ids) - each.duplicates
            imported.duplicates += each.duplicates
            imported.differing += len(each.differing)

    async def _stored(self, tenant: TenantId, told: Sequence[Said]) -> Sequence[Stored]:
        now, meant = self.clock(), [each.conversation for each in told]
        ready = [await self.ingestor.prepare(tenant, each, now=now) for each in meant]
        async with self.store.write(tenant) as transaction:
            if any(_brings_ids(each) for each in meant):
                await transaction.identities.take()
            scopes = transaction.scopes
            owners = dict.fromkeys(each.user_id for each in meant)  # in the order of the file
            keys = {owner: (await scopes.ensure(owner, now=now)).key for owner in owners}
            names = await taken(transaction, told, keys)
            stored = [
                await self.ingestor.store_in(transaction, each.called(name), now=now)
                for each, name in zip(ready, names, strict=True)
            ]
            await _turn(transaction, stored, told, now=now)
        return stored

    async def _tell(self, tenant: TenantId, several: Sequence[Told], imported: Imported) -> None:
        prepared = await self.keeper.preparer.prepare([each.memory for each in several])
        async with self.store.write(tenant) as transaction:
            await transaction.identities.take()
            placing = Items(transaction, self.keeper, self.ingestor.new_id, self.clock)
            await placing.lock(several)
            for each, ready in zip(several, prepared, strict=True):
                try:
                    known = await placing.place(each, ready)
                except _REFUSED as error:
                    imported.reject([Rejected(each.at, str(error))])
                else:
                    imported.memories += not known
                    imported.duplicates += known

    async def _one(self, tenant: TenantId, found: Found, imported: Imported) -> None:
        try:
            match found:
                case Rejected():
                    imported.reject([found])
                case Agreed():
                    await self.steward.restore(tenant, found.user_id, found.consent, found.profile)
                    imported.users += 1
                case Ended():
                    await self._end(tenant, found)
                case Said() | Told():
                    await self._store(type(found), tenant, [found], imported)
                case _:
                    assert_never(found)
        except _REFUSED as error:
            imported.reject([Rejected(found.at, str(error))])

    async def _end(self, tenant: TenantId, ended: Ended) -> None:
        """Have an item end where another begins, unless it is known to have ended."""
        now = self.clock()
        async with self.store.write(tenant) as transaction:
            memories = transaction.memories
            scope = await transaction.scopes.ensure(ended.user_id, now=now)
            await memories.lock(scope.key, [])
            old, heir = [
                await item_here(transaction, ItemId(each), scope.key)
                for each in (ended.item, ended.by)
            ]
            if not (old[0] and heir[0] and old[1] and heir[1]):
                return
            before = await memories.get(old[1], now=None)
            after = await memories.get(heir[1], now=None)
            if before.superseded_by is not None or after.valid_from < before.valid_from:
                return
            await memories.supersede(before, by=after.key, now=now)
            await transaction.scopes.touch(scope.key)


async def _turn(
    transaction: Transaction, stored: Sequence[Stored], told: Sequence[Said], *, now: datetime
) -> None:
    """Have trees that were there before go on the ways that the file tells."""
    pairs = zip(stored, told, strict=True)
    ways = [(here, one.way) for here, one in pairs if one.way is not None and not here.begun]
    find = transaction.conversations.get
    await transaction.messages.take_ways(
        [(await find(here.conversation_id), way) for here, way in ways], now=now
    )


def _brings_ids(told: NewConversation) -> bool:
    return told.id is not None or any(each.id for each in told.messages)
