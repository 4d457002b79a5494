"""Reading the folder of a cross-encoder, and refusing what we would get wrong."""

from pathlib import Path

from app.adapters.embedder.folder import (
    NotPlainBert,
    expect,
    read_encoder,
    read_if_there,
    read_json,
)
from app.adapters.embedder.graph import BertShape


def read_shape(folder: Path) -> BertShape:
    """
    The shape of the encoder in `folder`.

    Raises:
        NotPlainBert: It is no BERT with one score for a pair of texts.
    """
    config = read_json(folder / "config.json")
    expect("architecture", config.get("architectures"), ["BertForSequenceClassification"])
    expect("number of labels", len(config.get("id2label", ("no", "yes"))), 1)
    tokenizer = read_if_there(folder / "tokenizer_config.json").get("tokenizer_class")
    # Others may not tell the two texts of a pair apart.
    expect("tokenizer", str(tokenizer).removesuffix("Fast"), "BertTokenizer")
    return read_encoder(config)


def read_activation(folder: Path) -> str:
    """
    What is made of the score at the end, as an operator of ONNX; three generations of folders.

    Raises:
        NotPlainBert: It is another one.
    """
    config = read_json(folder / "config.json")
    told = (
        read_if_there(folder / "config_sentence_transformers.json").get("activation_fn")
        or config.get("sentence_transformers", {}).get("activation_fn")
        or config.get("sbert_ce_default_activation_function")
        or "Sigmoid"
    )
    name = str(told).rpartition(".")[2]
    if name not in {"Sigmoid", "Identity"}:
        raise NotPlainBert(f"Its last activation is {name}.")
    return name


def read_prompt(folder: Path) -> str:
    """What stands before every query; empty for most models."""
    config = read_if_there(folder / "config_sentence_transformers.json")
    prompts = config.get("prompts") or {}
    return prompts.get(config.get("default_prompt_name")) or ""
