"""What every erasure is made of, whatever is erased: one transaction, then a receipt."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Self
from uuid import UUID

from app.domain.audit import Action, Deed
from app.domain.ids import TenantId
from app.ports import AnswerCache, NewId
from app.ports.erasing import Following
from app.ports.store import Store, Transaction
from app.ports.stored import Erased, Erasure
from app.services.answering.recording import Recorder
from app.services.erasing.scouring import Scourer


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """What is not known to be gone: what was found, and what those who did not answer may hold."""

    count: int = 0
    unasked: frozenset[str] = frozenset()
    """Who did not answer: `vectors`, which show nothing of it, or `replica`, which may."""

    def __add__(self, other: Self) -> Self:
        return replace(self, count=self.count + other.count, unasked=self.unasked | other.unasked)

    def told(self) -> dict[str, object]:
        """As the log has it."""
        unasked: dict[str, object] = {"unasked": sorted(self.unasked)} if self.unasked else {}
        return {"remaining": self.count, **unasked}


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """An erasure receipt."""

    erasure_id: str
    erased: Erased
    vectors: int
    cache_entries: int
    left: Left
    summaries: int = 0
    """Made anew without what was erased; where that takes longer, a worker does it."""

    @property
    def remaining(self) -> int:
        return self.left.count


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasing:
    """An erasure in the transaction that does it, or that puts what is doomed out of reach."""

    id: UUID
    """By which the receipt and the audit log name it."""
    tenant: TenantId
    transaction: Transaction

    async def note(
        self, action: Action, about: str, erased: Erased, *, now: datetime, **more: object
    ) -> Erasure | None:
        """
        Tell the log what is gone with the transaction. What it only dooms is kept as an erasure
        that has begun, which is returned, until its end is told.
        """
        facts = {"erasure_id": str(self.id), **more, **erased.told()}
        deed = Deed(action=action, subject=about, facts=facts)
        await self.transaction.audit.note(deed, now=now)
        if erased.doomed is None:
            return None
        begun = Erasure(id=self.id, tenant=self.tenant, subject=about, scope=erased.doomed)
        await self.transaction.erase.begin(begun, erased, now=now)
        return begun


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureDesk:
    """Opens erasures, empties what this process holds, writes the receipts, and closes."""

    store: Store
    cache: AnswerCache
    recorder: Recorder
    scourer: Scourer
    new_id: NewId
    replica: Following | None = None
    """None: what is read is what was written."""

    @asynccontextmanager
    async def erasing(self, tenant: TenantId) -> AsyncIterator[Erasing]:
        """No receipt is written meanwhile: it would outlive the erasure of what it tells of."""
        await self.recorder.note_anew()
        async with self.recorder.writing, self.store.write(tenant) as transaction:
            yield Erasing(id=self.new_id(), tenant=tenant, transaction=transaction)

    def out_of_memory(self, erased: Erased, *, receipts: bool) -> tuple[int, Erased]:
        """
        Drop what this process holds of it; the cache entries dropped, and the receipts too.

        With `receipts` those go whole; else they stay, without what they could repeat of it.
        """
        cached = bundles = 0
        if erased.scope is not None:
            take_out = self.recorder.forget if receipts else self.recorder.blank
            bundles += take_out(erased.scope)
            cached += self.cache.forget(erased.scope)
        if erased.user is not None:
            bundles += self.recorder.forget_user(erased.user)
        return cached, replace(erased, bundles=erased.bundles + bundles)

    async def left_on_replica(self, erased: Erased) -> Left:
        """How much of it the replica may still show, after some seconds to follow."""
        shown = erased.messages + erased.memory_items + erased.profiles + erased.profile_entries
        if self.replica is None or not shown or await self.replica.follows():
            return Left()
        return Left(count=shown, unasked=frozenset({"replica"}))

    async def end(
        self,
        erasure: Erasure,
        *,
        found_here: Erased,
        now: datetime,
        facts: Mapping[str, object],
    ) -> None:
        """
        Tell the log, once, that an erasure is over: what all of it erased, whoever was at it.

        `found_here` is what no transaction erased, but this process held.
        """
        async with self.store.write(erasure.tenant) as transaction:
            erased = await transaction.erase.end(erasure.id)
            if erased is None:
                return
            told = {"erasure_id": str(erasure.id), **(erased + found_here).told(), **facts}
            deed = Deed(action=Action.ERASURE_ENDED, subject=erasure.subject, facts=told)
            await transaction.audit.note(deed, now=now)

    def receipt(
        self,
        erasure_id: UUID,
        erased: Erased,
        *,
        vectors: int = 0,
        cache_entries: int,
        left: Left,
    ) -> Forgotten:
        self.scourer.note()
        return Forgotten(
            erasure_id=str(erasure_id),
            erased=erased,
            vectors=vectors,
            cache_entries=cache_entries,
            left=left,
        )
