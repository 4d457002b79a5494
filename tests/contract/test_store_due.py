"""What a worker asks before it claims anything: whether anything is due."""

from datetime import datetime

from app.domain.periods import spans_of
from app.ports.store import Store
from tests.stored import ACME, NOON, SECOND, keep


async def items_due(store: Store, at: datetime = NOON) -> bool:
    async with store.observe() as observations:
        return await observations.items_due(now=at)


async def notes_due(store: Store, at: datetime = NOON) -> bool:
    async with store.observe() as observations:
        return await observations.notes_due(now=at)


async def test_items_are_due_until_they_are_claimed_or_given_up(store: Store) -> None:
    assert not await items_due(store)
    await keep(store, "dog")
    assert not await items_due(store, NOON - SECOND)
    assert await items_due(store)
    async with store.project() as projections:
        rows = await projections.claim(now=NOON, limit=9, lease=60)
    assert not await items_due(store)
    assert await items_due(store, NOON + 60 * SECOND)
    async with store.project() as projections:
        await projections.retry(rows, due_at=NOON, error="no", tried=True, dead=True)
    assert not await items_due(store, NOON + 60 * SECOND)


async def test_notes_are_due_of_conversations_and_of_periods(store: Store) -> None:
    assert not await notes_due(store)
    kept = await keep(store, "hello")
    assert await notes_due(store)
    async with store.project() as projections:
        (due,) = await projections.claim_conversations(now=NOON, limit=9, lease=60)
    async with store.write(ACME) as transaction:
        await transaction.distilling.rest(due)
    assert not await notes_due(store)

    spans = spans_of(NOON)
    async with store.write(ACME) as transaction:
        await transaction.periods.note(kept.scope.key, spans, now=NOON)
    over = min(span.until for span in spans)
    assert not await notes_due(store, over - SECOND)
    assert await notes_due(store, over)
