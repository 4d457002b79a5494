"""
Names as programs spell them: camelCase, snake_case, kebab-case, dotted.names, paths, versions.

A compound is known by its parts and by its whole, which is the same however it is spelled:
`replacePlaceholders`, `replace_placeholders` and `replace-placeholders` are one.
"""

import re
from collections.abc import Iterable, Sequence

MAX_PARTS = 12
"""What comes apart into more is no name: base64, a token, a minified line."""

_UPPER = "A-Z\u00c0-\u00d6\u00d8-\u00de\u0391-\u03a9\u0410-\u042f"
_LOWER = "a-z\u00df-\u00f6\u00f8-\u00ff\u03b1-\u03c9\u0430-\u044f"
_HUMP = re.compile(
    rf"[{_LOWER}]\d*[{_UPPER}]|[{_UPPER}]\d+[{_UPPER}][{_LOWER}]|[{_UPPER}]{{2}}(?!s(?![{_LOWER}]))[{_LOWER}]"
)
_PART = re.compile(
    rf"[{_UPPER}]+s(?![{_LOWER}])|[{_UPPER}]+\d*(?![{_LOWER}])|[{_UPPER}]?[{_LOWER}]+\d*|[^\W_]+?(?=[{_UPPER}_]|$)"
)
_DIGITS_MEET = re.compile(r"(?<=\d)\0(?=\d)")


def parts(word: str) -> Sequence[str]:
    """
    The parts of a word without separators but "_", as they are spelled.

    `getHTTPResponse2` gives get, HTTP, Response2; `user_IDs` gives user, IDs; a plain word, and
    what is no name, gives itself.
    """
    if not _HUMP.search(word):
        found = [each for each in word.split("_") if each]
    else:
        found = [part for each in word.split("_") for part in _PART.findall(each)]
    return found if 2 * len(found) <= max(len(word), 2) and len(found) <= MAX_PARTS else [word]


def whole(pieces: Iterable[str]) -> str:
    """The pieces as one; numbers stay apart, so that version 1.23 is not 12.3: "1_23"."""
    return _DIGITS_MEET.sub("_", "\0".join(pieces)).replace("\0", "")
