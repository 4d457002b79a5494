"""The gist of conversations, rolling: each summary goes on from the one before."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from app.distil.gist.summary import MAX_TOKENS, Excerpt, Summary, excerpts_of, summarise
from app.domain.conversation import Conversation, Message
from app.domain.errors import MessageNotFound, Overtaken
from app.domain.ids import ItemId, MessageKey, TenantId
from app.domain.memories import Memory, MemoryChanges, NewMemory
from app.domain.memory import ItemType
from app.ports import TokenCounter
from app.ports.distilling import SummaryTail
from app.ports.store import Store, Transaction
from app.ports.stored import PreparedMemory
from app.ranking import Floats
from app.services.distilling.bullets import Bullet, cited_by, laid_out, lines_of, places_told
from app.services.distilling.rewording import SummaryWriter
from app.services.distilling.sentence_vectors import SentenceVectors
from app.services.distilling.step import Portion, Write, utterance_of
from app.services.memories.keep import MemoryKeeper

_MESSAGES_AT_ONCE = 200
_TOKENS_AT_ONCE = 40_000
_EXCERPTS_AT_ONCE = 160
"""Sentences that are embedded for a summary; of more those with the strongest cues."""

_LEAST_TOKENS = 80
_SHARE = 5
"""A summary has at most one part in so many of the tokens that were said."""

Embedded = tuple[Sequence[Excerpt], Floats]


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A summary on its way into the store, behind `before`; made `anew`, in its place."""

    conversation: Conversation
    before: Memory | None
    prepared: PreparedMemory
    anew: bool


