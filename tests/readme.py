"""The README and the pages under docs, as a reader finds them: blocks of a language by heading."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCS = {
    page.relative_to(ROOT).as_posix(): page.read_text(encoding="utf-8")
    for page in sorted((ROOT / "docs").glob("*.md"))
}
PAGES = {"README.md": README} | DOCS
"""The text of each page, by its path from the root."""
TOLD = "\n".join(text for path, text in PAGES.items() if path != "docs/decisions.md")
"""What users and operators are told; decisions tell why, and of what is no more, too."""
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


def sections(page: str) -> list[str]:
    """The headings below the title of a page, in its order."""
    return [heading for heading, _ in _SECTION.findall(PAGES[page])]


def blocks() -> list[Block]:
    """All of them, in the order of the README, then of the other pages by name."""
    return [
        Block(section, language, code)
        for page in PAGES.values()
        for section, text in _SECTION.findall(page)
        for language, code in _BLOCK.findall(text)
    ]


def examples(language: str, section: str) -> list[str]:
    """Those of a language in a section, as they are written."""
    return [each.code for each in blocks() if (each.language, each.section) == (language, section)]
