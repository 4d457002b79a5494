"""Writers, erasers and workers at one user's memory: none waits for one that waits for it."""

import asyncio
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from random import Random
from typing import Any

import asyncpg  # type: ignore[import-untyped]  # no types are published for it
import pytest
from httpx import AsyncClient
from sqlalchemy.engine import make_url

from app.settings import Settings
from tests.api.speaking import talking_to
from tests.databases import SERVER, text_of

pytestmark = pytest.mark.postgres

WRITERS, ACTS = 6, 30
ANIMALS = ("owl", "fox", "hare")
SAID = ("I moved to Lisbon last week.", "We decided on PostgreSQL.", "My manager Tom likes owls.")
MET = {HTTPStatus.OK, HTTPStatus.CREATED, HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT}

_HALF = 0.5

Act = Callable[["Writer"], Awaitable[int]]


class Writer:
    """Stores, tells and erases at random; `mine` are ids of what it stored, by path."""

    def __init__(self, client: AsyncClient, seed: int) -> None:
        self.client, self.any = client, Random(seed)
        self.mine: dict[str, list[str]] = {"conversations": [], "messages": [], "memories": []}

    async def act(self) -> int:
        (act,) = self.any.choices(list(ACTS_OF), list(ACTS_OF.values()))
        return await act(self)

    async def say(self) -> int:
        said = [{"role": "user", "content": self.any.choice(SAID)} for _ in range(3)]
        answer = await self._post("/conversations", messages=said)
        if answer["status"] == HTTPStatus.CREATED:
            self.mine["conversations"].append(answer["id"])
            self.mine["messages"] += answer["message_ids"]
        return int(answer["status"])

    async def tell(self) -> int:
        animal = self.any.choice(ANIMALS)
        about = {"subject": "Team", "attribute": "mascot", "value": animal}
        answer = await self._post("/memories", type="fact", content=f"{animal}!", metadata=about)
        if answer["status"] == HTTPStatus.CREATED:
            self.mine["memories"].append(answer["id"])
        return int(answer["status"])

    async def ask(self) -> int:
        return int((await self._post("/context", query="Who likes owls?"))["status"])

    async def archive(self) -> int:
        if not (ids := self.mine["conversations"]):
            return HTTPStatus.OK
        path, archived = f"/conversations/{self.any.choice(ids)}", self.any.random() < _HALF
        return (await self.client.patch(path, json={"archived": archived})).status_code

    async def sum_up(self) -> int:
        if not (ids := self.mine["conversations"]):
            return HTTPStatus.OK
        path = f"/conversations/{self.any.choice(ids)}/summaries"
        return (await self.client.post(path)).status_code

    async def delete(self) -> int:
        kind, ids = self.any.choice(list(self.mine.items()))
        path = f"/{kind}/{ids.pop(self.any.randrange(len(ids)))}" if ids else "/users/alice"
        return (await self.client.delete(path)).status_code

    async def _post(self, path: str, **body: Any) -> dict[str, Any]:
        answer = await self.client.post(path, json={"user_id": "alice", **body})
        return {**answer.json(), "status": answer.status_code}


ACTS_OF: dict[Act, int] = {
    Writer.say: 3,
    Writer.tell: 3,
    Writer.ask: 2,
    Writer.archive: 1,
    Writer.sum_up: 1,
    Writer.delete: 4,
}


async def deadlocks(settings: Settings) -> int:
    """So many as the server has met in this database; told once its connections are closed."""
    name = make_url(settings.database_url).database
    plain = await asyncpg.connect(text_of(SERVER.set(drivername="postgresql")))
    try:
        wanted = "SELECT deadlocks FROM pg_stat_database WHERE datname = $1"
        return int(await plain.fetchval(wanted, name))
    finally:
        await plain.close()


async def test_nobody_waits_for_somebody_who_waits_for_them(at_scale: Settings) -> None:
    before = await deadlocks(at_scale)
    async with talking_to(at_scale) as client:

        async def write(seed: int) -> set[int]:
            writer = Writer(client, seed)
            return {await writer.act() for _ in range(ACTS)}

        answers = set().union(*await asyncio.gather(*map(write, range(WRITERS))))
    assert answers <= MET
    assert await deadlocks(at_scale) == before
