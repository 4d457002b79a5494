"""The words of a page, as a tool fetches one."""

import re
from collections.abc import Iterator
from html import unescape

_BEGINS = re.compile(r"\s*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_TAG = re.compile(
    r"<(?P<ends>/?)!?(?P<name>[a-z][a-z0-9]{0,20})\b[^<>]{0,2000}>|<!--[^<>]{0,2000}-->",
    re.IGNORECASE,
)
_UNSEEN = frozenset({"script", "style", "template", "noscript", "svg"})
_IN_LINE = frozenset({"a", "abbr", "b", "code", "em", "i", "mark", "small", "span", "strong", "u"})


def plain_of(text: str) -> str:
    """What a page of HTML shows, a line for each of its blocks; any other text as it is."""
    if not _BEGINS.match(text):
        return text
    return unescape("".join(_shown(text))).strip() or text


def _shown(page: str) -> Iterator[str]:
    at, unseen = 0, 0
    for tag in _TAG.finditer(page):
        if not unseen:
            yield page[at : tag.start()].replace("\n", " ")
        name = (tag["name"] or "").lower()
        if name in _UNSEEN:
            unseen = max(unseen + (-1 if tag["ends"] else 1), 0)
        if name and name not in _IN_LINE:
            yield "\n"
        at = tag.end()
    if not unseen:
        yield page[at:].replace("\n", " ")
