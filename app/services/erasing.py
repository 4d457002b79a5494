"""What every erasure is made of, whatever is erased: one transaction, then a receipt."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from app.domain.ids import TenantId
from app.ports import AnswerCache, NewId
from app.ports.store import Store, Transaction
from app.ports.stored import Erased
from app.services.recording import Recorder


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """An erasure receipt. `remaining` is what a search of every index still found."""

    erasure_id: str
    erased: Erased
    vectors: int
    cache_entries: int
    remaining: int
    summaries: int = 0
    """Made anew without what was erased; where that takes longer, a worker does it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureDesk:
    """Opens erasures, empties what this process holds, and writes the receipts."""

    store: Store
    cache: AnswerCache
    recorder: Recorder
    new_id: NewId

    @asynccontextmanager
    async def erasing(self, tenant: TenantId) -> AsyncIterator[Transaction]:
        """No receipt is written meanwhile: it would outlive the erasure of what it tells of."""
        await self.recorder.note_anew()
        async with self.recorder.writing, self.store.write(tenant) as transaction:
            yield transaction

    def out_of_memory(self, erased: Erased) -> tuple[int, Erased]:
        """Drop what this process holds of it; the cache entries dropped, and the receipts too."""
        cached = bundles = 0
        if erased.scope is not None:
            bundles += self.recorder.forget(erased.scope)
            cached += self.cache.forget(erased.scope)
        if erased.user is not None:
            bundles += self.recorder.forget_user(erased.user)
        return cached, replace(erased, bundles=erased.bundles + bundles)

    def receipt(
        self, erased: Erased, *, vectors: int = 0, cache_entries: int, remaining: int
    ) -> Forgotten:
        return Forgotten(
            erasure_id=str(self.new_id()),
            erased=erased,
            vectors=vectors,
            cache_entries=cache_entries,
            remaining=remaining,
        )


def counted(erased: Erased) -> Mapping[str, object]:
    """What the audit log tells of it: counts, and of nothing that there was none of."""
    return {name: count for name, count in erased.counts().items() if count}
