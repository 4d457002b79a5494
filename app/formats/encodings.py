"""How the text of a file is spelled in bytes."""

import codecs
from collections.abc import Iterable, Iterator
from itertools import chain

NO_TEXT = "foreword.no_text"
"""How to decode: in the place of bytes that are no text stands what no text may hold."""

IN_PLACE = "\ud800"
"""What then stands there."""

_NOT_1252 = b"\x81\x8d\x8f\x90\x9d\xff"
"""Bytes that stand for nothing there, and the one of a letter that hardly any word has."""

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_MARKS = (*_UTF16, codecs.BOM_UTF8)


def decoded(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The same, in UTF-8 where they begin with the mark of UTF-16; an empty file is one chunk."""
    rest = iter(chunks)
    first = next(rest, b"")
    whole = chain([first], rest)
    if first.startswith(_UTF16):
        return filter(None, _transcoded(whole))
    return whole


def _transcoded(chunks: Iterable[bytes]) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder("utf-16")(NO_TEXT)
    for chunk in chunks:
        yield decoder.decode(chunk).encode("utf-8", "surrogatepass")
    yield decoder.decode(b"", final=True).encode("utf-8", "surrogatepass")


def encoding_of(chunks: Iterable[bytes]) -> str:
    """
    UTF-8, or Windows' 1252: decided on the first chunk that is not of ASCII alone.

    What has a letter in UTF-8 is that, however damaged; what is in UTF-16 will have become that.
    """
    told = next((each for each in chunks if not each.isascii()), b"")
    if told.startswith(_MARKS):
        return "utf-8-sig"
    try:
        codecs.getincrementaldecoder("utf-8")().decode(told)
    except UnicodeDecodeError:
        letters = codecs.getincrementaldecoder("utf-8")("ignore").decode(told)
        if letters.isascii() and not set(_NOT_1252) & set(told):
            return "cp1252"
    return "utf-8-sig"


def _no_text(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return IN_PLACE, error.end


codecs.register_error(NO_TEXT, _no_text)