def subject_of(conversation: Conversation) -> str:
    """One summary of a conversation holds at a time."""
    return f"summary|{conversation.id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Summariser:
    """Makes summaries of what users and assistants said, and keeps them."""

    store: Store
    sentences: SentenceVectors
    keeper: MemoryKeeper
    tokens: TokenCounter
    writer: SummaryWriter | None = None
    """Writes them in its own words, where a language model is set."""

    async def tail(
        self, tenant: TenantId, conversation: Conversation, *, anew: bool = False
    ) -> SummaryTail:
        async with self.store.observe() as observations:
            return await observations.summary_tail(
                tenant, conversation, subject=subject_of(conversation), anew=anew
            )

    async def draft(
        self, tenant: TenantId, conversation: Conversation, tail: SummaryTail
    ) -> Draft | None:
        """The next summary, of all that was said by now; None: there is nothing to tell."""
        most = min(MAX_TOKENS, max(_LEAST_TOKENS, conversation.token_count // _SHARE))
        said = await self._said(tenant, conversation, tail, most)
        if not said.since:
            return None
        bullets = await self._written(tail, said, most)
        if not bullets:
            bullets = [_quote(each, said) for each in said.summary.bullets]
        if not bullets:
            return None
        (prepared,) = await self.keeper.preparer.prepare([_new(conversation, tail, said, bullets)])
        return Draft(
            conversation=conversation, before=tail.before, prepared=prepared, anew=tail.anew
        )

    async def _written(self, tail: SummaryTail, said: "_Said", most: int) -> Sequence[Bullet]:
        """In the words of the writer; none: there is no writer, or nothing that can be kept."""
        if self.writer is None:
            return []
        last = None if tail.anew else tail.before
        before = [] if last is None else lines_of(last, tail.quoted)
        written = await self.writer.write(before, said.since, most=most)
        return [Bullet(each.text, each.sources) for each in written or []]

    async def _said(
        self, tenant: TenantId, conversation: Conversation, tail: SummaryTail, most: int
    ) -> "_Said":
        """What was said since, and what rules make of it."""
        said = _Said(by_position=_by_position(tail.quoted))
        said.before = await self._embedded(_bullets_of(tail), said)
        if tail.quoted and not said.before[0]:
            again = await asyncio.to_thread(_excerpts, tail.quoted)
            await said.sum_up(await self._embedded(again, said), self.tokens, most)
        after = tail.after
        while messages := await self._next(tenant, conversation, after):
            after = messages[-1].key
            said.by_position |= _by_position(messages)
            said.since += messages
            new = await asyncio.to_thread(_excerpts, messages)
            await said.sum_up(await self._embedded(new, said), self.tokens, most)
        return said

    async def keep(
        self, transaction: Transaction, draft: Draft, *, for_now: bool = False
    ) -> Memory:
        """
        Store a draft, unless the summary before says the same; the one that holds now.

        Args:
            for_now: Where a summary was wanted anew, it still is.

        Raises:
            Overtaken: Another summary was made meanwhile, or what this one tells was erased.
        """
        memories, new = transaction.memories, draft.prepared.new
        assert new.subject is not None  # noqa: S101  (`_new` gave it one)
        timeline = await memories.about(draft.conversation.scope, ItemType.SUMMARY, new.subject)
        last = timeline[-1] if timeline else None
        if _id_of(last) != _id_of(draft.before):
            raise Overtaken
        now = self.keeper.clock()
        if not for_now:
            await transaction.distilling.summarised(draft.conversation.key)
        if last is not None and last.content_hash == draft.prepared.content_hash:
            reached = MemoryChanges(given=frozenset({"metadata"}), metadata=new.metadata)
            await memories.change(last, reached, None, now=now)
            return await memories.get(last.id, now=None)
        try:
            if draft.anew and last is not None:
                await memories.lock(draft.conversation.scope, new.derived_from)
                await memories.drop(last, now=now)
            (kept,) = await self.keeper.store_in(transaction, [draft.prepared], now=now)
        except MessageNotFound as error:
            raise Overtaken from error
        return await memories.get(kept.id, now=None)

    async def _next(
        self, tenant: TenantId, conversation: Conversation, after: MessageKey
    ) -> Sequence[Message]:
        async with self.store.observe() as observations:
            return await observations.said_after(
                tenant, conversation, after, limit=_MESSAGES_AT_ONCE, tokens=_TOKENS_AT_ONCE
            )

    async def _embedded(self, excerpts: Sequence[Excerpt], said: "_Said") -> Embedded:
        return excerpts, await self.sentences.of(excerpts, said.by_position)


@dataclass(slots=True)
class _Said:
    """What a summary goes on from, and who said that."""

    by_position: dict[int, Message]
    before: Embedded = field(default_factory=lambda: ([], np.zeros((0, 0), dtype=np.float32)))
    summary: Summary = field(default_factory=lambda: Summary(bullets=(), tokens=0))
    since: list[Message] = field(default_factory=list)

    async def sum_up(self, new: Embedded, tokens: TokenCounter, most: int) -> None:
        """Take the next excerpts in; what is kept is what the following go on from."""
        self.summary = await asyncio.to_thread(
            summarise, new, tokens.count, before=self.before, most=most
        )
        vectors = dict(_by_place(self.before)) | dict(_by_place(new))
        kept = self.summary.bullets
        rows = [vectors[each.place] for each in kept]
        self.before = kept, np.stack(rows) if rows else self.before[1][:0]


def _id_of(memory: Memory | None) -> ItemId | None:
    return None if memory is None else memory.id


def _by_position(messages: Sequence[Message]) -> dict[int, Message]:
    return {each.position: each for each in messages}


def _by_place(embedded: Embedded) -> Mapping[tuple[int, int], Floats]:
    return {each.place: row for each, row in zip(*embedded, strict=True)}


def _excerpts(messages: Sequence[Message]) -> Sequence[Excerpt]:
    pairs = ((each.position, utterance_of(each)) for each in messages)
    return excerpts_of(pairs, most=_EXCERPTS_AT_ONCE)


def _bullets_of(tail: SummaryTail) -> Sequence[Excerpt]:
    """The bullets of the summary before, found again where they were said."""
    if tail.before is None:
        return []
    spans = places_told(tail.before)
    ids = {each.position: str(each.id) for each in tail.quoted}
    return [each for each in _excerpts(tail.quoted) if (ids[each.position], each.start) in spans]


def _quote(excerpt: Excerpt, said: _Said) -> Bullet:
    message = said.by_position[excerpt.position]
    return Bullet(excerpt.text, [message.id], start=excerpt.start, stop=excerpt.stop)


def _new(
    conversation: Conversation, tail: SummaryTail, said: _Said, bullets: Sequence[Bullet]
) -> NewMemory:
    known = {each.id: each for each in said.by_position.values()}
    cited = cited_by(bullets)
    begins = max(known[one].created_at for one in cited)
    if tail.before is not None:
        begins = max(begins, tail.before.valid_from)
    return NewMemory(
        type=ItemType.SUMMARY,
        content=laid_out(bullets),
        conversation_id=conversation.id,
        subject=subject_of(conversation),
        importance=conversation.importance,
        valid_from=begins,
        metadata={
            "until": str(said.since[-1].id),
            "bullets": [each.told() for each in bullets],
        },
        derived_from=cited,
        derived=True,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryStep:
    """
    Sums a conversation up after so many messages of the assistant, or so many tokens.

    Where all of it is gone through once more, it is summed up at the end, from the beginning: a
    summary that went on from one by older rules would keep what these chose.
    """

    summariser: Summariser
    tokens: int = 2_000
    by_message: ClassVar[bool] = False

    async def distil(self, portion: Portion) -> Write | None:
        flags, anew = portion.flags, portion.anew_at is not None
        if not flags.summaries or (anew and not portion.last):
            return None
        tail = await self._tail(portion, anew=anew)
        if not (tail.wanted or self._is_due(tail, flags.summary_frequency)):
            return None
        draft = await self.summariser.draft(portion.tenant, portion.conversation, tail)

        async def write(transaction: Transaction) -> None:
            if draft is not None:
                await self.summariser.keep(transaction, draft)
            else:
                await transaction.distilling.summarised(portion.conversation.key)

        return write

    async def _tail(self, portion: Portion, *, anew: bool) -> SummaryTail:
        """From the beginning, too, where a summary by rules tells all and a writer is to do so."""
        tenant, conversation = portion.tenant, portion.conversation
        tail = await self.summariser.tail(tenant, conversation, anew=anew)
        if tail.wanted and not tail.messages and self.summariser.writer is not None:
            return await self.summariser.tail(tenant, conversation, anew=True)
        return tail

    def _is_due(self, tail: SummaryTail, frequency: int) -> bool:
        if tail.anew and tail.before is not None:
            return True
        if frequency == 0:
            return False
        return tail.assistants >= frequency or tail.tokens >= self.tokens
