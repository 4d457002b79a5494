"""How tests speak to the application: small words for the requests that they all make."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from asgi_lifespan import LifespanManager
from httpx import ASGITransport, AsyncClient, Response

from app.main import create_app
from app.settings import (
    DatabaseSettings,
    DistilSettings,
    RetrievalSettings,
    ServerSettings,
    Settings,
)
from tests.fakes_embedder import model_cache

Json = dict[str, Any]

_TWICE = 2
_GLANCE_S = 0.08
"""Between two looks at whether all is done: each costs more than what it looks for."""


def settings_for(directory: Path, **given: Any) -> Settings:
    """
    Embedded engines in `directory`, on the model that is compiled already.

    Sources get time enough to answer on a busy machine; a test about deadlines names its own. Each
    look at the parts is a new one. What is distilled is waited for, so it gives way to nobody.
    """
    defaults = {
        "database": DatabaseSettings(durable=False),
        "distil": DistilSettings(share=1),
        "model_cache": model_cache(),
        "retrieval": RetrievalSettings(deadline_s=30),
        "server": ServerSettings(look_s=0),
    }
    return Settings(data_dir=directory / "data", **{**defaults, **given})


@asynccontextmanager
async def talking_to(settings: Settings) -> AsyncIterator[AsyncClient]:
    """Start the application, and end it."""
    async with (
        LifespanManager(create_app(settings), startup_timeout=60, shutdown_timeout=60) as manager,
        AsyncClient(
            transport=ASGITransport(manager.app), base_url="http://foreword", timeout=60
        ) as client,
    ):
        yield client


def said(content: str | None, role: str = "user", **fields: Any) -> Json:
    return {"role": role, "content": content, **fields}


async def store(client: AsyncClient, *messages: Json | str, **fields: Any) -> Json:
    """Store a conversation of `messages`, a text being a user's, and wait for all that follows."""
    answer = await client.post(
        "/conversations?wait=indexed&wait_s=180", json=_told(messages, fields)
    )
    await settled(client)
    return _body(answer, 201)


async def store_soon(client: AsyncClient, *messages: Json | str, **fields: Any) -> Json:
    """The same without waiting: where several are stored, to wait once is enough."""
    return _body(await client.post("/conversations", json=_told(messages, fields)), 201)


def _told(messages: Sequence[Json | str], fields: Json) -> Json:
    return {"messages": [said(m) if isinstance(m, str) else m for m in messages], **fields}


async def distilling_nothing(client: AsyncClient) -> AsyncClient:
    """The client of a service in which only what was said can be found."""
    _body(await client.put("/flags", json={"facts": False, "summaries": False}), 200)
    return client


async def settled(client: AsyncClient, *, at_most: float = 20) -> None:
    """
    Wait until nothing is distilled any more, and what was is indexed: both change what is answered.

    Twice in a row, since what is distilled is indexed afterwards; no longer than so many seconds,
    where a test keeps a part from working.
    """
    quiet = 0
    with suppress(TimeoutError):
        async with asyncio.timeout(at_most):
            while quiet < _TWICE:
                parts = (await client.get("/readyz")).json()["parts"]
                lags = [parts[name].get("lag", 0) for name in ("distilling", "vectors")]
                quiet = 0 if any(lags) else quiet + 1
                if not quiet:
                    await asyncio.sleep(_GLANCE_S)


async def distilled(client: AsyncClient) -> None:
    """Wait until nothing waits to be distilled; a busy machine may not tell that at once."""
    lag: int | None = None
    while lag != 0:
        await asyncio.sleep(_GLANCE_S)
        lag = (await client.get("/readyz")).json()["parts"]["distilling"]["lag"]


async def context(client: AsyncClient, query: str, **fields: Any) -> Json:
    return _body(await client.post("/context", json={"query": query, **fields}), 200)


async def search(client: AsyncClient, query: str, **fields: Any) -> Json:
    return _body(await client.post("/search", json={"query": query, **fields}), 200)


async def get(client: AsyncClient, path: str, **parameters: Any) -> Json:
    return _body(await client.get(path, params=parameters), 200)


async def erase(client: AsyncClient, path: str) -> Json:
    return _body(await client.delete(path), 200)


def contents(answer: Json) -> list[str]:
    """The texts of what was retrieved (a context) or found (a search), best first."""
    items: Sequence[Json] = answer.get("retrieved_memories") or answer.get("results") or []
    return [item["content"] for item in items]


def problem(answer: Response, status: int, slug: str) -> Json:
    """The problem document of `answer`, which must be whole."""
    document = _body(answer, status)
    assert answer.headers["content-type"] == "application/problem+json"
    assert document["type"] == f"/problems/{slug}"
    assert document["status"] == status
    assert document["title"]
    assert document["detail"]
    assert document["instance"].isascii()
    assert unquote(document["instance"]) == answer.request.url.path
    assert document["request_id"] == answer.headers["x-request-id"]
    return document


def _body(answer: Response, status: int) -> Json:
    assert answer.status_code == status, answer.text
    body: Json = answer.json()
    return body
