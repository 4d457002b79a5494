"""The client for programs without an event loop."""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Any, Self, TypeVar, cast

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


class Client:
    """
    For example `with Client("http://127.0.0.1:8000") as memory: memory.context("Which database?")`.

    Every method raises ClientError where the service refuses, or does not answer.
    """

    def __init__(self, url: str, key: str | None = None, *, seconds: float = 60.0) -> None:
        self._seconds = seconds
        self._http = httpx.Client(
            base_url=url, headers=headers(key), timeout=seconds, trust_env=False
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def send(self, call: Call[T]) -> T:
        """Make a call of `app.client.calls`."""
        try:
            answer = self._http.request(call.method, call.path, params=call.params, json=call.json)
        except httpx.HTTPError as error:
            raise unreachable(error) from error
        return cast("T", checked(answer).json())

    def remember(
        self, messages: Sequence[Message], *, wait: bool = False, **conversation: object
    ) -> Stored:
        """Store messages: of `external_id`, `user_id`, `label` and so on; `wait` until indexed."""
        return self.send(calls.remember(messages, wait=wait, **conversation))

    def context(self, query: str, **wanted: object) -> Bundle:
        """The most relevant memory: for `user_id`, in `budget_tokens`, as `format` and so on."""
        return self.send(calls.context(query, **wanted))

    def search(self, query: str, **wanted: object) -> Json:
        """The ranked candidates alone."""
        return self.send(calls.search(query, **wanted))

    def conversations(self, **wanted: object) -> Page[Conversation]:
        """The conversations of `user_id`, newest first; `cursor` goes on where a page ended."""
        return self.send(calls.conversations(**wanted))

    def history(self, conversation_id: str, **wanted: object) -> Page[Json]:
        """The messages of a conversation, by `order`, `limit` and `cursor`."""
        return self.send(calls.history(conversation_id, **wanted))

    def forget(self, kind: str, identity: str) -> Receipt:
        """Erase a thing of a `kind`: conversations, messages, memories, users."""
        return self.send(calls.forget(kind, identity))

    def import_file(
        self, file: bytes | IO[bytes] | Iterable[bytes], user_id: str | None = None
    ) -> Iterator[Json]:
        """Import an export: every line tells how far it is, the last one is `Imported`."""
        with self._stream(calls.import_file(user_id), file) as answer:
            for line in answer.iter_lines():
                yield json.loads(line)

    def export(self, user_id: str | None = None, *, embeddings: bool = False) -> Iterator[bytes]:
        """Everything of a user, or else of the tenant, as it comes."""
        with self._stream(calls.export(user_id, embeddings=embeddings)) as answer:
            yield from answer.iter_bytes()

    @contextmanager
    def _stream(
        self, call: Call[Any], content: bytes | IO[bytes] | Iterable[bytes] | None = None
    ) -> Iterator[httpx.Response]:
        told, patient = {"Accept": NDJSON}, httpx.Timeout(self._seconds, read=None)
        try:
            with self._http.stream(
                call.method,
                call.path,
                params=call.params,
                content=content,
                headers=told,
                timeout=patient,
            ) as answer:
                if answer.is_error:
                    answer.read()
                yield checked(answer)
        except httpx.HTTPError as error:
            raise unreachable(error) from error
