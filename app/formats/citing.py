"""
Marks in ChatGPT's texts that its page shows as something else: citations, names, pictures.

A mark is what stands between two characters of private use. What a reader saw in its place is told
beside the text, mostly; of one that showed nothing nothing is left.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

_MARK = re.compile("( ?)\ue200([^\ue200\ue201]*)\ue201")
_BETWEEN = "\ue202"
_NAMED = "entity"


def unmarked(content: str, about: Mapping[str, Any]) -> str:
    """`content`, with what its metadata tells of each mark in the place of that."""
    if "\ue200" not in content:
        return content
    told = about.get("content_references")
    shown = {
        each["matched_text"]: each["alt"]
        for each in (told if isinstance(told, list) else ())
        if isinstance(each, dict)
        and isinstance(each.get("matched_text"), str)
        and isinstance(each.get("alt"), str)
    }

    def instead(found: re.Match[str]) -> str:
        space, mark = found.groups()
        said = shown.get(f"\ue200{mark}\ue201") or _name_in(mark)
        return f"{space}{said}" if said else ""

    return _MARK.sub(instead, content)


def _name_in(mark: str) -> str:
    """The name in `entity["city", "Paris", …]`."""
    kind, _, told = mark.partition(_BETWEEN)
    if kind != _NAMED:
        return ""
    try:
        match json.loads(told):
            case [_, str(name), *_]:
                return name
    except (ValueError, RecursionError):
        pass
    return ""
