"""What models send is looked through beside the event loop, before the SDK parses it on it."""

import asyncio
from dataclasses import dataclass
from functools import partial

from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.api.problems import answer_to
from app.api.reading import INLINE_BYTES, count_values
from app.domain.errors import TooManyValues

_MOST_VALUES = 10_000
"""The SDK takes 10 ms for so many. No tool takes a list: what is large is one long text."""


@dataclass(frozen=True, slots=True)
class CountedBeside:
    """Passes on to `app` what has few values, as it came."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        if request.method != "POST":
            await self.app(scope, receive, send)
            return
        try:
            body = await request.body()
            if len(body) > INLINE_BYTES:
                await asyncio.to_thread(partial(count_values, body, at_most=_MOST_VALUES))
        except ClientDisconnect:
            return
        except TooManyValues as error:
            await answer_to(request, error)(scope, receive, send)
            return
        await self.app(scope, _Body(body, receive).receive, send)


@dataclass(slots=True)
class _Body:
    """A body that is there already; what comes behind it is the caller who goes."""

    body: bytes
    later: Receive
    taken: bool = False

    async def receive(self) -> Message:
        if self.taken:
            return await self.later()
        self.taken = True
        return {"type": "http.request", "body": self.body, "more_body": False}
