"""From the keys that the sources found to a pool: read, cut to the smallest pieces, surrounded."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.domain.context import Source
from app.domain.conversation import Message
from app.domain.ids import ItemKey, MessageKey
from app.domain.memory import Table, rows_of
from app.ports import Embedder
from app.ports.store import Recall, Store
from app.ranking.neighbours import Neighbours
from app.ranking.pieces import best_of_each, chunks_in, wholes, without_pieces
from app.ranking.pool import Pool, QueryView, Recalled
from app.services.recall import Situation
from app.text.excerpt import shown_of
from app.text.scripts import fold
from app.text.terms import exclusion

Sources = dict[ItemKey, frozenset[Source]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is to be read: by which sources, for which query, beside which history."""

    query: QueryView
    sources: Sources
    history: Sequence[Message]
    exclude_terms: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hydrator:
    """Makes pools."""

    store: Store
    embedder: Embedder

    async def pool(self, wanted: Wanted, situation: Situation) -> tuple[Pool, Sources]:
        """
        What was found, as the smallest pieces, and which sources found each of them.

        The best chunk stands for a message that has some, and counts as found by what found its
        message. What is pinned stays whole, beside its chunks, and so do messages where no chunk is
        wanted.
        """
        messages = {MessageKey(row) for row in rows_of(Table.MESSAGE, wanted.sources)}
        (recalled, sources), neighbours = await asyncio.gather(
            self._pieces(wanted, situation), self._beside(messages, situation)
        )
        if of_chunks := set(recalled.messages) - messages:
            neighbours = neighbours.and_also(await self._beside(of_chunks, situation))
        dimension = self.embedder.dimension
        return Pool.of(recalled, dimension=dimension, neighbours=neighbours), sources

    async def _pieces(self, wanted: Wanted, situation: Situation) -> tuple[Recalled, Sources]:
        unwanted = exclusion(wanted.exclude_terms)
        async with self.store.read(situation.tenant) as snapshot:
            hydrated = await snapshot.recall.hydrate(
                list(wanted.sources), scopes=situation.within.scopes, model=self.embedder.model
            )
            recalled, sources = _without(unwanted, hydrated), dict(wanted.sources)
            if situation.within.has_chunks() and (large := wholes(recalled)):
                lacking = without_pieces(recalled, large)
                chunks = await self._chunks(snapshot.recall, lacking, situation)
                chunks = _without(unwanted, chunks)
                recalled, sources = self._smallest(wanted.query, recalled, chunks, sources)
        return _not_shown(recalled, wanted.history), sources

    async def _beside(self, messages: set[MessageKey], situation: Situation) -> Neighbours:
        if not messages:
            return Neighbours.none()
        async with self.store.read(situation.tenant) as snapshot:
            return await snapshot.recall.neighbours(
                sorted(messages), within=situation.within, model=self.embedder.model
            )

    async def _chunks(
        self, recall: Recall, messages: set[MessageKey], situation: Situation
    ) -> Recalled:
        if not messages:
            return Recalled.nothing()
        scopes = situation.within.scopes
        return await recall.chunks(sorted(messages), scopes=scopes, model=self.embedder.model)

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


def _without(unwanted: re.Pattern[str] | None, recalled: Recalled) -> Recalled:
    if unwanted is None:
        return recalled
    contents = enumerate(recalled.contents)
    return recalled.only([at for at, said in contents if not unwanted.search(fold(said))])


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
