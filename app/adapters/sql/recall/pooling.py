"""From item keys to what ranking needs of them."""

from collections.abc import Mapping, Sequence
from operator import itemgetter

from app.adapters.sql.fetch import Reading, Rows
from app.adapters.sql.items.rows import ITEMS
from app.adapters.sql.narrowing.items import held_by
from app.adapters.sql.recall.chunk_rows import CHUNKS
from app.adapters.sql.recall.hydrating import HYDRATE, recalled, said
from app.adapters.sql.recall.neighbours import beside
from app.domain.ids import ItemKey, ScopeKey, TenantId
from app.domain.memory import Table, rows_of
from app.ports import RecallFilter
from app.ranking.pool import Recalled, Surrounded


def hydrated(
    keys: Sequence[ItemKey],
    *,
    scopes: Sequence[ScopeKey],
    tenant: TenantId,
    model: str,
    held: Mapping[str, object] | None,
) -> Reading[Recalled]:
    """
    What of `keys` is recallable in `scopes`, with its vector of `model`, by key.

    Memory items that hold by the parameters `held` of `held_by`; without these none.
    """
    asked = {"of_scopes": list(scopes), "of_tenant": tenant, "of_model": model}
    found: Rows = []
    if wanted := rows_of(Table.MESSAGE, keys):
        found = said((yield HYDRATE, {"wanted_keys": wanted, **asked}))
    if wanted := rows_of(Table.CHUNK, keys):
        chunks = yield CHUNKS, {"wanted_keys": wanted, **asked}
        found = sorted([*found, *chunks], key=itemgetter(0))
    if held is not None and (wanted := rows_of(Table.MEMORY, keys)):
        items = yield ITEMS, {"wanted_keys": wanted, **asked, **held}
        found = sorted([*found, *items], key=itemgetter(0))
    return recalled(found)


def surrounded(
    keys: Sequence[ItemKey], *, tenant: TenantId, within: RecallFilter, model: str
) -> Reading[Surrounded]:
    """The same, with what stands beside the messages that these are or are a part of."""
    held = held_by(within) if within.of_items() else None
    found = yield from hydrated(keys, scopes=within.scopes, tenant=tenant, model=model, held=held)
    messages = sorted({each for each in found.messages if each > 0})
    near = yield from beside(messages, tenant=tenant, within=within, model=model)
    return Surrounded(recalled=found, neighbours=near)
