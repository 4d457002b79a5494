"""Making the vectors of what belongs into an index."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.domain.errors import EmbedderUnavailable
from app.domain.ids import ItemKey
from app.ports import Embedder
from app.ports.projecting import InContext, VectorItem
from app.ranking import Floats
from app.ranking.pool import pack_vector
from app.ranking.query import midway


@dataclass(frozen=True, slots=True, kw_only=True)
class Fresh:
    """Packed vectors of items that lacked one, and those of brief messages in context."""

    vectors: Mapping[ItemKey, bytes]
    in_context: Mapping[ItemKey, InContext]

    def indexed(self, item: VectorItem) -> bytes:
        """What stands in the index for one of the items, be its vector fresh or not."""
        if fresh := self.in_context.get(item.key):
            return fresh.vector
        return item.indexed or self.vectors[item.key]


async def newly_embedded(items: Sequence[VectorItem], embedder: Embedder) -> Fresh:
    """
    The vectors of those items that lack one.

    What several of them say is read once, and what is stored for the same words not at all: the
    summary of a conversation often is that of the day, too. In context a brief message lies midway
    between itself and the two together.

    Raises:
        EmbedderUnavailable: The model does not answer, or refuses one of several items.
    """
    wanted = [item for item in items if not item.is_embedded]
    packed = {item.text: item.same for item in wanted if item.same is not None}
    alone = [item.text for item in wanted if item.lead_in or item.text not in packed]
    led = {item.key: _together(item) for item in wanted if item.lead_in}
    try:
        vectors = await _read([*alone, *led.values()], embedder)
    except EmbedderUnavailable:
        if len(items) > 1 or not led:
            raise
        # It may be what leads in to it that the model refuses.
        led, vectors = {}, await _read(alone, embedder)
    packed |= {text: pack_vector(vectors[text]) for text in alone}
    return Fresh(
        vectors={item.key: packed[item.text] for item in wanted},
        in_context={
            item.key: InContext(
                vector=pack_vector(midway(vectors[item.text], vectors[led[item.key]])),
                lead_in=item.lead_in,
            )
            for item in wanted
            if item.key in led
        },
    )


async def _read(texts: Sequence[str], embedder: Embedder) -> Mapping[str, Floats]:
    distinct = list(dict.fromkeys(texts))
    return dict(zip(distinct, await embedder.embed(distinct), strict=True)) if distinct else {}


def _together(item: VectorItem) -> str:
    return "\n".join([*item.lead_in, item.text])
