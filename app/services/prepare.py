"""What is counted once, at write: tokens, hashes and terms of a message and its chunks."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from json import dumps

from app.domain.conversation import Message, NewMessage, Role
from app.domain.ids import ConversationId, ItemId, MessageId, MessageKey
from app.ports import NewId, TokenCounter
from app.ports.stored import PreparedChunk, PreparedMessage
from app.ranking.bm25 import pack_terms
from app.text.chunks import Span, chunks_of
from app.text.terms import indexed_text, terms_of

_INLINE_CHARACTERS = 20_000
"""More text than this is prepared off the event loop: it would hold it for milliseconds."""

UNSTORED = MessageKey(-1)


def content_hash(content: str | None, tool_calls: Sequence[Mapping[str, object]] | None) -> bytes:
    """16 bytes that tell one content from another."""
    digest = blake2b((content or "").encode(), digest_size=16)
    if tool_calls:
        digest.update(b"\0" + dumps(tool_calls, sort_keys=True).encode())
    return digest.digest()


@dataclass(frozen=True, slots=True)
class Preparer:
    """Turns messages as handed in into messages as stored."""

    tokens: TokenCounter
    new_id: NewId

    async def prepare(
        self, new: Sequence[NewMessage], *, conversation: ConversationId, said_at: datetime
    ) -> list[PreparedMessage]:
        """
        Prepare messages without a position yet.

        Args:
            said_at: The time of messages that bring none.
        """
        size = sum(len(each.content or "") for each in new)
        if size <= _INLINE_CHARACTERS:
            return self._prepare(new, conversation, said_at)
        return await asyncio.to_thread(self._prepare, new, conversation, said_at)

    def _prepare(
        self, new: Sequence[NewMessage], conversation: ConversationId, said_at: datetime
    ) -> list[PreparedMessage]:
        return [self._one(each, conversation, said_at) for each in new]

    def _one(
        self, new: NewMessage, conversation: ConversationId, said_at: datetime
    ) -> PreparedMessage:
        content = new.content or ""
        tokens = self.tokens.count(content)
        message = Message(
            key=UNSTORED,
            id=MessageId(self.new_id()),
            conversation_id=conversation,
            position=0,
            external_id=new.external_id,
            role=new.role,
            name=new.name,
            content=new.content,
            tool_calls=new.tool_calls,
            tool_call_id=new.tool_call_id,
            importance=new.importance,
            metadata=new.metadata,
            created_at=new.created_at or said_at,
            tokens=self._with_calls(new) if new.tool_calls else tokens,
        )
        recallable = bool(content.strip()) and new.role is not Role.SYSTEM
        terms = terms_of(indexed_text(content, new.name)) if recallable else []
        spans = chunks_of(content, tokens, self.tokens.count) if recallable else []
        return PreparedMessage(
            message=message,
            content_hash=content_hash(new.content, new.tool_calls),
            terms=terms,
            bag=pack_terms(terms) if recallable else None,
            chunks=[self._chunk(content, span, new.name) for span in spans],
        )

    def _with_calls(self, new: NewMessage) -> int:
        return self.tokens.count((new.content or "") + dumps(new.tool_calls))

    def _chunk(self, content: str, span: Span, speaker: str | None) -> PreparedChunk:
        said = content[span.start : span.stop]
        terms = terms_of(indexed_text(said, speaker))
        return PreparedChunk(
            id=ItemId(self.new_id()),
            span=span,
            content=said,
            tokens=self.tokens.count(said),
            content_hash=content_hash(said, None),
            terms=terms,
            bag=pack_terms(terms),
        )
