"""Reading what completes the best of what was found, where anything does."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.context import ContextRequest
from app.domain.conversation import Message
from app.domain.memory import ItemType, Table, item_key
from app.ports.embedding import Embedder
from app.ports.store import Store
from app.ranking.completing import Companion, companions, completed, fitting
from app.ranking.neighbours import Neighbours
from app.ranking.pool import Recalled, without
from app.ranking.ranked import Ranked
from app.services.context.hydrate import without_repeating
from app.services.context.situation import Situation
from app.text.excluded import exclusion


@dataclass(frozen=True, slots=True, kw_only=True)
class Completer:
    """Adds replies and questions to what was ranked; mostly there is nothing to read for it."""

    store: Store
    embedder: Embedder

    async def complete(
        self,
        request: ContextRequest,
        situation: Situation,
        history: Sequence[Message],
        ranked: Ranked,
        neighbours: Neighbours,
    ) -> Ranked:
        """
        The same with what completes it: of the same conversation, within the same filters, not in
        `history`.

        Raises:
            StoreUnavailable: It could not be read.
        """
        types = situation.within.types
        if types and ItemType.MESSAGE not in types:
            return ranked
        shown = {each.key for each in history}
        roomy = _roomy(request, history, ranked)
        wanted = [
            each
            for each in companions(ranked, neighbours, roomy=roomy)
            if each.message not in shown
        ]
        if not wanted:
            return ranked
        found = fitting(ranked, await self._read(request, situation, wanted), wanted)
        return completed(ranked, found, wanted, min_score=request.min_score)

    async def _read(
        self, request: ContextRequest, situation: Situation, wanted: Sequence[Companion]
    ) -> Recalled:
        keys = [item_key(Table.MESSAGE, each.message) for each in wanted]
        within = situation.within
        async with self.store.read(situation.tenant) as snapshot:
            read = await snapshot.recall.hydrate(
                keys, scopes=within.scopes, model=self.embedder.model
            )
        if within.roles:
            read = read.only([at for at, role in enumerate(read.roles) if role in within.roles])
        read = await without_repeating(request.shown, read)
        return without(exclusion(request.filters.exclude_terms), read)


def _roomy(request: ContextRequest, history: Sequence[Message], ranked: Ranked) -> bool:
    """Whether all that was found is less than what is asked for, in items and tokens."""
    if len(ranked.order) >= request.max_items:
        return False
    found = sum(ranked.recalled.tokens[at] for at in ranked.order)
    return found + sum(each.tokens for each in history) < request.budget_tokens
