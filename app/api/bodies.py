"""What the body of a request may be and weigh, and how long it and its answer may take."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from logging import getLogger

from fastapi import Request
from fastapi.responses import JSONResponse
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.api.limits import Limits
from app.api.problems import problem

_log = getLogger(__name__)

_PLAIN = "identity"

Refusal = Callable[[Request, "_Allowed"], JSONResponse]


@dataclass(frozen=True, slots=True)
class _Allowed:
    """`seconds` are those of the whole; `each_part_s`, where given, those of every part of it."""

    bytes: int
    seconds: float
    each_part_s: float | None = None


def _allowed(scope: Scope, limits: Limits) -> _Allowed:
    if scope["method"] == "POST" and scope["path"] == "/import":
        return _Allowed(limits.import_bytes, limits.import_s, each_part_s=limits.body_s)
    return _Allowed(limits.body_bytes, limits.body_s)


class _Refused(Exception):
    """
    Ends the reading of a body, or an answer.

    FastAPI answers 400 to the first, which nobody gets to see.
    """


class _Intake:
    """Takes a body in, until it is whole or refused."""

    def __init__(self, receive: Receive, allowed: "_Allowed") -> None:
        self._receive = receive
        self._allowed = allowed
        self._timer = asyncio.get_running_loop().time
        self._ends = self._timer() + allowed.seconds
        self._left = allowed.bytes
        self._whole = False
        self.refusal: Refusal | None = None

    async def receive(self) -> Message:
        if self._whole:  # what comes now is the caller who goes, some time
            return await self._receive()
        seconds, ends = self._allowed.seconds, self._ends
        part = self._allowed.each_part_s
        if part is not None and self._timer() + part < ends:
            seconds, ends = part, self._timer() + part
        try:
            async with asyncio.timeout_at(ends):
                message = await self._receive()
        except TimeoutError:
            self.refusal = partial(_too_slow, seconds=seconds)
            raise _Refused from None
        self._left -= len(message.get("body", b""))
        self._whole = not message.get("more_body", False)
        if self._left < 0:
            self.refusal = _too_large
            raise _Refused
        return message


class BodyLimit:
    """
    Refuses bodies that are compressed, too large, unread where they tell their length, or too slow;
    and breaks off answers that nobody takes.
    """

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self._app = app
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        allowed = _allowed(scope, self._limits)
        headers = Headers(scope=scope)
        if headers.get("content-encoding", _PLAIN).lower() != _PLAIN:
            await _packed(Request(scope))(scope, receive, send)
            return
        told = headers.get("content-length", "0")
        if told.isdigit() and int(told) > allowed.bytes:
            await _too_large(Request(scope), allowed)(scope, receive, send)
            return
        intake = _Intake(receive, allowed)

        async def send_unless_refused(message: Message) -> None:
            if intake.refusal is None:
                await self._send_in_time(send, message)

        with suppress(_Refused):
            await self._app(scope, intake.receive, send_unless_refused)
        if intake.refusal is not None:
            await intake.refusal(Request(scope), allowed)(scope, receive, send)

    async def _send_in_time(self, send: Send, message: Message) -> None:
        """Who does not take an answer must not keep a place among the requests that run."""
        try:
            async with asyncio.timeout(self._limits.answer_s):
                await send(message)
        except TimeoutError:
            _log.warning("an answer was not taken", extra={"seconds": self._limits.answer_s})
            raise _Refused from None


def _packed(request: Request) -> JSONResponse:
    """What a few bytes unpack to has no limit that a caller could keep."""
    return problem(
        request,
        HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
        slug="body-compressed",
        title="Bodies are read as they are: send it without Content-Encoding.",
        detail=f"This one came with another Content-Encoding than {_PLAIN}.",
    )


def _too_large(request: Request, allowed: _Allowed) -> JSONResponse:
    return problem(
        request,
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        slug="body-too-large",
        title="The body is too large.",
        detail=f"It may have {allowed.bytes} bytes at this path.",
        max_bytes=allowed.bytes,
    )


def _too_slow(request: Request, _: _Allowed, *, seconds: float) -> JSONResponse:
    answer = problem(
        request,
        HTTPStatus.REQUEST_TIMEOUT,
        slug="body-too-slow",
        title="The body took too long to come.",
        detail=f"It, or a part of it, was not there after {seconds:g} seconds.",
        max_seconds=seconds,
    )
    answer.headers["Connection"] = "close"
    return answer
