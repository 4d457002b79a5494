"""Any sentence-transformers model as an ONNX graph, by way of torch."""

from pathlib import Path
from typing import Any

from app.domain.errors import EmbedderUnavailable


def export_with_torch(source: str, target: Path) -> tuple[int, int]:
    """
    Write `model.onnx` (fp32) and `tokenizer.json` of `source` into `target`.

    Returns its dimension and how many word pieces of a text it reads.

    Raises:
        EmbedderUnavailable: The extra `models` is missing, or the model cannot be exported.
    """
    try:
        import torch  # noqa: PLC0415  (an extra, and never in the serving process)
        from sentence_transformers import SentenceTransformer  # noqa: PLC0415
    except ImportError as error:
        raise EmbedderUnavailable(
            f"{source} is no plain BERT model with mean pooling. To compile it, install the "
            "extra `models`: pip install 'foreword[models]'."
        ) from error
    model = SentenceTransformer(source, device="cpu").eval()
    _export(torch, model, target / "model.onnx")
    model.tokenizer.backend_tokenizer.save(str(target / "tokenizer.json"))
    return int(model.get_sentence_embedding_dimension() or 0), int(model.max_seq_length or 0)


def _export(torch: Any, model: Any, path: Path) -> None:  # noqa: ANN401  (torch is optional)
    class Encoder(torch.nn.Module):  # type: ignore[misc]  # Any, for the same reason
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, input_ids: Any, attention_mask: Any) -> Any:  # noqa: ANN401
            features = {"input_ids": input_ids, "attention_mask": attention_mask}
            pooled = self.model(features)["sentence_embedding"]
            return torch.nn.functional.normalize(pooled, dim=-1)

    size = {0: torch.export.Dim("batch"), 1: torch.export.Dim("sequence", max=8192)}
    # Two tensors: given one twice, the exporter takes both inputs for the same.
    ids, mask = (torch.ones((2, 8), dtype=torch.int64) for _ in range(2))
    torch.onnx.export(
        Encoder().eval(),
        (ids, mask),
        path,
        input_names=["input_ids", "attention_mask"],
        dynamic_shapes={"input_ids": size, "attention_mask": size},
        dynamo=True,
        external_data=False,
        verbose=False,
    )
