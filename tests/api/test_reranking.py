"""Over HTTP, with a cross-encoder of random weights: off, on, late, missing and damaged."""

import json
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from httpx import AsyncClient

from app.adapters.embedder import ModelSpec
from app.adapters.reranker import OnnxReranker, compile_reranker
from app.settings import RerankerSettings
from tests.api.serving import run
from tests.api.speaking import Json, contents, context, get, search, settings_for, store, talking_to
from tests.fakes_embedder import a_compiled_model
from tests.tiny_models import a_cross_encoder_folder

SAID = [
    "the green tea drinks milk",
    "what drinks the black tea",
    "two drinks, one tea and one milk",
    "milk, three drinks of it",
    "four black drinks",
]
QUERY = "what drinks tea or milk"
ONLY_RELEVANCE = {"relevance": 1, "recency": 0, "importance": 0}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return a_cross_encoder_folder(tmp_path / "tiny")


@asynccontextmanager
async def reranking(directory: Path, **chosen: Any) -> AsyncIterator[AsyncClient]:
    """A service with what was said in it; the cross-encoder's cache is the test's own."""
    embedding = a_compiled_model()
    cache = directory / "models"
    if not cache.exists():
        shutil.copytree(embedding.folder, cache / embedding.folder.name)
    settings = settings_for(directory, reranker=RerankerSettings(**chosen), model_cache=cache)
    async with talking_to(settings) as client:
        await store(client, *SAID, external_id="drinks", user_id="alice")
        yield client


async def ask(client: AsyncClient, **fields: Any) -> Json:
    return await context(
        client, QUERY, user_id="alice", explain=True, weights=ONLY_RELEVANCE, **fields
    )


def signals(bundle: Json, name: str) -> dict[str, float]:
    return {
        each["content"]: each["signals"][name]
        for each in bundle["retrieved_memories"]
        if name in each["signals"]
    }


async def as_fused(directory: Path) -> Json:
    async with reranking(directory) as client:
        return await ask(client)


async def test_it_is_off_unless_it_is_wanted(tmp_path: Path) -> None:
    async with reranking(tmp_path) as client:
        bundle = await ask(client)
        debugged = await get(client, "/memory/debug/retrieval", q=QUERY, user_id="alice")
        ready = (await get(client, "/readyz"))["parts"]

    assert bundle["metadata"]["degraded"] == []
    assert signals(bundle, "rerank") == {}
    assert debugged["flags"]["rerank"] is False
    assert "reranker" not in ready


async def test_the_cross_encoder_decides_on_the_order(tmp_path: Path, folder: Path) -> None:
    async with reranking(tmp_path, model=str(folder), share=1.0) as client:
        bundle = await ask(client)
        found = await search(client, QUERY, user_id="alice", weights=ONLY_RELEVANCE)
        debugged = await get(client, "/memory/debug/retrieval", q=QUERY, user_id="alice")
        ready = (await get(client, "/readyz"))["parts"]
        metrics = (await client.get("/metrics")).text
    spec = ModelSpec(source=str(folder), precision="fp32", task="rerank")
    reranker = await OnnxReranker.open(compile_reranker(spec, tmp_path / "models"))
    scores = await reranker.score(QUERY, SAID, seconds=60)
    await reranker.aclose()

    best_first = [SAID[at] for at in (-scores).argsort()]
    assert contents(bundle) == contents(found) == best_first
    assert signals(bundle, "rerank") == pytest.approx(
        dict(zip(SAID, scores.tolist(), strict=True)), abs=1e-4
    )
    assert sorted(signals(bundle, "relevance").values()) == pytest.approx(
        sorted(signals(bundle, "fused").values()), abs=1e-5
    )
    assert bundle["metadata"]["degraded"] == []
    assert debugged["flags"]["rerank"] is True
    assert "rerank_ms" in debugged["metrics"]
    assert (ready["reranker"]["status"], ready["reranker"]["lag"]) == ("ok", 0)
    assert ready["reranker"]["model"] == reranker.model
    assert "foreword_rerank_seconds_count 3.0" in metrics
    assert "foreword_rerank_candidates_sum 15.0" in metrics


