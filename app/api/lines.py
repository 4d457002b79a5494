"""Long work that tells in lines of JSON how far it is, to who asks for them."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import TypeVar

from fastapi import Request

from app.api.accepting import prefers
from app.api.problems import answer_to
from app.domain.errors import ForewordError

T = TypeVar("T")

NDJSON = "application/x-ndjson"


def wants_lines(request: Request) -> bool:
    return prefers(request, NDJSON)


async def lines_of(
    request: Request,
    task: asyncio.Task[T],
    way: AsyncIterator[bytes],
    *,
    told: Callable[[T], bytes],
) -> AsyncIterator[bytes]:
    """
    The lines that tell how far it is, which end with it, then what came of it.

    What goes wrong before the first line is raised; later it is the last line.
    """
    begun = False
    try:
        async for line in way:
            begun = True
            yield line
        done = await task
    except ForewordError as error:
        if not begun:
            raise
        yield bytes(answer_to(request, error).body) + b"\n"
    else:
        yield told(done)
