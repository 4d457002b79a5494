"""An OpenAI-compatible API behind HTTP, for the proxy."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from http.cookiejar import CookieJar
from urllib.parse import urlsplit, urlunsplit

import httpx
from cachetools import LRUCache

from app.adapters.trust import trust
from app.domain.errors import UpstreamTimedOut, UpstreamUnavailable
from app.ports.upstream import HeaderList, Passed

_KEPT_ALIVE = 100
"""Connections that wait for the next request."""

_IDLE_S = 50.0
"""
How long each of them does: people think for longer than the five seconds that httpx allows, and
every new connection costs them its handshakes. Below what load balancers and servers allow (60 and
75 by default): what is closed over there first is noticed, but not while the next request leaves.
"""

_PATHS = 256
"""Of the upstream, that are remembered as URLs: some are asked each time, some only once."""


class HttpReply:
    """An answer whose body is still to come."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response

    @property
    def status(self) -> int:
        return self._response.status_code

    @property
    def headers(self) -> HeaderList:
        return [(name.lower(), value) for name, value in self._response.headers.multi_items()]

    async def chunks(self) -> AsyncIterator[bytes]:
        with _translated():
            async for chunk in self._response.aiter_raw():
                yield chunk

    def decoded(self, body: bytes) -> bytes:
        encoding = self._response.headers.get("content-encoding", "identity")
        if encoding == "identity":
            return body
        try:
            return httpx.Response(200, headers={"content-encoding": encoding}, content=body).content
        except httpx.DecodingError:
            return b""


class HttpUpstream:
    """
    Passes requests on.

    Nothing is kept between them but connections: cookies of one caller's answers never reach
    another caller's requests, and redirects are the caller's to follow.
    """

    def __init__(self, client: httpx.AsyncClient, base_url: str) -> None:
        self._client = client
        self._base = base_of(base_url)
        self._urls: LRUCache[str, httpx.URL] = LRUCache(_PATHS)

    @asynccontextmanager
    async def ask(self, passed: Passed) -> AsyncIterator[HttpReply]:
        request = httpx.Request(
            passed.method, self._url(passed), headers=[*passed.headers], content=passed.body or None
        )
        with _translated():
            response = await self._client.send(request, stream=True)
        try:
            yield HttpReply(response)
        finally:
            await response.aclose()

    def _url(self, passed: Passed) -> httpx.URL:
        """What a path amounts to is parsed once; a caller's query is its own each time."""
        if passed.path not in self._urls:
            self._urls[passed.path] = httpx.URL(self._base + passed.path)
        url = self._urls[passed.path]
        return url.copy_with(query=passed.query.encode()) if passed.query else url


class _NoCookies(CookieJar):
    """Looks for none, which would take as long as half of the rest."""

    def extract_cookies(self, response: object, request: object) -> None:
        pass

    def add_cookie_header(self, request: object) -> None:
        pass


def open_client(url: str, *, timeout_s: float, connect_s: float) -> httpx.AsyncClient:
    """
    The connections to the upstream at `url`.

    `timeout_s` bounds each silence, not the whole answer.
    """
    return httpx.AsyncClient(
        timeout=httpx.Timeout(timeout_s, connect=connect_s),
        limits=httpx.Limits(
            max_connections=None,
            max_keepalive_connections=_KEPT_ALIVE,
            keepalive_expiry=_IDLE_S,
        ),
        cookies=_NoCookies(),
        verify=trust(url),
        follow_redirects=False,
    )


def base_of(url: str) -> str:
    """The URL that paths are put behind; of a server alone, that of its first version."""
    scheme, netloc, path, _, _ = urlsplit(url)
    path = path.rstrip("/").removesuffix("/chat/completions") or "/v1"
    return urlunsplit((scheme, netloc, path, "", ""))


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except httpx.TimeoutException as error:
        raise UpstreamTimedOut from error
    except httpx.HTTPError as error:
        raise UpstreamUnavailable(type(error).__name__) from error
