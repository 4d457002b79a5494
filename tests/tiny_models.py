"""Model folders of some kilobytes, laid out for sentence-transformers; the weights are random."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from app.ranking import Floats

HIDDEN, WIDE, POSITIONS = 16, 32, 24
WORDS = [
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]"),
    *("one", "two", "three", "four", "tea", "milk", "green", "black", "the", "what", "drinks"),
]
CONFIG = {
    "model_type": "bert",
    "hidden_act": "gelu",
    "hidden_size": HIDDEN,
    "intermediate_size": WIDE,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "layer_norm_eps": 1e-12,
    "max_position_embeddings": POSITIONS,
    "type_vocab_size": 2,
    "vocab_size": len(WORDS),
}
ONE_SCORE = {"architectures": ["BertForSequenceClassification"], "id2label": {"0": "LABEL_0"}}
MEAN = {"word_embedding_dimension": HIDDEN, "pooling_mode_mean_tokens": True}
MODULES = [("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize")]


def write_json(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), "utf-8")


def an_embedder_folder(folder: Path, **config: Any) -> Path:
    """A tiny BERT with mean pooling."""
    write_json(folder / "config.json", CONFIG | config)
    write_json(folder / "1_Pooling/config.json", MEAN)
    modules = [{"path": path, "type": f"sentence_transformers.models.{k}"} for path, k in MODULES]
    write_json(folder / "modules.json", modules)
    save_file(random_weights(), folder / "model.safetensors")
    _save_tokenizer(folder)
    return folder


def a_cross_encoder_folder(folder: Path, **config: Any) -> Path:
    """A tiny BERT that gives one score to a pair of texts."""
    write_json(folder / "config.json", CONFIG | ONE_SCORE | config)
    told = {"tokenizer_class": "BertTokenizer", "model_max_length": POSITIONS}
    write_json(folder / "tokenizer_config.json", told)
    head = {
        "bert.pooler.dense.weight": (HIDDEN, HIDDEN),
        "bert.pooler.dense.bias": (HIDDEN,),
        "classifier.weight": (1, HIDDEN),
        "classifier.bias": (1,),
    }
    save_file(random_weights(**head), folder / "model.safetensors")
    _save_tokenizer(folder)
    return folder


def random_weights(**more: tuple[int, ...]) -> dict[str, Floats]:
    random = np.random.default_rng(7)
    norms = ["embeddings.LayerNorm"]
    dense: dict[str, tuple[int, int]] = {}
    for layer in ("encoder.layer.0", "encoder.layer.1"):
        for part in ("self.query", "self.key", "self.value", "output.dense"):
            dense[f"{layer}.attention.{part}"] = (HIDDEN, HIDDEN)
        dense[f"{layer}.intermediate.dense"] = (WIDE, HIDDEN)
        dense[f"{layer}.output.dense"] = (HIDDEN, WIDE)
        norms += [f"{layer}.attention.output.LayerNorm", f"{layer}.output.LayerNorm"]
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (len(WORDS), HIDDEN),
        "embeddings.position_embeddings.weight": (POSITIONS, HIDDEN),
        "embeddings.token_type_embeddings.weight": (2, HIDDEN),
        **{f"{name}.weight": shape for name, shape in dense.items()},
        **{f"{name}.bias": shape[:1] for name, shape in dense.items()},
        **{f"{name}.{kind}": (HIDDEN,) for name in norms for kind in ("weight", "bias")},
    }
    named = {f"bert.{name}": shape for name, shape in shapes.items()} | more
    return {name: random.normal(size=each).astype(np.float32) for name, each in named.items()}


def _save_tokenizer(folder: Path) -> None:
    tokenizer = Tokenizer(models.WordPiece({w: i for i, w in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.add_special_tokens(WORDS[:4])
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    tokenizer.save(str(folder / "tokenizer.json"))
