"""The vectors of sentences, none worked out twice: for summaries of conversations and periods."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from logging import getLogger

import numpy as np

from app.distil.gist.summary import Excerpt
from app.domain.conversation import Message
from app.domain.errors import EmbedderUnavailable
from app.domain.ids import MessageKey
from app.ports.embedding import Embedder
from app.ports.store import Store
from app.ranking import Floats
from app.ranking.pool import pack_vector, unpack_vectors

_log = getLogger(__name__)

_REMEMBERED = 16_384
"""Sentences; with 384 dimensions some 900 bytes each."""


@dataclass(slots=True, kw_only=True)
class SentenceVectors:
    """
    Embeds the sentences of messages, as far as their vectors are not known.

    Known are those that were embedded lately, by hashes of their words, and of a message without a
    name that is one sentence the vector that is stored for it. All are of float16, as stored ones
    are, so that it makes no difference what was known.
    """

    store: Store
    embedder: Embedder
    most: int = _REMEMBERED
    _lately: OrderedDict[bytes, bytes] = field(default_factory=OrderedDict)

    async def of(self, excerpts: Sequence[Excerpt], messages: Mapping[int, Message]) -> Floats:
        """
        The vectors of excerpts, shape (len(excerpts), dimension), float32.

        Args:
            excerpts: Sentences, in any order.
            messages: The messages that they are of, by their positions.

        Raises:
            EmbedderUnavailable: The model does not answer, and not all is known.
        """
        model, dimension = self.embedder.model, self.embedder.dimension
        marks = [_mark(model, each.said) for each in excerpts]
        known = {mark: self._lately[mark] for mark in marks if mark in self._lately}
        left = {mark: each for mark, each in zip(marks, excerpts, strict=True) if mark not in known}
        known |= await self._stored(left, messages)
        known |= await self._embedded(
            {mark: each.said for mark, each in left.items() if mark not in known}
        )
        if self.embedder.model != model:
            return await self.of(excerpts, messages)
        self._remember(known)
        return unpack_vectors([known[mark] for mark in marks], dimension)

    async def _stored(
        self, left: Mapping[bytes, Excerpt], messages: Mapping[int, Message]
    ) -> dict[bytes, bytes]:
        whole = {
            mark: message.key
            for mark, each in left.items()
            if _is_embedded_as(message := messages[each.position], each.said)
        }
        if not whole:
            return {}
        async with self.store.observe() as observations:
            there = await observations.vectors_of(
                sorted(set(whole.values())), model=self.embedder.model
            )
        return _found(whole, there)

    async def _embedded(self, left: Mapping[bytes, str]) -> dict[bytes, bytes]:
        if not left:
            return {}
        texts = list(left.values())
        try:
            vectors = await self.embedder.embed(texts)
        except EmbedderUnavailable:
            vectors = await self._each_alone(texts)
        return {mark: pack_vector(row) for mark, row in zip(left, vectors, strict=True)}

    async def _each_alone(self, texts: Sequence[str]) -> Floats:
        """
        What the model refuses, which it does for ever, is near nothing; all else is read.

        Raises:
            EmbedderUnavailable: It answers nothing at all.
        """
        await self._is_alive()
        vectors = np.zeros((len(texts), self.embedder.dimension), dtype=np.float32)
        refused = 0
        for row, text in zip(vectors, texts, strict=True):
            try:
                row[:] = (await self.embedder.embed([text]))[0]
            except EmbedderUnavailable:
                refused += 1
        if refused:
            await self._is_alive()
            _log.warning("the embedding model refuses sentences", extra={"sentences": refused})
        return vectors

    async def _is_alive(self) -> None:
        await self.embedder.embed(["alive?"])

    def _remember(self, known: Mapping[bytes, bytes]) -> None:
        for mark, packed in known.items():
            self._lately[mark] = packed
            self._lately.move_to_end(mark)
        while len(self._lately) > self.most:
            self._lately.popitem(last=False)


def _mark(model: str, said: str) -> bytes:
    return blake2b(f"{model}\0{said}".encode("utf-8", "replace"), digest_size=16).digest()


def _is_embedded_as(message: Message, said: str) -> bool:
    """Whether `said` is all that is embedded of a message, where a name would stand before it."""
    return message.content == said and not message.name and not message.echo


def _found(
    whole: Mapping[bytes, MessageKey], there: Mapping[MessageKey, bytes]
) -> dict[bytes, bytes]:
    return {mark: there[key] for mark, key in whole.items() if key in there}
