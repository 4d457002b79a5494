"""A part that is missing or gets lost costs its source only, and comes back without a restart."""

import os
import shutil
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from random import Random

import httpx
import pytest

from app.adapters.embedder.compile import find_default_folder
from tests.api.serving import context, distil_nothing, eventually, serving, store
from tests.durability.slow_embedder import slow_embedder
from tests.durability.watching import (
    HUGIN,
    SAID,
    contents,
    degraded,
    metric,
    parts,
    reasons,
    stats,
    status,
    until,
)
from tests.fakes_embedder import a_compiled_model
from tests.stand_in_qdrant import refusing_port, stand_in_qdrant
from tests.tiny_models import a_cross_encoder_folder

pytestmark = pytest.mark.durability

TALK = [f"Number {n} on the list of everything." for n in range(300)]


def check_that_words_are_found(client: httpx.Client) -> None:
    store(client, HUGIN, wait=False)
    found = context(client, SAID)
    assert contents(found) == [HUGIN]
    assert degraded(found) == ["semantic"]
    assert status(client, "vectors") == "down"
    assert metric(client, 'foreword_part_up{part="vectors"}') == 0
    assert (stats(client)["index_lag"], stats(client)["dead_letters"]) == (1, 0)


def check_that_meaning_is_found(client: httpx.Client) -> None:
    """The work that waited is done."""
    until(client, "vectors", "ok")
    eventually(lambda: stats(client)["index_lag"] == 0)
    found = context(client, SAID)
    assert [each["sources"] for each in found["retrieved_memories"]] == [["lexical", "semantic"]]
    assert degraded(found) == []
    assert metric(client, 'foreword_part_up{part="vectors"}') == 1


def test_a_model_that_comes_later_is_used(tmp_path: Path) -> None:
    model = tmp_path / "model"
    settings = {"EMBEDDER__MODEL": str(model), "MODEL_CACHE": str(tmp_path / "cache")}
    with serving(tmp_path, **settings) as server, server.client() as client:
        check_that_words_are_found(client)
        assert status(client, "embedder") == "down"

        shutil.copytree(find_default_folder(), tmp_path / "unpacked")
        (tmp_path / "unpacked").rename(model)

        check_that_meaning_is_found(client)
        assert status(client, "embedder") == "ok"
        assert server.end() == 0
        assert "Traceback" not in server.log


def test_a_reranker_that_comes_later_is_used(tmp_path: Path) -> None:
    model, cache = tmp_path / "reranker", tmp_path / "cache"
    embedding = a_compiled_model()
    shutil.copytree(embedding.folder, cache / embedding.folder.name)
    settings = {"RERANKER__MODEL": str(model), "MODEL_CACHE": str(cache)}
    with serving(tmp_path, **settings) as server, server.client() as client:
        store(client, HUGIN)
        assert degraded(context(client, SAID)) == ["rerank"]
        assert status(client, "reranker") == "down"
        assert "no reranker: candidates stay as fused" in server.log

        a_cross_encoder_folder(tmp_path / "unpacked").rename(model)

        until(client, "reranker", "ok")
        assert degraded(context(client, SAID)) == []
        assert metric(client, 'foreword_part_up{part="reranker"}') == 1
        assert server.end() == 0
        assert "Traceback" not in server.log


def test_without_the_language_model_rules_do_its_work(tmp_path: Path) -> None:
    with refusing_port() as url:
        settings = {"LLM__URL": f"{url}/v1", "LLM__MODEL": "any", "LLM__ATTEMPTS": "1"}
        with serving(tmp_path, **settings) as server, server.client() as client:
            stored = store(client, "I live in Lisbon.", "We decided on Redis.", user_id="alice")
            until_distilled(client)
            summary = client.post(f"/conversations/{stored['id']}/summaries").raise_for_status()
            listed = client.get("/memories", params={"user_id": "alice", "type": "fact"}).json()

            facts = {each["metadata"]["value"] for each in listed["items"]}
            assert facts == {"Lisbon", "Redis"}
            assert "Redis" in summary.json()["content"]
            assert {each["status"] for each in parts(client).values()} == {"ok"}
            assert metric(client, 'foreword_llm_requests_total{outcome="unavailable"}') >= 1
            assert server.end() == 0
        assert "Traceback" not in server.log


def until_distilled(client: httpx.Client) -> None:
    eventually(lambda: parts(client)["distilling"]["lag"] == 0)


def test_a_vector_server_that_comes_later_is_used(tmp_path: Path) -> None:
    with ExitStack() as nobody:
        url = nobody.enter_context(refusing_port())
        with serving(tmp_path, QDRANT__URL=url) as server, server.client() as client:
            check_that_words_are_found(client)
            nobody.close()
            with stand_in_qdrant(port=int(url.rpartition(":")[2])):
                check_that_meaning_is_found(client)
                assert server.end() == 0
            assert "Traceback" not in server.log


