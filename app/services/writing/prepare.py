"""What is counted once, at write: tokens, hashes and terms of a message and its chunks."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from hashlib import blake2b
from json import dumps

from app.distil.gist.tagging import tag
from app.distil.language.utterance import Utterance
from app.domain.conversation import Message, NewMessage, Rating, Role
from app.domain.ids import ConversationId, ItemId, MessageId, MessageKey
from app.ports import NewId, TokenCounter
from app.ports.stored import PreparedChunk, PreparedMessage
from app.ranking.bm25 import pack_terms
from app.text.chunks import Kind, Span, chunks_of
from app.text.echo import Stretch, blanked, own_stretches, own_words
from app.text.terms import indexed_text, terms_of

INLINE_CHARACTERS = 20_000
"""More text than this is prepared off the event loop: it would hold it for milliseconds."""

UNSTORED = MessageKey(-1)


def is_short(new: Sequence[NewMessage]) -> bool:
    """Whether these messages can be looked through without the event loop noticing."""
    calling = any(each.tool_calls for each in new)
    return not calling and sum(len(each.content or "") for each in new) <= INLINE_CHARACTERS


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
        self,
        new: Sequence[NewMessage],
        *,
        conversation: ConversationId,
        said_at: datetime,
        echoes: Mapping[int, Sequence[Stretch]] | None = None,
    ) -> list[PreparedMessage]:
        """
        Prepare messages without a position yet.

        Args:
            said_at: The time of messages that bring none.
            echoes: By place in `new`, what of a message repeats a bundle and goes into no index.
        """
        work = partial(self._prepare, new, conversation, said_at, echoes or {})
        if is_short(new):
            return work()
        return await asyncio.to_thread(work)

    def _prepare(
        self,
        new: Sequence[NewMessage],
        conversation: ConversationId,
        said_at: datetime,
        echoes: Mapping[int, Sequence[Stretch]],
    ) -> list[PreparedMessage]:
        return [
            self._one(each, conversation, said_at, echoes.get(at, ()))
            for at, each in enumerate(new)
        ]

    def _one(
        self,
        new: NewMessage,
        conversation: ConversationId,
        said_at: datetime,
        echo: Sequence[Stretch],
    ) -> PreparedMessage:
        content = new.content or ""
        own = own_words(content, echo)
        tokens = self.tokens.count(content)
        recallable = bool(own.strip()) and new.role is not Role.SYSTEM
        terms = terms_of(indexed_text(own, new.name)) if recallable else []
        spans = self._spans(content, tokens, echo) if recallable else []
        return PreparedMessage(
            message=self._message(new, conversation, said_at, tokens, echo),
            content_hash=content_hash(new.content, new.tool_calls),
            terms=terms,
            bag=pack_terms(terms) if recallable else None,
            chunks=[
                prepared_chunk(ItemId(self.new_id()), content, span, self.tokens, new.name)
                for span in spans
            ],
        )

    def _message(
        self,
        new: NewMessage,
        conversation: ConversationId,
        said_at: datetime,
        tokens: int,
        echo: Sequence[Stretch],
    ) -> Message:
        """The message as it is stored; `tokens` are those of its content."""
        return Message(
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
            echo=echo,
            unwanted=new.unwanted,
            aside=new.aside,
            rating=rating_of(new, said_at, echo),
        )

    def _spans(self, content: str, tokens: int, echo: Sequence[Stretch]) -> Sequence[Span]:
        """The chunks of a message; one that echoes has some however short its own words are."""
        if not echo:
            return chunks_of(content, tokens, self.tokens.count)
        return [
            span
            for start, stop in own_stretches(content, echo)
            for span in self._own(content, start, stop)
        ]

    def _own(self, content: str, start: int, stop: int) -> Sequence[Span]:
        """The chunks of content[start:stop], or all of that as one."""
        said = content[start:stop]
        spans = chunks_of(said, self.tokens.count(said), self.tokens.count)
        whole = Span(start=len(said) - len(said.lstrip()), stop=len(said.rstrip()), kind=Kind.PROSE)
        return [
            replace(each, start=start + each.start, stop=start + each.stop)
            for each in spans or [whole]
        ]

    def _with_calls(self, new: NewMessage) -> int:
        return self.tokens.count((new.content or "") + dumps(new.tool_calls))


def rating_of(new: NewMessage, said_at: datetime, echo: Sequence[Stretch]) -> Rating | None:
    """How rules rate what a user or an assistant says, but for what it only echoes."""
    said = Utterance(
        role=new.role, content=blanked(new.content or "", echo), said_at=said_at, name=new.name
    )
    if not (said.is_said and said.content.strip()):
        return None
    found = tag(said)
    return Rating(kind=found.kind.value, importance=found.importance, topics=found.topics)


def prepared_chunk(
    chunk_id: ItemId, content: str, span: Span, tokens: TokenCounter, speaker: str | None = None
) -> PreparedChunk:
    """A part of `content`, as it is stored."""
    said = content[span.start : span.stop]
    # A tuple: the garbage collector does not look through the many of a long message each time.
    terms = tuple(terms_of(indexed_text(said, speaker)))
    return PreparedChunk(
        id=chunk_id,
        span=span,
        content=said,
        tokens=tokens.count(said),
        content_hash=content_hash(said, None),
        terms=terms,
        bag=pack_terms(terms),
    )
