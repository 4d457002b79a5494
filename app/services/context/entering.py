"""How the running conversation is entered, and what is pinned: what needs no search."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from app.domain.context import ContextRequest, HistoryStrategy
from app.domain.conversation import Conversation
from app.domain.ids import ItemKey
from app.ports.store import Snapshot, Store
from app.ports.stored import Opening
from app.ranking.pool import without
from app.services.context.situation import Situation
from app.text.excluded import exclusion

_PINNED = 50
"""Pinned items that one bundle considers, newest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """How the running conversation is entered, and what is pinned."""

    opening: Opening = field(default_factory=Opening)
    pinned: Sequence[ItemKey] = ()


async def entered(
    store: Store, request: ContextRequest, situation: Situation, *, model: str
) -> Episode:
    """
    How the conversation is entered, and what is pinned; where there is neither, the store is not
    asked.
    """
    running, most = situation.conversation, request.history.max_messages
    opened = None if running is None or running.archived or not most else running
    opening = Opening()
    pinned: Sequence[ItemKey] = ()
    if opened is None and not situation.scope.has_pinned:
        return Episode()
    async with store.read(situation.tenant) as snapshot:
        if opened is not None:
            opening = await _opening(snapshot, opened, request, situation, model=model)
        if situation.scope.has_pinned:
            pinned = await snapshot.recall.pinned(situation.within, limit=_PINNED)
    return Episode(opening=opening, pinned=pinned)


async def _opening(
    snapshot: Snapshot,
    running: Conversation,
    request: ContextRequest,
    situation: Situation,
    *,
    model: str,
) -> Opening:
    """What the strategy of the request makes use of; of the summary what its filters allow."""
    wanted, most = request.history.strategy, request.history.max_messages
    sums_up = wanted is not HistoryStrategy.SIMPLE and situation.allows_summary()
    opening = await snapshot.recall.opening(
        running,
        within=situation.within,
        most=most,
        kept=most if wanted is HistoryStrategy.HYBRID else 0,
        summary=model if sums_up else None,
    )
    allowed = without(exclusion(request.filters.exclude_terms), opening.summary)
    return replace(opening, summary=allowed)
