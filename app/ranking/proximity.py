"""How near what the graph leads to is to what a query names."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, log
from typing import NamedTuple

import numpy as np

from app.distil.entities.relations import NAMED_TOGETHER
from app.distil.entities.sameness import SAME_AS
from app.domain.ids import EntityKey, ItemKey, MessageKey
from app.domain.memory import Table, item_key, rows_of
from app.domain.walking import Seed, Step, Views, Walk
from app.ranking import Floats
from app.ranking.pool import Recalled

FADING = 0.5
"""What one more edge leaves of a score."""

TELLING = 0.35
"""How rare an entity must be to bring in its messages; who is in every one tells nothing."""

STATED = 0.5
"""What a message is worth that states a relation that is asked for, of what the query names."""

LEAST = 0.15
"""Below this a message is not worth a place in a pool."""

MOST_REACHED = 16
"""Entities whose messages are looked at, the nearest ones."""

MOST_ITEMS = 20
"""Items that the graph brings into a pool."""


GRAPH_SHARE = 0.1
"""What a worth of 1 adds to a relevance where the question is who has to do with what."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Near:
    """An entity with its score, in (0, 1], its distance in edges, and the step that led there."""

    entity: EntityKey
    score: float
    distance: int
    rarity: float
    step: Step | None = None


class _Way(NamedTuple):
    """How an entity is reached best: by which edges from the one before it."""

    score: float
    distance: int
    steps: Sequence[Step]


def nearest(walk: Walk, *, asked: Collection[str], messages: int) -> Sequence[Near]:
    """
    The entities of a walk, the nearest first, at most MOST_REACHED.

    What the query names has 1. An edge leaves FADING of a score, times how sure it is; the relation
    that is asked for is as sure as can be. The best of several ways counts. What is said to be the
    same is one: as near, and left by the edges of all.

    Args:
        walk: Its steps of the first hop come before those of the second.
        asked: The types of relations that the query asks for.
        messages: In the scope.
    """
    seeds, same = {seed.entity: seed for seed in walk.seeds}, _same(walk.steps)
    ways = {_standing_for(each, same): _Way(1.0, 0, ()) for each in seeds}
    for (near, far), steps in _joining(walk.steps, same).items():
        begin = ways.get(near)
        if begin is None or begin.distance > 1:
            continue
        score = begin.score * FADING * sureness(steps, asked)
        if far not in ways or ways[far].score < score:
            ways[far] = _Way(score, begin.distance + 1, steps)
    if same:
        ways = _to_each(ways, same, walk)
    ordered = sorted(
        ways,
        key=lambda far: (-ways[far].score, ways[far].distance, _by_sameness(ways[far]), far),
    )
    return [
        _near(entity, ways[entity], seeds.get(entity), asked=asked, messages=messages)
        for entity in ordered[:MOST_REACHED]
    ]


_Same = Mapping[EntityKey, Sequence[EntityKey]]
"""Of what is said to be the same as something, all that is, in one order for each of them."""


def _same(steps: Iterable[Step]) -> _Same:
    same: dict[EntityKey, Sequence[EntityKey]] = {}
    for step in steps:
        if step.relation == SAME_AS:
            ends = *same.get(step.near, [step.near]), *same.get(step.far, [step.far])
            every = list(dict.fromkeys(ends))
            same |= dict.fromkeys(every, every)
    return same


def _standing_for(entity: EntityKey, same: _Same) -> EntityKey:
    """The first of all that an entity is said to be the same as: itself, mostly."""
    return same[entity][0] if entity in same else entity


def _joining(
    steps: Iterable[Step], same: _Same
) -> Mapping[tuple[EntityKey, EntityKey], Sequence[Step]]:
    """The steps from one entity to another, where the first of those that are the same is all."""
    pairs: defaultdict[tuple[EntityKey, EntityKey], list[Step]] = defaultdict(list)
    for step in steps:
        near, far = step.near, step.far
        if same:
            near, far = _standing_for(near, same), _standing_for(far, same)
        if near != far:
            pairs[near, far].append(step)
    return pairs


def _to_each(ways: Mapping[EntityKey, _Way], same: _Same, walk: Walk) -> dict[EntityKey, _Way]:
    """The ways to all of what is the same, each by the steps that lead to it."""
    seeds = {seed.entity for seed in walk.seeds}
    each_way = {
        each: way if each in seeds else way._replace(steps=_steps_to(each, way.steps, walk.steps))
        for one, way in ways.items()
        for each in same.get(one, (one,))
    }
    return {each: way for each, way in each_way.items() if way.steps or each in seeds}


