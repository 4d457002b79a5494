"""Walking the graph: constant statements, each hop bounded, over what a filter lets be seen."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import islice
from typing import Any

from app.adapters.sql.fetch import Reading, Rows
from app.adapters.sql.graph import showing
from app.adapters.sql.graph import statements as asking
from app.adapters.sql.graph.names import NAMED
from app.adapters.sql.graph.pieces import Names
from app.adapters.sql.narrowing.items import held_by
from app.adapters.sql.narrowing.recallable import narrowing
from app.adapters.sql.raw_rows import id_of, uuid_of
from app.distil.entities.register import fuller
from app.distil.entities.sameness import SAME_AS
from app.domain.entities import EntityType
from app.domain.ids import EntityId, EntityKey, ItemKey, MessageKey, TenantId
from app.domain.memory import LineageEdge, Table, item_key
from app.domain.walking import Seed, Shown, Step, Views, Walk
from app.ports import RecallFilter
from app.ports.graph import R

MOST_SEEDS = 8
"""Entities of a query, the least mentioned first, that are walked from."""

FROM_SEED, FROM_OTHERS = 10, 3
"""Edges in each direction from an entity that the query names, and from what these lead to."""

MOST_OTHERS = 8
"""Entities beside those of the query that are walked from."""

MOST_NAMES = 4
"""Names of one thing, each said to be the same as the one before, that are walked from."""

PLACES, PROOFS = 8, 3
"""Messages of an entity, and of an edge, the newest ones."""

LINEAGE = 3
"""Messages that are told of an entity that is shown."""

MOST_SHOWN = 8
MOST_FACTS = 200
MOST_COUNTED = 1_000
"""Mentions of an entity that are counted where a filter hides some."""


def explored(
    names: Collection[str], reach: Callable[[Walk], R], *, tenant: TenantId, within: RecallFilter
) -> Reading[tuple[Walk, R, Views]]:
    """The walk, what `reach` makes of it, and what `within` lets be seen of that."""
    walk = yield from _walked(names, tenant=tenant, within=within)
    reached = reach(walk)
    if not walk.seeds:
        return walk, reached, Views()
    views = yield from viewed(reached.entities, reached.edges, tenant=tenant, within=within)
    return walk, reached, views


def _walked(names: Collection[str], *, tenant: TenantId, within: RecallFilter) -> Reading[Walk]:
    """The walk over what `within` lets be seen."""
    of = {"of_scopes": list(within.scopes), "of_tenant": tenant}
    seeds = _meant((yield NAMED, {**of, "names": sorted(names)}))
    if not seeds:
        return Walk()
    narrow = narrowing(within)
    asked = _Walker(shape=frozenset(narrow), given={**of, **narrow})
    first = yield from asked.hop([each.entity for each in seeds], most=FROM_SEED)
    others = _heaviest(first, without=asked.walked)
    second = (yield from asked.hop(others, most=FROM_OTHERS)) if others else []
    steps = [*first, *second]
    same = yield from asked.names(steps)
    return Walk(seeds=seeds, steps=[*steps, *same])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Walker:
    """
    Asks for edges.

    `walked` are the entities whose edges were asked for, `named` those that have another name.
    """

    shape: Names
    given: Mapping[str, object]
    walked: set[EntityKey] = field(default_factory=set)
    named: set[EntityKey] = field(default_factory=set)

    def hop(self, near: Sequence[EntityKey], *, most: int) -> Reading[Sequence[Step]]:
        """
        The edges from these, and from what is the same as any of them.

        Only where something is the same as another is it asked again.
        """
        steps = list[Step]()
        for _ in range(MOST_NAMES):
            found = yield from self._from(near, most=most)
            steps += found
            near = _heaviest(_names_in(found), without=self.walked)
            if not near:
                break
        return steps

    def names(self, steps: Sequence[Step]) -> Reading[Sequence[Step]]:
        """What is the same as what these lead to; only where anything is, it is asked for."""
        names = list[Step]()
        found: Sequence[Step] = [step for step in steps if step.far in self.named]
        for _ in range(MOST_NAMES - 1):
            near = _heaviest(found, without=self.walked)
            if not near:
                break
            found = _names_in((yield from self._from(near, most=MOST_NAMES)))
            names += found
        return names

    def _from(self, near: Sequence[EntityKey], *, most: int) -> Reading[Sequence[Step]]:
        self.walked.update(near)
        rows = yield asking.steps(self.shape), {"of": near, "most": most, **self.given}
        self.named.update(EntityKey(row[2]) for row in rows if row[-1])
        return _stepped(rows)


def _names_in(steps: Sequence[Step]) -> Sequence[Step]:
    """Those that say something to be the same."""
    return [step for step in steps if step.relation == SAME_AS]


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
    facts = yield from _facts({row[1] for row in [*rows, *proofs]}, tenant=tenant, within=within)
    seen: defaultdict[int, list[Sequence[Any]]] = defaultdict(list)
    for row in rows:
        seen[row[0]].append(row)
    shown = [each for each in entities if each in seen][:MOST_SHOWN]
    told: Rows = []
    if shown:
        told = yield showing.shown(shape), {"of": shown, "most": MOST_COUNTED, **of, **narrow}
    return Views(
        places=_by_owner(rows),
        stating=_by_owner(proofs),
        facts=facts,
        entities=[_as_seen(row, seen[row[0]]) for row in told],
    )


def _by_owner(rows: Rows) -> Mapping[Any, Mapping[MessageKey, int]]:
    """Of each entity or edge its messages with their chunks, in order."""
    told: defaultdict[int, dict[MessageKey, int]] = defaultdict(dict)
    for owner, message, pieces, *_ in rows:
        told[owner][message] = pieces
    return told


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
    """Of all who are meant the least mentioned ones: these tell most."""
    rarest = sorted({(mentions, key) for key, mentions in rows})
    return [Seed(entity=EntityKey(key), mentions=mentions) for mentions, key in rarest[:MOST_SEEDS]]


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
        for edge, near, far, outwards, relation, weight, mentions, _ in rows
    ]


def _as_seen(row: Sequence[Any], places: Rows) -> Shown:
    """With its name, or the fullest one there where that is not to be told."""
    key, entity_id, kind, name, mentions = row
    return Shown(
        key=EntityKey(key),
        id=EntityId(uuid_of(entity_id)),
        type=EntityType(kind),
        name=name or _fullest(place[3] for place in places),
        mentions=mentions,
        lineage=_lineage(places),
    )


def _fullest(names: Iterable[str]) -> str:
    return reduce(lambda known, name: name if fuller(name, known) else known, names)


def _lineage(places: Rows) -> Sequence[LineageEdge]:
    """The first messages of `places`, each where it mentions the entity first."""
    first: dict[int, Sequence[Any]] = {}
    for row in places:
        first.setdefault(row[1], row)
    return [_edge(row) for row in islice(first.values(), LINEAGE)]


def _edge(place: Sequence[Any]) -> LineageEdge:
    *_, message_id, external_id, start, stop = place
    span = {} if start < 0 else {"start": start, "stop": stop}
    return LineageEdge(kind="message", id=id_of(message_id), external_id=external_id, **span)
