"""Reading an export: what kind it is, and what is in it, one record after the other."""

import codecs
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import islice
from typing import IO, Any

import orjson

from app.domain.conversation import NewConversation
from app.domain.errors import ImportUnreadable
from app.formats import chatgpt, claude, foreword, messages, sharegpt, tables
from app.formats.archive import CHUNK, Source, Unpackable, sources
from app.formats.fields import (
    MALFORMED,
    Malformed,
    gathered,
    identified,
    parsed,
    reason,
    timed,
)
from app.formats.found import Bounds, Found, Rejected, Said
from app.formats.layout import NO_TEXT, Layout, encoding_of, layout_of
from app.formats.pieces import Piece, elements, lines

_WRAPPED = ("conversations", "data", "chats")
"""What an object may call the list of conversations that it consists of."""


@dataclass(slots=True)
class Reading:
    """An export on its way; `done` of `total` bytes are read."""

    file: IO[bytes]
    bounds: Bounds
    done: int = 0
    total: int = 0

    def __iter__(self) -> Iterator[Found]:
        """
        Everything in it, in order; what cannot be read is told by its place.

        Raises:
            ImportUnreadable: It is no export of any kind that is known.
        """
        several = sources(self.file, self.bounds)
        self.total = sum(each.size for each in several)
        for each in several:
            for found in self._within(each, alone=len(several) == 1):
                yield _named(each.name, found)

    def _within(self, source: Source, *, alone: bool) -> Iterator[Found]:
        try:
            yield from self._read(source)
        except Unpackable as error:
            yield Rejected("the rest", str(error))
        except ImportUnreadable as error:
            if alone:
                raise
            yield Rejected("all of it", str(error))

    def _read(self, source: Source) -> Iterator[Found]:
        begins = next(source.chunks(), b"")
        layout = layout_of(begins, whole=source.size <= CHUNK)
        if layout is Layout.TABLE:
            yield from self._table(source, begins)
        elif layout is Layout.OBJECT:
            yield from self._object(source)
        else:
            yield from self._records(source, layout)

    def _records(self, source: Source, layout: Layout) -> Iterator[Found]:
        first = next(map(_value, self._pieces(source.chunks(), layout)), None)
        if isinstance(first, tuple) and messages.is_message(first[1]):
            name = self._digest(source, layout)
            yield from self._alone(self._values(source, layout), name)
            return
        for each in self._values(source, layout):
            if isinstance(each, Rejected):
                yield each
            else:
                yield from _of_record(*each, self.bounds)

    def _alone(
        self, values: Iterable[tuple[str, Any] | Rejected], name: str
    ) -> Iterator[Said | Rejected]:
        """One conversation, whose messages are the records; in portions."""
        first, last, rest = 0, None, iter(values)
        while portion := list(islice(rest, tables.PORTION)):
            yield from (each for each in portion if isinstance(each, Rejected))
            told = [each for each in portion if not isinstance(each, Rejected)]
            found = gathered(told, lambda each: messages.messages(each, self.bounds))
            begins = next((each.created_at for each in found.messages if each.created_at), None)
            numbered = identified(timed(found.messages, last or begins), first)
            first += len(told)
            last = numbered[-1].created_at if numbered else last
            whole = NewConversation(external_id=name, created_at=begins, messages=numbered)
            yield Said(told[0][0] if told else "", whole, found.rejected)

    def _values(self, source: Source, layout: Layout) -> Iterator[tuple[str, Any] | Rejected]:
        return map(_value, self._pieces(self._counted(source), layout))

    def _digest(self, source: Source, layout: Layout) -> str:
        """What tells this list of messages from others: all that is said in it."""
        told = blake2b(digest_size=16)
        for each in self._pieces(source.chunks(), layout):
            if not isinstance(each, Rejected):
                told.update(_canonical(each.raw))
        return told.hexdigest()

    def _object(self, source: Source) -> Iterator[Found]:
        if source.size > self.bounds.record_bytes:
            raise ImportUnreadable(
                f"it is one JSON object of more than {self.bounds.record_bytes} bytes"
            )
        raw = b"".join(self._counted(source)).removeprefix(codecs.BOM_UTF8)
        value = _value(Piece("", raw))
        if isinstance(value, Rejected):
            raise ImportUnreadable(f"it {value.reason}")
        yield from _of_record("the object", value[1], self.bounds)

    def _table(self, source: Source, begins: bytes) -> Iterator[Found]:
        encoding = encoding_of(begins)
        header = begins.decode(encoding, "replace").partition("\n")[0].strip()
        shape = tables.shape_of(header)
        if shape is None:
            raise ImportUnreadable(
                "it is neither JSON, nor a zip, nor a table with a column called content"
            )
        name = "" if "conversation" in shape.columns else _digest_of(source.chunks())
        text = io.TextIOWrapper(
            io.BufferedReader(_Stream(self._counted(source))),
            encoding,
            errors=NO_TEXT,
            newline="",
        )
        rows = tables.rows(text, shape, most=self.bounds.message_chars)
        yield from tables.said(rows, self.bounds, otherwise=name or "table")

    def _counted(self, source: Source) -> Iterator[bytes]:
        for chunk in source.chunks():
            self.done += len(chunk)
            yield chunk

    def _pieces(self, chunks: Iterable[bytes], layout: Layout) -> Iterator[Piece | Rejected]:
        cut = elements if layout is Layout.LIST else lines
        return cut(chunks, most=self.bounds.record_bytes)