def _by_sameness(way: _Way) -> bool:
    """Whether nothing but what it is the same as leads to an entity."""
    return bool(way.steps) and way.steps[0].relation == SAME_AS


def _steps_to(entity: EntityKey, way: Sequence[Step], steps: Sequence[Step]) -> Sequence[Step]:
    """What tells of an entity: how it is reached itself, else what it is the same as."""
    there = [step for step in steps if step.far == entity]
    same = [step for step in there if step.relation == SAME_AS]
    return [step for step in way if step.far == entity] or same or there


def sureness(steps: Sequence[Step], asked: Collection[str]) -> float:
    """How sure it is that two entities have to do with each other, in (0, 1]."""
    if asked and any(step.relation in asked for step in steps):
        return 1.0
    weight = steps[0].weight if len(steps) == 1 else fsum(step.weight for step in steps)
    return weight / (weight + 1.0)


def rarity(mentions: int, messages: int) -> float:
    """1 for what is mentioned once, towards 0 for what is in every message; an idf, normalised."""
    everything = max(messages, mentions) + 1
    return log(everything / max(mentions, 1)) / log(everything)


def worths(
    near: Sequence[Near],
    steps: Iterable[Step],
    views: Views,
    *,
    asked: Collection[str],
    without: Collection[MessageKey] = (),
) -> Mapping[ItemKey, float]:
    """
    What messages, and the facts drawn from them, are worth by what they mention: best first, in
    (0, 1], at most MOST_ITEMS, none below LEAST.

    Each entity that is rare enough makes a message likelier by its score and its rarity, and so
    does what the message states of what is asked for. Of the messages `without` only what was drawn
    from them counts. Ties are broken by key, newest first.
    """
    reached = {each.entity: each for each in near}
    missing: defaultdict[MessageKey, float] = defaultdict(lambda: 1.0)
    for left, messages in (*_naming(reached, views), *_stating(reached, steps, views, asked)):
        for message in messages:
            missing[message] *= left
    worth = {message: 1.0 - left for message, left in missing.items()}
    items = {
        item_key(Table.MESSAGE, message): value
        for message, value in worth.items()
        if message not in without
    }
    for message, keys in views.facts.items():
        for key in keys:
            items[key] = max(items.get(key, 0.0), worth.get(message, 0.0))
    best = sorted(items, key=lambda key: (-items[key], -key))
    return {key: items[key] for key in best[:MOST_ITEMS] if items[key] >= LEAST}


_Leaving = Iterator[tuple[float, Iterable[MessageKey]]]
"""How unlikely something leaves some messages, in [0, 1)."""


def _naming(reached: Mapping[EntityKey, Near], views: Views) -> _Leaving:
    for entity in sorted(views.places):
        each = reached[entity]
        if each.rarity >= TELLING:
            yield 1.0 - each.score * each.rarity, views.places[entity]


def _stating(
    reached: Mapping[EntityKey, Near], steps: Iterable[Step], views: Views, asked: Collection[str]
) -> _Leaving:
    for step in {step.edge: step for step in steps}.values():
        begin = reached.get(step.near)
        if step.relation in asked and begin is not None:
            yield 1.0 - STATED * begin.score, views.stating.get(step.edge, ())


def nearness(recalled: Recalled, items: Mapping[ItemKey, float]) -> Floats:
    """
    What the graph says that each item is worth, or the message that it is a part of, shape (n,);
    NaN where it says nothing.
    """
    if not items:
        return np.full(len(recalled), np.nan, dtype=np.float32)
    of_messages = {
        message: worth for key, worth in items.items() for message in rows_of(Table.MESSAGE, [key])
    }
    worth = [
        items[key] if key in items else of_messages.get(message, np.nan)
        for key, message in zip(recalled.keys, recalled.messages, strict=True)
    ]
    return np.array(worth, dtype=np.float32)


def _near(
    entity: EntityKey, way: _Way, seed: Seed | None, *, asked: Collection[str], messages: int
) -> Near:
    """What is named by the query, or else reached by a way."""
    mentions = seed.mentions if seed else way.steps[0].mentions
    return Near(
        entity=entity,
        score=way.score,
        distance=way.distance,
        rarity=rarity(mentions, messages),
        step=None if seed else _telling(way.steps, asked),
    )


def _telling(steps: Sequence[Step], asked: Collection[str]) -> Step:
    """The edge that says most: what is asked for, else what is stated, else the heaviest."""
    return max(
        steps,
        key=lambda step: (
            step.relation in asked,
            step.relation != NAMED_TOGETHER,
            step.weight,
            -step.edge,
        ),
    )
