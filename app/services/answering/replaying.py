"""Receipts: what was answered, kept without a word of memory, so that it can be replayed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from app.domain.context import (
    Candidate,
    ContextBundle,
    Degraded,
    Dropped,
    Format,
    Intent,
    MemoryItem,
    Source,
    part_of,
    with_lines,
)
from app.domain.conversation import Message
from app.domain.difference import Difference
from app.domain.entities import RelatedEntity
from app.domain.errors import BundleNotFound
from app.domain.ids import (
    BundleId,
    EntityKey,
    ItemId,
    ItemKey,
    MessageId,
    MessageKey,
    TenantId,
)
from app.domain.memory import ItemType
from app.domain.profile import ShownProfile
from app.ports import Clock, RecallFilter, TokenCounter
from app.ports.embedding import Embedder
from app.ports.store import Snapshot, Store
from app.ports.stored import Receipt
from app.services.answering.comparing import difference
from app.services.answering.receipt import profile_told
from app.services.answering.recording import Recorder
from app.services.context.knowing import known_profile
from app.services.context.relating import named
from app.services.packing.introducing import Introducer
from app.text.excerpt import CUT
from app.text.profile import render_profile
from app.text.render import Contents, render_markdown, render_messages


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayer:
    """Answers a bundle again, from its receipt and what is still stored."""

    store: Store
    recorder: Recorder
    embedder: Embedder
    introducer: Introducer
    tokens: TokenCounter
    clock: Clock

    async def replay(
        self, tenant: TenantId, bundle_id: BundleId, *, only_of: str | None = None
    ) -> ContextBundle:
        """
        The bundle as it was answered; items erased since are marked and empty, and so is the query
        if anything was, which it could repeat.

        The profile is there only while consent to use it holds, and as long as it did not change.
        With `only_of`, bundles of other users are not found, nor any of before that user was known.

        Raises:
            BundleNotFound: It was never issued to this tenant, or is older than is kept.
        """
        receipt = await self._receipt(tenant, bundle_id)
        if only_of is not None:
            await self._check_owner(receipt, only_of)
        answer: Mapping[str, Any] = receipt.answer
        keys = [ItemKey(item["key"]) for item in answer["items"]]
        scopes = set() if receipt.scope is None else {receipt.scope}
        async with self.store.read(tenant) as snapshot:
            if documents := await snapshot.scopes.find(None, shared=True):
                scopes.add(documents.key)
            recalled = await snapshot.recall.hydrate(
                keys, scopes=sorted(scopes), model=self.embedder.model, now=self.clock()
            )
            said = await snapshot.messages.get([MessageKey(key) for key in answer["history"]])
            profile = await self._profile(snapshot, receipt)
            related = await _related(snapshot, receipt)
        items = {key: recalled.read(at) for at, key in enumerate(recalled.keys)}
        history = [self._as_shown(each, answer.get("cut", {})) for each in said]
        told = replace(_told(receipt, items, history), profile=profile, related=related)
        return _rendered(told, receipt)

    async def _check_owner(self, receipt: Receipt, user_id: str) -> None:
        async with self.store.read(receipt.tenant) as snapshot:
            scope = await snapshot.scopes.find(user_id)
        if scope is None or scope.key != receipt.scope:
            raise BundleNotFound(bundle_id=str(receipt.bundle_id))

    async def _profile(self, snapshot: Snapshot, receipt: Receipt) -> ShownProfile | None:
        told: Any = receipt.answer.get("profile")
        if told is None or receipt.scope is None:
            return None
        found = await known_profile(
            snapshot.personal,
            receipt.scope,
            now=self.clock(),
            as_of=_as_of(receipt),
            derived=bool(told["facts"]),
        )
        if found is None:
            return None
        form = Format(str(receipt.request["format"]))
        shown = self.introducer.introduce(found, told["room"], form)
        return shown if profile_told(shown) == told else None

    def _as_shown(self, message: Message, cut: Mapping[str, int]) -> Message:
        shown = cut.get(str(message.key))
        if shown is None:
            return message
        beginning = (message.content or "")[:shown] + CUT
        return replace(message, content=beginning, tokens=self.tokens.count(beginning))

    async def check(self, tenant: TenantId, since: BundleId, *, subject: str) -> None:
        """
        Make sure that the bundle `since` was issued about `subject`, who may compare with it.

        Raises:
            BundleNotFound: It was never issued about them, or is older than is kept.
        """
        await self._own(tenant, since, subject)

    async def compare(
        self, tenant: TenantId, since: BundleId, bundle: ContextBundle, *, subject: str
    ) -> Difference:
        """
        How `bundle`, about `subject`, differs from the earlier one, `since`.

        Raises:
            BundleNotFound: `since` was never issued about them, or is older than is kept.
        """
        return difference(since, await self._own(tenant, since, subject), bundle)

    async def _own(self, tenant: TenantId, bundle_id: BundleId, subject: str) -> Receipt:
        receipt = await self._receipt(tenant, bundle_id)
        if receipt.subject != subject:
            raise BundleNotFound(bundle_id=str(bundle_id))
        return receipt

    async def _receipt(self, tenant: TenantId, bundle_id: BundleId) -> Receipt:
        waiting = self.recorder.find(bundle_id)
        if waiting is not None and waiting.tenant == tenant:
            return waiting
        async with self.store.read(tenant) as snapshot:
            return await snapshot.bundles.get(bundle_id)


def _as_of(receipt: Receipt) -> datetime:
    """The moment that the request was about."""
    asked = receipt.request.get("as_of")
    return receipt.created_at if asked is None else datetime.fromisoformat(str(asked))


async def _related(snapshot: Snapshot, receipt: Receipt) -> Sequence[RelatedEntity]:
    """The entities that are still there, by their names of now."""
    told: Any = receipt.answer.get("related")
    if not told or receipt.scope is None:
        return []
    keys = [EntityKey(each["key"]) for each in told]
    views = await snapshot.graph.views(keys, [], within=RecallFilter(scopes=[receipt.scope]))
    known = {each.key: each for each in views.entities}
    return [
        RelatedEntity(
            key=entity.key,
            id=entity.id,
            type=entity.type,
            name=entity.name,
            content=named(entity.name, entity.type),
            mentions=entity.mentions,
            score=each["score"],
            distance=each["distance"],
            tokens=each["tokens"],
            lineage=entity.lineage,
        )
        for each in told
        if (entity := known.get(EntityKey(each["key"]))) is not None
    ]


def _told(
    receipt: Receipt, items: Mapping[ItemKey, MemoryItem], history: Sequence[Message]
) -> ContextBundle:
    """The bundle of a receipt, of the items and messages that are still there."""
    answer: Mapping[str, Any] = receipt.answer
    return ContextBundle(
        id=receipt.bundle_id,
        query=str(receipt.request["query"]),
        intent=Intent(answer["intent"]),
        recent_history=history,
        retrieved=[_candidate(each, items, receipt.created_at) for each in answer["items"]],
        text=None,
        messages=None,
        total_tokens=answer["total_tokens"],
        budget_tokens=answer["budget_tokens"],
        candidates=answer["candidates"],
        deduplicated=answer["deduplicated"],
        sufficient=answer["sufficient"],
        degraded=[Degraded.of(*each) for each in answer["degraded"]],
        dropped=[
            Dropped(id=ItemId(UUID(own_id)), type=ItemType(kind), reason=reason)
            for own_id, kind, reason in answer["dropped"]
        ],
        timings=answer["timings"],
        starts=answer.get("starts", {}),
        rolling=frozenset(map(ItemKey, answer.get("rolling", []))),
        grouped=bool(receipt.request.get("grouped")),
        explained=bool(receipt.request.get("explain", True)),
        leans_on=MessageId(UUID(before)) if (before := answer.get("leans_on")) else None,
        created_at=receipt.created_at,
    )


def _rendered(bundle: ContextBundle, receipt: Receipt) -> ContextBundle:
    """In the format that was asked for, of what is still there."""
    contents = Contents(
        items=[each.item for each in bundle.retrieved if not each.erased],
        history=bundle.recent_history,
        about=render_profile(bundle.profile.profile) if bundle.profile else "",
        rolling=bundle.rolling,
    )
    match Format(str(receipt.request["format"])):
        case Format.JSON:
            return bundle
        case Format.MARKDOWN:
            return replace(bundle, text=render_markdown(contents))
        case Format.MESSAGES:
            query = bundle.query if receipt.answer.get("queried", True) else ""
            return replace(bundle, messages=render_messages(contents, query or None))


def _candidate(
    item: Mapping[str, Any], known: Mapping[ItemKey, MemoryItem], issued_at: datetime
) -> Candidate:
    found = known.get(ItemKey(item["key"]))
    if found and item.get("span"):
        found = replace(part_of(found, *item["span"]), tokens=item["tokens"])
    if found and item.get("lines") is not None:
        found = replace(with_lines(found, item["lines"]), tokens=item["tokens"])
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
