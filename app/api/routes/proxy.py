"""The drop-in proxy: what the API of a model completes, OpenAI's or Anthropic's, with memory."""

import re
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from http import HTTPStatus
from logging import getLogger
from typing import Any

from fastapi import HTTPException, Request, Response
from starlette.datastructures import Headers

from app.api.asked import Asked, party_of, read, written
from app.api.deps import Proxy, Services, Tenant, Use, WhoAsks, require
from app.api.openapi import chapter
from app.api.own import check_names, refuse, shares_key
from app.api.passing import (
    EVENTS,
    budget_in,
    path_to_upstream,
    to_caller,
    to_upstream,
    user_in,
)
from app.api.reading import beside
from app.api.relaying import Relay, Speaking
from app.domain.chat import Exchange, Form, Party, Question, Recollection
from app.domain.errors import ProxyNotConfigured, UpstreamTimedOut, UpstreamUnavailable
from app.domain.ids import TenantId
from app.domain.keys import Caller, Permission
from app.ports.upstream import Passed, Reply
from app.text.kept import told_in

_log = getLogger(__name__)

router = chapter("proxy")

_KEEPS_NOTHING = re.compile(
    r"GET /models/[^/]+|POST /(?:completions|moderations"
    r"|audio/(?:speech|transcriptions|translations)|images/(?:generations|edits|variations))"
)
"""What leaves nothing with the provider that another caller could find there."""

_ANY_METHOD = ["GET", "POST", "PUT", "PATCH", "DELETE"]

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
_COMPLETING: dict[str, Any] = {
    "response_class": Response,
    "responses": _COMPLETED,
    "openapi_extra": _OF_CHAT,
}
_PASSING: dict[str, Any] = {
    "response_class": Response,
    "responses": _PASSED_THROUGH,
    "openapi_extra": _OF_ANY,
}


@router.post("/v1/chat/completions", **_COMPLETING)
async def complete_chat(
    request: Request, services: Use, tenant: Tenant, caller: WhoAsks
) -> Response:
    """Pass a chat completion on, with what memory holds on its last question in front of it."""
    return await _completed(request, services, tenant, caller, Form.CHAT)


@router.post("/v1/responses", **_COMPLETING)
async def respond(request: Request, services: Use, tenant: Tenant, caller: WhoAsks) -> Response:
    """The same for OpenAI's Responses: what memory holds stands behind the instructions."""
    return await _completed(request, services, tenant, caller, Form.RESPONSES)


@router.post("/v1/messages", **_COMPLETING)
async def complete_messages(
    request: Request, services: Use, tenant: Tenant, caller: WhoAsks
) -> Response:
    """The same for Anthropic's Messages: memory stands behind `system`."""
    return await _completed(request, services, tenant, caller, Form.MESSAGES)


@router.post("/v1/messages/count_tokens", **_PASSING)
async def count_tokens(
    request: Request, services: Use, tenant: Tenant, caller: WhoAsks
) -> Response:
    """What the upstream counts of the request as it came, without memory."""
    if shares_key(request, caller):
        party = Party(user_id=user_in(request.headers))
        await check_names(request, _proxy(services), tenant, party)
    return await _as_told(request, services, caller, "/messages/count_tokens")


async def _completed(
    request: Request, services: Services, tenant: TenantId, caller: Caller, form: Form
) -> Response:
    proxy, headers = _proxy(services), request.headers
    require(caller, Permission.READ)
    body = await request.body()
    asked = await beside(len(body), partial(read, form, body))
    party, budget = party_of(headers, asked), _budget(proxy, headers, asked)
    if shared := shares_key(request, caller):
        await check_names(request, proxy, tenant, party)
    await proxy.exchanges.room()
    question = Question(
        query=asked.query,
        party=party,
        shown=asked.shown,
        budget_tokens=budget,
    )
    found = await proxy.prompter.recollect(tenant, question)
    if found.text:
        writing = partial(written, asked, found.text, joined=proxy.joined)
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
    return Relay(_Passage(proxy, passed, tenant, found, exchange, shared).speak)


def _budget(proxy: Proxy, headers: Headers, asked: Asked) -> int | None:
    """The tokens that memory may take: none where there is no place for it."""
    told = budget_in(headers)
    if asked.bound:
        return 0
    return proxy.budget_tokens if told is None else told


@router.get("/v1/models", response_class=Response, responses=_PASSED_THROUGH)
async def list_models(request: Request, services: Use, caller: WhoAsks) -> Response:
    """The upstream's models, as it tells them."""
    return await _as_told(request, services, caller, "/models")


@router.post("/v1/embeddings", **_PASSING)
async def embed(request: Request, services: Use, caller: WhoAsks) -> Response:
    """The upstream's embeddings, as it tells them: memory has no part in these."""
    return await _as_told(request, services, caller, "/embeddings")


@router.api_route("/v1/{first}", methods=_ANY_METHOD, include_in_schema=False)
@router.api_route("/v1/{first}/{rest:path}", methods=_ANY_METHOD, include_in_schema=False)
async def pass_on(request: Request, services: Use, tenant: Tenant, caller: WhoAsks) -> Response:
    """
    All else of the upstream's API, as it tells it.

    What the provider keeps belongs to whoever has the key, and the operator's is many callers': it
    is asked for with their own, or by who needs no key of ours either.
    """
    proxy = _proxy(services)
    path = path_to_upstream("/".join(request.path_params.values()))
    if path is None:
        raise HTTPException(HTTPStatus.NOT_FOUND)
    if shares_key(request, caller):
        if not _KEEPS_NOTHING.fullmatch(f"{request.method} {path}"):
            raise refuse()
        await check_names(request, proxy, tenant, Party(user_id=user_in(request.headers)))
    return await _as_told(request, services, caller, path)


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
    shared: bool = False
    """Whether what the provider keeps has to be known as somebody's."""
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
        with self._noting():
            await self._spoken(speaking)

    def _noting(self) -> AbstractContextManager[None]:
        if self.tenant is None or not self.shared:
            return nullcontext()
        return self.proxy.named.hearing(self.tenant)

    async def _spoken(self, speaking: Speaking) -> None:
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
                await self._keep(reply)

    def _hear(self, chunk: bytes) -> None:
        self.size += len(chunk)
        if self.exchange is not None and self.size <= _MOST_HEARD:
            self.heard.append(chunk)

    async def _keep(self, reply: Reply) -> None:
        if self.exchange is None or self.tenant is None or not 200 <= reply.status < 300:
            return
        kinds = [value for name, value in reply.headers if name == "content-type"]
        exchange = replace(
            self.exchange,
            answer=reply.decoded(b"".join(self.heard)),
            streamed=any(each.startswith(EVENTS) for each in kinds),
            whole=self.whole,
            cut=self.size > _MOST_HEARD,
        )
        self.proxy.exchanges.keep(self.tenant, exchange)
        if self.shared:
            form, answer, streamed = exchange.form, exchange.answer, exchange.streamed
            told = await beside(len(answer), partial(told_in, form, answer, streamed=streamed))
            self.proxy.named.note(self.tenant, exchange.party, told)


def _proxy(services: Services) -> Proxy:
    if services.proxy is None:
        raise ProxyNotConfigured("FOREWORD_PROXY__UPSTREAM_URL names one")
    return services.proxy
