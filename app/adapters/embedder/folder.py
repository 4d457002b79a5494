"""Reading a sentence-transformers folder, and refusing what we would get wrong."""

import json
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
    config = read_json(folder / "config.json")
    _expect("model type", config.get("model_type"), "bert")
    _expect("activation", config.get("hidden_act"), "gelu")
    _expect("positions", config.get("position_embedding_type", "absolute"), "absolute")
    _expect_modules(folder)
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
    """How many word pieces of a text the model reads, the two special ones included."""
    positions: int = read_json(folder / "config.json")["max_position_embeddings"]
    limits = folder / "sentence_bert_config.json"
    limit = read_json(limits).get("max_seq_length") if limits.exists() else None
    return min(limit or positions, positions)


def read_json(path: Path) -> Any:  # noqa: ANN401  (JSON is Any)
    return json.loads(path.read_text("utf-8"))


def _expect_modules(folder: Path) -> None:
    modules = read_json(folder / "modules.json")
    kinds = [str(module["type"]).rpartition(".")[2] for module in modules]
    if kinds not in (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"]):
        raise NotPlainBert(f"Its modules are {', '.join(kinds)}.")
    _expect("path of the encoder", modules[0]["path"], "")
    _expect("pooling", _pooling(folder / modules[1]["path"] / "config.json"), "mean")


def _pooling(path: Path) -> str:
    """The one way of pooling, in the words of the older or the newer kind of file."""
    config = read_json(path)
    if "pooling_mode" in config:
        return str(config["pooling_mode"])
    modes = [mode for mode, chosen in config.items() if mode.startswith("pooling_") and chosen]
    return "mean" if modes == ["pooling_mode_mean_tokens"] else ", ".join(modes)


def _expect(what: str, found: object, expected: object) -> None:
    if found != expected:
        raise NotPlainBert(f"Its {what} is {found!r}, not {expected!r}.")
