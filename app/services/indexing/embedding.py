"""Making the vectors of what belongs into an index."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from app.domain.errors import EmbedderUnavailable
from app.domain.ids import ItemKey
from app.ports.embedding import Embedder, Embedding, Packed
from app.ports.projecting import InContext, VectorItem
from app.ranking.pool import pack_vector
from app.ranking.query import midway
from app.ranking.word_by_word import pack_words


@dataclass(frozen=True, slots=True, kw_only=True)
class Fresh:
    """What is stored of items that lacked it, and the vectors of brief messages in context."""

    embedded: Mapping[ItemKey, Packed]
    in_context: Mapping[ItemKey, InContext]

    def indexed(self, item: VectorItem) -> bytes:
        """What stands in the index for one of the items, be its vector fresh or not."""
        if fresh := self.in_context.get(item.key):
            return fresh.vector
        return item.indexed or self.embedded[item.key].vector


async def newly_embedded(items: Sequence[VectorItem], embedder: Embedder) -> Fresh:
    """
    The embeddings of those items that lack one.

    What several of them say is read once, and what is stored for the same words not at all: the
    summary of a conversation often is that of the day, too. In context a brief message lies midway
    between itself and the two together.

    Raises:
        EmbedderUnavailable: The model does not answer, or refuses one of several items.
    """
    wanted = [item for item in items if not item.is_embedded]
    packed = {item.text: item.same for item in wanted if _serves(item.same, embedder)}
    alone = [item.text for item in wanted if item.lead_in or item.text not in packed]
    led = {item.key: _together(item) for item in wanted if item.lead_in}
    try:
        made = await _read([*alone, *led.values()], embedder)
    except EmbedderUnavailable:
        if len(items) > 1 or not led:
            raise
        # It may be what leads in to it that the model refuses.
        led, made = {}, await _read(alone, embedder)
    packed |= {text: _packed(made[text]) for text in alone}
    return Fresh(
        embedded={item.key: packed[item.text] for item in wanted},
        in_context={
            item.key: InContext(
                vector=pack_vector(midway(made[item.text].vector, made[led[item.key]].vector)),
                lead_in=item.lead_in,
            )
            for item in wanted
            if item.key in led
        },
    )


async def _read(texts: Sequence[str], embedder: Embedder) -> Mapping[str, Embedding]:
    distinct = list(dict.fromkeys(texts))
    return dict(zip(distinct, await embedder.read(distinct), strict=True)) if distinct else {}


def _packed(made: Embedding) -> Packed:
    return Packed(pack_vector(made.vector), pack_words(made.words))


def _serves(same: Packed | None, embedder: Embedder) -> TypeGuard[Packed]:
    """Whether what is stored of the same words is all that the model would make of them."""
    return same is not None and (same.words is not None or not embedder.word_dimension)


def _together(item: VectorItem) -> str:
    return "\n".join([*item.lead_in, item.text])
