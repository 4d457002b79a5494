"""Moving memory in and out."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from hashlib import sha256
from typing import IO, Annotated, Any

import orjson
from fastapi import Query, Request
from fastapi.responses import Response, StreamingResponse

from app.api.asking import KnownQuery
from app.api.deps import Services, Tenant, Use, WhoAsks, require
from app.api.limits import Limits, limits
from app.api.lines import NDJSON, lines_of, wants_lines
from app.api.openapi import chapter
from app.api.receiving import received
from app.api.schemas.fields import Text, UserId
from app.api.schemas.moving import ImportedOut
from app.api.writing import REPLAYED, AsOnce, Once
from app.domain.ids import TenantId
from app.domain.keys import Permission
from app.domain.storable import json_spelled
from app.formats.found import Bounds
from app.formats.reading import Reading
from app.services.common.once import IdempotencyKey
from app.services.moving.imported import Imported

router = chapter("move", route_class=KnownQuery)

_HASHED_AT_ONCE = 2**20
_TELL_EVERY = 0.5
"""Seconds between two lines that tell how far an import is."""

_FILE = {"type": "string", "format": "binary"}
_BODY = {
    "required": True,
    "content": {
        "application/octet-stream": {"schema": _FILE},
        "multipart/form-data": {"schema": {"type": "object", "properties": {"file": _FILE}}},
    },
}


@router.post(
    "/import",
    response_model=ImportedOut,
    openapi_extra={"requestBody": _BODY},
    responses={200: {"content": {NDJSON: {}}}},
)
async def import_file(
    request: Request,
    services: Use,
    tenant: Tenant,
    asked: AsOnce,
    user_id: Annotated[
        UserId | None, Query(description="Whose memory it is; absent: as the file says.")
    ] = None,
) -> Response:
    """
    Store what an export holds: of Foreword (NDJSON), ChatGPT or Claude (zip or conversations.json),
    lists of messages as OpenAI's API takes them, ShareGPT, CSV.

    What is there already is not stored again. With `Accept: application/x-ndjson` each line of the
    answer tells how far it is, and the last one what came of it.
    """
    async with AsyncExitStack() as stack:
        file = await stack.enter_async_context(received(request, services.spool))
        in_lines = wants_lines(request)
        once = await _once(asked, file, user_id)
        if once and (before := await services.importer.before(tenant, once)):
            kind = NDJSON if in_lines else "application/json"
            return Response(_told(before), media_type=kind, headers=REPLAYED)
        reading = Reading(file, _bounds(limits.get()))
        run = _Run(services, tenant, user_id, once, reading, Imported())
        if not in_lines:
            return Response(_told(await run.all()), media_type="application/json")
        told = run.telling(request)
        first = await anext(told)
        kept = stack.pop_all()
    return StreamingResponse(_lines(first, told, kept), media_type=NDJSON)


@router.get(
    "/export",
    response_class=StreamingResponse,
    responses={200: {"description": "A JSON object a line.", "content": {NDJSON: {}}}},
)
async def export(
    services: Use,
    tenant: Tenant,
    caller: WhoAsks,
    user_id: Annotated[
        Text | None,
        Query(max_length=255, description="Empty: of no user; absent: of the whole tenant."),
    ] = None,
    embeddings: Annotated[bool, Query(description="Also the vectors, as float16.")] = False,  # noqa: FBT002  (a parameter of the address)
) -> StreamingResponse:
    """Everything of a user (scope `read`) or tenant (scope `admin`), to be imported again."""
    if user_id is None:
        require(caller, Permission.ADMIN)
        pages = services.exporter.of_tenant(tenant, embeddings=embeddings)
    else:
        pages = services.exporter.of_user(tenant, user_id or None, embeddings=embeddings)
    attachment = {"Content-Disposition": 'attachment; filename="foreword.ndjson"'}
    return StreamingResponse(_spelled(pages), media_type=NDJSON, headers=attachment)


async def _spelled(pages: AsyncIterator[list[Any]]) -> AsyncIterator[bytes]:
    async for lines in pages:
        if lines:
            yield await asyncio.to_thread(_ndjson, lines)


def _ndjson(lines: list[Any]) -> bytes:
    options = orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
    return b"".join(json_spelled(line, options) for line in lines)


def _bounds(allowed: Limits | None) -> Bounds:
    assert allowed is not None  # noqa: S101  (the gate sets it)
    return Bounds(
        unpacked_bytes=allowed.import_bytes,
        record_bytes=allowed.body_bytes,
        message_chars=allowed.message_chars,
        list_items=allowed.list_items,
        metadata_bytes=allowed.metadata_bytes,
        json_values=allowed.json_values,
    )


async def _once(asked: Once, file: IO[bytes], user_id: str | None) -> IdempotencyKey | None:
    """By what the file holds, and whose it is to be."""
    if asked.key is None:
        return None
    digest = sha256(orjson.dumps(user_id))
    digest.update(await asyncio.to_thread(_digest, file))
    return asked.with_body(digest.digest())


def _digest(file: IO[bytes]) -> bytes:
    file.seek(0)
    digest = sha256()
    while piece := file.read(_HASHED_AT_ONCE):
        digest.update(piece)
    return digest.digest()


def _told(imported: Imported) -> bytes:
    return ImportedOut.of(imported).model_dump_json(exclude_none=True).encode() + b"\n"


@dataclass(frozen=True, slots=True)
class _Run:
    """An import on its way."""

    services: Services
    tenant: TenantId
    user_id: str | None
    once: IdempotencyKey | None
    reading: Reading
    imported: Imported

    async def all(self) -> Imported:
        try:
            return await self.services.importer.run(
                self.tenant, self.reading, self.imported, user_id=self.user_id, once=self.once
            )
        finally:
            self.services.waiter.wake()

    async def telling(self, request: Request) -> AsyncIterator[bytes]:
        """Lines that tell how far it is, then what came of it; who goes away ends it."""
        task = asyncio.create_task(self.all())
        lines = lines_of(request, task, self._way(task), told=_told)
        try:
            async for line in lines:
                yield line
        finally:
            task.cancel()
            await asyncio.wait({task})

    async def _way(self, task: asyncio.Task[Imported]) -> AsyncIterator[bytes]:
        while not (await asyncio.wait({task}, timeout=_TELL_EVERY))[0]:
            yield self._far()

    def _far(self) -> bytes:
        told = {"done": self.reading.done, "total": self.reading.total}
        for name in ("conversations", "messages", "duplicates"):
            told[name] = getattr(self.imported, name)
        return orjson.dumps(told, option=orjson.OPT_APPEND_NEWLINE)


async def _lines(
    first: bytes, told: AsyncIterator[bytes], kept: AsyncExitStack
) -> AsyncIterator[bytes]:
    async with kept:
        yield first
        async for line in told:
            yield line
