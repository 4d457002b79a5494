"""The README's examples, as a reader finds them: blocks of a language below a heading."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
HERE = "http://127.0.0.1:8000"
"""Where the examples expect the service."""

_SECTION = re.compile(r"^## (.+)\n((?:(?!## ).*\n?)*)", re.MULTILINE)
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Block:
    """What stands between two fences; `language` is empty for a drawing."""

    section: str
    language: str
    code: str


def blocks() -> list[Block]:
    """All of them, in the order of the README."""
    return [
        Block(section, language, code)
        for section, text in _SECTION.findall(README)
        for language, code in _BLOCK.findall(text)
    ]


def examples(language: str, section: str) -> list[str]:
    """Those of a language in a section, as they are written."""
    return [each.code for each in blocks() if (each.language, each.section) == (language, section)]
