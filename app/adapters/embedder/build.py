"""What happens inside the compiling process. Imports onnx, so never import this to serve."""

import shutil
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import onnx
from tokenizers import Encoding, Tokenizer

from app.adapters.embedder.calibrate import calibrate, main_directions, page
from app.adapters.embedder.compile import (
    COMPILER,
    DEFAULT_MODEL,
    DEFAULT_SHA256,
    MODEL,
    TOKENIZER,
    CompiledModel,
    ModelSpec,
    find_default_folder,
    model_name,
    sha256_of,
    sha256_of_folder,
)
from app.adapters.embedder.export import export_with_torch
from app.adapters.embedder.folder import (
    NotPlainBert,
    read_max_pieces,
    read_prompts,
    read_shape,
    read_weights,
)
from app.adapters.embedder.graph import BertShape, Head, build_graph
from app.adapters.embedder.heads import EMBEDDING, with_words
from app.adapters.embedder.telling import telling_pieces
from app.domain.errors import EmbedderUnavailable


def build(spec: ModelSpec, target: Path) -> None:
    """Write the compiled model of `spec` into `target`, an empty folder."""
    folder = find_folder(spec.source)
    try:
        bert = PlainBert(shape=read_shape(folder), head=EMBEDDING, look=_look, finish=_finish)
        dimension, max_pieces = write_bert(folder, spec, target, bert)
        word_dimension = min(_KEPT, dimension)
    except NotPlainBert:
        # Our int8 is made for our graph; what torch writes stays as exact as it was.
        spec = replace(spec, precision="fp32")
        dimension, max_pieces = export_with_torch(str(folder), target)
        word_dimension = 0
    query, document = read_prompts(folder)
    spec = replace(
        spec,
        query_prompt=query if spec.query_prompt is None else spec.query_prompt,
        document_prompt=document if spec.document_prompt is None else spec.document_prompt,
    )
    sizes = Sizes(dimension=dimension, word_dimension=word_dimension, max_pieces=max_pieces)
    write_manifest(spec, folder, target, sizes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """What `CompiledModel` tells of a model."""

    dimension: int
    max_pieces: int
    word_dimension: int = 0


def write_manifest(spec: ModelSpec, folder: Path, target: Path, sizes: Sizes) -> None:
    """Say in `target` what was made of the model in `folder`."""
    sha256 = DEFAULT_SHA256 if spec.source == DEFAULT_MODEL else sha256_of_folder(folder)
    CompiledModel(
        folder=target,
        name=model_name(spec, sha256),
        **asdict(sizes),
        precision=spec.precision,
        source=spec.source,
        source_sha256=sha256,
        compiler=COMPILER,
        query_prompt=spec.query_prompt or "",
        document_prompt=spec.document_prompt or "",
        files={name: sha256_of(target / name) for name in (MODEL, TOKENIZER)},
    ).write_manifest()


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainBert:
    """
    An encoder that we build ourselves.

    `look` gives it the texts to find its ranges with; `finish` makes its head of what the exact
    graph, with the one that is told here, says of them.
    """

    shape: BertShape
    head: Head
    look: Callable[[Tokenizer], Iterable[Encoding]]
    finish: Callable[[onnx.ModelProto, Tokenizer], Head] | None = None


def write_bert(folder: Path, spec: ModelSpec, target: Path, bert: PlainBert) -> tuple[int, int]:
    """
    Write graph and tokenizer; return the encoder's dimension and the most word pieces it reads.

    Raises:
        NotPlainBert: Something is missing in `folder`.
    """
    if not (folder / TOKENIZER).exists() or not (folder / "model.safetensors").exists():
        raise NotPlainBert("It has no tokenizer.json or no model.safetensors.")
    weights, max_pieces = read_weights(folder), read_max_pieces(folder)
    try:
        exact = build_graph(weights, bert.shape, bert.head)
    except KeyError as error:
        raise NotPlainBert(f"It has no weight {error}.") from error
    tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_pieces)
    head = bert.finish(exact, tokenizer) if bert.finish else bert.head
    ranges = calibrate(exact, bert.look(tokenizer)) if spec.precision == "int8" else None
    graph = build_graph(weights, bert.shape, head, ranges)
    onnx.checker.check_model(graph)
    onnx.save_model(graph, target / MODEL)
    shutil.copyfile(folder / TOKENIZER, target / TOKENIZER)
    return len(weights["embeddings.LayerNorm.bias"]), max_pieces


def _look(tokenizer: Tokenizer) -> Iterable[Encoding]:
    return map(tokenizer.encode, page())


_KEPT = 48
"""
Dimensions of the vectors of words, in 8 bits each: with 384 of them, and with 64, no more was found
on sets that nothing was learned from (decision 125 of docs/decisions.md).
"""


def _finish(exact: onnx.ModelProto, tokenizer: Tokenizer) -> Head:
    telling = telling_pieces(tokenizer)
    return with_words(main_directions(exact, _look(tokenizer), telling, most=_KEPT))


def find_folder(source: str) -> Path:
    if source == DEFAULT_MODEL:
        return find_default_folder()
    if Path(source).is_dir():
        return Path(source)
    return _fetch(source)


def _fetch(source: str) -> Path:
    """The folder of a model on the hub, fetched unless it was before."""
    from huggingface_hub import snapshot_download  # noqa: PLC0415  (slow to import, rarely needed)

    wanted = ["*.json", "*.txt", "*.safetensors", "*.model"]
    try:
        return Path(snapshot_download(source, allow_patterns=wanted))
    except Exception as error:
        raise EmbedderUnavailable(
            f"{source} is neither a folder nor a model that could be fetched: {error}"
        ) from error
