"""The gist of days, weeks, months and years, each made of what lies below it."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from app.distil.gist.summary import MAX_TOKENS, Excerpt, excerpts_of, summarise
from app.domain.conversation import Message
from app.domain.errors import MessageNotFound, Overtaken
from app.domain.memories import NewMemory
from app.domain.memory import ItemType
from app.ports import TokenCounter
from app.ports.periods import DuePeriod, PeriodMaterial
from app.ports.store import Store, Transaction
from app.ports.stored import PreparedMemory
from app.services.distilling.bullets import Bullet, cited_by, laid_out, lines_of, places_told
from app.services.distilling.rewording import SummaryWriter, Told
from app.services.distilling.sentence_vectors import SentenceVectors
from app.services.distilling.step import utterance_of
from app.services.memories.keep import MemoryKeeper

LEAST_SAID = MAX_TOKENS
"""Tokens: of a period in which less was said there is no summary, since all of it is as short."""

_SHARE = 5
"""A summary has at most one part in so many of the tokens that were said."""

_MESSAGES_AT_ONCE = 200
_TOKENS_AT_ONCE = 40_000
_EXCERPTS_AT_ONCE = 160
"""Of more sentences beside the summaries below, those with the strongest cues."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gist:
    """What the summary of a period is to be; without `prepared`, there is to be none."""

    due: DuePeriod
    material: PeriodMaterial
    prepared: PreparedMemory | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodSummariser:
    """Makes summaries of periods, by rules or in the words of a language model, and keeps them."""

    store: Store
    sentences: SentenceVectors
    keeper: MemoryKeeper
    tokens: TokenCounter
    writer: SummaryWriter | None = None

    async def gist(self, due: DuePeriod) -> Gist:
        """What is to be told of a period, as of now."""
        async with self.store.observe() as observations:
            material = await observations.period_material(
                due,
                least=LEAST_SAID,
                messages=_MESSAGES_AT_ONCE,
                tokens=_TOKENS_AT_ONCE,
                now=self.keeper.clock(),
            )
        bullets = await self._bullets(material)
        if not bullets:
            return Gist(due=due, material=material, prepared=None)
        new = _new(due, material, bullets)
        (prepared,) = await self.keeper.preparer.prepare([new])
        return Gist(due=due, material=material, prepared=prepared)

    async def keep(self, transaction: Transaction, gist: Gist) -> None:
        """
        Store what is to be told, if that is not told already; note that it is done.

        What somebody changed stays as it is. Of what is larger, the summary is to be looked at.

        Raises:
            Overtaken: Something of the period changed since it was read.
        """
        due, now = gist.due, self.keeper.clock()
        if await self._changes(transaction, gist):
            before = gist.material.before
            if before is not None:
                await transaction.memories.drop(before, now=now)
            if gist.prepared is not None:
                await self.keeper.store_in(transaction, [gist.prepared], now=now)
            if due.span.above is not None:
                await transaction.periods.note(due.scope, [due.span.above], now=now)
        await transaction.periods.settle(due)

    async def _lock(self, transaction: Transaction, gist: Gist) -> None:
        cited = gist.prepared.new.derived_from if gist.prepared else ()
        try:
            await transaction.memories.lock(gist.due.scope, cited)
        except MessageNotFound as error:
            raise Overtaken from error

    async def _changes(self, transaction: Transaction, gist: Gist) -> bool:
        """Whether another summary is to take the place of what there is."""
        memories, before, due = transaction.memories, gist.material.before, gist.due
        await self._lock(transaction, gist)
        there = await memories.about(due.scope, ItemType.SUMMARY, due.span.subject)
        last = there[-1] if there else None
        if (last and (last.key, last.updated_at)) != (before and (before.key, before.updated_at)):
            raise Overtaken
        if before is not None and not before.derived:
            return False
        if before is None or gist.prepared is None:
            return (before is None) != (gist.prepared is None)
        new = gist.prepared.new
        same = before.content_hash == gist.prepared.content_hash
        return not (same and before.metadata == new.metadata)

    async def _bullets(self, material: PeriodMaterial) -> Sequence[Bullet]:
        if not (material.cited or material.said):
            return []
        most = min(MAX_TOKENS, material.tokens // _SHARE)
        if self.writer is not None and (written := await self._written(material, most)):
            return [Bullet(each.text, each.sources) for each in written]
        told = await asyncio.to_thread(_Excerpts.of, material)
        if not told.excerpts:
            return []
        vectors = await self.sentences.of(told.excerpts, dict(enumerate(told.messages)))
        summary = await asyncio.to_thread(
            summarise,
            (told.excerpts, vectors),
            self.tokens.count,
            most=most,
        )
        return [told.quote(each) for each in summary.bullets]

    async def _written(self, material: PeriodMaterial, most: int) -> Sequence[Told] | None:
        assert self.writer is not None  # noqa: S101  (the caller asked)
        lines = [line for each in material.below for line in lines_of(each, material.cited)]
        return await self.writer.write(lines, material.said, most=most)


@dataclass(frozen=True, slots=True)
class _Excerpts:
    """The sentences of several conversations that may be told, and the messages in their order."""

    excerpts: Sequence[Excerpt]
    messages: Sequence[Message]

    @classmethod
    def of(cls, material: PeriodMaterial) -> "_Excerpts":
        """What summaries below quote, and what was said beside them."""
        every = [*material.cited, *material.said]
        messages = sorted(every, key=lambda each: (each.created_at, each.key))
        quoted = {place for each in material.below for place in places_told(each)}
        free = {one for one, start in quoted if start is None}
        cited = {each.key for each in material.cited}
        pairs = [(at, each.key in cited, utterance_of(each)) for at, each in enumerate(messages)]
        told = excerpts_of((at, said) for at, below, said in pairs if below)
        fresh = excerpts_of(
            ((at, said) for at, below, said in pairs if not below), most=_EXCERPTS_AT_ONCE
        )
        kept = [
            each
            for each in told
            if (one := str(messages[each.position].id)) in free or (one, each.start) in quoted
        ]
        in_order = sorted([*kept, *fresh], key=lambda each: each.place)
        return cls(in_order, messages)

    def quote(self, excerpt: Excerpt) -> Bullet:
        message = self.messages[excerpt.position]
        return Bullet(excerpt.text, [message.id], start=excerpt.start, stop=excerpt.stop)


def _new(due: DuePeriod, material: PeriodMaterial, bullets: Sequence[Bullet]) -> NewMemory:
    cited, span = cited_by(bullets), due.span
    said_at = {each.id: each.created_at for each in (*material.cited, *material.said)}
    return NewMemory(
        type=ItemType.SUMMARY,
        content=laid_out(bullets),
        user_id=material.user_id,
        subject=span.subject,
        valid_from=max(said_at[each] for each in cited),
        metadata={
            **span.told(),
            "bullets": [each.told() for each in bullets],
        },
        derived_from=cited,
        derived=True,
    )
