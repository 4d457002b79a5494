"""What every response carries, and what every request may weigh."""

import re
import sys
import time
from contextlib import suppress
from http import HTTPStatus
from uuid import uuid4

from fastapi import Request
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.adapters.telemetry import PrometheusTelemetry
from app.api.logging import request_id
from app.api.problems import accident, problem
from app.domain.errors import ForewordError

_REQUEST_ID = re.compile(r"[\x21-\x7e]{1,200}")


class Envelope:
    """Request id, server timing and metrics around each request."""

    def __init__(self, app: ASGIApp, telemetry: PrometheusTelemetry) -> None:
        self._app = app
        self._telemetry = telemetry

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        given = Headers(scope=scope).get("x-request-id", "")
        own_id = given if _REQUEST_ID.fullmatch(given) else uuid4().hex
        scope.setdefault("state", {})["request_id"] = own_id
        status, begun = HTTPStatus.INTERNAL_SERVER_ERROR.value, False

        async def send_with_headers(message: Message) -> None:
            nonlocal status, begun
            if message["type"] == "http.response.start":
                status, begun = message["status"], True
                headers = MutableHeaders(scope=message)
                headers["X-Request-ID"] = own_id
                took = (time.perf_counter() - started) * 1_000
                headers.append("Server-Timing", f"app;dur={took:.2f}")
            await send(message)

        token = request_id.set(own_id)
        try:
            await self._app(scope, receive, send_with_headers)
        except Exception as error:
            if begun:
                raise
            await accident(Request(scope), error)(scope, receive, send_with_headers)
        finally:
            request_id.reset(token)
            route = getattr(scope.get("route"), "path", "unmatched")
            seconds = time.perf_counter() - started
            self._telemetry.request_answered(scope["method"], route, status, seconds)


class ClearStart:
    """Tells in one line why the service cannot start; a mistake of ours keeps its trace."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_clearly(message: Message) -> None:
            error = sys.exception()
            if message["type"] == "lifespan.startup.failed" and isinstance(error, ForewordError):
                message = {**message, "message": str(error)}
            await send(message)

        await self._app(scope, receive, send_clearly if scope["type"] == "lifespan" else send)


class BodyTooLarge(Exception):
    pass


class BodyLimit:
    """Refuses bodies above a number of bytes, before they are read where they tell their length."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app = app
        self._most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        told = Headers(scope=scope).get("content-length", "0")
        if told.isdigit() and int(told) > self._most:
            await self._refuse(scope, receive, send)
            return
        read = 0

        async def receive_at_most() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > self._most:
                raise BodyTooLarge
            return message

        async def send_unless_too_large(message: Message) -> None:
            if read <= self._most:  # FastAPI answers 400 to whatever ends the reading of a body
                await send(message)

        with suppress(BodyTooLarge):
            await self._app(scope, receive_at_most, send_unless_too_large)
        if read > self._most:
            await self._refuse(scope, receive, send)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = problem(
            Request(scope),
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            slug="body-too-large",
            title="The body is too large.",
            max_bytes=self._most,
        )
        await answer(scope, receive, send)
