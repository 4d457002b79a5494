"""Fenced code blocks, as Markdown has them, and the prose between them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.text.stretches import stretches

_FENCE = re.compile(r"^[ \t]*(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>[^\r\n]*)", re.MULTILINE)
_LINE_END = re.compile(r"\n")
_MAX_LANGUAGE = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """text[start:stop]; the blocks of a text re-join to it. A code block has its fences."""

    start: int
    stop: int
    code: bool
    language: str | None = None


def blocks_of(text: str) -> Sequence[Block]:
    """The blocks of `text`, in order, none empty; what is never closed ends with the text."""
    blocks: list[Block] = []
    end = 0
    opening: re.Match[str] | None = None
    for line in _fences(text):
        if opening is None:
            if _opens(line):
                opening = line
                blocks.append(Block(start=end, stop=line.start(), code=False))
        elif _closes(line, opening):
            blocks.append(_code(opening, line.end()))
            opening, end = None, line.end()
    rest = Block(start=end, stop=len(text), code=False)
    blocks.append(rest if opening is None else _code(opening, len(text)))
    return [block for block in blocks if block.start < block.stop]


def _fences(text: str) -> Iterator[re.Match[str]]:
    if "```" in text or "~~~" in text:
        for at in stretches(text, _LINE_END):
            yield from _FENCE.finditer(text, at.start, at.stop)


def _opens(line: re.Match[str]) -> bool:
    """Backticks behind backticks are inline code."""
    return line["fence"][0] == "~" or "`" not in line["info"]


def _closes(line: re.Match[str], opening: re.Match[str]) -> bool:
    fence, opened = line["fence"], opening["fence"]
    return not line["info"].strip() and fence[0] == opened[0] and len(fence) >= len(opened)


def _code(opening: re.Match[str], stop: int) -> Block:
    words = opening["info"].split(maxsplit=1)
    language = words[0].strip("{}.").lower()[:_MAX_LANGUAGE] if words else None
    return Block(start=opening.start(), stop=stop, code=True, language=language or None)
