"""The parts that the content of a message is made of, where it is more than a text."""

from collections.abc import Mapping
from typing import Any

_LONGEST = 40
"""Characters of a kind of part, as it is told."""


def text_of(part: Mapping[str, Any]) -> str | None:
    """The text of a part, of a document that is one too; None: it is of another kind."""
    told = next((part[name] for name in ("text", "refusal") if part.get(name)), None)
    if isinstance(told, Mapping):
        told = told.get("value")
    return told if isinstance(told, str) else _document(part)


def _document(part: Mapping[str, Any]) -> str | None:
    """The text of a document of Anthropic's that came as text, or in parts that are some."""
    source = part.get("source")
    if part.get("type") != "document" or not isinstance(source, Mapping):
        return None
    match source:
        case {"type": "text", "data": str(text)} | {"type": "content", "content": str(text)}:
            return text
        case {"type": "content", "content": list(parts)}:
            texts = (each.get("text") for each in parts if isinstance(each, Mapping))
            return "\n".join(each for each in texts if isinstance(each, str)) or None
        case _:
            return None


def mark_of(part: Mapping[str, Any]) -> str:
    """A word for a part that is no text: `[image_url]`."""
    return f"[{str(part.get('type') or 'attachment')[:_LONGEST]}]"
