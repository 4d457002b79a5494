"""Asking a Qdrant server: every attempt in time, a few attempts, one kind of error."""

import asyncio
import json
from collections.abc import AsyncIterable, Awaitable, Callable
from http import HTTPStatus
from typing import ParamSpec, TypeVar
from urllib.parse import urlsplit

import httpx
import stamina
from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from app.domain.errors import VectorIndexUnavailable

P = ParamSpec("P")
T = TypeVar("T")

_MAX_REASON = 200


class Ask:
    """
    Calls the client's methods, of which each can be repeated without harm.

    What may pass by itself (no connection, no answer within `timeout` seconds, an overloaded or
    restarting server) is tried again, at most twice and within some seconds.
    """

    def __init__(self, url: str, *, timeout: float) -> None:
        self._host = urlsplit(url).hostname or url
        self._timeout = timeout

    async def __call__(
        self, call: Callable[P, Awaitable[T]], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        try:
            async for attempt in _attempts():
                with attempt:
                    async with asyncio.timeout(self._timeout):
                        return await call(*args, **kwargs)
        except Exception as error:
            detail = f"Qdrant at {self._host} {_reason(error)}"
            raise VectorIndexUnavailable(detail) from error
        raise AssertionError("the last attempt returns or raises")


def _attempts() -> AsyncIterable[stamina.Attempt]:
    return stamina.retry_context(
        on=_may_pass, attempts=3, timeout=None, wait_initial=0.1, wait_max=1.0, wait_jitter=0.2
    )


def _may_pass(error: Exception) -> bool:
    match error:
        case ResponseHandlingException(source=source):
            return isinstance(source, httpx.TransportError)
        case UnexpectedResponse(status_code=int(status)):
            return status == HTTPStatus.TOO_MANY_REQUESTS or status >= 500
        case _:
            return isinstance(error, (TimeoutError, ResourceExhaustedResponse))


def _reason(error: Exception) -> str:
    """What went wrong, to follow "Qdrant at <host>". Never holds a request, so never the key."""
    match error:
        case UnexpectedResponse(status_code=status, content=content):
            return f"answered {status}: {_said(content)}"
        case ResourceExhaustedResponse():
            return "is overloaded."
        case TimeoutError() | ResponseHandlingException(source=httpx.TimeoutException()):
            return "does not answer in time."
        case ResponseHandlingException(source=httpx.TransportError()):
            return f"cannot be reached: {error.source}"
        case ResponseHandlingException():
            return "gives an answer that this client does not understand."
        case _:
            return f"cannot be asked: {error}"


def _said(content: bytes) -> str:
    """The message in a server's answer: Qdrant's own words, or the start of what a proxy says."""
    try:
        said = str(json.loads(content)["status"]["error"])
    except (ValueError, LookupError, TypeError):
        said = content.decode(errors="replace")
    return said[:_MAX_REASON]
