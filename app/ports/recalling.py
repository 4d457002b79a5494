"""What services need of the store to recall, and to tell again what was answered."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from app.domain.conversation import Conversation, Scope
from app.domain.ids import BundleId, ConversationKey, ItemKey, MessageKey, ScopeKey
from app.ports import Part, RecallFilter
from app.ports.stored import LexicalAnswer, Opening, Receipt
from app.ranking.pool import Recalled, Surrounded, Widening
from app.ranking.query import NOTHING_UNSOUGHT, Unsought
from app.text.terms import QueryTerms


class Recall(Protocol):
    async def hydrate(
        self,
        keys: Sequence[ItemKey],
        *,
        scopes: Sequence[ScopeKey],
        model: str,
        now: datetime | None = None,
    ) -> Recalled:
        """
        What of `keys` is recallable in `scopes`, with its vector of `model`, by key; given `now`
        without what has expired.
        """
        ...

    async def opening(
        self,
        conversation: Conversation,
        *,
        within: RecallFilter,
        most: int,
        kept: int,
        summary: str | None,
    ) -> Opening:
        """
        What a conversation that goes on is entered with, as of the moment of `within`: its last
        `most` messages, its first system message, up to `kept` to be kept, system messages before
        all, then the newest; given the model `summary`, its summary too, with its vector of that
        model.
        """
        ...

    async def chunks(
        self, messages: Sequence[MessageKey], *, scopes: Sequence[ScopeKey], model: str
    ) -> Recalled:
        """The chunks of these messages, as `hydrate` would return them; the first 1,000."""
        ...

    async def surrounded(
        self,
        keys: Sequence[ItemKey],
        *,
        within: RecallFilter,
        model: str,
        unsought: Unsought = NOTHING_UNSOUGHT,
        widening: Widening | None = None,
    ) -> Surrounded:
        """
        As `hydrate`, and what is `unsought`, with what stands beside the messages, of what `within`
        may find; what the `widening` chooses of that are items, too.
        """
        ...

    async def remaining(
        self,
        keys: Sequence[ItemKey],
        conversations: Sequence[ConversationKey],
        items: Sequence[ItemKey] = (),
    ) -> int:
        """
        How many of `keys` full text or embeddings still hold. They lay in `conversations`, or were
        `items`, or parts of these.
        """
        ...

    async def frequencies(
        self, terms: Sequence[str], *, scopes: Sequence[ScopeKey]
    ) -> Mapping[str, int]:
        """How many documents of the scopes hold each of `terms`, where any does."""
        ...

    async def held_among(
        self, terms: Sequence[str], *, scopes: Sequence[ScopeKey]
    ) -> Mapping[str, int]:
        """The same of hundreds of terms, few of which any document holds; frequent ones roughly."""
        ...

    async def held(self, conversations: Sequence[ConversationKey]) -> int:
        """How many entries full text has of these conversations."""
        ...

    async def size(self, scope: ScopeKey) -> int:
        """How many messages and whole memory items a scope has."""
        ...

    async def pinned(self, within: RecallFilter, *, limit: int) -> Sequence[ItemKey]:
        """Items of importance 10 and the tails of conversations of importance 10, newest first."""
        ...

    async def find(
        self,
        asked: QueryTerms,
        *,
        scope: Scope,
        within: RecallFilter,
        limit: int,
        without: Sequence[str] = (),
        besides: Part | None = None,
    ) -> LexicalAnswer:
        """
        Full text: the `limit` items whose matched terms are the most telling, and those of a part
        that is looked into `besides`.

        Given terms `without`, the best that hold none of them come first and the best of all after,
        at most twice `limit`: a term stands for several words, of which the unwanted one need not
        be there.
        """
        ...


class BundleReader(Protocol):
    async def get(self, bundle_id: BundleId) -> Receipt:
        """
        The receipt of a bundle.

        Raises:
            BundleNotFound: It was never issued to this tenant, or is older than is kept.
        """
        ...

    async def shown(self, scope: ScopeKey, fingerprints: Collection[int]) -> Mapping[int, datetime]:
        """Those of `fingerprints` that bundles of `scope` showed, and since when."""
        ...
