"""
Receipts: what was answered, kept without a word of memory, so that it can be replayed.

Receipts are written behind the answers, many at a time: a read never waits for a write.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from logging import getLogger
from math import inf
from typing import Any
from uuid import UUID

from app.domain.context import (
    Candidate,
    ContextBundle,
    ContextRequest,
    Degraded,
    Difference,
    Dropped,
    Intent,
    MemoryItem,
    Source,
    part_of,
)
from app.domain.conversation import Message
from app.domain.errors import ForewordError
from app.domain.ids import BundleId, ItemId, ItemKey, MessageKey, ScopeKey, TenantId
from app.domain.memory import ItemType
from app.ports.store import Store
from app.ports.stored import Receipt
from app.services.recall import Situation
from app.text.excerpt import CUT, shown_of

_log = getLogger(__name__)

_MOST_WAITING = 20_000
"""Receipts held while the database does not answer; the oldest are given up first."""


def receipt_of(
    tenant: TenantId, request: ContextRequest, scope: ScopeKey | None, bundle: ContextBundle
) -> Receipt:
    """The receipt of a bundle: ids, scores and figures; its only text is the query."""
    return Receipt(
        bundle_id=bundle.id,
        tenant=tenant,
        scope=scope,
        created_at=bundle.created_at,
        request={"query": request.query, "format": request.format.value},
        answer={
            "intent": bundle.intent.value,
            "history": [message.key for message in bundle.recent_history],
            "cut": {
                str(each.key): shown for each in bundle.recent_history if (shown := _cut(each))
            },
            "items": [_item(candidate) for candidate in bundle.retrieved],
            "total_tokens": bundle.total_tokens,
            "budget_tokens": bundle.budget_tokens,
            "candidates": bundle.candidates,
            "deduplicated": bundle.deduplicated,
            "sufficient": bundle.sufficient,
            "degraded": [[each.source.value, each.reason] for each in bundle.degraded],
            "dropped": [[str(each.id), each.reason] for each in bundle.dropped],
            "timings": dict(bundle.timings),
        },
        total_ms=bundle.timings["total"] * 1000,
        facts=_facts(bundle, cache_hit=False),
    )


def _item(candidate: Candidate) -> dict[str, object]:
    return {
        "key": candidate.item.key,
        "id": str(candidate.item.id),
        "type": candidate.item.type.value,
        "score": candidate.score,
        "relevance": candidate.relevance,
        "sources": sorted(candidate.sources),
        "signals": dict(candidate.signals),
        "tokens": candidate.item.tokens,
        "span": candidate.item.span,
    }


def _cut(message: Message) -> int | None:
    """Of a message that was shown with its beginning only, the characters of that."""
    shown = shown_of(message.content or "")
    return None if shown == inf else int(shown)


def _facts(bundle: ContextBundle, *, cache_hit: bool) -> dict[str, object]:
    """What the retrieval metrics are made of."""
    return {
        "intent": bundle.intent.value,
        "items": len(bundle.retrieved),
        "tokens": bundle.total_tokens,
        "budget": bundle.budget_tokens,
        "candidates": bundle.candidates,
        "deduplicated": bundle.deduplicated,
        "sufficient": bundle.sufficient,
        "cache_hit": cache_hit,
        "top_scores": [each.score for each in bundle.retrieved[:3]],
        "types": sorted({each.item.type.value for each in bundle.retrieved}),
        "degraded": sorted({each.source.value for each in bundle.degraded}),
        "ms": {stage: seconds * 1000 for stage, seconds in bundle.timings.items()},
    }


@dataclass(slots=True, kw_only=True)
class Recorder:
    """Collects receipts, to be written in batches."""

    store: Store
    writing: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while receipts are written, and by those who erase what is told in them."""
    _waiting: OrderedDict[BundleId, Receipt] = field(default_factory=OrderedDict)

    def built(
        self,
        tenant: TenantId,
        request: ContextRequest,
        situation: Situation | None,
        bundle: ContextBundle,
    ) -> None:
        scope = situation.scope.key if situation else None
        self._waiting[bundle.id] = receipt_of(tenant, request, scope, bundle)
        while len(self._waiting) > _MOST_WAITING:
            self._waiting.popitem(last=False)

    def find(self, bundle_id: BundleId) -> Receipt | None:
        """A receipt that is not written yet."""
        return self._waiting.get(bundle_id)

    def forget(self, scope: ScopeKey) -> int:
        """Drop what is not written yet of a scope; how many receipts that was."""
        held = [key for key, receipt in self._waiting.items() if receipt.scope == scope]
        for key in held:
            del self._waiting[key]
        return len(held)

    async def tick(self) -> None:
        """Write what waits; if that fails it waits on."""
        try:
            await self.flush()
        except ForewordError as error:
            _log.warning("receipts wait", extra={"reason": str(error)})

    async def flush(self) -> None:
        async with self.writing:
            receipts = list(self._waiting.values())
            if not receipts:
                return
            async with self.store.project() as projections:
                await projections.keep_receipts(receipts)
            for receipt in receipts:
                self._waiting.pop(receipt.bundle_id, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayer:
    """Answers a bundle again, from its receipt and what is still stored."""

    store: Store
    recorder: Recorder
    model: str

    async def replay(self, tenant: TenantId, bundle_id: BundleId) -> ContextBundle:
        """
        The bundle as it was answered; items erased since are marked and empty.

        Raises:
            BundleNotFound: It was never issued to this tenant, or is older than is kept.
        """
        receipt = await self._receipt(tenant, bundle_id)
        answer: Mapping[str, Any] = receipt.answer
        keys = [ItemKey(item["key"]) for item in answer["items"]]
        async with self.store.read(tenant) as snapshot:
            recalled = await snapshot.recall.hydrate(
                keys, scopes=[] if receipt.scope is None else [receipt.scope], model=self.model
            )
            history = await snapshot.messages.get([MessageKey(key) for key in answer["history"]])
        items = {key: recalled.read(at) for at, key in enumerate(recalled.keys)}
        return ContextBundle(
            id=bundle_id,
            query=str(receipt.request["query"]),
            intent=Intent(answer["intent"]),
            recent_history=[_as_shown(each, answer.get("cut", {})) for each in history],
            retrieved=[_candidate(each, items, receipt.created_at) for each in answer["items"]],
            text=None,
            messages=None,
            total_tokens=answer["total_tokens"],
            budget_tokens=answer["budget_tokens"],
            candidates=answer["candidates"],
            deduplicated=answer["deduplicated"],
            sufficient=answer["sufficient"],
            degraded=[Degraded(source=Source(s), reason=why) for s, why in answer["degraded"]],
            dropped=[Dropped(id=ItemId(UUID(i)), reason=why) for i, why in answer["dropped"]],
            timings=answer["timings"],
            created_at=receipt.created_at,
        )

    async def compare(self, tenant: TenantId, since: BundleId, bundle: ContextBundle) -> Difference:
        """
        What `bundle` has more and less than the one of before.

        Raises:
            BundleNotFound: `since` was never issued to this tenant, or is older than is kept.
        """
        receipt = await self._receipt(tenant, since)
        answer: Mapping[str, Any] = receipt.answer
        before = [ItemId(UUID(item["id"])) for item in answer["items"]]
        now = [candidate.item.id for candidate in bundle.retrieved]
        return Difference(
            since=since,
            added=[each for each in now if each not in set(before)],
            removed=[each for each in before if each not in set(now)],
        )

    async def _receipt(self, tenant: TenantId, bundle_id: BundleId) -> Receipt:
        waiting = self.recorder.find(bundle_id)
        if waiting is not None and waiting.tenant == tenant:
            return waiting
        async with self.store.read(tenant) as snapshot:
            return await snapshot.bundles.get(bundle_id)


def _as_shown(message: Message, cut: Mapping[str, int]) -> Message:
    shown = cut.get(str(message.key))
    if shown is None:
        return message
    return replace(message, content=(message.content or "")[:shown] + CUT)


def _candidate(
    item: Mapping[str, Any], known: Mapping[ItemKey, MemoryItem], issued_at: datetime
) -> Candidate:
    found = known.get(ItemKey(item["key"]))
    if found and item.get("span"):
        found = replace(part_of(found, *item["span"]), tokens=item["tokens"])
    return Candidate(
        item=found or _erased(item, issued_at),
        score=item["score"],
        relevance=item["relevance"],
        sources=frozenset(map(Source, item["sources"])),
        signals=item["signals"],
        erased=found is None,
    )


def _erased(item: Mapping[str, Any], issued_at: datetime) -> MemoryItem:
    return MemoryItem(
        key=ItemKey(item["key"]),
        id=ItemId(UUID(item["id"])),
        type=ItemType(item["type"]),
        external_id=None,
        conversation_id=None,
        conversation_external_id=None,
        label=None,
        folder=None,
        role=None,
        name=None,
        content="",
        created_at=issued_at,
        tokens=0,
        importance=1,
        content_hash=b"",
        lineage=(),
    )
