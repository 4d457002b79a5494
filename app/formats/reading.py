"""Reading an export: what kind it is, and what is in it, one record after the other."""

import codecs
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import IO, Any

import orjson

from app.domain.errors import ImportUnreadable
from app.domain.storable import has_more_values, json_spelled
from app.formats import interleaved, messages, tables
from app.formats.archive import CHUNK, Source, Unpackable, sources
from app.formats.encodings import NO_TEXT, decoded, encoding_of
from app.formats.fields import MALFORMED, Malformed, a_record, parsed, reason, short_name
from app.formats.foreword import Promised
from app.formats.found import Bounds, Found, Rejected, Said
from app.formats.growing import Naming, grown, grown_alone, naming_of_lines
from app.formats.interleaved import Entry
from app.formats.layout import Layout, layout_of
from app.formats.pieces import Piece, elements, lines
from app.formats.records import LOOKED_AT, are_messages, found_in


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
        begins = next(decoded(source.chunks()), b"")
        layout = layout_of(begins, whole=source.size <= CHUNK)
        if layout is Layout.TABLE:
            yield from self._table(source, begins)
        elif layout is Layout.OBJECT:
            yield from self._object(source)
        else:
            yield from self._records(source, layout)

    def _records(self, source: Source, layout: Layout) -> Iterator[Found]:
        pieces = map(self._value, self._pieces(decoded(source.chunks()), layout))
        begin = list(islice(pieces, LOOKED_AT))
        if are_messages(each[1] for each in begin if not isinstance(each, Rejected)):
            naming = self._naming(source, layout)
            entries = self._entries(source, layout, naming.name)
            several = interleaved.said(entries, lambda each: messages.messages(each, self.bounds))
            yield from grown(several, naming, size=source.size)
            return
        promised = Promised()
        for each in self._values(source, layout):
            if isinstance(each, Rejected):
                yield each
                continue
            promised.read(each[1])
            if len(begin) == 1:
                yield from _alone(found_in(*each, self.bounds))
            else:
                yield from found_in(*each, self.bounds)
        yield from promised.missing()

    def _entries(self, source: Source, layout: Layout, name: str) -> Iterator[Entry | Rejected]:
        """Records that are messages: of the conversations that they tell, else of one together."""
        for each in self._values(source, layout):
            yield each if isinstance(each, Rejected) else _entry(*each, name)

    def _values(self, source: Source, layout: Layout) -> Iterator[tuple[str, Any] | Rejected]:
        return map(self._value, self._pieces(self._counted(source), layout))

    def _naming(self, source: Source, layout: Layout) -> Naming:
        """What tells this list of messages from others: all that is said in it."""
        naming = Naming()
        for each in self._pieces(decoded(source.chunks()), layout):
            if not isinstance(each, Rejected):
                naming.add(self._canonical(each.raw))
        return naming

    def _object(self, source: Source) -> Iterator[Found]:
        if source.size > self.bounds.record_bytes:
            raise ImportUnreadable(
                f"it is one JSON object of more than {self.bounds.record_bytes} bytes"
            )
        raw = b"".join(self._counted(source)).removeprefix(codecs.BOM_UTF8)
        value = self._value(Piece("", raw))
        if isinstance(value, Rejected):
            raise ImportUnreadable(f"it {value.reason}")
        yield from _alone(found_in("the object", value[1], self.bounds))

    def _table(self, source: Source, begins: bytes) -> Iterator[Found]:
        encoding = encoding_of(source.chunks())
        shape = tables.shape_of(begins.decode(encoding, "replace"))
        if shape is None:
            raise ImportUnreadable(
                "it is neither JSON, nor a zip, nor a table with a column called content"
                " (or text, message, value, body)"
            )
        naming = naming_of_lines(source.chunks())
        text = io.TextIOWrapper(
            io.BufferedReader(_Stream(self._counted(source))),
            encoding,
            errors=NO_TEXT,
            newline="",
        )
        rows = tables.rows(text, shape, self.bounds)
        several = tables.said(rows, self.bounds, otherwise=naming.name)
        yield from grown(several, naming, size=source.size)

    def _counted(self, source: Source) -> Iterator[bytes]:
        return decoded(self._counting(source))

    def _counting(self, source: Source) -> Iterator[bytes]:
        for chunk in source.chunks():
            self.done += len(chunk)
            yield chunk

    def _value(self, piece: Piece | Rejected) -> tuple[str, Any] | Rejected:
        if isinstance(piece, Rejected):
            return piece
        if has_more_values(piece.raw, self.bounds.json_values):
            return Rejected(piece.at, f"has more than {self.bounds.json_values} values")
        try:
            return piece.at, parsed(piece.raw)
        except Malformed as error:
            return Rejected(piece.at, str(error))

    def _canonical(self, raw: bytes) -> bytes:
        """What a record says, however it is spelled; of one that is odd its bytes."""
        if has_more_values(raw, self.bounds.json_values):
            return raw
        try:
            return json_spelled(parsed(raw), orjson.OPT_SORT_KEYS)
        except (Malformed, TypeError, RecursionError):
            return raw

    def _pieces(self, chunks: Iterable[bytes], layout: Layout) -> Iterator[Piece | Rejected]:
        cut = elements if layout is Layout.LIST else lines
        return cut(chunks, most=self.bounds.record_bytes)


def _entry(at: str, value: object, otherwise: str) -> Entry | Rejected:
    try:
        told = a_record(value)
        owner = short_name(told.get("user_id"), "user_id")
        return Entry(at, owner, messages.thread_of(told) or otherwise, told)
    except MALFORMED as error:
        return Rejected(at, reason(error))


def _named(name: str, found: Found) -> Found:
    """With the member of a zip in its place."""
    if not name:
        return found
    at = f"{name}{'' if found.at.startswith('[') else ' '}{found.at}"
    if isinstance(found, Said):
        inside = [Rejected(f"{name}{each.at}", each.reason) for each in found.rejected]
        return replace(found, at=at, rejected=inside)
    return replace(found, at=at)


def _alone(several: Iterable[Found]) -> Iterator[Found]:
    """What the only record of a file holds: one conversation may have been shorter before."""
    found = list(several)
    for each in found:
        yield grown_alone(each) if isinstance(each, Said) and len(found) == 1 else each


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
