"""Keeping what was said through the proxy, behind the answers, and losing nothing of it."""

import asyncio
from collections.abc import Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from logging import getLogger

from app.domain.chat import Exchange, Form, Keeping, Party
from app.domain.conversation import Conversation, NewConversation, NewMessage, Role
from app.domain.errors import ConversationNotFound, ForewordError, StorageFull, StoreUnavailable
from app.domain.ids import ConversationId, MessageId, TenantId
from app.domain.storable import json_bytes
from app.ports import NewId, Telemetry
from app.ports.store import Store
from app.services.proxy.prompting import known_party
from app.services.proxy.threads import Threads
from app.services.writing.ingest import Ingestor
from app.services.writing.prepare import INLINE_CHARACTERS
from app.services.writing.waiting import IndexWaiter
from app.text.answered import answers_nothing
from app.text.anthropic import message_in
from app.text.chat import name_of, reply_in, since_reply, system_prompt_in
from app.text.responses import response_in

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


_REPLY_IN = {Form.CHAT: reply_in, Form.RESPONSES: response_in, Form.MESSAGES: message_in}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Turn:
    """What is to be stored of an exchange, and what becomes of the exchange once it is."""

    new: NewConversation
    keeping: Keeping


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
    threads: Threads = field(default_factory=Threads)
    _last: dict[Hashable, asyncio.Task[None]] = field(default_factory=dict)
    _on_the_way: set[asyncio.Task[None]] = field(default_factory=set)
    _parties: dict[asyncio.Task[None], tuple[TenantId, Party]] = field(default_factory=dict)

    async def room(self) -> None:
        """Wait until there is room for one more: mostly there is, and sometimes not in time."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                while len(self._on_the_way) >= MOST_WAITING:
                    await asyncio.wait(self._on_the_way, return_when=asyncio.FIRST_COMPLETED)

    def keep(self, tenant: TenantId, exchange: Exchange) -> None:
        """Begin to store; where too much is on its way, count it as lost."""
        if len(self._on_the_way) >= MOST_KEPT:
            self._tell(tenant, Keeping.LOST)
            return
        key = (tenant, _whose(exchange.party))
        task = asyncio.create_task(self._after(self._last.get(key), tenant, exchange))
        self._last[key] = task
        self._on_the_way.add(task)
        self._parties[task] = tenant, exchange.party
        task.add_done_callback(lambda done: self._forget(key, done))

    async def drop(
        self, tenant: TenantId, user_id: str | None, conversation: Conversation | None = None
    ) -> None:
        """
        Drop what waits of a user, or of one conversation of theirs, which is about to be erased.

        Raises:
            StoreUnavailable: The database does not answer, so nothing can be erased either.
        """
        names = None
        if conversation is not None:
            names = {conversation.external_id, str(conversation.id)} - {None}
        dropped: set[asyncio.Task[None]] = set()
        for task, (owner, party) in list(self._parties.items()):
            if owner == tenant and (names is None or party.conversation in names):
                whose = await self._owner(tenant, party)
                dropped |= {task} if whose == user_id else set()
        for task in dropped:
            task.cancel()
        await asyncio.gather(*dropped, return_exceptions=True)

    async def _owner(self, tenant: TenantId, party: Party) -> str | None:
        try:
            return (await known_party(self.store, tenant, party)).user_id
        except ConversationNotFound:  # another user's: it is not stored at all
            return party.user_id

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
        self._parties.pop(done, None)
        if self._last.get(key) is done:
            del self._last[key]

    async def _after(
        self, before: asyncio.Task[None] | None, tenant: TenantId, exchange: Exchange
    ) -> None:
        keeping = Keeping.LOST
        try:
            if before is not None:
                await asyncio.wait({before})
            keeping = await self._kept(tenant, exchange)
        finally:
            self._tell(tenant, keeping)

    def _tell(self, tenant: TenantId, keeping: Keeping) -> None:
        self.telemetry.exchange_ended(keeping)
        if keeping is Keeping.PARTLY:
            _log.warning("what was too large of an exchange is left out", extra={"tenant": tenant})
        elif keeping is Keeping.LOST:
            _log.error("an exchange was not stored", extra={"tenant": tenant})

    async def _kept(self, tenant: TenantId, exchange: Exchange) -> Keeping:
        try:
            exchange = self.threads.followed(tenant, exchange)
            turn = await self._turn(exchange)
            if turn.new.messages and not await self._stored(tenant, exchange.party, turn.new):
                return Keeping.LOST
            self.threads.note(tenant, turn.new)
        except ForewordError as error:
            _log.warning("an exchange cannot be stored", extra={"reason": error.title})
        except Exception:  # noqa: BLE001  (told as what it is; the others go on)
            _log.exception("storing an exchange stumbled")
        else:
            return turn.keeping
        return Keeping.LOST

    async def _stored(self, tenant: TenantId, party: Party, new: NewConversation) -> bool:
        """Whether it is; what is tried again is stored once, since it keeps its ids."""
        pause = _FIRST_PAUSE
        for left in reversed(range(_ATTEMPTS)):
            try:
                await self._store(tenant, party, new)
            except (StoreUnavailable, StorageFull) as error:
                _log.warning("an exchange waits to be stored", extra={"reason": error.title})
                if left:
                    await asyncio.sleep(pause)
                    pause = min(2 * pause, _LONGEST_PAUSE)
            else:
                self.waiter.wake()
                return True
        return False

    async def _store(self, tenant: TenantId, party: Party, new: NewConversation) -> None:
        party = await known_party(self.store, tenant, party)
        if party.conversation_id is not None:
            await self.ingestor.append(tenant, party.conversation_id, new.messages)
        else:
            await self.ingestor.ingest(tenant, new)

    async def _turn(self, exchange: Exchange) -> _Turn:
        if len(exchange.answer) > INLINE_CHARACTERS:
            return await asyncio.to_thread(self._read, exchange)
        return self._read(exchange)

    def _read(self, exchange: Exchange) -> _Turn:
        """What was said, as it goes into its conversation; of no chat, or no answer, nothing."""
        read, chat = _REPLY_IN[exchange.form], exchange.chat
        reply = read(exchange.answer, streamed=exchange.streamed) if _has_chat(exchange) else None
        asked = since_reply(chat) if reply or _is_answered(exchange) else []
        if reply is not None and not exchange.whole:
            reply = replace(reply, metadata={**reply.metadata, "incomplete": True})
        said = _with_ids(asked, reply, self.ingestor.new_id)
        name = exchange.party.conversation or name_of(chat, reply)
        prompt = system_prompt_in(chat)
        fits = len(prompt or "") <= self.longest
        messages = [each for each in said if self._fits(each)]
        new = NewConversation(
            id=ConversationId(self.ingestor.new_id()) if name is None else None,
            user_id=exchange.party.user_id,
            external_id=name,
            system_prompt=prompt if fits else None,
            messages=messages,
        )
        return _Turn(new=new, keeping=_keeping(said, messages, fits=fits and not exchange.cut))

    def _fits(self, said: NewMessage) -> bool:
        """Whether it could have been stored by its caller."""
        calls = json_bytes(said.tool_calls) if said.tool_calls else 0
        return len(said.content or "") <= self.longest and calls <= self.most_called


def _has_chat(exchange: Exchange) -> bool:
    """Whether it answers anything: a request of the other forms may go on with what was kept."""
    return bool(exchange.chat) or exchange.form is not Form.CHAT


def _is_answered(exchange: Exchange) -> bool:
    """Whether what has no reply in it is an answer all the same, and no error."""
    answer, streamed = exchange.answer, exchange.streamed
    return exchange.whole and (exchange.cut or not answers_nothing(answer, streamed=streamed))


def _with_ids(
    asked: Sequence[NewMessage], reply: NewMessage | None, new_id: NewId
) -> list[NewMessage]:
    """
    What was said, in order, with an id for each message that no exchange can have brought before.

    So the same words are stored again where they are said again, and once where storing them is
    tried again. What the model had said already, and what stands before it, comes along in each
    request: it has none, and is known by its words.
    """
    told = [at + 1 for at, each in enumerate(asked) if each.role is Role.ASSISTANT]
    known = told[-1] if told else 0
    fresh = [*asked[known:], *([reply] if reply else [])]
    return [*asked[:known], *(replace(each, id=MessageId(new_id())) for each in fresh)]


def _keeping(said: Sequence[NewMessage], kept: Sequence[NewMessage], *, fits: bool) -> Keeping:
    """What becomes of an exchange once what is kept is stored; `fits`: all else of it."""
    if said and not kept:
        return Keeping.LOST
    return Keeping.KEPT if not said or (fits and len(kept) == len(said)) else Keeping.PARTLY


def _whose(party: Party) -> Hashable:
    return party.user_id, party.conversation
