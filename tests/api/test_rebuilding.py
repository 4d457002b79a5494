"""Full text that another version of the analyser made is built anew, while the service answers."""

import asyncio

from httpx import AsyncClient
from sqlalchemy import delete, update

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.database import open_database
from app.settings import Settings
from tests.api.speaking import Json, contents, get, search, store, talking_to

HUGIN = "The server of the api team is called Hugin."


async def age(settings: Settings) -> None:
    """Leave the database as an older version did: no mark, and bags of other terms."""
    database = open_database(settings.database_url, durable=False)
    try:
        async with database.write() as connection:
            await connection.execute(delete(d.projection))
            await connection.execute(update(t.message).values(terms=b""))
    finally:
        await database.dispose()


async def complete(client: AsyncClient) -> Json:
    async with asyncio.timeout(20):
        while True:
            ready = await get(client, "/readyz")
            assert ready["status"] == "ready"
            if ready["parts"]["full_text"]["status"] == "ok":
                return ready
            await asyncio.sleep(0.01)


async def test_what_was_said_before_is_found_again(settings: Settings) -> None:
    async with talking_to(settings) as client:
        texts = [f"Note number {number} of the log." for number in range(250)]
        await store(client, *texts, HUGIN, user_id="alice")
        before = await search(client, "Who is Hugin?", user_id="alice")
        assert contents(before)[0] == HUGIN
    await age(settings)

    async with talking_to(settings) as client:
        early = await search(client, "Who is Hugin?", user_id="alice")
        if (await get(client, "/readyz"))["parts"]["full_text"]["status"] == "healing":
            assert "lexical" in {each["source"] for each in early["degraded"]}
        await store(client, "Hugin is a raven.", user_id="alice", external_id="new")
        ready = await complete(client)
        assert ready["parts"]["full_text"]["lag"] == 0
        found = await search(client, "Who is Hugin?", user_id="alice", explain=True)
        assert {HUGIN, "Hugin is a raven."} == set(contents(found)[:2])
        signals = {each["content"]: each["signals"] for each in found["results"]}
        assert signals[HUGIN]["lexical"] > 0
        assert found["degraded"] == []

    async with talking_to(settings) as client:
        assert (await get(client, "/readyz"))["parts"]["full_text"]["status"] == "ok"
        assert HUGIN in contents(await search(client, "Hugin", user_id="alice"))
