"""What is counted once, at write: tokens, hashes and terms of a memory item and its parts."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b

from app.domain.ids import ItemId
from app.domain.memories import NewMemory
from app.domain.memory import ItemType
from app.ports import NewId, TokenCounter
from app.ports.stored import PreparedMemory
from app.ranking.bm25 import pack_terms
from app.services.writing.prepare import INLINE_CHARACTERS, content_hash, prepared_chunk
from app.text.chunks import chunks_of
from app.text.terms import terms_of

_LONGEST_SUBJECT = 255
"""Characters of a subject that are stored as they are; of a longer one its hash."""


@dataclass(frozen=True, slots=True)
class MemoryPreparer:
    """Turns memory items as handed in into items as stored."""

    tokens: TokenCounter
    new_id: NewId

    async def prepare(self, several: Sequence[NewMemory]) -> list[PreparedMemory]:
        size = sum(len(each.content) for each in several)
        if size <= INLINE_CHARACTERS:
            return self._prepare(several)
        return await asyncio.to_thread(self._prepare, several)

    def _prepare(self, several: Sequence[NewMemory]) -> list[PreparedMemory]:
        return [self._one(each) for each in several]

    def _one(self, new: NewMemory) -> PreparedMemory:
        """Only documents are cut: what else there is says one thing, and is shown whole."""
        tokens = self.tokens.count(new.content)
        is_document = new.type is ItemType.DOCUMENT
        spans = chunks_of(new.content, tokens, self.tokens.count) if is_document else []
        terms = [] if spans else terms_of(new.content)
        return PreparedMemory(
            id=new.id or ItemId(self.new_id()),
            new=replace(new, subject=_subject(new)),
            tokens=tokens,
            content_hash=content_hash(new.content, None),
            terms=terms,
            bag=None if spans else pack_terms(terms),
            parts=[
                prepared_chunk(ItemId(self.new_id()), new.content, span, self.tokens)
                for span in spans
            ],
        )


def _subject(new: NewMemory) -> str | None:
    """Of a document where it comes from; without that it has no versions."""
    subject = new.source if new.type is ItemType.DOCUMENT else new.subject
    if subject is None or len(subject) <= _LONGEST_SUBJECT:
        return subject
    return blake2b(subject.encode(), digest_size=32).hexdigest()
