"""What an encoder that embeds answers with: a vector of the text, and those of its word pieces."""

from dataclasses import replace

from app.adapters.embedder.graph import Head, Initializers, Weights
from app.ranking import Floats


def _one_segment(weights: Weights) -> Initializers:
    """There is only one segment, so its embedding is part of every position's."""
    segment = weights["embeddings.token_type_embeddings.weight"][0]
    yield "positions", weights["embeddings.position_embeddings.weight"] + segment


# Mean pooling and scaling to length 1. The length of the sum is that of the mean times a number, so
# scaling to 1 needs no count.
EMBEDDING = Head(
    inputs="",
    output="float[batch, dimension] embedding",
    places="placed = Add (meanings, places)",
    end="""
    last = Constant <value_ints = [-1]> ()
    counted = Cast <to = 1> (attention_mask)
    column = Unsqueeze (counted, last)
    kept = Mul (hidden, column)
    sequence_axis = Constant <value_ints = [1]> ()
    sum = ReduceSum <keepdims = 0> (kept, sequence_axis)
    embedding = LpNormalization (sum)
    """,
    initializers=_one_segment,
)

_WORDS = """
    turned = MatMul (hidden, directions)
    unit = LpNormalization (turned)
    peak = Constant <value_float = 127.0> ()
    steps = Mul (unit, peak)
    rounded = Round (steps)
    word_vectors = Cast <to = 3> (rounded)
"""


def with_words(directions: Floats) -> Head:
    """
    EMBEDDING, with the last layer's vector of each word piece, int8, of length 127.

    Args:
        directions: What is kept of them, shape (dimension, k).
    """

    def initializers(weights: Weights) -> Initializers:
        yield from EMBEDDING.initializers(weights)
        yield "directions", directions

    return replace(
        EMBEDDING,
        output=f"{EMBEDDING.output}, int8[batch, sequence, kept_dimension] word_vectors",
        end=EMBEDDING.end + _WORDS,
        initializers=initializers,
    )
