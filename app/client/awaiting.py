"""The client for asyncio."""

import json
from collections.abc import AsyncIterable, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, Self, TypeVar, cast

import httpx

from app.client import calls
from app.client.calls import (
    NDJSON,
    Bundle,
    Call,
    Conversation,
    Json,
    Message,
    Page,
    Receipt,
    Stored,
    checked,
    headers,
    unreachable,
)

T = TypeVar("T")


class AsyncClient:
    """`Client` for asyncio: the same methods, to be awaited."""

    def __init__(
        self,
        url: str,
        key: str | None = None,
        *,
        seconds: float = 60.0,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._seconds = seconds
        self._http = httpx.AsyncClient(
            base_url=url,
            headers=headers(key),
            timeout=seconds,
            trust_env=False,
            transport=transport,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    async def send(self, call: Call[T]) -> T:
        try:
            answer = await self._http.request(
                call.method, call.path, params=call.params, json=call.json
            )
        except httpx.HTTPError as error:
            raise unreachable(error) from error
        return cast("T", checked(answer).json())

    async def remember(
        self, messages: Sequence[Message], *, wait: bool = False, **conversation: object
    ) -> Stored:
        return await self.send(calls.remember(messages, wait=wait, **conversation))

    async def context(self, query: str, **wanted: object) -> Bundle:
        return await self.send(calls.context(query, **wanted))

    async def search(self, query: str, **wanted: object) -> Json:
        return await self.send(calls.search(query, **wanted))

    async def conversations(self, **wanted: object) -> Page[Conversation]:
        return await self.send(calls.conversations(**wanted))

    async def history(self, conversation_id: str, **wanted: object) -> Page[Json]:
        return await self.send(calls.history(conversation_id, **wanted))

    async def forget(self, kind: str, identity: str) -> Receipt:
        return await self.send(calls.forget(kind, identity))

    async def import_file(
        self, file: bytes | AsyncIterable[bytes], user_id: str | None = None
    ) -> AsyncIterator[Json]:
        async with self._stream(calls.import_file(user_id), file) as answer:
            async for line in answer.aiter_lines():
                yield json.loads(line)

    async def export(
        self, user_id: str | None = None, *, embeddings: bool = False
    ) -> AsyncIterator[bytes]:
        async with self._stream(calls.export(user_id, embeddings=embeddings)) as answer:
            async for chunk in answer.aiter_bytes():
                yield chunk

    @asynccontextmanager
    async def _stream(
        self, call: Call[Any], content: bytes | AsyncIterable[bytes] | None = None
    ) -> AsyncIterator[httpx.Response]:
        told, patient = {"Accept": NDJSON}, httpx.Timeout(self._seconds, read=None)
        try:
            async with self._http.stream(
                call.method,
                call.path,
                params=call.params,
                content=content,
                headers=told,
                timeout=patient,
            ) as answer:
                if answer.is_error:
                    await answer.aread()
                yield checked(answer)
        except httpx.HTTPError as error:
            raise unreachable(error) from error
