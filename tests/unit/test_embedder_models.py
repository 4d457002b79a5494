"""Other embedding models than the default one: other tokenizers, prompts and limits."""

import os
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from app.adapters.embedder import CompiledModel, ModelSpec, OnnxEmbedder
from app.adapters.embedder.build import build
from app.adapters.embedder.folder import NotPlainBert, read_max_pieces, read_prompts, read_shape
from app.domain.errors import EmbedderUnavailable
from app.ranking import Floats
from tests.multilingual import TEXTS, a_multilingual_folder
from tests.tiny_models import HIDDEN, POSITIONS, an_embedder_folder, write_json

PROMPTS = {"query": "green ", "document": "black tea "}
MANY = "one two three four " * 20
"""80 word pieces."""


def build_here(folder: Path, target: Path, **about: str) -> CompiledModel:
    target.mkdir()
    build(ModelSpec(source=str(folder), precision="fp32", **about), target)  # type: ignore[arg-type]  # only prompts
    compiled = CompiledModel.find(target)
    assert compiled
    return compiled


async def documents(compiled: CompiledModel, texts: Sequence[str]) -> Floats:
    embedder = await OnnxEmbedder.open(compiled)
    try:
        return await embedder.embed(texts)
    finally:
        await embedder.aclose()


async def queries(compiled: CompiledModel, texts: Sequence[str]) -> Floats:
    embedder = await OnnxEmbedder.open(compiled)
    try:
        return np.stack([(await embedder.read_query(text)).vector for text in texts])
    finally:
        await embedder.aclose()


def cosines(some: Floats, others: Floats) -> Floats:
    near: Floats = (some * others).sum(axis=1)
    return near


@pytest.fixture
def plain(tmp_path: Path) -> CompiledModel:
    return build_here(an_embedder_folder(tmp_path / "plain"), tmp_path / "plain-compiled")


@pytest.fixture
def prompted(tmp_path: Path) -> CompiledModel:
    folder = an_embedder_folder(tmp_path / "prompted")
    write_json(folder / "config_sentence_transformers.json", {"prompts": PROMPTS})
    return build_here(folder, tmp_path / "prompted-compiled")


async def test_a_models_own_prompts_stand_before_queries_and_documents(
    plain: CompiledModel, prompted: CompiledModel
) -> None:
    assert await documents(prompted, ["milk"]) == pytest.approx(
        await documents(plain, ["black tea milk"]), abs=1e-5
    )
    assert await queries(prompted, ["milk"]) == pytest.approx(
        await documents(plain, ["green milk"]), abs=1e-5
    )


async def test_prompts_can_be_set(tmp_path: Path, plain: CompiledModel) -> None:
    folder = tmp_path / "prompted"
    an_embedder_folder(folder)
    write_json(folder / "config_sentence_transformers.json", {"prompts": PROMPTS})
    other = build_here(folder, tmp_path / "other", query_prompt="four ", document_prompt="")

    assert await documents(other, ["milk"]) == pytest.approx(
        await documents(plain, ["milk"]), abs=1e-5
    )
    assert await queries(other, ["milk"]) == pytest.approx(
        await documents(plain, ["four milk"]), abs=1e-5
    )
    assert other.name != plain.name


async def test_every_stretch_of_a_long_document_begins_with_the_prompt(
    plain: CompiledModel, prompted: CompiledModel
) -> None:
    """24 word pieces at once: two special ones, two of the prompt, twenty of the text."""
    stretches = [f"black tea {MANY[at : at + 95]}" for at in range(0, 380, 95)]

    whole = await documents(prompted, [MANY])

    assert {len(each.split()) for each in stretches} == {22}
    mean = (await documents(plain, stretches)).mean(axis=0)
    assert whole[0] == pytest.approx(mean / np.linalg.norm(mean), abs=1e-5)


async def test_a_prompt_that_leaves_no_room_is_refused(tmp_path: Path) -> None:
    folder = an_embedder_folder(tmp_path / "tiny")
    compiled = build_here(folder, tmp_path / "compiled", document_prompt=MANY)

    with pytest.raises(EmbedderUnavailable, match="leaves no room"):
        await OnnxEmbedder.open(compiled)


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ({}, ("", "")),
        ({"prompts": {}}, ("", "")),
        ({"prompts": {"query": "query: ", "passage": "passage: "}}, ("query: ", "passage: ")),
        ({"prompts": {"query": None, "document": "", "corpus": "text: "}}, ("", "text: ")),
    ],
)
def test_prompts_are_known_by_several_names(
    tmp_path: Path, told: dict[str, object], expected: tuple[str, str]
) -> None:
    write_json(tmp_path / "config_sentence_transformers.json", told)

    assert read_prompts(tmp_path) == expected


def test_newer_folders_tell_in_the_tokenizers_file_how_much_is_read(tmp_path: Path) -> None:
    folder = an_embedder_folder(tmp_path)
    write_json(folder / "tokenizer_config.json", {"model_max_length": 10})
    assert read_max_pieces(folder) == 10

    write_json(folder / "tokenizer_config.json", {"model_max_length": 10**30})
    assert read_max_pieces(folder) == POSITIONS


def test_vectors_without_their_prompt_are_refused(tmp_path: Path) -> None:
    folder = an_embedder_folder(tmp_path)
    told = {"pooling_mode": "mean", "include_prompt": False}
    write_json(folder / "1_Pooling/config.json", told)

    with pytest.raises(NotPlainBert, match="without the prompt"):
        read_shape(folder)


@pytest.mark.torch
@pytest.mark.parametrize("family", ["bert", "xlm-roberta"])
@pytest.mark.parametrize("prompts", [None, {"query": "query: ", "document": "passage: "}])
async def test_a_multilingual_model_is_what_sentence_transformers_computes(
    tmp_path: Path, family: str, prompts: dict[str, str] | None
) -> None:
    """
    Unigram word pieces in many scripts, on the two families that such models are of: BERT, which is
    compiled without torch, and XLM-RoBERTa, which is not.
    """
    if "CI" not in os.environ:
        pytest.importorskip("sentence_transformers")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        folder = a_multilingual_folder(tmp_path / "model", family, prompts=prompts, reads=40)
        compiled = build_here(folder, tmp_path / "compiled")
        from sentence_transformers import SentenceTransformer  # noqa: PLC0415  (optional, slow)

        torch = SentenceTransformer(str(folder), device="cpu")
        asked = torch.encode_query(TEXTS, normalize_embeddings=True)
        stored = torch.encode_document(TEXTS, normalize_embeddings=True)

    assert (compiled.dimension, compiled.max_pieces) == (HIDDEN * 2, 40)
    assert cosines(await queries(compiled, TEXTS), asked).min() >= 0.9999
    assert cosines(await documents(compiled, TEXTS), stored).min() >= 0.9999
    apart = 1 - cosines(asked, stored).min()
    assert apart > 0.01 if prompts else apart < 1e-5
