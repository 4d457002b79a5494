"""What is said under a label is found by its words, however much else is as near."""

import pytest
from httpx import AsyncClient
from sqlalchemy import delete

from app.adapters.sql import tables_derived as d
from app.adapters.sql.database import open_database
from app.settings import Settings
from tests.api.speaking import (
    contents,
    context,
    distilling_nothing,
    erase,
    settled,
    store_soon,
    talking_to,
)

QUERY = "What did we decide in the kickoff of project Atlas?"
LABEL, ANSWER = "Project Atlas kickoff", "Nadia takes the lead, with 40k at most."
OTHERS = [
    f"In the kickoff of project {name} number {at} we decided what to do in that project."
    for name in ("Comet", "Dynamo", "Ember", "Falcon")
    for at in range(80)
]


async def tell(client: AsyncClient, *, label: str | None = LABEL, user_id: str = "alice") -> str:
    """An answer under a label, among hundreds of messages that are nearer to the question."""
    await distilling_nothing(client)
    told = await store_soon(client, ANSWER, label=label, user_id=user_id)
    await store_soon(client, *OTHERS, user_id=user_id)
    await settled(client)
    return str(told["id"])


async def answered(client: AsyncClient, query: str = QUERY, **fields: object) -> bool:
    """Whether the answer stands first."""
    bundle = await context(client, query, **{"user_id": "alice", **fields})
    assert contents(bundle)
    return contents(bundle)[0] == ANSWER


async def is_found(client: AsyncClient, query: str = QUERY, **fields: object) -> bool:
    return ANSWER in contents(await context(client, query, **{"user_id": "alice", **fields}))


@pytest.fixture
async def told(client: AsyncClient) -> tuple[AsyncClient, str]:
    return client, await tell(client)


async def test_a_label_brings_what_was_said_under_it(told: tuple[AsyncClient, str]) -> None:
    client, conversation = told
    assert await answered(client)
    assert not await answered(client, "What did we decide in the kickoff of project Borealis?")

    out = {"exclude_conversation_ids": [conversation]}
    assert not await is_found(client, filters=out)
    assert not await is_found(client, filters={"labels": ["Other"]})
    assert not await is_found(client, as_of="2020-01-01T00:00:00Z")
    await store_soon(client, *OTHERS, user_id="bob")
    await settled(client)
    assert not await is_found(client, user_id="bob")

    await client.put("/flags", json={"hybrid": False})
    assert not await is_found(client)


async def test_a_label_is_looked_up_as_it_is_now(told: tuple[AsyncClient, str]) -> None:
    client, conversation = told
    path, borealis = f"/conversations/{conversation}", QUERY.replace("Atlas", "Borealis")
    await client.patch(path, json={"label": "Project Borealis kickoff"})
    assert await answered(client, borealis)
    assert not await is_found(client)

    await client.patch(path, json={"label": None})
    assert not await is_found(client, borealis)

    await client.patch(path, json={"label": LABEL})
    assert await answered(client)
    await client.patch(path, json={"archived": True})
    assert not await is_found(client)
    await client.patch(path, json={"archived": False})
    await settled(client)
    assert await answered(client)

    await erase(client, path)
    assert not await is_found(client)


async def test_labels_of_before_are_indexed_at_the_start(settings: Settings) -> None:
    async with talking_to(settings) as client:
        await tell(client)
    database = open_database(settings.database_url, durable=False)
    try:
        async with database.write() as connection:
            await connection.execute(delete(d.label_term))
            await connection.execute(
                delete(d.projection).where(d.projection.c.name == "label_terms")
            )
    finally:
        await database.dispose()

    async with talking_to(settings) as client:
        assert await answered(client)
