"""Keeping what was said through the proxy, behind the answers, and losing nothing of it."""

import asyncio
from collections.abc import Hashable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from logging import getLogger

from app.domain.chat import Exchange, Party
from app.domain.conversation import NewConversation, NewMessage
from app.domain.errors import ForewordError, StorageFull, StoreUnavailable
from app.domain.ids import TenantId
from app.domain.storable import json_bytes
from app.ports import Telemetry
from app.ports.store import Store
from app.services.ingest import Ingestor
from app.services.prepare import INLINE_CHARACTERS
from app.services.prompting import known_party
from app.services.waiting import IndexWaiter
from app.text.chat import name_of, reply_in, since_reply, system_prompt_in

_log = getLogger(__name__)

_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 10.0
_ATTEMPTS = 12
"""About a minute and a half: a database that restarts is back by then."""

_FAREWELL = 15.0
"""Seconds that what waits gets at the end."""

MOST_WAITING = 1_000
"""Exchanges on their way; who brings more waits until one has arrived, but not for long."""

MOST_KEPT = 2 * MOST_WAITING
"""Those of calls that waited in vain are kept too, up to here; what is beyond is lost."""

_PATIENCE = 1.0
"""Seconds that a call waits for room: it is not to be held up by what is kept of others."""


@dataclass(slots=True, kw_only=True)
class ExchangeKeeper:
    """Stores exchanges, those of one conversation in the order in which they were said."""

    store: Store
    ingestor: Ingestor
    waiter: IndexWaiter
    telemetry: Telemetry
    longest: int
    """Characters of a message or system prompt; one that has more is not kept."""
    most_called: int
    """Bytes of the tool calls of a message, as JSON; the same."""
    _last: dict[Hashable, asyncio.Task[None]] = field(default_factory=dict)
    _on_the_way: set[asyncio.Task[None]] = field(default_factory=set)

    async def room(self) -> None:
        """Wait until there is room for one more: mostly there is, and sometimes not in time."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                while len(self._on_the_way) >= MOST_WAITING:
                    await asyncio.wait(self._on_the_way, return_when=asyncio.FIRST_COMPLETED)

    def keep(self, tenant: TenantId, exchange: Exchange) -> None:
        """Begin to store; where too much is on its way, count it as lost."""
        if len(self._on_the_way) >= MOST_KEPT:
            self._tell(tenant, kept=False)
            return
        key = (tenant, _whose(exchange.party))
        task = asyncio.create_task(self._after(self._last.get(key), tenant, exchange))
        self._last[key] = task
        self._on_the_way.add(task)
        task.add_done_callback(lambda done: self._forget(key, done))

    async def drain(self) -> None:
        """Store what is on its way; what cannot be within seconds is counted as lost."""
        if not self._on_the_way:
            return
        _, late = await asyncio.wait(self._on_the_way, timeout=_FAREWELL)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)

    def _forget(self, key: Hashable, done: asyncio.Task[None]) -> None:
        self._on_the_way.discard(done)
        if self._last.get(key) is done:
            del self._last[key]

    async def _after(
        self, before: asyncio.Task[None] | None, tenant: TenantId, exchange: Exchange
    ) -> None:
        kept = False
        try:
            if before is not None:
                await asyncio.wait({before})
            kept = await self._stored(tenant, exchange)
        finally:
            self._tell(tenant, kept=kept)

    def _tell(self, tenant: TenantId, *, kept: bool) -> None:
        self.telemetry.exchange_kept(kept=kept)
        if not kept:
            _log.error("an exchange was not stored", extra={"tenant": tenant})

    async def _stored(self, tenant: TenantId, exchange: Exchange) -> bool:
        """Whether it is stored; what is tried again is stored once, since it is the same words."""
        pause = _FIRST_PAUSE
        for _ in range(_ATTEMPTS):
            try:
                await self._store(tenant, exchange)
            except (StoreUnavailable, StorageFull) as error:
                _log.warning("an exchange waits to be stored", extra={"reason": error.title})
                await asyncio.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
            except ForewordError as error:
                _log.warning("an exchange cannot be stored", extra={"reason": error.title})
                return False
            except Exception:  # noqa: BLE001  (told as what it is; the others go on)
                _log.exception("storing an exchange stumbled")
                return False
            else:
                self.waiter.wake()
                return True
        return False

    async def _store(self, tenant: TenantId, exchange: Exchange) -> None:
        if len(exchange.answer) > INLINE_CHARACTERS:
            new = await asyncio.to_thread(self._new, exchange)
        else:
            new = self._new(exchange)
        if not new.messages:
            return
        party = await known_party(self.store, tenant, exchange.party)
        if party.conversation_id is not None:
            await self.ingestor.append(tenant, party.conversation_id, new.messages)
        else:
            await self.ingestor.ingest(tenant, new)

    def _new(self, exchange: Exchange) -> NewConversation:
        """What was said, as it goes into its conversation; of no answer at all, nothing."""
        reply, chat = reply_in(exchange.answer, streamed=exchange.streamed), exchange.chat
        asked = since_reply(chat) if reply or exchange.whole else []
        if reply is not None and not exchange.whole:
            reply = replace(reply, metadata={**reply.metadata, "incomplete": True})
        said = [*asked, reply] if reply else asked
        prompt = system_prompt_in(chat)
        return NewConversation(
            user_id=exchange.party.user_id,
            external_id=exchange.party.conversation or name_of(chat, reply),
            system_prompt=prompt if len(prompt or "") <= self.longest else None,
            messages=[each for each in said if self._fits(each)],
        )

    def _fits(self, said: NewMessage) -> bool:
        """Whether it could have been stored by its caller."""
        calls = json_bytes(said.tool_calls) if said.tool_calls else 0
        return len(said.content or "") <= self.longest and calls <= self.most_called


def _whose(party: Party) -> Hashable:
    return party.user_id, party.conversation
