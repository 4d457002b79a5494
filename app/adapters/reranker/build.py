"""What happens inside the compiling process. Imports onnx, so never import this to serve."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from tokenizers import Encoding, Tokenizer

from app.adapters.embedder.build import PlainBert, Sizes, find_folder, write_bert, write_manifest
from app.adapters.embedder.calibrate import page
from app.adapters.embedder.compile import ModelSpec
from app.adapters.embedder.export import export, load_with_torch, longest_of
from app.adapters.embedder.folder import NotPlainBert
from app.adapters.reranker.folder import read_activation, read_prompt, read_shape
from app.adapters.reranker.graph import score_head
from app.domain.errors import EmbedderUnavailable


def build(spec: ModelSpec, target: Path) -> None:
    """Write the compiled cross-encoder of `spec` into `target`, an empty folder."""
    folder = find_folder(spec.source)
    try:
        head = score_head(read_activation(folder))
        bert = PlainBert(shape=read_shape(folder), head=head, look=_look)
        _, max_pieces = write_bert(folder, spec, target, bert)
    except NotPlainBert:
        # Our int8 is made for our graph; what torch writes stays as exact as it was.
        spec = replace(spec, precision="fp32")
        max_pieces = _export(folder, target)
    spec = replace(spec, query_prompt=read_prompt(folder))
    write_manifest(spec, folder, target, Sizes(dimension=1, max_pieces=max_pieces))


def _look(tokenizer: Tokenizer) -> Iterable[Encoding]:
    return (tokenizer.encode(*pair) for pair in pairwise(page()))


def _export(folder: Path, target: Path) -> int:
    """The same by way of torch, for what is no plain BERT."""
    model = load_with_torch(str(folder), "CrossEncoder", "BERT cross-encoder")
    if model.num_labels != 1:
        raise EmbedderUnavailable(f"{folder} gives {model.num_labels} scores to a pair, not one.")

    def scores(_: Any, features: dict[str, Any]) -> Any:  # noqa: ANN401  (torch is optional)
        return model.activation_fn(model(features)["scores"]).squeeze(-1)

    told = model.tokenizer("a query", "a text").keys()
    names = ["input_ids", "attention_mask", "token_type_ids"]
    export(model, scores, [name for name in names if name in told], target)
    return longest_of(model)
