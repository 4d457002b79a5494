"""From the keys that the sources found to a pool: read, cut to the smallest pieces, surrounded."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from app.distil.language.declining import declines
from app.domain.context import Source
from app.domain.conversation import Message
from app.domain.ids import ItemKey, MessageKey
from app.domain.memory import ItemType
from app.ports.embedding import Embedder
from app.ports.store import Store
from app.ranking.asked_again import (
    ASKED_BEFORE,
    NO_ANSWER,
    Behind,
    asked_again,
    replying,
    right_behind,
)
from app.ranking.pieces import best_of_each, chunks_in, wholes, without_pieces
from app.ranking.pool import Pool, Recalled, Surrounded, Widening, without
from app.ranking.query import QueryView
from app.ranking.widening import beside_best
from app.services.context.situation import Situation
from app.text.excerpt import shown_of
from app.text.excluded import exclusion
from app.text.shown import Shown

_INLINE_SEARCH = 500_000
"""More characters than this are looked through off the event loop."""

Sources = dict[ItemKey, frozenset[Source]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is to be read: found by which sources, for which query, beside which history."""

    query: QueryView
    sources: Sources
    history: Sequence[Message]
    exclude_terms: Sequence[str]
    shown: Sequence[str] = ()
    looks_up: bool = False
    in_full: str | None = None
    widened: bool = False
    """Whether what stands beside the best is let in as well."""

    @property
    def widening(self) -> Widening | None:
        shown = {each.key for each in self.history}
        return partial(beside_best, self.query, without=shown) if self.widened else None


