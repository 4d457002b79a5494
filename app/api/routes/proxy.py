"""The drop-in proxy: what any OpenAI-compatible API completes, with memory in front."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from logging import getLogger
from typing import Any

from fastapi import Request, Response
from starlette.datastructures import Headers

from app.api.deps import Proxy, Services, Tenant, Use, WhoAsks, require
from app.api.openapi import chapter
from app.api.passing import (
    CONVERSATION,
    EVENTS,
    USER,
    budget_in,
    name_in,
    to_caller,
    to_upstream,
    usable,
)
from app.api.reading import beside, parsed
from app.api.relaying import Relay, Speaking
from app.domain.chat import Exchange, Form, Party, Question, Recollection
from app.domain.errors import (
    NotAnObject,
    ProxyNotConfigured,
    UpstreamTimedOut,
    UpstreamUnavailable,
)
from app.domain.ids import TenantId
from app.domain.keys import Caller, Permission
from app.ports.upstream import Passed, Reply
from app.text.chat import Chat, name_of, question_in, shown_in, with_memory
from app.text.responses import chat_in, followed_in, instructed, kept_in

_log = getLogger(__name__)

router = chapter("proxy")

_MOST_HEARD = 32 * 2**20
"""Bytes of an answer that are held until it is stored."""

_ANY_OBJECT = {"application/json": {"schema": {"type": "object"}}}
_OF_ANY = {"requestBody": {"required": True, "content": _ANY_OBJECT}}
_OF_CHAT = {
    **_OF_ANY,
    "parameters": [
        {"in": "header", "name": name, "required": False, "schema": {"type": "string"}}
        for name in ("X-Foreword-User", "X-Foreword-Conversation", "X-Foreword-Budget")
    ],
}
_PASSED_THROUGH: dict[int | str, dict[str, Any]] = {
    200: {"description": "As the upstream answers.", "content": _ANY_OBJECT}
}
_COMPLETED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "As the upstream answers; `X-Foreword-Memory` says what became of memory.",
        "content": {**_ANY_OBJECT, "text/event-stream": {"schema": {"type": "string"}}},
    }
}


@dataclass(frozen=True, slots=True)
class Asked:
    """
    A request for a completion.

    `chat` is empty where its messages are of no shape we know; the rest is what is read from it:
    the last question, all texts, a name for a conversation that has none, and, of Responses, where
    the upstream keeps what is said: in which conversation, and behind which response.
    """

    form: Form
    body: Mapping[str, Any]
    chat: Sequence[Mapping[str, Any]]
    query: str
    shown: tuple[str, ...]
    named: str | None
    kept: object = None
    follows: str | None = None


@router.post(
    "/v1/chat/completions",
    response_class=Response,
    responses=_COMPLETED,
    openapi_extra=_OF_CHAT,
)
async def complete_chat(
    request: Request, services: Use, tenant: Tenant, caller: WhoAsks
) -> Response:
    """Pass a chat completion on, with what memory holds on its last question in front of it."""
    return await _completed(request, services, tenant, caller, Form.CHAT)


@router.post(
    "/v1/responses",
    response_class=Response,
    responses=_COMPLETED,
    openapi_extra=_OF_CHAT,
)
async def respond(request: Request, services: Use, tenant: Tenant, caller: WhoAsks) -> Response:
    """The same for OpenAI's Responses: what memory holds stands behind the instructions."""
    return await _completed(request, services, tenant, caller, Form.RESPONSES)


async def _completed(
    request: Request, services: Services, tenant: TenantId, caller: Caller, form: Form
) -> Response:
    proxy, headers = _proxy(services), request.headers
    require(caller, Permission.READ)
    body = await request.body()
    asked = await beside(len(body), partial(_read, form, body))
    party, budget = _party(headers, asked), budget_in(headers)
    await proxy.exchanges.room()
    question = Question(
        query=asked.query,
        party=party,
        shown=asked.shown,
        budget_tokens=proxy.budget_tokens if budget is None else budget,
    )
    found = await proxy.prompter.recollect(tenant, question)
    if found.text:
        writing = partial(_written, asked, found.text, joined=proxy.joined)
        body = await beside(len(body), writing)
    passed = Passed(
        method="POST",
        path=f"/{form}",
        query=request.url.query,
        headers=to_upstream(headers, caller, proxy.api_key),
        body=body,
    )
    exchange = Exchange(
        party=party,
        chat=asked.chat,
        answer=b"",
        streamed=False,
        whole=False,
        form=form,
        follows=asked.follows,
    )
    return Relay(_Passage(proxy, passed, tenant, found, exchange).speak)


@router.get("/v1/models", response_class=Response, responses=_PASSED_THROUGH)
async def list_models(request: Request, services: Use, caller: WhoAsks) -> Response:
    """The upstream's models, as it tells them."""
    return await _as_told(request, services, caller, "/models")


