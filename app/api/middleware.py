"""What every response carries."""

import re
import sys
import time
from http import HTTPStatus
from uuid import uuid4

from fastapi import Request
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.adapters.telemetry import PrometheusTelemetry
from app.api.logging import request_id
from app.api.problems import accident
from app.api.shields import shields_of
from app.domain.errors import ForewordError

_REQUEST_ID = re.compile(r"[\x21-\x7e]{1,200}")


class Envelope:
    """Request id, server timing, shields and metrics around each request."""

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
        # A copy: a server may hand the same state to all requests.
        scope["state"] = {**scope.get("state", {}), "request_id": own_id}
        status, begun = HTTPStatus.INTERNAL_SERVER_ERROR.value, False
        shields = shields_of(scope["path"])

        async def send_with_headers(message: Message) -> None:
            nonlocal status, begun
            if message["type"] == "http.response.start":
                status, begun = message["status"], True
                headers = MutableHeaders(scope=message)
                headers.raw.extend(shields)
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
