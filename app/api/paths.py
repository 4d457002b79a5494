"""
Slashes inside of a name in a path.

A server decodes the path before it is routed, so "/users/a%2Fb" would be two steps below "/users".
What the caller wrote is still there: a decoded slash becomes a character that no decoder makes
until the route is found, and `NameInPath` makes a slash of it again.
"""

from typing import Annotated
from urllib.parse import unquote

from pydantic import BeforeValidator
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.api.schemas.fields import Name, UserId

_HIDDEN = "\udc2f"
"""A surrogate without its other half."""


class EncodedSlashes:
    """Keeps "%2F" in a path from dividing it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        written: bytes = scope.get("raw_path") or b""
        if b"%2f" not in written.lower():
            await self._app(scope, receive, send)
            return
        decoded = scope["path"]

        async def send_under_its_path(message: Message) -> None:
            scope["path"] = decoded  # servers write it into their log, which takes no surrogates
            await send(message)

        steps = [unquote(step) for step in written.decode("latin-1").split("/")]
        scope["path"] = "/".join(step.replace("/", _HIDDEN) for step in steps)
        await self._app(scope, receive, send_under_its_path)


def steps_in(part: str) -> list[str]:
    """What the slashes divide that somebody wrote inside of a step of a path."""
    return part.split(_HIDDEN)


def with_slashes(text: str) -> str:
    """A path, or a step of one, as the caller meant it."""
    return text.replace(_HIDDEN, "/")


NameInPath = Annotated[Name, BeforeValidator(with_slashes)]
"""A caller's own name for something, as a step of a path."""
UserInPath = Annotated[UserId, BeforeValidator(with_slashes)]
