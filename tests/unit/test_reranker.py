"""A cross-encoder with random weights: what it says means nothing, how it says it is real."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
import threading
import warnings
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from app.adapters.embedder.compile import CompiledModel, ModelSpec, Precision
from app.adapters.embedder.folder import NotPlainBert
from app.adapters.reranker import OnnxReranker, compile_reranker
from app.adapters.reranker.build import build
from app.adapters.reranker.folder import read_activation, read_prompt, read_shape
from app.adapters.reranker.onnx_reranker import _Reading
from app.domain.errors import RerankerBusy, RerankerUnavailable
from app.ranking import Floats
from tests.tiny_models import POSITIONS, WORDS, a_cross_encoder_folder, write_json

QUERY = "what drinks"
TEXTS = ["green tea", "black tea the milk", "", "one two three four " * 20, "TEA!", "schnitzel"]
IDENTITY = "torch.nn.modules.linear.Identity"
WITH_IDENTITY = {"sentence_transformers": {"activation_fn": IDENTITY}}


def build_here(folder: Path, target: Path, *, precision: Precision = "fp32") -> CompiledModel:
    target.mkdir()
    build(ModelSpec(source=str(folder), precision=precision, task="rerank"), target)
    compiled = CompiledModel.find(target)
    assert compiled
    return compiled


@asynccontextmanager
async def opened(compiled: CompiledModel, **about: int) -> AsyncIterator[OnnxReranker]:
    reranker = await OnnxReranker.open(compiled, **about)
    try:
        yield reranker
    finally:
        await reranker.aclose()


@contextmanager
def held_up(reranker: OnnxReranker, threads: int = 1) -> Iterator[None]:
    """Its threads are busy, as with a model that is too large."""
    over = threading.Event()
    for _ in range(threads):
        reranker._lane.submit(over.wait)
    try:
        yield
    finally:
        over.set()


async def scores(compiled: CompiledModel, query: str = QUERY, *texts: str) -> Floats:
    async with opened(compiled) as reranker:
        return await reranker.score(query, texts or TEXTS, seconds=60)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> CompiledModel:
    directory = tmp_path_factory.mktemp("reranker")
    return build_here(a_cross_encoder_folder(directory / "tiny"), directory / "compiled")


async def test_every_text_has_a_score_whatever_it_is_read_with(tiny: CompiledModel) -> None:
    together = await scores(tiny)
    alone = np.concatenate([await scores(tiny, QUERY, each) for each in TEXTS])

    assert together.shape == (len(TEXTS),)
    assert together == pytest.approx(alone, abs=1e-5)
    assert ((together > 0) & (together < 1)).all()
    assert len({round(float(each), 4) for each in together}) > 2


async def test_query_and_text_are_told_apart(tiny: CompiledModel) -> None:
    assert await scores(tiny, "tea", "milk") != pytest.approx(await scores(tiny, "milk", "tea"))


async def test_a_long_text_is_read_as_far_as_the_model_can(tiny: CompiledModel) -> None:
    beginning = "one two three four " * 10

    assert tiny.max_pieces == POSITIONS
    assert await scores(tiny, "tea", beginning) == await scores(tiny, "tea", beginning + "milk")


async def test_hostile_texts_are_scored(tiny: CompiledModel) -> None:
    told = await scores(tiny, "\ud800 tea\0" * 50_000, "\udfff", "x" * 1_000_000, "\0", "")

    assert np.isfinite(told).all()


async def test_int8_puts_texts_in_much_the_same_order(tmp_path: Path) -> None:
    folder = a_cross_encoder_folder(tmp_path / "tiny", **WITH_IDENTITY)
    random = Random(3)
    texts = [" ".join(random.choices(WORDS[4:], k=8)) for _ in range(60)]

    # Its few words are none of those that the ranges were seen with, so not as near as a real one.
    exact = await scores(build_here(folder, tmp_path / "exact"), QUERY, *texts)
    small = await scores(build_here(folder, tmp_path / "small", precision="int8"), QUERY, *texts)

    assert np.corrcoef(exact, small)[0, 1] > 0.9
    assert not np.array_equal(exact, small)


async def test_the_last_activation_is_the_models_own(tiny: CompiledModel, tmp_path: Path) -> None:
    folder = a_cross_encoder_folder(tmp_path / "logits", **WITH_IDENTITY)
    logits = await scores(build_here(folder, tmp_path / "compiled"))

    assert 1 / (1 + np.exp(-logits)) == pytest.approx(await scores(tiny), abs=1e-5)


@pytest.mark.parametrize(
    ("config", "beside", "expected"),
    [
        ({}, {}, "Sigmoid"),
        (WITH_IDENTITY, {}, "Identity"),
        ({"sbert_ce_default_activation_function": IDENTITY}, {}, "Identity"),
        ({}, {"activation_fn": IDENTITY}, "Identity"),
    ],
)
def test_the_activation_is_found_where_each_generation_writes_it(
    tmp_path: Path, config: dict[str, object], beside: dict[str, object], expected: str
) -> None:
    folder = a_cross_encoder_folder(tmp_path, **config)
    write_json(folder / "config_sentence_transformers.json", beside)

    assert read_activation(folder) == expected


def test_another_activation_is_refused(tmp_path: Path) -> None:
    told = {"activation_fn": "torch.nn.modules.activation.Tanh"}
    folder = a_cross_encoder_folder(tmp_path, sentence_transformers=told)

    with pytest.raises(NotPlainBert, match="Tanh"):
        read_activation(folder)


@pytest.mark.parametrize(
    "config",
    [
        {"architectures": ["ElectraForSequenceClassification"]},
        {"id2label": {"0": "no", "1": "yes"}},
        {"hidden_act": "relu"},
    ],
)
def test_another_kind_is_refused(tmp_path: Path, config: dict[str, object]) -> None:
    with pytest.raises(NotPlainBert):
        read_shape(a_cross_encoder_folder(tmp_path, **config))


def test_a_tokenizer_that_may_not_tell_the_texts_apart_is_refused(tmp_path: Path) -> None:
    folder = a_cross_encoder_folder(tmp_path)
    write_json(folder / "tokenizer_config.json", {"tokenizer_class": "TokenizersBackend"})

    with pytest.raises(NotPlainBert, match="tokenizer"):
        read_shape(folder)


async def test_a_prompt_stands_before_the_query(tiny: CompiledModel, tmp_path: Path) -> None:
    folder = a_cross_encoder_folder(tmp_path / "prompted")
    told = {"prompts": {"ask": "green "}, "default_prompt_name": "ask"}
    write_json(folder / "config_sentence_transformers.json", told)

    prompted = await scores(build_here(folder, tmp_path / "compiled"), "tea")

    assert read_prompt(folder) == "green "
    assert prompted == pytest.approx(await scores(tiny, "green tea"), abs=1e-6)


def test_it_is_compiled_once_and_never_taken_for_an_embedder(tmp_path: Path) -> None:
    folder = a_cross_encoder_folder(tmp_path / "tiny")
    spec = ModelSpec(source=str(folder), precision="fp32", task="rerank")

    first = compile_reranker(spec, tmp_path / "cache")
    again = compile_reranker(spec, tmp_path / "cache")
    (first.folder / "model.onnx").write_bytes(b"damaged")
    mended = compile_reranker(spec, tmp_path / "cache")

    assert first == again == mended
    assert [each.name for each in (tmp_path / "cache").iterdir()] == [first.folder.name]
    assert (first.dimension, first.precision) == (1, "fp32")


@pytest.mark.parametrize("damage", ["model.safetensors", "config.json", "all"])
def test_a_model_that_is_missing_or_broken_is_unavailable(
    tmp_path: Path, damage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    folder = a_cross_encoder_folder(tmp_path / "tiny")
    if damage == "all":
        shutil.rmtree(folder)
    else:
        (folder / damage).write_bytes(b"{}")

    with pytest.raises(RerankerUnavailable, match="tiny"):
        compile_reranker(ModelSpec(source=str(folder), task="rerank"), tmp_path / "cache")


async def test_a_model_that_is_not_there_any_more_is_unavailable(
    tiny: CompiledModel, tmp_path: Path
) -> None:
    with pytest.raises(RerankerUnavailable, match="cannot be loaded"):
        await OnnxReranker.open(replace(tiny, folder=tmp_path))


async def test_a_closed_reranker_is_unavailable(tiny: CompiledModel) -> None:
    async with opened(tiny) as reranker:
        pass
    with pytest.raises(RerankerUnavailable):
        await reranker.score(QUERY, TEXTS, seconds=60)


async def test_scores_that_are_no_numbers_are_a_failure(tmp_path: Path) -> None:
    folder = a_cross_encoder_folder(tmp_path / "tiny")
    weights = load_file(folder / "model.safetensors")
    weights["classifier.bias"][:] = np.nan
    save_file(weights, folder / "model.safetensors")

    with pytest.raises(RerankerUnavailable, match="no number"):
        await scores(build_here(folder, tmp_path / "compiled"))


async def test_what_is_late_is_not_begun(tiny: CompiledModel) -> None:
    async with opened(tiny) as reranker:
        late = _Reading(reranker._model, ends=perf_counter())
        pair = reranker._model.pair(QUERY, "tea")
        with pytest.raises(TimeoutError):
            late.pairs(QUERY, TEXTS)
        with pytest.raises(TimeoutError):
            late.score([pair])


async def test_what_waited_too_long_leaves_nothing_behind(tiny: CompiledModel) -> None:
    async with opened(tiny, threads=2) as reranker:
        with held_up(reranker, threads=2):
            late = [reranker.score(QUERY, TEXTS, seconds=0.05) for _ in range(4)]
            answers = await asyncio.gather(*late, return_exceptions=True)
            waiting = reranker._lane._work_queue
            left = [waiting.get_nowait().future for _ in range(waiting.qsize())]

        assert [type(each) for each in answers] == [TimeoutError] * 4
        assert [future.cancelled() for future in left] == [True]
        assert (await reranker.score(QUERY, TEXTS, seconds=60)).shape == (len(TEXTS),)


async def test_only_so_many_wait(tiny: CompiledModel) -> None:
    async with opened(tiny, threads=1, waiting=1) as reranker:
        with held_up(reranker):
            inside = [
                asyncio.create_task(reranker.score(QUERY, TEXTS, seconds=60)) for _ in range(2)
            ]
            await asyncio.sleep(0)
            with pytest.raises(RerankerBusy):
                await reranker.score(QUERY, TEXTS, seconds=60)

        first, second = await asyncio.gather(*inside)
        assert first == pytest.approx(second)
        assert await reranker.score(QUERY, TEXTS, seconds=60) == pytest.approx(first)


async def test_who_gives_up_makes_room(tiny: CompiledModel) -> None:
    async with opened(tiny, threads=1, waiting=0) as reranker:
        with held_up(reranker):
            gone = asyncio.create_task(reranker.score(QUERY, TEXTS, seconds=60))
            await asyncio.sleep(0)
            gone.cancel()
            with pytest.raises(asyncio.CancelledError):
                await gone

        assert (await reranker.score(QUERY, TEXTS, seconds=60)).shape == (len(TEXTS),)


SERVE = """
import asyncio, json, sys
from pathlib import Path