@router.post(
    "/v1/embeddings",
    response_class=Response,
    responses=_PASSED_THROUGH,
    openapi_extra=_OF_ANY,
)
async def embed(request: Request, services: Use, caller: WhoAsks) -> Response:
    """The upstream's embeddings, as it tells them: memory has no part in these."""
    return await _as_told(request, services, caller, "/embeddings")


async def _as_told(request: Request, services: Services, caller: Caller, path: str) -> Response:
    """What memory has no part in, as the upstream tells it."""
    proxy = _proxy(services)
    passed = Passed(
        method=request.method,
        path=path,
        query=request.url.query,
        headers=to_upstream(request.headers, caller, proxy.api_key),
        body=await request.body(),
    )
    return Relay(_Passage(proxy, passed).speak)


@dataclass(slots=True)
class _Passage:
    """One request on its way through, and what is heard of its answer."""

    proxy: Proxy
    passed: Passed
    tenant: TenantId | None = None
    recollection: Recollection | None = None
    exchange: Exchange | None = None
    heard: list[bytes] = field(default_factory=list)
    size: int = 0
    whole: bool = False

    async def speak(self, speaking: Speaking) -> None:
        """
        Pass the answer back while it comes, then begin to store what was said.

        Raises:
            UpstreamUnavailable: There is no answer.
            UpstreamTimedOut: The same, after too long.
        """
        async with self.proxy.upstream.ask(self.passed) as reply:
            await speaking.begin(reply.status, to_caller(reply, self.recollection))
            try:
                async for chunk in reply.chunks():
                    self._hear(chunk)
                    await speaking.say(chunk)
                self.whole = True
                await speaking.end()
            except (UpstreamUnavailable, UpstreamTimedOut) as error:
                _log.warning("an answer broke off", extra={"reason": error.title})
            finally:
                self._keep(reply)

    def _hear(self, chunk: bytes) -> None:
        self.size += len(chunk)
        if self.exchange is not None and self.size <= _MOST_HEARD:
            self.heard.append(chunk)

    def _keep(self, reply: Reply) -> None:
        if self.exchange is None or self.tenant is None or not 200 <= reply.status < 300:
            return
        kinds = [value for name, value in reply.headers if name == "content-type"]
        exchange = replace(
            self.exchange,
            answer=reply.decoded(b"".join(self.heard)),
            streamed=any(each.startswith(EVENTS) for each in kinds),
            whole=self.whole,
        )
        self.proxy.exchanges.keep(self.tenant, exchange)


def _proxy(services: Services) -> Proxy:
    if services.proxy is None:
        raise ProxyNotConfigured("FOREWORD_PROXY__UPSTREAM_URL names one")
    return services.proxy


def _read(form: Form, body: bytes) -> Asked:
    try:
        found = parsed(body)
    except (ValueError, RecursionError) as error:
        raise NotAnObject from error
    if not isinstance(found, dict):
        raise NotAnObject
    chat = chat_in(found) if form is Form.RESPONSES else _messages(found)
    asked = Asked(form, found, chat, question_in(chat), shown_in(chat), name_of(chat))
    if form is Form.RESPONSES:
        return replace(asked, kept=kept_in(found), follows=followed_in(found))
    return asked


def _messages(body: Mapping[str, Any]) -> Chat:
    told = body.get("messages")
    return told if isinstance(told, list) and all(isinstance(m, dict) for m in told) else []


def _written(asked: Asked, memory: str, *, joined: bool) -> bytes:
    if asked.form is Form.RESPONSES:
        body = instructed(asked.body, memory)
    else:
        body = {**asked.body, "messages": with_memory(asked.chat, memory, joined=joined)}
    return json.dumps(body, separators=(",", ":")).encode()


def _party(headers: Headers, asked: Asked) -> Party:
    """
    Whose request it is, and of which conversation: by header, else by what the body says.

    Raises:
        UnusableHeader: What is said cannot be a name.
    """
    metadata = asked.body.get("metadata")
    told = metadata if isinstance(metadata, dict) else {}
    user = name_in(headers, USER) or _first(
        ("user", asked.body.get("user")),
        ("metadata.user_id", told.get("user_id")),
        ("metadata.user", told.get("user")),
        ("safety_identifier", asked.body.get("safety_identifier")),
    )
    conversation = name_in(headers, CONVERSATION) or _first(
        ("metadata.conversation_id", told.get("conversation_id")),
        ("metadata.conversation", told.get("conversation")),
        ("conversation", asked.kept),
    )
    if conversation is None and asked.follows is None:
        conversation = asked.named
    return Party(user_id=user, conversation=conversation)


def _first(*told: tuple[str, object]) -> str | None:
    """The first that is a text."""
    for where, name in told:
        if isinstance(name, str) and name:
            return usable(name, where)
    return None
