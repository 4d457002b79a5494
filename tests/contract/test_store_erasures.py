"""Erasures in portions: what is kept of each until the audit log has its end."""

from uuid import UUID

from app.adapters.sql.store import SqlStore
from app.domain.ids import ERASED
from app.ports.store import Store
from app.ports.stored import Erased, Erasure
from tests.stored import ACME, NOON, OTHER, SECOND, Kept, keep

WORDS = ("dogs bark", "cats sleep", "a dog and a cat")
ID = UUID(int=7)


async def begin(store: Store, kept: Kept) -> Erasure:
    """Put a conversation out of reach."""
    async with store.write(ACME) as transaction:
        doomed = await transaction.erase.conversation(kept.conversation.id, now=NOON)
        assert doomed.doomed is not None
        erasure = Erasure(id=ID, tenant=ACME, subject="conversation:1", scope=doomed.doomed)
        await transaction.erase.begin(erasure, Erased(bundles=2), now=NOON)
    return erasure


async def portion(store: Store, erasure: Erasure, *, limit: int = 2) -> bool:
    async with store.write(ERASED) as transaction:
        now = NOON + SECOND
        _, more = await transaction.erase.portion(erasure.scope, limit=limit, now=now)
    return more


async def test_it_counts_what_every_portion_erased_and_ends_once(store: Store) -> None:
    erasure = await begin(store, await keep(store, *WORDS))
    while await portion(store, erasure):
        pass
    async with store.write(OTHER) as transaction:
        assert await transaction.erase.end(ID) is None
    async with store.write(ACME) as transaction:
        assert await transaction.erase.end(ID) == Erased(messages=3, full_text=3, bundles=2)
        assert await transaction.erase.end(ID) is None


async def test_it_is_unfinished_until_it_was_ended(store: SqlStore) -> None:
    erasure = await begin(store, await keep(store, *WORDS))
    while await portion(store, erasure):
        pass
    for look in (store.observe(), store.inspect()):
        async with look as looking:
            assert list(await looking.unfinished(until=NOON + SECOND)) == [erasure]
    async with store.write(ACME) as transaction:
        await transaction.erase.end(ID)
    async with store.observe() as observations:
        assert list(await observations.unfinished(until=NOON + SECOND)) == []


async def test_where_others_may_be_at_it_it_is_left_alone_for_a_while(store: SqlStore) -> None:
    erasure = await begin(store, await keep(store, *WORDS))
    assert await portion(store, erasure)
    async with store.observe() as observations:
        left = await observations.unfinished(until=NOON)
    on_postgres = store.database.writer.dialect.name == "postgresql"
    assert list(left) == ([] if on_postgres else [erasure])