@dataclass(frozen=True, slots=True)
class Aside:
    """Items that do not answer, by their indexes, each with the reason."""

    recalled: Recalled
    reasons: Mapping[int, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hydrated:
    """A pool, which sources found each of its items, and what stands aside."""

    pool: Pool
    sources: Sources
    aside: Aside


@dataclass(frozen=True, slots=True, kw_only=True)
class Hydrator:
    """Makes pools."""

    store: Store
    embedder: Embedder

    async def pool(self, wanted: Wanted, situation: Situation) -> Hydrated:
        """
        What was found, as the smallest pieces.

        The best chunk stands for a message that has some, and counts as found by what found its
        message. What is pinned stays whole, beside its chunks, and so do messages where no chunk is
        wanted. A question that was asked before is put aside, and so are replies that had no
        answer; those that had one are known to the pool.
        """
        read = await self._read(wanted, situation)
        read, wanted = _found_unsought(wanted, read)
        again = _asked_before(wanted, read.recalled)
        behind = right_behind(read.recalled, again)
        reasons = dict.fromkeys(again, ASKED_BEFORE)
        reasons |= dict.fromkeys(_in_vain(wanted, read.recalled, behind), NO_ANSWER)
        aside = Aside(read.recalled, reasons)
        read = read.put_aside([*reasons])
        recalled, sources = await self._pieces(wanted, read.recalled, situation)
        pool = Pool.of(recalled, dimension=self.embedder.dimension, neighbours=read.neighbours)
        pool = pool.told_of(replying(recalled, behind)) if behind else pool
        return Hydrated(pool=pool, sources=sources, aside=aside)

    async def _read(self, wanted: Wanted, situation: Situation) -> Surrounded:
        unsought = wanted.query.unsought
        if not (wanted.sources or unsought):
            return Surrounded.nothing()
        async with self.store.read(situation.tenant) as snapshot:
            return await snapshot.recall.surrounded(
                sorted(wanted.sources),
                within=situation.within,
                model=self.embedder.model,
                unsought=unsought,
                widening=wanted.widening,
            )

    async def _pieces(
        self, wanted: Wanted, read: Recalled, situation: Situation
    ) -> tuple[Recalled, Sources]:
        unwanted = exclusion(wanted.exclude_terms)
        recalled, sources = without(unwanted, read), dict(wanted.sources)
        if situation.within.has_chunks() and (large := wholes(recalled)):
            lacking = without_pieces(recalled, large)
            chunks = without(unwanted, await self._chunks(lacking, situation))
            recalled, sources = self._smallest(wanted.query, recalled, chunks, sources)
        recalled = await without_repeating(wanted.shown, recalled)
        return _not_shown(recalled, wanted.history), sources

    async def _chunks(self, messages: set[MessageKey], situation: Situation) -> Recalled:
        if not messages:
            return Recalled.nothing()
        async with self.store.read(situation.tenant) as snapshot:
            return await snapshot.recall.chunks(
                sorted(messages), scopes=situation.within.scopes, model=self.embedder.model
            )

    def _smallest(
        self, query: QueryView, recalled: Recalled, others: Recalled, sources: Sources
    ) -> tuple[Recalled, Sources]:
        """
        Chunks instead of their messages, unless these are pinned.

        `others` are the chunks of messages of which none was found: the best of each comes in.
        """
        pieces = recalled.only(chunks_in(recalled)).and_also(others)
        best = pieces.only(best_of_each(query, pieces, dimension=self.embedder.dimension))
        whole = {recalled.messages[at]: sources[recalled.keys[at]] for at in wholes(recalled)}
        found = dict(sources)
        for key, message in zip(best.keys, best.messages, strict=True):
            found[key] = sources.get(key, frozenset()) | whole.get(message, frozenset())
        coming = set(others.keys)
        new = [at for at, key in enumerate(best.keys) if key in coming]
        return _without_wholes(recalled, sources).and_also(best.only(new)), found


def _found_unsought(wanted: Wanted, read: Surrounded) -> tuple[Surrounded, Wanted]:
    """
    What was found, with a source for what came in unsought, and without what of that the history
    shows already.

    Unsought are the summaries of periods that the query speaks of, what was said at the times of
    which it asks for all, what is known of who asks, and what was let in beside the best.
    """
    query, recalled = wanted.query, read.recalled
    if not (query.unsought or wanted.widened):
        return read, wanted
    found, shown = dict(wanted.sources), {each.key for each in wanted.history}
    then = _standing_beside(wanted, recalled) if wanted.widened else set()
    if query.unsought:
        told = recalled.summing_up(query.periods) | recalled.said_in(query.moments)
        then |= {*np.flatnonzero(told | recalled.telling(query.facts)).tolist()}
    for at in sorted(then):
        key = recalled.keys[at]
        if key in found or recalled.messages[at] not in shown:
            found[key] = found.get(key, frozenset()) | {Source.EPISODIC}
    left = [at for at, key in enumerate(recalled.keys) if key in found]
    if len(left) < len(recalled):
        read = replace(read, recalled=recalled.only(left))
    return read, replace(wanted, sources=found)


def _asked_before(wanted: Wanted, recalled: Recalled) -> Sequence[int]:
    """The question itself, where it was asked before and is not what is looked for."""
    if wanted.query.overview or wanted.looks_up:
        return []
    again = asked_again(wanted.query, recalled, in_full=wanted.in_full)
    return [at for at in again if not _pinned(wanted, recalled, at)]


def _in_vain(wanted: Wanted, recalled: Recalled, behind: Behind) -> Sequence[int]:
    """What was replied there without an answer."""
    replies = np.flatnonzero(replying(recalled, behind)).tolist() if behind else []
    return [
        at
        for at in replies
        if declines(recalled.contents[at]) and not _pinned(wanted, recalled, at)
    ]


def _pinned(wanted: Wanted, recalled: Recalled, at: int) -> bool:
    return Source.PINNED in wanted.sources[recalled.keys[at]]


def _standing_beside(wanted: Wanted, recalled: Recalled) -> set[int]:
    """The messages that no source found, by their indexes."""
    told = enumerate(zip(recalled.keys, recalled.types, strict=True))
    there = wanted.sources
    return {at for at, (key, kind) in told if kind is ItemType.MESSAGE and key not in there}


async def without_repeating(shown: Sequence[str], recalled: Recalled) -> Recalled:
    """What none of the texts `shown` says already."""
    if not shown:
        return recalled
    characters = sum(map(len, shown)) * len(recalled)
    work = partial(_unsaid, shown, recalled.contents)
    left = work() if characters <= _INLINE_SEARCH else await asyncio.to_thread(work)
    return recalled.only(left)


def _unsaid(shown: Sequence[str], contents: Sequence[str]) -> list[int]:
    there = Shown(shown)
    return [at for at, said in enumerate(contents) if said not in there]


def _without_wholes(recalled: Recalled, sources: Mapping[ItemKey, frozenset[Source]]) -> Recalled:
    """All but the messages that have chunks, unless they are pinned."""
    pieces = enumerate(zip(recalled.keys, recalled.pieces, strict=True))
    return recalled.only(
        [at for at, (key, count) in pieces if not count or Source.PINNED in sources[key]]
    )


def _not_shown(recalled: Recalled, history: Sequence[Message]) -> Recalled:
    """Without the chunks of what is in the history; of what was cut there, those behind the cut."""
    shown = {each.key: shown_of(each.content or "") for each in history}
    if not any(message in shown for message in recalled.messages):
        return recalled
    return recalled.only(
        [
            at
            for at, message in enumerate(recalled.messages)
            if message not in shown or (recalled.read(at).lineage[0].start or 0) >= shown[message]
        ]
    )
