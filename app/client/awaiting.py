"""The client for asyncio."""

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any, Self, TypeVar, cast

import httpx

from app.adapters.trust import trust
from app.client import calls
from app.client.answers import (
    Bundle,
    Consent,
    Conversation,
    Entity,
    Item,
    Job,
    Json,
    Message,
    Page,
    Profile,
    Receipt,
    Stored,
    User,
)
from app.client.calls import Call
from app.client.files import Sent, found, opened
from app.client.wire import (
    EVENTS,
    NDJSON,
    Event,
    Events,
    answered,
    facts_in,
    headers,
    told_in_parts,
    told_of_erasing,
    unreachable,
)

T = TypeVar("T")

_AT_ONCE = 2**20


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
            verify=trust(url),
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
        return cast("T", answered(answer))

    async def remember(
        self, messages: Sequence[Message], *, wait: bool = False, **conversation: object
    ) -> Stored:
        return await self.send(calls.remember(messages, wait=wait, **conversation))

    async def append(
        self, conversation_id: str, messages: Sequence[Message], *, wait: bool = False
    ) -> Stored:
        return await self.send(calls.append(conversation_id, messages, wait=wait))

    async def context(self, query: str, **wanted: object) -> Bundle:
        return await self.send(calls.context(query, **wanted))

    async def events(self, query: str, **wanted: object) -> AsyncIterator[Event]:
        reading = Events()
        async with self._stream(calls.context(query, **wanted), accept=EVENTS) as answer:
            async for line in answer.aiter_lines():
                if (event := reading.read(line)) is not None:
                    yield event

    async def bundle(self, bundle_id: str) -> Bundle:
        return await self.send(calls.bundle(bundle_id))

    async def search(self, query: str, **wanted: object) -> Json:
        return await self.send(calls.search(query, **wanted))

    async def conversations(self, **wanted: object) -> Page[Conversation]:
        return await self.send(calls.conversations(**wanted))

    async def conversation(self, conversation_id: str) -> Conversation:
        return await self.send(calls.conversation(conversation_id))

    async def change_conversation(self, conversation_id: str, **changes: object) -> Conversation:
        return await self.send(calls.change_conversation(conversation_id, **changes))

    async def sum_up(self, conversation_id: str) -> Item:
        return await self.send(calls.sum_up(conversation_id))

    async def history(self, conversation_id: str, **wanted: object) -> Page[Json]:
        return await self.send(calls.history(conversation_id, **wanted))

    async def message(self, message_id: str) -> Json:
        return await self.send(calls.message(message_id))

    async def forget(self, kind: str, identity: str) -> Receipt:
        return await self.send(calls.forget(kind, identity))

    async def forgetting(self, kind: str, identity: str) -> AsyncIterator[Json]:
        async with self._stream(calls.forget(kind, identity)) as answer:
            async for line in answer.aiter_lines():
                yield told_of_erasing(facts_in(line, str(answer.url)))

    async def memorise(
        self, kind: str, content: str, *, wait: bool = False, **told: object
    ) -> Json:
        return await self.send(calls.memorise(kind, content, wait=wait, **told))

    async def memories(self, **wanted: object) -> Page[Item]:
        return await self.send(calls.memories(**wanted))

    async def memory(self, memory_id: str) -> Item:
        return await self.send(calls.memory(memory_id))

    async def change_memory(self, memory_id: str, **changes: object) -> Item:
        return await self.send(calls.change_memory(memory_id, **changes))

    async def lineage(self, memory_id: str, **wanted: object) -> Page[Json]:
        return await self.send(calls.lineage(memory_id, **wanted))

    async def entities(self, **wanted: object) -> Page[Entity]:
        return await self.send(calls.entities(**wanted))

    async def entity(self, entity_id: str, **wanted: object) -> Json:
        return await self.send(calls.entity(entity_id, **wanted))

    async def users(self, **wanted: object) -> Page[User]:
        return await self.send(calls.users(**wanted))

    async def consent(self, user_id: str) -> Consent:
        return await self.send(calls.consent(user_id))

    async def agree(self, user_id: str, purposes: Mapping[str, bool], **told: object) -> Consent:
        return await self.send(calls.agree(user_id, purposes, **told))

    async def revoke(self, user_id: str) -> Receipt:
        return await self.send(calls.revoke(user_id))

    async def profile(self, user_id: str) -> Profile:
        return await self.send(calls.profile(user_id))

    async def change_profile(self, user_id: str, **sections: object) -> Profile:
        return await self.send(calls.change_profile(user_id, **sections))

    async def forget_profile(self, user_id: str) -> Receipt:
        return await self.send(calls.forget_profile(user_id))

    async def flags(self) -> Json:
        return await self.send(calls.flags())

    async def change_flags(self, **changes: object) -> Json:
        return await self.send(calls.change_flags(**changes))

    async def jobs(self, **wanted: object) -> Json:
        return await self.send(calls.jobs(**wanted))

    async def job(self, job_id: str) -> Job:
        return await self.send(calls.job(job_id))

    async def start(self, job: str, **about: object) -> Job:
        return await self.send(calls.start(job, **about))

    async def retry(self, job_id: str) -> Job:
        return await self.send(calls.retry(job_id))

    def import_file(
        self, file: Sent | AsyncIterable[bytes], user_id: str | None = None
    ) -> AsyncIterator[Json]:
        return self._importing(file if isinstance(file, AsyncIterable) else found(file), user_id)

    async def _importing(
        self,
        file: Path | bytes | IO[bytes] | Iterable[bytes] | AsyncIterable[bytes],
        user_id: str | None,
    ) -> AsyncIterator[Json]:
        sent = file if isinstance(file, bytes | AsyncIterable) else _beside(file)
        async with self._stream(calls.import_file(user_id), content=sent) as answer:
            async for line in answer.aiter_lines():
                yield facts_in(line, str(answer.url))

    async def export(
        self, user_id: str | None = None, *, embeddings: bool = False
    ) -> AsyncIterator[bytes]:
        async with self._stream(calls.export(user_id, embeddings=embeddings)) as answer:
            async for chunk in answer.aiter_bytes():
                yield chunk

    @asynccontextmanager
    async def _stream(
        self,
        call: Call[Any],
        *,
        content: bytes | AsyncIterable[bytes] | None = None,
        accept: str = NDJSON,
    ) -> AsyncIterator[httpx.Response]:
        patient = httpx.Timeout(self._seconds, read=None)
        try:
            async with self._http.stream(
                call.method,
                call.path,
                params=call.params,
                content=content,
                json=call.json,
                headers={"Accept": accept},
                timeout=patient,
            ) as answer:
                if answer.is_error:
                    await answer.aread()
                yield told_in_parts(answer, accept)
        except httpx.HTTPError as error:
            raise unreachable(error) from error


async def _beside(file: Path | IO[bytes] | Iterable[bytes]) -> AsyncIterator[bytes]:
    """The chunks of a file, each read beside the event loop."""
    with opened(file) as told:
        read = getattr(told, "read", None)
        several = told if read is None else iter(partial(read, _AT_ONCE), b"")
        chunks = iter(cast("Iterable[bytes]", several))
        while (chunk := await asyncio.to_thread(next, chunks, None)) is not None:
            yield chunk
