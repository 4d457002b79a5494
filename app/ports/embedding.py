"""Text to vectors."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from app.ranking import Floats, Words, no_words


@dataclass(frozen=True, slots=True)
class Embedding:
    """What a model makes of one text: its `vector`, shape (dimension,), and those of its words."""

    vector: Floats
    words: Words = field(default_factory=no_words)


@dataclass(frozen=True, slots=True)
class Packed:
    """An embedding as it is stored: float16, little endian; those of its words int8, if any."""

    vector: bytes
    words: bytes | None = None


class Embedder(Protocol):
    """
    Text to unit vectors of one model.

    Every method raises EmbedderUnavailable when the model does not answer, however it fails.
    """

    @property
    def model(self) -> str:
        """A name that changes whenever the vectors would: part of every stored embedding's key."""
        ...

    @property
    def dimension(self) -> int: ...

    @property
    def word_dimension(self) -> int:
        """Of the vectors of words; 0 where it gives none."""
        ...

    async def embed(self, texts: Sequence[str]) -> Floats:
        """
        The vectors of `texts`: shape (len(texts), dimension), float32, each row of length 1.

        Nothing of a text is left out: what the model cannot read at once it reads in pieces.
        """
        ...

    async def read(self, texts: Sequence[str]) -> Sequence[Embedding]:
        """The same, with the vectors of their words, of a long text of the first ones."""
        ...

    async def read_query(self, text: str) -> Embedding:
        """Read one query; may answer from a cache."""
        ...

    def reads(self, text: str) -> bool:
        """
        Whether the model has words of the script that `text` is written in.

        If not, it spells it letter by letter: cosines tell how alike texts are spelled.
        """
        ...
