"""Erasures, which take long where there is much: who wants it is told how far they are."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from typing import Any, Protocol

import orjson
from fastapi import Request, Response
from fastapi.responses import StreamingResponse

from app.api.deps import Services
from app.api.lines import NDJSON, lines_of, wants_lines
from app.api.schemas.conversations import ErasureOut
from app.services.erasing.erasure import Forgotten
from app.services.erasing.forget import Far

TOLD_IN_LINES: dict[int | str, dict[str, Any]] = {200: {"content": {NDJSON: {}}}}
"""What the description of the API says of it."""

_Way = asyncio.Queue[bytes | None]
"""Lines that tell how far it is; None: it is over."""


class Erase(Protocol):
    """Erases something, and tells how far it is where somebody looks."""

    def __call__(self, *, watch: Far | None = None) -> Coroutine[Any, Any, Forgotten]: ...


async def erased(request: Request, services: Services, erase: Erase) -> Response | ErasureOut:
    """
    The receipt, as it is asked for.

    What has begun to be erased is erased to its end, whether or not somebody still listens.
    """
    if not wants_lines(request):
        return ErasureOut.of(await erase())
    way = _Way()
    task = asyncio.create_task(erase(watch=lambda *far: way.put_nowait(_far(*far))))
    task.add_done_callback(lambda _: way.put_nowait(None))
    services.jobs.keep(task)
    lines = lines_of(request, task, _until_over(way), told=_receipt)
    return StreamingResponse(_all(await anext(lines), lines), media_type=NDJSON)


async def _until_over(way: _Way) -> AsyncIterator[bytes]:
    while (line := await way.get()) is not None:
        yield line


async def _all(first: bytes, lines: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for line in lines:
        yield line


def _far(done: int, total: int) -> bytes:
    return orjson.dumps({"done": done, "total": total}, option=orjson.OPT_APPEND_NEWLINE)


def _receipt(forgotten: Forgotten) -> bytes:
    return ErasureOut.of(forgotten).model_dump_json().encode() + b"\n"
