"""Reading a sentence-transformers folder, and refusing what we would get wrong."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load_file

from app.adapters.embedder.graph import BertShape, Weights
from app.domain.errors import ForewordError


class NotPlainBert(ForewordError):
    """The model is not a BERT encoder with mean pooling."""


def read_shape(folder: Path) -> BertShape:
    """
    The shape of the encoder in `folder`.

    Raises:
        NotPlainBert: It is of another kind, or some part of it is.
    """
    shape = read_encoder(read_json(folder / "config.json"))
    _expect_modules(folder)
    return shape


def read_encoder(config: Mapping[str, Any]) -> BertShape:
    """
    The shape of the encoder that `config` describes.

    Raises:
        NotPlainBert: It is of another kind, or some part of it is.
    """
    expect("model type", config.get("model_type"), "bert")
    expect("activation", config.get("hidden_act"), "gelu")
    expect("positions", config.get("position_embedding_type", "absolute"), "absolute")
    return BertShape(
        layers=config["num_hidden_layers"],
        heads=config["num_attention_heads"],
        epsilon=config["layer_norm_eps"],
    )


def read_weights(folder: Path) -> Weights:
    """Every tensor in `folder` as float32, by its name inside BertModel."""
    tensors = load_file(folder / "model.safetensors")
    return {
        name.removeprefix("bert."): tensor.astype(np.float32, copy=False)
        for name, tensor in tensors.items()
    }


def read_max_pieces(folder: Path) -> int:
    """
    How many word pieces of a text the model reads, the special ones included.

    Older folders say so beside the model, newer ones in the tokenizer's configuration.
    """
    told: list[int | None] = [
        read_if_there(folder / "sentence_bert_config.json").get("max_seq_length"),
        read_if_there(folder / "tokenizer_config.json").get("model_max_length"),
    ]
    return min([positions_in(read_json(folder / "config.json")), *filter(None, told)])


def positions_in(config: Mapping[str, Any]) -> int:
    """How many positions there are for word pieces; the RoBERTa family counts from its padding."""
    positions = int(config["max_position_embeddings"])
    if "roberta" not in str(config["model_type"]):
        return positions
    return positions - int(config.get("pad_token_id") or 0) - 1


def read_prompts(folder: Path) -> tuple[str, str]:
    """
    What stands before a query and before a document, as sentence-transformers' `encode_query` and
    `encode_document` name them; empty for most models.
    """
    prompts = read_if_there(folder / "config_sentence_transformers.json").get("prompts") or {}
    documents = [prompts.get(name) for name in ("document", "passage", "corpus")]
    return prompts.get("query") or "", next(filter(None, documents), "")


def read_json(path: Path) -> Any:  # noqa: ANN401  (JSON is Any)
    return json.loads(path.read_text("utf-8"))


def read_if_there(path: Path) -> Mapping[str, Any]:
    """The object in `path`; an empty one where there is no such file."""
    found: Mapping[str, Any] = read_json(path) if path.exists() else {}
    return found


def _expect_modules(folder: Path) -> None:
    modules = read_json(folder / "modules.json")
    kinds = [str(module["type"]).rpartition(".")[2] for module in modules]
    if kinds not in (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"]):
        raise NotPlainBert(f"Its modules are {', '.join(kinds)}.")
    expect("path of the encoder", modules[0]["path"], "")
    expect("pooling", _pooling(folder / modules[1]["path"] / "config.json"), "mean")


def _pooling(path: Path) -> str:
    """The one way of pooling, in the words of the older or the newer kind of file."""
    config = read_json(path)
    if not config.get("include_prompt", True):
        return "without the prompt"
    if "pooling_mode" in config:
        return str(config["pooling_mode"])
    modes = [mode for mode, chosen in config.items() if mode.startswith("pooling_") and chosen]
    return "mean" if modes == ["pooling_mode_mean_tokens"] else ", ".join(modes)


def expect(what: str, found: object, expected: object) -> None:
    """Raise NotPlainBert unless what was found is what we can build."""
    if found != expected:
        raise NotPlainBert(f"Its {what} is {found!r}, not {expected!r}.")