def _value(piece: Piece | Rejected) -> tuple[str, Any] | Rejected:
    if isinstance(piece, Rejected):
        return piece
    try:
        return piece.at, parsed(piece.raw)
    except Malformed as error:
        return Rejected(piece.at, str(error))


def _of_record(at: str, value: object, bounds: Bounds) -> Iterator[Found]:
    for place, each in _unwrapped(at, value):
        try:
            yield from _read_record(place, each, bounds)
        except MALFORMED as error:
            yield Rejected(place, reason(error))


def _unwrapped(at: str, value: object) -> Iterator[tuple[str, object]]:
    """The conversations that an object consists of, or the one that it is."""
    told = value if isinstance(value, dict) and not sharegpt.is_conversation(value) else {}
    name = next((each for each in _WRAPPED if isinstance(told.get(each), list)), None)
    if name is None:
        yield at, value
    else:
        yield from ((f"{at}.{name}[{place}]", each) for place, each in enumerate(told[name]))


def _read_record(at: str, value: object, bounds: Bounds) -> Iterator[Found]:
    if isinstance(value, list):
        yield messages.said_alone(at, value, bounds)
    elif not isinstance(value, dict):
        raise Malformed("is neither a JSON object nor a list")
    elif "record" in value:
        yield from foreword.found(at, value, bounds)
    else:
        yield _said(at, value, bounds)


def _said(at: str, record: Mapping[str, Any], bounds: Bounds) -> Said:
    if "mapping" in record:
        return chatgpt.said(at, record, bounds)
    if "chat_messages" in record:
        return claude.said(at, record, bounds)
    if sharegpt.is_conversation(record):
        return sharegpt.said(at, record, bounds)
    if "messages" in record:
        return messages.said(at, record, bounds)
    if messages.is_message(record):
        return messages.said_alone(at, [record], bounds)
    raise Malformed("is no conversation of a kind that is known")


def _named(name: str, found: Found) -> Found:
    """With the member of a zip in its place."""
    if not name:
        return found
    at = f"{name}{'' if found.at.startswith('[') else ' '}{found.at}"
    if isinstance(found, Said):
        inside = [Rejected(f"{name}{each.at}", each.reason) for each in found.rejected]
        return replace(found, at=at, rejected=inside)
    return replace(found, at=at)


def _canonical(raw: bytes) -> bytes:
    """What a record says, however it is spelled; of one that is odd its bytes."""
    try:
        return orjson.dumps(orjson.loads(raw), option=orjson.OPT_SORT_KEYS)
    except (ValueError, TypeError):
        return raw


def _digest_of(chunks: Iterable[bytes]) -> str:
    told = blake2b(digest_size=16)
    for chunk in chunks:
        told.update(chunk)
    return told.hexdigest()


class _Stream(io.RawIOBase):
    """Chunks as a file."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._left = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401  (any writable buffer)
        self._left = self._left or next(self._chunks, b"")
        taken = self._left[: len(buffer)]
        buffer[: len(taken)] = taken
        self._left = self._left[len(taken) :]
        return len(taken)
