"""Walking the graph: constant statements, each hop bounded, over what a filter lets be seen."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from app.adapters.sql import graph_statements as asking
from app.adapters.sql.fetch import Reading, Rows
from app.adapters.sql.item_conditions import held_by
from app.adapters.sql.raw_rows import id_of, uuid_of
from app.adapters.sql.recallable import narrowing
from app.distil.register import fuller
from app.domain.entities import EntityType
from app.domain.ids import EntityId, EntityKey, ItemKey, MessageKey, TenantId
from app.domain.memory import LineageEdge, Table, item_key
from app.domain.walking import Place, Seed, Shown, Step, Views, Walk
from app.ports import RecallFilter

MOST_SEEDS = 8
"""Entities of a query, the least mentioned first, that are walked from."""

FROM_SEED, FROM_OTHERS = 10, 3
"""Edges in each direction from an entity that the query names, and from what these lead to."""

MOST_OTHERS = 8
"""Entities beside those of the query that are walked from."""

PLACES, PROOFS = 8, 3
"""Messages of an entity, and of an edge, the newest ones."""

MOST_SHOWN = 8
MOST_FACTS = 200
MOST_COUNTED = 1_000
"""Mentions of an entity that are counted where a filter hides some."""


def walked(names: Collection[str], *, tenant: TenantId, within: RecallFilter) -> Reading[Walk]:
    """The walk over what `within` lets be seen."""
    of = {"of_scopes": list(within.scopes), "of_tenant": tenant}
    seeds = _meant((yield asking.NAMED, {**of, "names": sorted(names)}))
    if not seeds:
        return Walk()
    narrow = narrowing(within)
    step = asking.steps(frozenset(narrow))
    near = [each.entity for each in seeds]
    first = _stepped((yield step, {"of": near, "most": FROM_SEED, **of, **narrow}))
    others = _heaviest(first, without=near)
    if not others:
        return Walk(seeds=seeds, steps=first)
    second = _stepped((yield step, {"of": others, "most": FROM_OTHERS, **of, **narrow}))
    return Walk(seeds=seeds, steps=[*first, *second])


def viewed(
    entities: Sequence[EntityKey],
    edges: Sequence[int],
    *,
    tenant: TenantId,
    within: RecallFilter,
) -> Reading[Views]:
    """What `within` lets be seen of them."""
    narrow = narrowing(within)
    shape, of = frozenset(narrow), {"of_scopes": list(within.scopes), "of_tenant": tenant}
    rows = yield asking.places(shape), {"of": list(entities), "most": PLACES, **of, **narrow}
    proofs: Rows = []
    if edges:
        proofs = yield asking.proofs(shape), {"of": list(edges), "most": PROOFS, **of, **narrow}
    stating: defaultdict[int, dict[MessageKey, int]] = defaultdict(dict)
    for edge, message, pieces in proofs:
        stating[edge][message] = pieces
    facts = yield from _facts({row[1] for row in [*rows, *proofs]}, tenant=tenant, within=within)
    seen = {row[0] for row in rows}
    shown = [each for each in entities if each in seen][:MOST_SHOWN]
    told: Rows = []
    if shown:
        told = yield asking.shown(shape), {"of": shown, "most": MOST_COUNTED, **of, **narrow}
    return Views(
        places=[_place(row) for row in rows],
        stating=stating,
        facts=facts,
        entities=_as_seen(told, rows, whole=not narrow),
    )


def _facts(
    messages: Iterable[int], *, tenant: TenantId, within: RecallFilter
) -> Reading[Mapping[MessageKey, Sequence[ItemKey]]]:
    if not within.of_items():
        return {}
    narrow = narrowing(within)
    of = {"of_scopes": list(within.scopes), "of_tenant": tenant, "most": MOST_FACTS}
    asked = {"of": sorted(messages), **of, **narrow, **held_by(within)}
    derived: defaultdict[MessageKey, list[ItemKey]] = defaultdict(list)
    for message, key in (yield asking.derived(frozenset(narrow), within.types), asked):
        derived[message].append(item_key(Table.MEMORY, key))
    return derived


def _meant(rows: Rows) -> Sequence[Seed]:
    """
    Whom the names mean: whose fullest name one is, else who alone is called so.

    Of many the least mentioned ones: these tell most.
    """
    called: defaultdict[str, list[tuple[bool, Seed]]] = defaultdict(list)
    for normal, full, key, mentions in rows:
        called[normal].append((bool(full), Seed(entity=EntityKey(key), mentions=mentions)))
    meant: dict[EntityKey, Seed] = {}
    for several in called.values():
        whole = [seed for full, seed in several if full] or [seed for _, seed in several]
        if len(whole) == 1:
            meant[whole[0].entity] = whole[0]
    rarest = sorted(meant.values(), key=lambda seed: (seed.mentions, seed.entity))
    return rarest[:MOST_SEEDS]


def _heaviest(steps: Sequence[Step], *, without: Collection[EntityKey]) -> list[EntityKey]:
    """What the heaviest steps lead to."""
    ordered = sorted(steps, key=lambda step: (-step.weight, step.edge))
    new = dict.fromkeys(step.far for step in ordered if step.far not in without)
    return list(new)[:MOST_OTHERS]


def _stepped(rows: Rows) -> Sequence[Step]:
    return [
        Step(
            edge=edge,
            near=EntityKey(near),
            far=EntityKey(far),
            outwards=bool(outwards),
            relation=relation,
            weight=weight,
            mentions=mentions,
        )
        for edge, near, far, outwards, relation, weight, mentions in rows
    ]


def _place(row: Sequence[Any]) -> Place:
    entity, message, pieces, _name, message_id, external_id, start, stop = row
    span = {} if start < 0 else {"start": start, "stop": stop}
    edge = LineageEdge(kind="message", id=id_of(message_id), external_id=external_id, **span)
    return Place(entity=EntityKey(entity), message=MessageKey(message), pieces=pieces, lineage=edge)


def _as_seen(told: Rows, places: Rows, *, whole: bool) -> Sequence[Shown]:
    """With the fullest name, of those by which it is called there where a filter hides some."""
    called: dict[int, str] = {}
    for key, _, _, name, *_ in places:
        if key not in called or fuller(name, called[key]):
            called[key] = name
    return [
        Shown(
            key=EntityKey(key),
            id=EntityId(uuid_of(entity_id)),
            type=EntityType(kind),
            name=name if whole else called[key],
            mentions=mentions,
        )
        for key, entity_id, kind, name, mentions in told
    ]
