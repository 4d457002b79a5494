"""The head of a BERT cross-encoder: the first word piece of a pair, classified into one score."""

from app.adapters.embedder.graph import Head, Initializers, Weights


def score_head(activation: str) -> Head:
    """
    Needs `token_type_ids`, 0 for the query and 1 for the text; output `score`, float32, (batch,).

    `activation` is an operator of ONNX.
    """
    return Head(
        inputs=", int64[batch, sequence] token_type_ids",
        output="float[batch] score",
        places="""
    segment = Gather (segments, token_type_ids)
    meant = Add (meanings, segment)
    placed = Add (meant, places)
    """,
        end=f"""
    opening = Constant <value = int64 {{0}}> ()
    first = Gather <axis = 1> (hidden, opening)
    pooled = Gemm (first, pooler_weight, pooler_bias)
    bent = Tanh (pooled)
    logits = Gemm (bent, classifier_weight, classifier_bias)
    column = Constant <value_ints = [1]> ()
    logit = Squeeze (logits, column)
    score = {activation} (logit)
    """,
        initializers=_initializers,
    )


def _initializers(weights: Weights) -> Initializers:
    yield "segments", weights["embeddings.token_type_embeddings.weight"]
    yield "positions", weights["embeddings.position_embeddings.weight"]
    for name, path in (("pooler", "pooler.dense"), ("classifier", "classifier")):
        yield f"{name}_weight", weights[f"{path}.weight"].T
        yield f"{name}_bias", weights[f"{path}.bias"]
