"""Reading bodies. A large one would hold the event loop, and with it everybody, for seconds."""

import asyncio
import json
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, TypeVar

from fastapi import HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.requests import ClientDisconnect

from app.api.asking import KnownQuery
from app.api.limits import limits
from app.domain.errors import TooManyValues
from app.domain.storable import has_more_values

T = TypeVar("T")

INLINE_BYTES = 50_000
"""A larger body is read and written off the event loop: it would hold it for milliseconds."""


async def beside(size: int, work: Callable[[], T]) -> T:
    """Do `work`, of so many bytes, beside the event loop where it would be noticed."""
    return work() if size <= INLINE_BYTES else await asyncio.to_thread(work)


def parsed(body: bytes) -> Any:  # noqa: ANN401  (JSON)
    """
    What the JSON of a body says.

    Raises:
        TooManyValues: It has more than a body may have.
        ValueError: It is no JSON.
        RecursionError: It is nested too deep.
    """
    count_values(body)
    return json.loads(body)


def count_values(body: bytes, *, at_most: int | None = None) -> None:
    """
    Refuse a body of JSON that has more values than a body may have, or than `at_most`.

    They are counted before it is parsed.

    Raises:
        TooManyValues: It has more.
    """
    now = limits.get()
    most = len(body) if now is None else now.json_values
    most = most if at_most is None else min(most, at_most)
    if has_more_values(body, most):
        raise TooManyValues(max_values=most)


def is_json(media_type: str) -> bool:
    kind = media_type.partition(";")[0].strip().lower()
    return kind == "application/json" or (
        kind.startswith("application/") and kind.endswith("+json")
    )


class ReadBeside(KnownQuery):
    """A route whose large bodies are parsed and checked beside the event loop."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def read_and_handle(request: Request) -> Response:
            return await handle(await self._read(request))

        return read_and_handle

    async def _read(self, request: Request) -> Request:
        if self.body_field is None or not is_json(request.headers.get("content-type", "")):
            return request
        try:
            body = await request.body()
        except ClientDisconnect as error:
            raise HTTPException(400) from error
        if len(body) <= INLINE_BYTES:
            return request
        return _Read(request, body, await asyncio.to_thread(partial(self._checked, body)))

    def _checked(self, body: bytes) -> Any:  # noqa: ANN401  (what the route takes)
        assert self.body_field is not None  # noqa: S101  (it was looked at)
        try:
            told = parsed(body)
        except json.JSONDecodeError as error:
            raise RequestValidationError([{"type": "json_invalid"}]) from error
        except (ValueError, RecursionError) as error:
            raise HTTPException(400) from error
        value, errors = self.body_field.validate(told, {}, loc=("body",))
        if errors:
            raise RequestValidationError(errors, body=told)
        return value


class _Read(Request):
    """A request whose body is checked already, which FastAPI takes as it is."""

    def __init__(self, request: Request, body: bytes, checked: object) -> None:
        super().__init__(request.scope, request.receive)
        self._bytes = body
        self._checked = checked

    async def body(self) -> bytes:
        return self._bytes

    async def json(self) -> Any:  # noqa: ANN401  (what the route takes)
        return self._checked
