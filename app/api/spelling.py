"""
Addresses that are not in UTF-8.

A server puts a sign of its own for every byte of a path that it cannot read, and so does whoever
reads parameters: two users whom nobody could spell would be one, and a third, who is called by that
sign, would be erased with them.
"""

from urllib.parse import unquote_to_bytes

from fastapi import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from app.api.problems import not_utf_8


class ReadableAddresses:
    """Refuses a path or a query that is not in UTF-8."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        unreadable = _unreadable(scope) if scope["type"] == "http" else None
        if unreadable is None:
            await self._app(scope, receive, send)
        else:
            await not_utf_8(Request(scope), unreadable)(scope, receive, send)


def _unreadable(scope: Scope) -> str | None:
    if not _is_utf_8(scope.get("raw_path") or b""):
        return "path"
    return None if _is_utf_8(scope["query_string"]) else "query"


def _is_utf_8(written: bytes) -> bool:
    if b"%" not in written and written.isascii():
        return True
    try:
        unquote_to_bytes(written).decode()
    except UnicodeDecodeError:
        return False
    return True
