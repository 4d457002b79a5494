"""From item keys to what ranking needs of them."""

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from operator import itemgetter

from app.adapters.sql.fetch import Reading, Rows
from app.adapters.sql.items.rows import ITEMS, ITEMS_AND_PERIODS
from app.adapters.sql.narrowing.items import held_by
from app.adapters.sql.narrowing.recallable import times_of
from app.adapters.sql.recall.chunk_rows import CHUNKS
from app.adapters.sql.recall.hydrating import HYDRATE, recalled, said
from app.adapters.sql.recall.known_of import known_of
from app.adapters.sql.recall.neighbours import beside
from app.adapters.sql.recall.said_then import said_in
from app.domain.ids import ItemKey, ScopeKey, TenantId
from app.domain.memory import Table, item_key, rows_of
from app.domain.periods import Span
from app.ports import RecallFilter
from app.ranking.pool import Recalled, Surrounded, Widening
from app.ranking.query import Unsought


def hydrated(
    keys: Sequence[ItemKey],
    *,
    scopes: Sequence[ScopeKey],
    tenant: TenantId,
    model: str,
    held: Mapping[str, object] | None,
    summed_up: Mapping[str, object] | None = None,
) -> Reading[Recalled]:
    """
    What of `keys` is recallable in `scopes`, with its vector of `model`, by key.

    Memory items that hold by the parameters `held` of `held_by`; without these none. Given those of
    `_of_periods`, summaries of these periods come with them, in the same statement.
    """
    asked = {"of_scopes": list(scopes), "of_tenant": tenant, "of_model": model}
    found: Rows = []
    if wanted := rows_of(Table.MESSAGE, keys):
        found = said((yield HYDRATE, {"wanted_keys": wanted, **asked}))
    if wanted := rows_of(Table.CHUNK, keys):
        chunks = yield CHUNKS, {"wanted_keys": wanted, **asked}
        found = sorted([*found, *chunks], key=itemgetter(0))
    wanted = rows_of(Table.MEMORY, keys)
    if held is not None and (wanted or summed_up):
        statement = ITEMS_AND_PERIODS if summed_up else ITEMS
        items = yield statement, {"wanted_keys": wanted, **asked, **held, **(summed_up or {})}
        found = sorted([*found, *items], key=itemgetter(0))
    return recalled(found)


def surrounded(
    keys: Sequence[ItemKey],
    *,
    tenant: TenantId,
    within: RecallFilter,
    model: str,
    unsought: Unsought,
    widening: Widening | None = None,
) -> Reading[Surrounded]:
    """
    The same, with what is unsought, and with what stands beside the messages of both; what the
    `widening` lets in of that becomes an item.
    """
    read = partial(hydrated, scopes=within.scopes, tenant=tenant, model=model)
    held = held_by(within) if within.of_items() else None
    if unsought.facts:
        known = yield from known_of(unsought.facts, tenant=tenant, within=within)
        keys = sorted({*keys, *known})
    periods = unsought.periods
    found = yield from read(keys, held=held, summed_up=_of_periods(within, periods))
    if unsought.moments and not found.summing_up(periods).any():
        then = yield from said_in(unsought.moments, tenant=tenant, within=within)
        said = yield from read(sorted({*then} - {*keys}), held=None)
        found = found.and_also(said)
    messages = sorted({each for each in found.messages if each > 0})
    near = yield from beside(messages, reach=found.reach, tenant=tenant, within=within, model=model)
    around = Surrounded(recalled=found, neighbours=near)
    if widening is None or not (more := widening(around)):
        return around
    coming = yield from read([item_key(Table.MESSAGE, each) for each in more], held=None)
    wanted = within.roles
    return around.and_also(
        coming.only([at for at, role in enumerate(coming.roles) if not wanted or role in wanted])
    )


def _of_periods(within: RecallFilter, periods: Collection[Span]) -> Mapping[str, object] | None:
    """What names the summaries of periods, between the times of a filter."""
    subjects = sorted(each.subject for each in periods)
    return {"of_subjects": subjects, **times_of(within)} if subjects else None
