"""The file that a request brings, kept on disk where there is room as long as it is read."""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from fastapi import Request
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from app.domain.errors import ImportUnreadable, StorageFull

_WRITE_AT_ONCE = 2**20
_LONGEST_HEADER = 2**14


@asynccontextmanager
async def received(request: Request, directory: Path) -> AsyncIterator[IO[bytes]]:
    """
    The body of a request, or the first file of the form that it is, as long as the block lasts.

    It has no name in `directory`, so that nothing is left of it however the process ends.

    Raises:
        ImportUnreadable: It is a form that holds no file, or none at all.
        StorageFull: There is no room for it.
    """
    try:
        file = tempfile.TemporaryFile(dir=directory)  # noqa: SIM115  (closed below)
    except OSError as error:
        raise _no_room(error) from error
    try:
        await _write_down(_bytes_of(request), file)
        yield file
    finally:
        with suppress(OSError):  # what there was no room for is not written now either
            file.close()


def _bytes_of(request: Request) -> AsyncIterator[bytes]:
    kind, options = parse_options_header(request.headers.get("content-type"))
    if kind.startswith(b"multipart/"):
        return _in_form(request, options.get(b"boundary", b""))
    return request.stream()


async def _write_down(chunks: AsyncIterator[bytes], file: IO[bytes]) -> None:
    kept = bytearray()
    async for chunk in chunks:
        kept += chunk
        if len(kept) >= _WRITE_AT_ONCE:
            await _write(file, bytes(kept))
            kept.clear()
    await _write(file, bytes(kept))


async def _write(file: IO[bytes], content: bytes) -> None:
    try:
        await asyncio.to_thread(_written, file, content)
    except OSError as error:
        raise _no_room(error) from error


def _written(file: IO[bytes], content: bytes) -> None:
    file.write(content)
    file.flush()  # what is refused is refused here, not when it is read


def _no_room(error: OSError) -> StorageFull:
    return StorageFull(f"the file cannot be kept meanwhile: {error.strerror}")


async def _in_form(request: Request, boundary: bytes) -> AsyncIterator[bytes]:
    """The first file of a form; the rest of it is not kept."""
    part = _Part()
    try:
        parser = part.parser(boundary)
        async for chunk in request.stream():
            parser.write(chunk)
            yield part.taken()
        parser.finalize()
    except FormParserError as error:
        raise ImportUnreadable(f"the form cannot be read: {error}"[:200]) from error
    if not part.found:
        raise ImportUnreadable("the form holds no file")


@dataclass(slots=True)
class _Part:
    """The part of a form that is being read; what its first file holds is to be taken."""

    name: bytearray = field(default_factory=bytearray)
    value: bytearray = field(default_factory=bytearray)
    is_file: bool = False
    found: bool = False
    """A file has begun."""
    content: bytearray = field(default_factory=bytearray)

    def parser(self, boundary: bytes) -> MultipartParser:
        return MultipartParser(
            boundary,
            {
                "on_part_begin": self._begin,
                "on_header_field": self._add_name,
                "on_header_value": self._add_value,
                "on_header_end": self._end_header,
                "on_part_data": self._add_content,
            },
        )

    def taken(self) -> bytes:
        content = bytes(self.content)
        self.content.clear()
        return content

    def _begin(self) -> None:
        self.is_file = False

    def _add_name(self, raw: bytes, start: int, end: int) -> None:
        self._add(self.name, raw[start:end])

    def _add_value(self, raw: bytes, start: int, end: int) -> None:
        self._add(self.value, raw[start:end])

    def _add(self, kept: bytearray, told: bytes) -> None:
        if len(kept) + len(told) > _LONGEST_HEADER:
            raise FormParserError("a header is too long")
        kept += told

    def _end_header(self) -> None:
        if self.name.lower() == b"content-disposition" and not self.found:
            _, options = parse_options_header(bytes(self.value))
            self.is_file = self.found = b"filename" in options
        self.name.clear()
        self.value.clear()

    def _add_content(self, raw: bytes, start: int, end: int) -> None:
        if self.is_file:
            self.content += raw[start:end]
