"""Waiting until what was written is in every index."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from app.domain.errors import IndexingGivenUp, IndexingTimedOut
from app.domain.ids import TenantId
from app.ports.store import Store
from app.services.indexing.indexer import Indexer

_LOOK_AGAIN = 0.25
"""Seconds between looks at the outbox: another replica's worker does not tell us."""


@dataclass(frozen=True, slots=True)
class IndexWaiter:
    store: Store
    indexer: Indexer

    def wake(self) -> None:
        """There is something to index; nobody waits for it."""
        self.indexer.wake()

    async def wait(
        self,
        tenant: TenantId,
        outbox_key: int,
        *,
        of: Sequence[UUID] = (),
        seconds: float,
        facts: Mapping[str, object],
    ) -> None:
        """
        Return once every index holds what the tenant wrote up to `outbox_key`.

        What indexing gave up before is not waited for, unless it is `of` these messages and items.

        Raises:
            IndexingTimedOut: That took longer than `seconds`; `facts` tell what is stored anyway.
            IndexingGivenUp: It gave some `of` them up: an index will not hold them.
        """
        ends = time.monotonic() + seconds
        self.indexer.wake()
        while not await self._indexed(tenant, outbox_key, of, facts):
            left = ends - time.monotonic()
            if left <= 0:
                raise IndexingTimedOut(None, waited_s=seconds, **facts)
            await self.indexer.progress(at_most=min(left, _LOOK_AGAIN))

    async def _indexed(
        self, tenant: TenantId, outbox_key: int, of: Sequence[UUID], facts: Mapping[str, object]
    ) -> bool:
        async with self.store.read_latest(tenant) as snapshot:
            indexed = await snapshot.indexed_until(outbox_key)
            if of and (dead := await snapshot.given_up(of)):
                raise IndexingGivenUp(None, dead_letters=dead, **facts)
        return indexed
