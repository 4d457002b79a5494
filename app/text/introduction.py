"""
Profiles of ours inside other texts, by their form alone.

What a bundle told of a user is known by its heading, or by the names of its parts: also where it
comes back after the consent to it is gone, and with it all by which its words could be known.
"""

import re
from collections import defaultdict
from collections.abc import Iterator

_MARKDOWN = re.compile(
    r"# About the user\r?\nPreferences and background that the user agreed [^\n]*"
    r"(?:\n[ \t]*>[^\n]*)+"
)
_ESCAPED = re.compile(
    r"# About the user(?:\\r)?\\nPreferences and background that the user agreed "
    r"(?:\\[^nr]|[^\\\n\"])*(?:(?:\\r)?\\n>(?:\\[^nr]|[^\\\n\"])*)+"
)
"""The same inside a string of JSON."""

_JSON = re.compile(r'"((?:[^"\\\n]|\\.)*+)"?(\s*+:)?|[{}]')
_PARTS = {"preferences", "context", "notes"}


def profiles_in(text: str) -> Iterator[tuple[int, int]]:
    """The stretches of `text` that hold a profile as `app/text/profile.py` renders it."""
    for form in (_MARKDOWN, _ESCAPED):
        yield from (found.span() for found in form.finditer(text))
    if '"preferences"' in text:
        yield from _objects(text)


def _objects(text: str) -> Iterator[tuple[int, int]]:
    """Objects of JSON of the parts of a profile; a string that does not end ends with its line."""
    opened: list[int] = []
    names = defaultdict[int, set[str]](set)
    for token in _JSON.finditer(text):
        if token[0] == "{":
            opened.append(token.start())
        elif token[0] != "}":
            if token[2]:
                names[len(opened)].add(token[1])
        elif opened:
            found, start = names.pop(len(opened), set()), opened.pop()
            if found == _PARTS:
                yield start, token.end()
