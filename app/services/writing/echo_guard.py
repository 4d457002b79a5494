"""Telling what comes back of our own bundles from what is said."""

import asyncio
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain

from app.domain.conversation import NewMessage, Role
from app.domain.ids import ConversationId, ScopeKey, TenantId
from app.ports.store import Store
from app.services.answering.recording import Recorder
from app.services.writing.prepare import is_short
from app.text.echo import Stretch, echoes, may_echo, segments, tells_of

_CLOCKS_DIFFER = timedelta(hours=1)
"""By how much a caller's clock may be behind ours."""

_KEPT = timedelta(days=7)
"""How long it is known what a bundle showed."""

Echoes = Mapping[int, Sequence[Stretch]]
"""By place in a request, the stretches of a message that repeat a bundle."""

_Suspects = Mapping[int, str]
"""By place in a request, the text of a message that might."""

_ASKED_AT_ONCE = 10_000
"""Fingerprints: a message of megabytes has a million of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EchoGuard:
    """
    Finds, among new messages, what bundles of the same user have shown.

    What was said before a bundle showed it is no echo: an import keeps its own times. Most messages
    are too short to be one, and cost no look at the store. A profile is an echo at any time.
    """

    store: Store
    recorder: Recorder

    async def of_user(
        self, tenant: TenantId, user_id: str | None, new: Sequence[NewMessage], *, now: datetime
    ) -> Echoes:
        """The echoes among messages that go into a conversation of this user."""
        suspects = await _suspects(new, now)
        if not suspects:
            return {}
        async with self.store.read(tenant) as snapshot:
            scope = await snapshot.scopes.find(user_id)
        shown = await self._shown(tenant, scope.key, suspects, short=is_short(new)) if scope else {}
        return await _echoes_of(new, suspects, shown)

    async def of_conversation(
        self,
        tenant: TenantId,
        conversation: ConversationId,
        new: Sequence[NewMessage],
        *,
        now: datetime,
    ) -> Echoes:
        """
        The echoes among messages that go into this conversation.

        Raises:
            ConversationNotFound: There is none under this id.
        """
        suspects = await _suspects(new, now)
        if not suspects:
            return {}
        async with self.store.read(tenant) as snapshot:
            scope = (await snapshot.conversations.get(conversation)).scope
        shown = await self._shown(tenant, scope, suspects, short=is_short(new))
        return await _echoes_of(new, suspects, shown)

    async def _shown(
        self, tenant: TenantId, scope: ScopeKey, suspects: _Suspects, *, short: bool
    ) -> Mapping[int, datetime]:
        """Asks once what waits is written: whoever waits for that holds no connection."""
        if self.recorder.holds(scope):
            await self.recorder.flush()
        found: dict[int, datetime] = {}
        asking = _asking(suspects.values())
        while some := next(asking, None) if short else await asyncio.to_thread(next, asking, None):
            async with self.store.read(tenant) as snapshot:
                found |= await snapshot.bundles.shown(scope, some)
        return found


def _asking(texts: Iterable[str]) -> Iterator[Collection[int]]:
    """The fingerprints of all segments, no more than _ASKED_AT_ONCE in each."""
    some: set[int] = set()
    for each in chain.from_iterable(map(segments, texts)):
        some.add(each.fingerprint)
        if len(some) == _ASKED_AT_ONCE:
            yield some
            some = set()
    if some:
        yield some


async def _suspects(new: Sequence[NewMessage], now: datetime) -> _Suspects:
    if is_short(new):
        return _may_echo(new, now)
    return await asyncio.to_thread(_may_echo, new, now)


def _may_echo(new: Sequence[NewMessage], now: datetime) -> _Suspects:
    """Those that might be an echo by their role, time and form; system messages are in no index."""
    told = {
        at: each.content
        for at, each in enumerate(new)
        if each.content
        and each.role is not Role.SYSTEM
        and (_is_recent(each, now) or tells_of(each.content))
    }
    return {at: text for at, text in told.items() if may_echo(segments(text), text)}


def _is_recent(message: NewMessage, now: datetime) -> bool:
    return message.created_at is None or message.created_at >= now - _KEPT


async def _echoes_of(
    new: Sequence[NewMessage], suspects: _Suspects, shown: Mapping[int, datetime]
) -> Echoes:
    if is_short(new):
        return _echoes(new, suspects, shown)
    return await asyncio.to_thread(_echoes, new, suspects, shown)


def _echoes(
    new: Sequence[NewMessage], suspects: _Suspects, shown: Mapping[int, datetime]
) -> Echoes:
    found = {
        at: echoes(text, segments(text), _before(shown, new[at].created_at))
        for at, text in suspects.items()
    }
    return {at: each for at, each in found.items() if each}


def _before(shown: Mapping[int, datetime], said_at: datetime | None) -> frozenset[int]:
    """What was shown by the time at which a message was said; without one, that is now."""
    if said_at is None:
        return frozenset(shown)
    return frozenset(known for known, first in shown.items() if first - _CLOCKS_DIFFER <= said_at)
