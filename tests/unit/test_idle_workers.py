"""Workers that have nothing to do are in nobody's way."""

import asyncio

from app.adapters.sql.store import SqlStore
from tests.fakes import Memory


async def test_a_look_at_nothing_waits_for_nobody_who_writes(store: SqlStore) -> None:
    memory = Memory(store)
    async with asyncio.timeout(5), store.project():
        assert not await memory.indexer.work_once()
        assert not await memory.consolidator.work_once()
