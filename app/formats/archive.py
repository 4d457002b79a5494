"""What lies in an export's file: itself, or the lists in a zip, which are read where they are."""

import lzma
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import IO

from app.domain.errors import ImportUnreadable
from app.formats.found import Bounds

CHUNK = 2**18
_ZIP = (b"PK\3\4", b"PK\5\6", b"PK\7\x08")
_PACKED_OTHERWISE = {
    b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ": "xz", b"7z\xbc\xaf": "7-Zip", b"Rar!": "rar",
}  # fmt: skip
_MOST_MEMBERS = 100_000
_MOST_RATIO = 200
"""Texts of people are packed to a tenth; what is packed to less than this is made to do harm."""

_SMALL = 64 * 2**20
_LISTS = re.compile(r"(?:^|[/\\])conversations[^/\\]*\.json$", re.IGNORECASE)
_OTHERS = re.compile(r"(?:^|[/\\])[^/\\.][^/\\]*\.(?:json|jsonl|ndjson|csv|tsv)$", re.IGNORECASE)
"""Not what a file system keeps beside a file, under its name behind a dot."""


_DAMAGES = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError)


class Unpackable(Exception):
    """A member of a zip cannot be unpacked, or no further; the message is the reason."""


@dataclass(frozen=True, slots=True)
class Source:
    """Something to be read, from its beginning each time; `name` is empty for the file itself."""

    name: str
    size: int
    open: Callable[[], AbstractContextManager[IO[bytes]]]

    def chunks(self) -> Iterator[bytes]:
        """
        The bytes, CHUNK at a time but for the last.

        Raises:
            Unpackable: The rest is damaged, or packed in a way that is not known.
        """
        with self.open() as file:
            while chunk := file.read(CHUNK):
                yield chunk


def sources(file: IO[bytes], bounds: Bounds) -> Sequence[Source]:
    """
    What is to be read of `file`, which can seek.

    Raises:
        ImportUnreadable: It is too large, packed but no zip, a zip that is damaged, or one that
            holds nothing of ours.
    """
    size = file.seek(0, 2)
    file.seek(0)
    begins = file.read(8)
    if not begins.startswith(_ZIP):
        _must_not_be_packed(begins)
        if size > bounds.unpacked_bytes:
            raise ImportUnreadable(f"it has more than {bounds.unpacked_bytes} bytes")
        return [Source("", size, partial(_again, file))]
    if not zipfile.is_zipfile(file):
        raise ImportUnreadable("it is the beginning of a zip, of which the end is not there")
    try:
        return _in_zip(zipfile.ZipFile(file), bounds)
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError) as error:
        raise ImportUnreadable(f"the zip cannot be read: {error}"[:200]) from error


def _must_not_be_packed(begins: bytes) -> None:
    packer = next((by for mark, by in _PACKED_OTHERWISE.items() if begins.startswith(mark)), None)
    if packer is not None:
        raise ImportUnreadable(f"it is packed by {packer}: unpack it first")


def _in_zip(archive: zipfile.ZipFile, bounds: Bounds) -> Sequence[Source]:
    members = archive.infolist()
    if len(members) > _MOST_MEMBERS:
        raise ImportUnreadable(f"the zip has more than {_MOST_MEMBERS} members")
    wanted = [each for each in members if _LISTS.search(each.filename)]
    wanted = wanted or [each for each in members if _OTHERS.search(each.filename)]
    if not wanted:
        raise ImportUnreadable("the zip holds no conversations.json, nor any other list")
    for each in wanted:
        _must_be_safe(each)
    if sum(each.file_size for each in wanted) > bounds.unpacked_bytes:
        raise ImportUnreadable(f"unpacked it has more than {bounds.unpacked_bytes} bytes")
    return [
        Source(_shown(each.filename), each.file_size, partial(_unpacked, archive, each))
        for each in sorted(wanted, key=lambda each: each.filename)
    ]


def _must_be_safe(member: zipfile.ZipInfo) -> None:
    if member.flag_bits & 1:
        raise ImportUnreadable("the zip is encrypted")
    if member.file_size > max(_SMALL, _MOST_RATIO * member.compress_size):
        raise ImportUnreadable("the zip is packed more tightly than any text of people")


def _shown(name: str) -> str:
    return re.split(r"[/\\]", name)[-1].encode("ascii", "replace").decode()[:100]


@contextmanager
def _unpacked(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[IO[bytes]]:
    try:
        with archive.open(member) as file:
            yield file
    except NotImplementedError as error:
        raise Unpackable(f"it cannot be unpacked: {error}"[:200]) from error
    except _DAMAGES as error:
        raise Unpackable(f"the zip is damaged: {error}"[:200]) from error


@contextmanager
def _again(file: IO[bytes]) -> Iterator[IO[bytes]]:
    """
    The file from its beginning; it stays open.

    Its place is everybody's: who reads it a second time has nothing more from the first.
    """
    file.seek(0)
    yield file
