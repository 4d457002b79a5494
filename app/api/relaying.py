"""Answers that are written while they are made, and whose making ends when their reader goes."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from app.api.logging import broke_off


class Speaking:
    """The writing side of an answer, which may have `begun`, and `ended`."""

    begun = ended = False

    def __init__(self, send: Send) -> None:
        self._send = send

    async def begin(self, status: int, headers: Iterable[tuple[str, str]]) -> None:
        raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
        self.begun = True
        await self._send({"type": "http.response.start", "status": status, "headers": raw})

    async def say(self, chunk: bytes) -> None:
        await self._send({"type": "http.response.body", "body": chunk, "more_body": True})

    async def end(self) -> None:
        self.ended = True
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})


class Relay(Response):
    """
    Runs `speak` until it has said all, or its reader is gone: then it is cancelled.

    What it raises before it began is answered as a problem. Where it does not `end`, the server
    closes the connection, which tells the reader that something is missing; why is told by `speak`.
    """

    def __init__(self, speak: Callable[[Speaking], Awaitable[None]]) -> None:
        super().__init__()
        self._speak = speak

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002  (ASGI's signature)
        side = Speaking(send)
        speaking = asyncio.ensure_future(self._speak(side))
        gone = asyncio.ensure_future(_until_gone(receive))
        try:
            await asyncio.wait({speaking, gone}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            gone.cancel()
            if not speaking.done():
                speaking.cancel()
            await asyncio.wait({speaking, gone})
        if not speaking.cancelled():
            speaking.result()
            broke_off.set(side.begun and not side.ended)


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
