"""Retrieval metrics: counted in buckets, read in portions, of one tenant only."""

import json
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from uuid_utils.compat import uuid7

from app.domain.audit import user_subject
from app.domain.ids import BundleId, TenantId
from app.ports.measuring import Beat, Built, Span
from app.ports.store import Store
from app.ports.stored import Receipt
from tests.stored import ACME, MICROSECOND, NOON, OTHER, SECOND, keep

MINUTE = 60 * SECOND
SPAN = Span(start=NOON, stop=NOON + 3 * MINUTE, bucket=60)


async def measured(store: Store, at: datetime, tenant: TenantId = ACME, **facts: Any) -> None:
    receipt = Receipt(
        bundle_id=BundleId(UUID(str(uuid7()))),
        tenant=tenant,
        scope=None,
        subject=user_subject(tenant, None),
        version=0,
        created_at=at,
        request={},
        answer={},
        total_ms=1.5,
        facts=facts,
    )
    async with store.project() as projections:
        await projections.keep_receipts([receipt])


def beat(at: datetime, tenant: TenantId = ACME, **about: Any) -> Beat:
    told: dict[str, Any] = {"cached": 0, "cached_ms": 0.0, "waiting": 0, "oldest_s": 0.0, "dead": 0}
    return Beat(tenant=tenant, at=at, **told | about)


async def keep_beats(store: Store, *beats: Beat) -> None:
    async with store.project() as projections:
        await projections.keep_beats(beats)


async def test_contexts_are_counted_by_bucket_and_tenant(store: Store) -> None:
    for at in (-MICROSECOND, 0 * SECOND, MINUTE - MICROSECOND, 2 * MINUTE, 3 * MINUTE):
        await measured(store, NOON + at)
    await measured(store, NOON, OTHER)
    async with store.read(ACME) as snapshot:
        assert await snapshot.metrics.built_by_bucket(SPAN) == [2, 0, 1]


async def test_a_context_is_counted_in_the_bucket_that_has_just_begun(store: Store) -> None:
    await measured(store, NOON + MINUTE)
    just_begun = Span(start=NOON, stop=NOON + MINUTE + MICROSECOND, bucket=60)
    async with store.read(ACME) as snapshot:
        assert await snapshot.metrics.built_by_bucket(just_begun) == [0, 1]


async def test_contexts_are_read_on_in_portions(store: Store) -> None:
    facts: list[dict[str, Any]] = [{"n": n, "ü": [None, 0.5]} for n in range(5)]
    for n, told in enumerate(facts):
        await measured(store, NOON + n * SECOND, **told)
    await measured(store, NOON, OTHER, n=9)
    read: list[Built] = []
    after = 0
    async with store.read(ACME) as snapshot:
        while some := await snapshot.metrics.built(SPAN, every=1, after=after, limit=2):
            assert len(some) <= 2
            read += some
            after = some[-1].key
        third = await snapshot.metrics.built(SPAN, every=3, after=0, limit=9)
    assert [json.loads(each.facts) for each in read] == facts
    assert [(each.at, each.total_ms) for each in read][1] == (NOON + SECOND, 1.5)
    assert third == [each for each in read if each.key % 3 == 0]


async def test_beats_of_a_minute_add_up_whoever_wrote_them(store: Store) -> None:
    await keep_beats(
        store,
        beat(NOON, cached=2, cached_ms=3.0, waiting=5, oldest_s=1.5),
        beat(NOON, OTHER, cached=100),
    )
    await keep_beats(store, beat(NOON, cached=1, cached_ms=0.5, waiting=4, oldest_s=2.5, dead=1))
    await keep_beats(store)
    async with store.read(ACME) as snapshot:
        found = await snapshot.metrics.beats(SPAN)
    assert found == [beat(NOON, cached=3, cached_ms=3.5, waiting=5, oldest_s=2.5, dead=1)]


async def test_beats_are_told_by_bucket(store: Store) -> None:
    minutes = [beat(NOON + n * MINUTE, cached=n, waiting=9 - n) for n in range(4)]
    await keep_beats(store, *minutes)
    wide = Span(start=NOON, stop=NOON + 4 * MINUTE, bucket=120)
    async with store.read(ACME) as snapshot:
        found = await snapshot.metrics.beats(wide)
    assert [(each.at, each.cached, each.waiting) for each in found] == [
        (NOON, 1, 9),
        (NOON + 2 * MINUTE, 5, 7),
    ]


async def test_old_beats_are_forgotten(store: Store) -> None:
    kept = timedelta(days=30)
    await keep_beats(store, beat(NOON - kept, cached=1), beat(NOON - kept - MINUTE, cached=1))
    async with store.project() as projections:
        await projections.forget_old(now=NOON, limit=9)
    ever = Span(start=NOON - 2 * kept, stop=NOON, bucket=60)
    async with store.read(ACME) as snapshot:
        assert [each.at for each in await snapshot.metrics.beats(ever)] == [NOON - kept]


async def test_what_waits_is_told_by_tenant(store: Store) -> None:
    await keep(store, "dog", "cat")
    await keep(store, "dog", tenant=OTHER)
    async with store.observe() as observations:
        waiting = await observations.waiting(now=NOON + SECOND)
    assert {tenant: state.depth for tenant, state in waiting.items()} == {ACME: 2, OTHER: 1}
    assert waiting[ACME].oldest_age == 1.0