async def test_the_others_keep_their_place_behind_what_is_read(
    tmp_path: Path, folder: Path
) -> None:
    fused = await as_fused(tmp_path / "plain")
    async with reranking(tmp_path, model=str(folder), candidates=2, share=1.0) as client:
        bundle = await ask(client)

    assert set(contents(bundle)[:2]) == set(contents(fused)[:2])
    assert contents(bundle)[2:] == contents(fused)[2:]
    assert len(signals(bundle, "rerank")) == 2


async def test_what_is_not_sufficient_is_not_made_so(tmp_path: Path, folder: Path) -> None:
    async with reranking(tmp_path, model=str(folder), share=1.0) as client:
        bundle = await context(client, "How high is the Eiffel tower?", user_id="alice")

    assert bundle["metadata"]["sufficient"] is False


@pytest.mark.parametrize("late", [{"deadline_s": 1e-9}, {"deadline_s": 1e-4}])
async def test_a_late_reranker_is_named_and_the_order_stays(
    tmp_path: Path, folder: Path, late: dict[str, float]
) -> None:
    fused = await as_fused(tmp_path / "plain")
    async with reranking(tmp_path, model=str(folder), **late) as client:
        first, second = [await ask(client) for _ in range(2)]
        metrics = (await client.get("/metrics")).text

    assert first["metadata"]["degraded"] == [{"source": "rerank", "reason": "deadline"}]
    assert contents(first) == contents(fused)
    assert signals(first, "relevance") == pytest.approx(signals(fused, "relevance"))
    assert second["metadata"]["cache_hit"] is False
    missing = 'foreword_source_missing_total{reason="deadline",source="rerank"} 2.0'
    assert missing in metrics


async def test_a_request_without_time_goes_without(tmp_path: Path, folder: Path) -> None:
    async with reranking(tmp_path, model=str(folder)) as client:
        bundle = await ask(client, deadline_ms=1)

    assert {"source": "rerank", "reason": "deadline"} in bundle["metadata"]["degraded"] or (
        bundle["metadata"]["candidates"] == 0
    )


@pytest.mark.parametrize("damage", ["missing", "no weights", "two scores"])
async def test_without_its_model_the_service_starts_and_says_so(
    tmp_path: Path, folder: Path, damage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    fused = await as_fused(tmp_path / "plain")
    if damage == "missing":
        shutil.rmtree(folder)
    elif damage == "no weights":
        (folder / "model.safetensors").write_bytes(b"\0" * 100)
    else:
        shutil.rmtree(folder)
        a_cross_encoder_folder(folder, id2label={"0": "no", "1": "yes"})

    async with reranking(tmp_path, model=str(folder)) as client:
        ready = await client.get("/readyz")
        bundle = await ask(client)
        replayed = await get(client, f"/bundles/{bundle['bundle_id']}")

    degraded = [{"source": "rerank", "reason": "The reranking model does not answer"}]
    assert (ready.status_code, ready.json()["parts"]["reranker"]["status"]) == (200, "down")
    assert bundle["metadata"]["degraded"] == replayed["metadata"]["degraded"] == degraded
    assert contents(bundle) == contents(fused)


async def test_a_damaged_cache_is_mended(tmp_path: Path, folder: Path) -> None:
    async with reranking(tmp_path, model=str(folder)) as client:
        before = await ask(client)
    (compiled,) = (tmp_path / "models").glob("tiny-*")
    (compiled / "model.onnx").write_bytes(b"damaged")

    async with reranking(tmp_path, model=str(folder)) as client:
        after = await ask(client)

    assert after["metadata"]["degraded"] == []
    assert signals(after, "rerank") == pytest.approx(signals(before, "rerank"))


def test_it_is_compiled_ahead_beside_the_embedder(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    chosen = {"MODEL_CACHE": str(tmp_path / "models"), "RERANKER__MODEL": str(folder)}

    compiled = run(tmp_path, "compile", **chosen)
    again = run(tmp_path, "compile", "--json", **chosen)
    shutil.rmtree(folder)
    missing = run(tmp_path, "compile", "--json", **chosen)

    lines = dict(line.split(": ") for line in compiled.stdout.splitlines())
    assert list(lines) == ["Model", "Reranker"]
    assert all((Path(each) / "model.onnx").exists() for each in lines.values())
    told = {"model": lines["Model"], "reranker": lines["Reranker"]}
    assert json.loads(again.stdout) == told
    assert (missing.returncode, missing.stdout) == (2, "")
    assert "tiny" in missing.stderr
