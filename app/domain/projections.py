"""What is derived from the truth, and can be made anew from it."""

from enum import StrEnum


class Projection(StrEnum):
    """What can be made anew."""

    FULL_TEXT = "fts"
    VECTORS = "vectors"
    GRAPH = "graph"
    DISTILLED = "distilled"


INDEXES = (Projection.FULL_TEXT, Projection.VECTORS, Projection.GRAPH)
"""What is made anew where nothing is named: nothing is distilled or embedded for these again."""
