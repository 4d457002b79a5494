"""The gate: nobody's request goes further, nor is its body read, before it is known whose it is."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import cast

from fastapi import Request
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.api.access import (
    goes_on_without_memory,
    is_asked_within,
    is_here,
    permission_of,
    place_of,
)
from app.api.arriving import CROWDED
from app.api.deps import Services, require
from app.api.limits import Limits, limits
from app.api.passing import API_KEY, KEY
from app.api.problems import answer_to
from app.domain.audit import SERVICE, Actor
from app.domain.errors import (
    ForewordError,
    NotAuthenticated,
    TooManyConnections,
    TooManyRequests,
)
from app.domain.keys import Caller, Permission, in_order, looks_like_a_key
from app.services.access.rates import Allowance, Places, Rates

_acting: ContextVar[Actor] = ContextVar("acting", default=SERVICE)

_LOOKS = {"GET", "HEAD", "OPTIONS"}

_AGAIN_SOON = 1
"""Seconds after which a place may be free again."""


def who_acts() -> Actor:
    """On whose account this code runs: the caller's inside a request, else the service's."""
    return _acting.get()


@contextmanager
def acting(actor: Actor) -> Iterator[None]:
    """Let the code inside, and tasks that it begins, run on this account."""
    token = _acting.set(actor)
    try:
        yield
    finally:
        _acting.reset(token)


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """The rules of the gate."""

    limits: Limits
    rates: Rates
    places: Places
    open_metrics: bool = True
    open_to_all: bool = False
    """While no key exists, callers of elsewhere need none either."""
    origins: Collection[str] = ()
    """Pages of these origins may ask."""


class Gate:
    """Asks for a key and its permission, and holds each caller to a rate and a number of places."""

    def __init__(self, app: ASGIApp, house: House) -> None:
        self._app = app
        self._house = house

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # nothing of ours listens to WebSockets
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope.get("state", {}).get(CROWDED):
            await _turned_away(scope, receive, send)
            return
        token = limits.set(self._house.limits)
        try:
            if (needed := self._needed(scope)) is None:
                await self._app(scope, receive, send)
            else:
                await self._guarded(needed, scope, receive, send)
        finally:
            limits.reset(token)

    def _needed(self, scope: Scope) -> Permission | None:
        if self._house.open_metrics and scope["path"] == "/metrics":
            return None
        return permission_of(scope)

    async def _guarded(
        self, needed: Permission, scope: Scope, receive: Receive, send: Send
    ) -> None:
        caller: Caller | None = None
        allowance: Allowance | None = None

        async def send_with_allowance(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("Cache-Control", "no-store")
                headers.raw.extend((*_told_of(caller), *_told(allowance)))
            await send(message)

        try:
            caller = await self._caller(scope)
            allowance = self._house.rates.take(caller.actor)
            _check_rate(allowance)
            if not is_asked_within(scope["path"], caller.permissions):
                require(caller, needed)
        except ForewordError as error:
            await answer_to(Request(scope), error)(scope, receive, send_with_allowance)
            return
        scope["state"]["caller"] = caller
        await self._seated(caller, scope, receive, send_with_allowance)

    async def _seated(self, caller: Caller, scope: Scope, receive: Receive, send: Send) -> None:
        places = self._house.places
        if not places.enter(caller.actor):
            error = TooManyRequests(
                "Too many requests run at once.", concurrent=places.most, retry_after_s=_AGAIN_SOON
            )
            await answer_to(Request(scope), error)(scope, receive, send)
            return
        try:
            with acting(caller.actor), _in_traffic(scope):
                await self._app(scope, receive, send)
        finally:
            places.leave(caller.actor)

    async def _caller(self, scope: Scope) -> Caller:
        doorkeeper = _services(scope).doorkeeper
        headers = Headers(scope=scope)
        presented, stands = _presented(headers), goes_on_without_memory(scope["path"])
        if presented is not None and (
            doorkeeper.is_ours(presented) or await doorkeeper.needs_keys(may_stand=stands)
        ):
            address = place_of(scope["client"])
            return await doorkeeper.holder(presented, address=address, may_stand=stands)
        house = self._house
        if house.open_to_all or is_here(scope, headers, origins=house.origins):
            return await doorkeeper.anyone(may_stand=stands)
        raise NotAuthenticated


def _services(scope: Scope) -> Services:
    return cast("Services", scope["state"]["services"])


@contextmanager
def _in_traffic(scope: Scope) -> Iterator[None]:
    """Let work behind the answers give way to a request, unless it only looks how things are."""
    if scope["method"] in _LOOKS:
        yield
        return
    traffic = _services(scope).traffic
    traffic.seen()
    try:
        yield
    finally:
        traffic.seen()


def _presented(headers: Headers) -> str | None:
    """
    The key of a request: in a header of its own, or where clients of models put the provider's.

    Anthropic's put it into one that is only looked at for a key of ours.
    """
    own = headers.get(KEY)
    if own is not None:
        return own
    scheme, _, told = headers.get("authorization", "").partition(" ")
    bearer = told.strip() if scheme.lower() == "bearer" else None
    told_ours = (key for key in (bearer, headers.get(API_KEY)) if key and looks_like_a_key(key))
    return next(told_ours, bearer)


def _told_of(caller: Caller | None) -> Sequence[tuple[bytes, bytes]]:
    if caller is None:
        return ()
    return ((b"x-foreword-scopes", ", ".join(in_order(caller.permissions)).encode()),)


def _told(allowance: Allowance | None) -> Sequence[tuple[bytes, bytes]]:
    if allowance is None:
        return ()
    return (
        (b"ratelimit-limit", b"%d" % allowance.limit),
        (b"ratelimit-remaining", b"%d" % allowance.remaining),
        (b"ratelimit-reset", b"%d" % allowance.full_after),
    )


async def _turned_away(scope: Scope, receive: Receive, send: Send) -> None:
    answer = answer_to(Request(scope), TooManyConnections())
    answer.headers["Connection"] = "close"
    await answer(scope, receive, send)


def _check_rate(allowance: Allowance | None) -> None:
    if allowance is not None and allowance.retry_after is not None:
        raise TooManyRequests(
            "The rate is used up.", limit=allowance.limit, retry_after_s=allowance.retry_after
        )
