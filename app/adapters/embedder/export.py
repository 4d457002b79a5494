"""Any sentence-transformers model as an ONNX graph, by way of torch."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from app.adapters.embedder.compile import MODEL, TOKENIZER
from app.adapters.embedder.folder import positions_in
from app.domain.errors import EmbedderUnavailable

_LONGEST = 8_192
"""Word pieces that an exported graph reads, at most."""


def export_with_torch(source: str, target: Path) -> tuple[int, int]:
    """
    Write `model.onnx` (fp32) and `tokenizer.json` of `source` into `target`.

    Returns its dimension and how many word pieces of a text it reads.

    Raises:
        EmbedderUnavailable: The extra `models` is missing, or the model cannot be exported.
    """
    model = load_with_torch(source, "SentenceTransformer", "BERT model with mean pooling")
    if not all(getattr(module, "include_prompt", True) for module in model):
        raise EmbedderUnavailable(f"{source} leaves its prompts out of its vectors: not supported.")

    def vectors(torch: Any, features: dict[str, Any]) -> Any:  # noqa: ANN401  (torch is optional)
        return torch.nn.functional.normalize(model(features)["sentence_embedding"], dim=-1)

    export(model, vectors, ["input_ids", "attention_mask"], target)
    return int(model.get_embedding_dimension() or 0), longest_of(model)


def load_with_torch(source: str, kind: str, plain: str) -> Any:  # noqa: ANN401  (torch is optional)
    """
    A model of the class `kind` of sentence-transformers, for what cannot be built without torch.

    Raises:
        EmbedderUnavailable: The extra `models` is missing.
    """
    try:
        import sentence_transformers  # noqa: PLC0415  (an extra, and never in the serving process)
    except ImportError as error:
        raise EmbedderUnavailable(
            f"{source} is no plain {plain}. To compile it, install the "
            "extra `models`: pip install 'foreword[models]'."
        ) from error
    return getattr(sentence_transformers, kind)(source, device="cpu").eval()


def longest_of(model: Any) -> int:  # noqa: ANN401  (torch is optional)
    """How many word pieces the model reads at once, the special ones included."""
    config = model[0].auto_model.config.to_dict()
    return min(int(model.max_seq_length or _LONGEST), positions_in(config), _LONGEST)


def export(
    model: Any,  # noqa: ANN401  (torch is optional)
    answer: Callable[[Any, dict[str, Any]], Any],
    names: Sequence[str],
    target: Path,
) -> None:
    """Write what `answer` makes of inputs with these `names`, and the tokenizer."""
    import torch  # noqa: PLC0415  (never in the serving process)

    class Graph(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, *inputs: Any) -> Any:  # noqa: ANN401  (for the same reason)
            return answer(torch, dict(zip(names, inputs, strict=True)))

    size = {0: torch.export.Dim("batch"), 1: torch.export.Dim("sequence", max=longest_of(model))}
    # A tensor each: given one twice, the exporter takes both inputs for the same.
    torch.onnx.export(
        Graph().eval(),
        tuple(torch.ones((2, 8), dtype=torch.int64) for _ in names),
        target / MODEL,
        input_names=list(names),
        dynamic_shapes={"inputs": tuple(size for _ in names)},
        dynamo=True,
        external_data=False,
        verbose=False,
    )
    model.tokenizer.backend_tokenizer.save(str(target / TOKENIZER))
