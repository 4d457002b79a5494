"""The pulse: what it writes, when it writes nothing, and what it keeps when it cannot."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import pytest

from app.adapters.sql.store import SqlStore, SqlSystem
from app.domain.errors import StoreUnavailable
from app.ports.measuring import Beat, Span
from app.services.answering.pulse import Pulse
from tests.factories import ACME
from tests.fakes import Memory

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)


class Clock:
    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def pulse(store: SqlStore, clock: Clock) -> Pulse:
    return Pulse(store=store, clock=clock)


async def beats(store: SqlStore) -> Sequence[Beat]:
    async with store.read(ACME) as snapshot:
        return await snapshot.metrics.beats(
            Span(start=NOON, stop=NOON + timedelta(hours=1), bucket=60)
        )


async def test_answers_from_the_cache_are_added_up(
    store: SqlStore, pulse: Pulse, clock: Clock
) -> None:
    pulse.served(ACME, 0.002)
    pulse.served(ACME, 0.001)
    await pulse.tick()
    await pulse.tick()
    clock.now += 30 * SECOND
    pulse.served(ACME, 0.001)
    await pulse.tick()
    clock.now += 60 * SECOND
    pulse.served(ACME, 0.001)
    await pulse.tick()
    told = await beats(store)
    assert [(each.at, each.cached) for each in told] == [(NOON, 3), (NOON + 60 * SECOND, 1)]
    assert [each.cached_ms for each in told] == pytest.approx([4.0, 1.0])


async def test_what_waits_is_written_at_its_most_and_nothing_without_news(
    store: SqlStore, clock: Clock, pulse: Pulse, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory, written = Memory(store), list[int]()
    kept = SqlSystem.keep_beats

    async def counted(self: SqlSystem, several: Sequence[Beat]) -> None:
        written.append(len(several))
        await kept(self, several)

    monkeypatch.setattr(SqlSystem, "keep_beats", counted)
    await pulse.tick()
    await memory.say("dog", "cat", "cow")
    clock.now = memory.clock().replace(second=0, microsecond=0) + 30 * SECOND
    for _ in range(3):
        await pulse.tick()
    await memory.index()
    await pulse.tick()
    assert written == [1]
    span = Span(start=clock.now - 60 * SECOND, stop=clock.now, bucket=60)
    async with store.read(ACME) as snapshot:
        assert [each.waiting for each in await snapshot.metrics.beats(span)] == [3]


async def test_what_cannot_be_written_waits(
    store: SqlStore, pulse: Pulse, monkeypatch: pytest.MonkeyPatch
) -> None:
    @asynccontextmanager
    async def refuse(_: SqlStore) -> AsyncIterator[SqlSystem]:
        raise StoreUnavailable
        yield

    pulse.served(ACME, 0.002)
    with monkeypatch.context() as patched:
        patched.setattr(SqlStore, "project", refuse)
        await pulse.tick()
    pulse.served(ACME, 0.002)
    await pulse.tick()
    assert [each.cached for each in await beats(store)] == [2]