HEAVY = {"torch", "onnx", "sentence_transformers", "transformers", "safetensors"}
sys.modules.update(dict.fromkeys(HEAVY))  # importing one fails

from app.adapters.embedder import ModelSpec
from app.adapters.reranker import OnnxReranker, compile_reranker

async def serve():
    spec = ModelSpec(source=sys.argv[1], precision="fp32", task="rerank")
    reranker = await OnnxReranker.open(compile_reranker(spec, Path(sys.argv[2])))
    scores = await reranker.score("tea", ["milk", "tea"], seconds=60)
    await reranker.aclose()
    return len(scores)

print(asyncio.run(serve()), [name for name in HEAVY if sys.modules[name]])
"""


def test_serving_needs_nothing_that_compiling_does(tmp_path: Path) -> None:
    folder = a_cross_encoder_folder(tmp_path / "tiny")
    spec = ModelSpec(source=str(folder), precision="fp32", task="rerank")
    compile_reranker(spec, tmp_path / "cache")

    served = subprocess.run(
        [sys.executable, "-c", SERVE, str(folder), str(tmp_path / "cache")],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": "."},
    )

    assert served.stdout == "2 []\n"


@pytest.mark.torch
@pytest.mark.parametrize("kind", ["written", "saved", "by torch", "RoBERTa"])
async def test_scores_are_those_of_sentence_transformers(tmp_path: Path, kind: str) -> None:
    """A folder as older ones are; one that it saved itself; and two that only torch can compile."""
    if "CI" not in os.environ:
        pytest.importorskip("sentence_transformers")
    folder = a_cross_encoder_folder(tmp_path / "tiny", **WITH_IDENTITY)
    random = Random(5)
    texts = [*TEXTS, *(" ".join(random.choices(WORDS, k=k)) for k in range(40))]
    queries = ["tea", " ".join(random.choices(WORDS, k=30))]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if kind == "RoBERTa":
            folder = a_roberta_folder(folder, tmp_path / "roberta")
        from sentence_transformers import CrossEncoder  # noqa: PLC0415  (optional, slow)

        if kind == "saved":
            CrossEncoder(str(folder), device="cpu").save_pretrained(str(tmp_path / "saved"))
            folder = tmp_path / "saved"
        if kind == "by torch":
            told = json.loads((folder / "config.json").read_text())
            activation = "torch.nn.modules.activation.Tanh"
            told["sentence_transformers"] = {"activation_fn": activation}
            write_json(folder / "config.json", told)
        compiled = build_here(folder, tmp_path / "compiled")
        torch = CrossEncoder(str(folder), device="cpu")
        expected = [torch.predict([(query, text) for text in texts]) for query in queries]

    for query, wanted in zip(queries, expected, strict=True):
        assert await scores(compiled, query, *texts) == pytest.approx(wanted, abs=1e-4)
    assert np.ptp(np.concatenate(expected)) > 0.02


def a_roberta_folder(tokenizer: Path, folder: Path) -> Path:
    """Of another family: no segments, positions counted from the padding."""
    import torch  # noqa: PLC0415  (optional, slow)

    transformers: Any = import_module("transformers")
    torch.manual_seed(4)
    config = transformers.RobertaConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=POSITIONS + 1,
        pad_token_id=0,
        num_labels=1,
        initializer_range=1.0,
    )
    transformers.RobertaForSequenceClassification(config).save_pretrained(folder)
    transformers.PreTrainedTokenizerFast(
        tokenizer_file=str(tokenizer / "tokenizer.json"),
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        model_max_length=POSITIONS,
        model_input_names=["input_ids", "attention_mask"],
    ).save_pretrained(folder)
    return folder
