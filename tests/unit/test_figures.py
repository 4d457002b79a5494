"""Figures out of stored metrics: rates, percentiles, buckets."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.ports.measuring import Beat, Built, Span
from app.services.operating.figures import figures, read, series
from app.services.operating.measuring import span_of
from tests.stored import ACME

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SPAN = Span(start=NOON, stop=NOON + timedelta(minutes=3), bucket=60)


def built(at: datetime = NOON, total_ms: float = 10.0, **about: Any) -> Built:
    facts = {
        "intent": "recall",
        "items": 2,
        "tokens": 50,
        "budget": 100,
        "sufficient": True,
        "top_scores": [0.8, 0.4],
        "types": {"message": [2, 50, 0.8]},
        "degraded": [],
        "ms": {"total": total_ms},
    }
    return Built(key=1, at=at, total_ms=total_ms, facts=json.dumps(facts | about))


NOTHING_FOUND: dict[str, Any] = {
    "items": 0,
    "tokens": 0,
    "sufficient": False,
    "top_scores": [],
    "types": {},
}


def test_nothing_measured_is_told_as_nothing() -> None:
    told = figures([])
    assert (told.hit_rate, told.sufficient_rate, told.types) == (None, None, {})
    assert (told.top_scores, told.budget_used, told.latency_ms) == ({}, {}, {})


def test_rates_scores_and_budgets_are_of_all_contexts() -> None:
    told = figures(read([built(), built(), built(), built(**NOTHING_FOUND)]))
    assert (told.hit_rate, told.sufficient_rate) == (0.75, 0.75)
    assert told.top_scores["mean"] == told.top_scores["p50"] == 0.8
    assert told.budget_used["mean"] == 0.375
    assert told.tokens["p50"] == 50
    assert told.intents == {"recall": 4}


def test_latencies_are_told_by_stage() -> None:
    several = [built(ms={"total": ms, "embed": 1.0}) for ms in range(1, 102)]
    told = figures(read(several)).latency_ms
    assert told["total"] == {"mean": 51, "p50": 51, "p90": 91, "p95": 96, "p99": 100}
    assert told["embed"]["p99"] == 1.0


def test_types_are_told_with_their_share_of_the_tokens() -> None:
    both: dict[str, Any] = {"message": [2, 30, 0.8], "fact": [1, 10, 0.4]}
    told = figures(read([built(types=both), built(types={"message": [1, 40, 0.6]})])).types
    assert (told["message"].contexts, told["message"].items, told["message"].tokens) == (2, 3, 70)
    assert (told["message"].share, told["fact"].share) == (0.875, 0.125)
    assert told["message"].top_score == pytest.approx(0.7)


def test_a_series_tells_the_tokens_of_each_type() -> None:
    both = built(types={"message": [2, 30, 0.8], "fact": [1, 10, 0.4]})
    later = built(NOON + timedelta(minutes=2), types={"fact": [1, 7, 0.4]})
    told = series(SPAN, read([both, built(), later]), [2, 0, 1], [])
    assert [each.types for each in told] == [{"fact": 10, "message": 80}, {}, {"fact": 7}]


def test_degraded_sources_are_counted() -> None:
    told = figures(read([built(degraded=["semantic"]), built(degraded=["lexical", "semantic"])]))
    assert told.degraded == {"lexical": 1, "semantic": 2}


def test_a_series_has_every_bucket_also_the_empty_ones() -> None:
    several = read([built(total_ms=5.0), built(NOON + timedelta(seconds=125), **NOTHING_FOUND)])
    beat = Beat(
        tenant=ACME,
        at=NOON + timedelta(minutes=1),
        cached=4,
        cached_ms=2.0,
        waiting=7,
        oldest_s=1.23456,
        dead=1,
    )
    first, second, third = series(SPAN, several, [1, 0, 1], [beat])
    assert (first.at, first.built, first.hit_rate, first.latency_ms["p95"]) == (NOON, 1, 1.0, 5.0)
    assert (second.built, second.hit_rate, second.top_score, second.latency_ms) == (
        0,
        None,
        None,
        {},
    )
    assert (second.cached, second.cached_ms, second.waiting) == (4, 0.5, 7)
    assert (second.oldest_s, second.dead) == (1.235, 1)
    assert (third.hit_rate, third.sufficient_rate, third.waiting) == (0.0, 0.0, 0)


@given(st.integers(min_value=1, max_value=30 * 24 * 60), st.integers(0, 10**9))
def test_a_window_lies_in_at_most_61_whole_buckets(minutes: int, moment: int) -> None:
    now = datetime(2000, 1, 1, tzinfo=UTC) + timedelta(seconds=moment)
    span = span_of(timedelta(minutes=minutes), now)
    assert span.start <= now - timedelta(minutes=minutes)
    assert span.start.timestamp() % span.bucket == 0
    assert now < span.stop
    assert span.buckets <= 61
    assert span.bucket_of(now) == span.buckets - 1


def test_what_is_measured_as_a_bucket_begins_is_told() -> None:
    span = span_of(timedelta(hours=1), NOON)
    beat = Beat(tenant=ACME, at=NOON, cached=3, cached_ms=1.0, waiting=0, oldest_s=0.0, dead=0)
    told = series(span, read([built(NOON)]), [0] * 60 + [1], [beat])
    assert (told[-1].at, told[-1].built, told[-1].cached) == (NOON, 1, 3)
    assert len(told) == span.buckets


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=50))
def test_percentiles_are_in_order_and_within_what_was_measured(times: list[float]) -> None:
    several = [built(ms={"total": ms}) for ms in times]
    told = figures(read(several)).latency_ms["total"]
    ordered = [told[name] for name in ("p50", "p90", "p95", "p99")]
    assert ordered == sorted(ordered)
    assert min(times) - 1e-3 <= ordered[0]
    assert ordered[-1] <= max(times) + 1e-3
