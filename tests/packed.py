"""A packer on real token counts, and what tests of it lay out."""

from collections.abc import Sequence
from dataclasses import replace

from app.adapters.tokenizer import BpeTokenCounter
from app.domain.context import ContextRequest, MemoryItem
from app.domain.conversation import Message
from app.ports.stored import Opening
from app.services.packing.history import Historian
from app.services.packing.packer import Packer
from tests.factories import a_chunk, an_item

TOKENS = BpeTokenCounter()
PACKER = Packer(TOKENS)
HISTORIAN = Historian(TOKENS)


def end_of(request: ContextRequest, tail: Sequence[Message]) -> Sequence[Message]:
    """The history of a conversation that has nothing but this end."""
    return HISTORIAN.tell(request, Opening(tail=tail)).messages


def counted(item: MemoryItem) -> MemoryItem:
    return replace(item, tokens=TOKENS.count(item.content))


def assert_said(shown: MemoryItem, message: MemoryItem) -> None:
    """It is the message, or the stretch of it that its lineage tells."""
    if shown.span is None:
        assert shown == message
        return
    start, stop = shown.span
    assert shown.content == message.content[start:stop] != ""
    assert shown == replace(
        message, content=shown.content, lineage=shown.lineage, tokens=TOKENS.count(shown.content)
    )


def sentences(count: int) -> str:
    return " ".join(f"Sentence {number} of a long message." for number in range(count))


LONG = an_item(7, sentences(60))


def chunk(row: int, start: int, stop: int) -> MemoryItem:
    return counted(a_chunk(row, LONG, start, stop))
