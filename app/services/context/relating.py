"""The relational source: from what a query names, over the graph, to what may be recalled."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from app.distil.entities.naming import names_asked
from app.distil.entities.relations import NAMED_TOGETHER, relations_asked
from app.distil.entities.sameness import SAME_AS
from app.domain.context import ContextRequest, Format, Intent
from app.domain.conversation import Scope
from app.domain.entities import EntityType, RelatedEntity
from app.domain.ids import EntityKey, ItemKey, MessageKey, TenantId
from app.domain.walking import Shown, Step, Views, Walk
from app.ports import RecallFilter, TokenCounter
from app.ports.store import Store
from app.ranking.proximity import Near, nearest, worths
from app.text.excluded import exclusion
from app.text.intent import intent_of
from app.text.scripts import fold

_READ = 2_000
"""Characters of a query that are looked through for names."""

_PROVEN = 16
"""Edges of which it is looked up what states them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Related:
    """
    What the graph leads to: items with their worth, best first, and entities, the nearest first,
    whose tokens are not counted yet.
    """

    items: Mapping[ItemKey, float] = field(default_factory=dict)
    entities: Sequence[RelatedEntity] = ()

    @classmethod
    def together(cls, several: Sequence[Self]) -> Self:
        """What any of them leads to, each as the one does that leads nearest."""
        items, entities = dict[ItemKey, float](), dict[EntityKey, RelatedEntity]()
        for each in several:
            for key, worth in each.items.items():
                items[key] = max(worth, items.get(key, worth))
            for entity in each.entities:
                known = entities.get(entity.key, entity)
                entities[entity.key] = min(known, entity, key=_nearer)
        return cls(
            items=dict(sorted(items.items(), key=lambda item: -item[1])),
            entities=sorted(entities.values(), key=_nearer),
        )


def _nearer(entity: RelatedEntity) -> tuple[int, float]:
    """Its place among those that several questions lead to."""
    return entity.distance, -entity.score


NOTHING_RELATED = Related()


async def relate(
    store: Store,
    request: ContextRequest,
    *,
    tenant: TenantId,
    scope: Scope,
    within: RecallFilter,
) -> Related:
    """What the entities that the query names lead to, of what `within` lets be found."""
    query, unwanted = request.query[:_READ], exclusion(request.filters.exclude_terms)
    names = names_asked(query)
    if not names:
        return Related()

    def reach(walk: Walk) -> _Reach:
        asked = relations_asked(query) if walk.seeds else frozenset[str]()
        near = nearest(walk, asked=asked, messages=scope.messages)
        return _Reach(near=near, asked=asked, edges=_stated(walk, asked))

    async with store.read(tenant) as snapshot:
        walk, reached, views = await snapshot.graph.explore(names, reach, within=within)
    if not walk.seeds:
        return Related()
    without = _not_wanted(views, within)
    return Related(
        items=worths(reached.near, walk.steps, views, asked=reached.asked, without=without),
        entities=[
            each
            for each in _told(reached.near, views)
            if unwanted is None or not unwanted.search(fold(each.content))
        ],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reach:
    """Where a walk leads to, the relations that are asked for, and the edges that state these."""

    near: Sequence[Near]
    asked: frozenset[str]
    edges: Sequence[int]

    @property
    def entities(self) -> Sequence[EntityKey]:
        return [each.entity for each in self.near]


def _stated(walk: Walk, asked: Collection[str]) -> Sequence[int]:
    """The edges that state what is asked for, the heaviest first."""
    steps = [each for each in walk.steps if each.relation in asked]
    ordered = sorted(steps, key=lambda step: (-step.weight, step.edge))
    return list(dict.fromkeys(step.edge for step in ordered))[:_PROVEN]


def _not_wanted(views: Views, within: RecallFilter) -> frozenset[MessageKey]:
    """Messages that are of none of the types that may be found, nor have parts that are."""
    if within.of_whole_messages():
        return frozenset()
    pieces: dict[MessageKey, int] = {}
    for several in (*views.places.values(), *views.stating.values()):
        pieces |= several
    chunks = within.has_chunks()
    return frozenset(message for message, count in pieces.items() if not (chunks and count))


def _told(near: Sequence[Near], views: Views) -> Sequence[RelatedEntity]:
    shown = {each.key: each for each in views.entities}
    return [
        RelatedEntity(
            key=each.entity,
            id=entity.id,
            type=entity.type,
            name=entity.name,
            content=_content(entity, each.step, shown),
            mentions=entity.mentions,
            score=each.score,
            distance=each.distance,
            tokens=0,
            lineage=entity.lineage,
        )
        for each in near
        if (entity := shown.get(each.entity)) is not None
    ]


def _content(entity: Shown, step: Step | None, shown: Mapping[EntityKey, Shown]) -> str:
    """The entity in a line, with the relation that led to it: "Anna (person): works on Apollo"."""
    about = named(entity.name, entity.type)
    other = None if step is None else shown.get(step.near)
    if step is None or other is None:
        return about
    if step.relation == NAMED_TOGETHER:
        return f"{about}: named together with {other.name}"
    if step.outwards and step.relation != SAME_AS:
        return f"{about}: {other.name} {step.relation} it"
    return f"{about}: {step.relation} {other.name}"


def named(name: str, kind: EntityType) -> str:
    return name if kind is EntityType.UNKNOWN else f"{name} ({kind.value})"


@dataclass(frozen=True, slots=True)
class EntityTeller:
    """
    Fits related entities into a bundle, the nearest first.

    Where the question is who has to do with what, they have a share of the budget; else what the
    memories leave. Rendered texts do not hold them: beside one they cost nothing.
    """

    tokens: TokenCounter
    share: float = 0.05
    """Of the budget, at most, that is kept free for them."""

    def counted(self, related: Related | None) -> Sequence[RelatedEntity]:
        entities = related.entities if related else ()
        return [replace(each, tokens=self.tokens.count(each.content)) for each in entities]

    def kept_free(self, request: ContextRequest, entities: Sequence[RelatedEntity]) -> int:
        """The tokens that memories may not take."""
        if request.format is not Format.JSON or intent_of(request.query) is not Intent.RELATION:
            return 0
        room = int(request.budget_tokens * self.share)
        return sum(each.tokens for each in fitting(entities, room))

    def shown(
        self, request: ContextRequest, entities: Sequence[RelatedEntity], *, taken: int
    ) -> tuple[Sequence[RelatedEntity], int]:
        """What there is room for beside the tokens `taken`, and what it costs."""
        if request.format is not Format.JSON:
            return entities, 0
        fit = fitting(entities, request.budget_tokens - taken)
        return fit, sum(each.tokens for each in fit)


def fitting(entities: Sequence[RelatedEntity], room: int) -> Sequence[RelatedEntity]:
    """Those that fit one after the other; what is too long is left out."""
    taken = list[RelatedEntity]()
    for each in entities:
        if each.tokens <= room:
            taken.append(each)
            room -= each.tokens
    return taken
