"""The client for programs without an event loop."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
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


class Client:
    """
    For example `with Client("http://127.0.0.1:8000") as memory: memory.context("Which database?")`.

    Every method raises ClientError where the service refuses, or does not answer.
    """

    def __init__(self, url: str, key: str | None = None, *, seconds: float = 60.0) -> None:
        self._seconds = seconds
        self._http = httpx.Client(
            base_url=url,
            headers=headers(key),
            timeout=seconds,
            verify=trust(url),
            trust_env=False,
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
        return cast("T", answered(answer))

    def remember(
        self, messages: Sequence[Message], *, wait: bool = False, **conversation: object
    ) -> Stored:
        """Store messages: of `external_id`, `user_id`, `label` and so on; `wait` until indexed."""
        return self.send(calls.remember(messages, wait=wait, **conversation))

    def append(
        self, conversation_id: str, messages: Sequence[Message], *, wait: bool = False
    ) -> Stored:
        """Append messages to a conversation that is there; `wait` until indexed."""
        return self.send(calls.append(conversation_id, messages, wait=wait))

    def context(self, query: str, **wanted: object) -> Bundle:
        """The most relevant memory: for `user_id`, in `budget_tokens`, as `format` and so on."""
        return self.send(calls.context(query, **wanted))

    def events(self, query: str, **wanted: object) -> Iterator[Event]:
        """The same as it comes: `memory_debug` by source, `item` by memory, at last `bundle`."""
        reading = Events()
        with self._stream(calls.context(query, **wanted), accept=EVENTS) as answer:
            for line in answer.iter_lines():
                if (event := reading.read(line)) is not None:
                    yield event

    def bundle(self, bundle_id: str) -> Bundle:
        """A bundle as it was answered."""
        return self.send(calls.bundle(bundle_id))

    def search(self, query: str, **wanted: object) -> Json:
        """The ranked candidates alone."""
        return self.send(calls.search(query, **wanted))

    def conversations(self, **wanted: object) -> Page[Conversation]:
        """The conversations of `user_id`, newest first; `cursor` goes on where a page ended."""
        return self.send(calls.conversations(**wanted))

    def conversation(self, conversation_id: str) -> Conversation:
        """One conversation, without its messages."""
        return self.send(calls.conversation(conversation_id))

    def change_conversation(self, conversation_id: str, **changes: object) -> Conversation:
        """Set `label`, `folder`, `importance`, `tags`, `metadata` or `archived`."""
        return self.send(calls.change_conversation(conversation_id, **changes))

    def sum_up(self, conversation_id: str) -> Item:
        """The summary of a conversation, as of now."""
        return self.send(calls.sum_up(conversation_id))

    def history(self, conversation_id: str, **wanted: object) -> Page[Json]:
        """The messages of a conversation, by `order`, `limit` and `cursor`."""
        return self.send(calls.history(conversation_id, **wanted))

    def message(self, message_id: str) -> Json:
        """One message, such as a lineage names."""
        return self.send(calls.message(message_id))

    def forget(self, kind: str, identity: str) -> Receipt:
        """Erase a `kind`: a user, conversation, message or memory ("user" or "users" …)."""
        return self.send(calls.forget(kind, identity))

    def forgetting(self, kind: str, identity: str) -> Iterator[Json]:
        """The same, told meanwhile: `done` of `total`, and in the end the receipt."""
        with self._stream(calls.forget(kind, identity)) as answer:
            for line in answer.iter_lines():
                yield told_of_erasing(facts_in(line, str(answer.url)))

    def memorise(self, kind: str, content: str, *, wait: bool = False, **told: object) -> Json:
        """Store a `fact`, `tool`, `procedure` or `document`: of `user_id`, `source` and so on."""
        return self.send(calls.memorise(kind, content, wait=wait, **told))

    def memories(self, **wanted: object) -> Page[Item]:
        """What holds of `user_id`, newest first: of a `type`, as of `as_of`, by `cursor`."""
        return self.send(calls.memories(**wanted))

    def memory(self, memory_id: str) -> Item:
        """One memory item."""
        return self.send(calls.memory(memory_id))

    def change_memory(self, memory_id: str, **changes: object) -> Item:
        """Set `content`, `importance`, `metadata`, `valid_to` and so on."""
        return self.send(calls.change_memory(memory_id, **changes))

    def lineage(self, memory_id: str, **wanted: object) -> Page[Json]:
        """What an item was derived from, by `limit` and `cursor`."""
        return self.send(calls.lineage(memory_id, **wanted))

    def entities(self, **wanted: object) -> Page[Entity]:
        """Who and what the messages of `user_id` speak of: by `q`, `type` and `cursor`."""
        return self.send(calls.entities(**wanted))

    def entity(self, entity_id: str, **wanted: object) -> Json:
        """An entity with the heaviest of its edges, at most `limit`."""
        return self.send(calls.entity(entity_id, **wanted))

    def users(self, **wanted: object) -> Page[User]:
        """Of whom there is anything, in order of their ids: those that `begins`, by `cursor`."""
        return self.send(calls.users(**wanted))

    def consent(self, user_id: str) -> Consent:
        """What a user agreed to."""
        return self.send(calls.consent(user_id))

    def agree(self, user_id: str, purposes: Mapping[str, bool], **told: object) -> Consent:
        """What a user agrees to: what is false is revoked, what is not named stays."""
        return self.send(calls.agree(user_id, purposes, **told))

    def revoke(self, user_id: str) -> Receipt:
        """Take all consent back; what it covered is erased."""
        return self.send(calls.revoke(user_id))

    def profile(self, user_id: str) -> Profile:
        """What a user let be known; refused (403) without consent."""
        return self.send(calls.profile(user_id))

    def change_profile(self, user_id: str, **sections: object) -> Profile:
        """Merge `preferences`, `context` and `notes` into a profile; a key of None goes."""
        return self.send(calls.change_profile(user_id, **sections))

    def forget_profile(self, user_id: str) -> Receipt:
        """Erase a profile, and leave the consent."""
        return self.send(calls.forget_profile(user_id))

    def flags(self) -> Json:
        """What is switched on."""
        return self.send(calls.flags())

    def change_flags(self, **changes: object) -> Json:
        """Switch parts while the service runs; None lets the default hold again."""
        return self.send(calls.change_flags(**changes))

    def jobs(self, **wanted: object) -> Json:
        """Long work, newest first, by `limit` and `cursor`, and how much waits for the workers."""
        return self.send(calls.jobs(**wanted))

    def job(self, job_id: str) -> Job:
        """How far one of them is."""
        return self.send(calls.job(job_id))

    def start(self, job: str, **about: object) -> Job:
        """Start long work: reindex, reembed, retry-dead-letters, doctor, prune, backup."""
        return self.send(calls.start(job, **about))

    def retry(self, job_id: str) -> Job:
        """Begin once more what has ended."""
        return self.send(calls.retry(job_id))

    def import_file(self, file: Sent, user_id: str | None = None) -> Iterator[Json]:
        """
        Import an export: a path, bytes or a binary file.

        It goes on as far as it is iterated: every line tells how far it is, the last one is
        `Imported`.

        Raises:
            FileNotFoundError: At once: nothing lies under the path.
        """
        return self._importing(found(file), user_id)

    def _importing(
        self, file: Path | bytes | IO[bytes] | Iterable[bytes], user_id: str | None
    ) -> Iterator[Json]:
        call = calls.import_file(user_id)
        with opened(file) as sent, self._stream(call, content=sent) as answer:
            for line in answer.iter_lines():
                yield facts_in(line, str(answer.url))

    def export(self, user_id: str | None = None, *, embeddings: bool = False) -> Iterator[bytes]:
        """Everything of a user, or else of the tenant, as it comes."""
        with self._stream(calls.export(user_id, embeddings=embeddings)) as answer:
            yield from answer.iter_bytes()

    @contextmanager
    def _stream(
        self,
        call: Call[Any],
        *,
        content: bytes | IO[bytes] | Iterable[bytes] | None = None,
        accept: str = NDJSON,
    ) -> Iterator[httpx.Response]:
        patient = httpx.Timeout(self._seconds, read=None)
        try:
            with self._http.stream(
                call.method,
                call.path,
                params=call.params,
                content=content,
                json=call.json,
                headers={"Accept": accept},
                timeout=patient,
            ) as answer:
                if answer.is_error:
                    answer.read()
                yield told_in_parts(answer, accept)
        except httpx.HTTPError as error:
            raise unreachable(error) from error