def test_a_vector_server_that_goes_and_forgets_is_filled_again(tmp_path: Path) -> None:
    with ExitStack() as running:
        stand_in = running.enter_context(stand_in_qdrant())
        port = int(stand_in.url.rpartition(":")[2])
        with serving(tmp_path, QDRANT__URL=stand_in.url) as server, server.client() as client:
            store(client, HUGIN)
            running.close()
            assert degraded(context(client, SAID)) == ["semantic"]
            until(client, "vectors", "down")
            with stand_in_qdrant(port=port) as empty:
                check_that_meaning_is_found(client)
                assert len(empty.collections) == 1
                assert server.end() == 0
            assert "Traceback" not in server.log


def test_an_embedding_server_that_stalls_costs_its_source_only(tmp_path: Path) -> None:
    with slow_embedder() as model:
        model.stalls = True
        settings = {
            "EMBEDDER__KIND": "ollama",
            "EMBEDDER__BASE_URL": model.url,
            "EMBEDDER__TIMEOUT_S": "0.5",
            "EMBEDDER__ATTEMPTS": "1",
        }
        with serving(tmp_path, **settings) as server, server.client() as client:
            check_that_words_are_found(client)
            model.stalls = False
            until(client, "vectors", "ok")
            eventually(lambda: stats(client)["index_lag"] == 0)
            assert degraded(context(client, SAID)) == []

            model.stalls = True
            store(client, "Something else.", wait=False)
            asked = context(client, "server, once more?", deadline_ms=200)
            assert contents(asked) == [HUGIN]
            assert degraded(asked) == ["semantic"]
            assert status(client, "embedder") == "down"
            eventually(lambda: metric(client, "foreword_outbox_depth") == 1)

            model.stalls = False
            eventually(lambda: stats(client)["vectors"] == 2)
            assert stats(client)["dead_letters"] == 0
            assert server.end() == 0
            assert "Traceback" not in server.log


def remove(directory: Path) -> None:
    shutil.rmtree(directory)


def replace(directory: Path) -> None:
    shutil.rmtree(directory)
    directory.mkdir()


@pytest.mark.parametrize("lose", [remove, replace])
def test_an_index_that_is_lost_while_serving_is_filled_again(
    tmp_path: Path, lose: Callable[[Path], None]
) -> None:
    with serving(tmp_path) as server, server.client() as client:
        distil_nothing(client)
        store(client, HUGIN, *TALK)
        embedded = metric(client, "foreword_embed_batch_size_sum")
        lose(index_of(tmp_path))

        store(client, "Something else.", wait=False)
        eventually(lambda: "the vector index is complete" in server.log)
        until(client, "vectors", "ok")
        eventually(lambda: stats(client)["vectors"] == len(TALK) + 2)
        check_that_it_is_found_first(client)
        # The vectors came from SQL: what was embedded since are questions and looks.
        assert metric(client, "foreword_embed_batch_size_sum") - embedded < len(TALK)
        assert server.end() == 0
        assert "Traceback" not in server.log
    with serving(tmp_path) as server, server.client() as client:
        until(client, "vectors", "ok")
        assert stats(client)["vectors"] == len(TALK) + 2


def harm(path: Path, random: Random) -> None:
    """Half of the files are cut, the others are noise; what each of these does: unit tests."""
    size = path.stat().st_size
    if random.random() < 0.5:
        os.truncate(path, size // 2)
    else:
        path.write_bytes(random.randbytes(size))


def test_an_index_that_is_harmed_before_the_start_is_filled_again(tmp_path: Path) -> None:
    with serving(tmp_path) as server, server.client() as client:
        distil_nothing(client)
        store(client, HUGIN, *TALK)
        server.kill()
    random = Random(5)
    for file in sorted(each for each in index_of(tmp_path).rglob("*") if each.is_file()):
        harm(file, random)

    with serving(tmp_path) as server, server.client() as client:
        bundles = [context(client, f"{SAID} {n}") for n in range(3)]
        assert all(HUGIN in contents(each) for each in bundles)
        assert {reason for each in bundles for reason in reasons(each)} <= {"being rebuilt"}
        eventually(lambda: stats(client)["vectors"] == len(TALK) + 1)
        until(client, "vectors", "ok")
        check_that_it_is_found_first(client)
        assert "Traceback" not in server.log


def check_that_it_is_found_first(client: httpx.Client) -> None:
    found = context(client, SAID)
    assert contents(found)[0] == HUGIN
    assert found["retrieved_memories"][0]["sources"] == ["lexical", "semantic"]
    assert degraded(found) == []


def index_of(directory: Path) -> Path:
    (index,) = (each for each in (directory / "data" / "vectors").iterdir() if each.is_dir())
    return index
