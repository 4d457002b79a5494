"""How many candidates a source is asked for: chunks and memory items take no message's place."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeVar

from app.domain.ids import ItemKey
from app.domain.memory import Table, lies_in, table_of
from app.ports import VectorIndex
from app.ranking import Floats
from app.services.context.situation import Situation

T = TypeVar("T")

_BESIDE = 2
"""Where there are memory items, one for so many messages is asked for in addition."""

_STAYING = 4
"""Of memory items one for so many messages stays: a bundle has room for fewer."""

_WIDER, _WIDEST = 4, 8
"""Where that is not enough, so many times as many are asked for; no more than that, of `limit`."""


def _with_others(limit: int, situation: Situation) -> int:
    """How many to ask for, that `limit` messages are there beside chunks and memory items."""
    items = limit // _BESIDE if situation.scope.has_items else 0
    return limit + items + (limit if situation.scope.has_chunks else 0)


def _crowded(keys: Sequence[ItemKey], limit: int, most: int, situation: Situation) -> bool:
    """Whether memory items took places of messages, of which there may be more."""
    if len(keys) < most or most > limit * _WIDEST or not situation.within.of_messages():
        return False
    return sum(not lies_in(Table.MEMORY, key) for key in keys) < limit


def beside(
    keys: Mapping[ItemKey, None], limit: int, *, with_messages: bool = True
) -> Mapping[ItemKey, None]:
    """
    The first `limit` messages, as many chunks, and, where messages may be found, a few memory
    items: none takes a place.
    """
    items = -(-limit // _STAYING) if with_messages else limit
    if len(keys) <= items:
        return keys
    left: dict[int, int] = {Table.MESSAGE: limit, Table.CHUNK: limit, Table.MEMORY: items}
    kept: dict[ItemKey, None] = {}
    for key in keys:
        table = table_of(key)
        if left[table] > 0:
            left[table] -= 1
            kept[key] = None
    return kept


async def roomy(
    ask: Callable[[int], Awaitable[T]],
    keys_of: Callable[[T], Sequence[ItemKey]],
    limit: int,
    situation: Situation,
) -> T:
    """What `ask` answers to how many, asked for more while memory items crowd messages out."""
    most = _with_others(limit, situation)
    answer = await ask(most)
    while _crowded(keys_of(answer), limit, most, situation):
        most *= _WIDER
        answer = await ask(most)
    return answer


async def nearest(
    vectors: VectorIndex, query: Floats, situation: Situation, limit: int
) -> Sequence[tuple[ItemKey, float]]:
    """The `limit` messages nearest to a query, and what may stand beside them, with cosines."""
    hits = await roomy(
        lambda most: vectors.search(query, within=situation.within, limit=most),
        lambda hits: [key for key, _ in hits],
        limit,
        situation,
    )
    told = situation.within.of_messages()
    kept = beside({key: None for key, _ in hits}, limit, with_messages=told)
    return [(key, cosine) for key, cosine in hits if key in kept]
