"""A connection that names its user reaches nothing of anybody else: it is as if it were not."""

from collections.abc import AsyncIterator
from uuid import uuid4

import pytest
from httpx import AsyncClient
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError

from app.settings import Settings
from tests.api.listening import Listening, listening_to
from tests.api.test_mcp import HUGIN, QUESTION, a_model, given, read, refused, told

SECRET = "The vault of Alice is behind the clock."


@pytest.fixture
async def listening(embedded: Settings) -> AsyncIterator[Listening]:
    async with listening_to(embedded) as running:
        yield running


async def alices(listening: Listening) -> dict[str, str]:
    """What Alice has, by kind: the id of each."""
    async with a_model(listening, user="alice") as client:
        await told(client, "remember", content=HUGIN, conversation="diary")
        noted = await told(client, "remember", content=SECRET)
        (listed,) = (await given(client, "list_conversations"))["conversations"]
        page = await given(client, "get_conversation", conversation_id=listed["id"])
        answer = await client.call_tool("recall", {"query": QUESTION})
        (link,) = [each.uri for each in answer.content if each.type == "resource_link"]
    return {
        "conversation": listed["id"],
        "message": page["messages"][0]["id"],
        "memory": noted.rstrip(".").rpartition(" ")[2],
        "bundle": link.rpartition("/")[2],
    }


async def a_document(listening: Listening) -> str:
    async with AsyncClient(base_url=listening.url) as plain:
        document = {"type": "document", "content": "Everybody may read this.", "source": "wiki"}
        stored = await plain.post("/memories?wait=indexed", json=document)
    assert stored.status_code == 201, stored.text
    return str(stored.json()["id"])


async def unreadable(client: Client, kind: str, identity: str) -> str:
    with pytest.raises(MCPError) as error:
        await read(client, f"foreword://{kind}/{identity}")
    return str(error.value).replace(identity, "ID")


async def test_what_is_another_users_is_refused_like_what_is_not_there(
    listening: Listening,
) -> None:
    hers, document, nothing = await alices(listening), await a_document(listening), str(uuid4())
    async with a_model(listening, user="bob") as client:
        await told(client, "remember", content="Bob was here.")
        for kind in ("conversation", "message", "memory"):
            assert await refused(client, "forget", id=hers[kind]) == await refused(
                client, "forget", id=nothing
            )
        await refused(client, "forget", id=document)
        for tool, more in (("get_conversation", {}), ("recall", {"query": QUESTION})):
            there, not_there = [
                await refused(client, tool, conversation_id=each, **more)
                for each in (hers["conversation"], nothing)
            ]
            assert there.replace(hers["conversation"], nothing) == not_there
        for kind in ("conversation", "bundle"):
            there, not_there = [
                await unreadable(client, f"{kind}s", each) for each in (hers[kind], nothing)
            ]
            assert there == not_there
        assert (await client.list_resources()).resources == []
        assert (await given(client, "list_conversations"))["conversations"] == []
        assert SECRET not in await told(client, "recall", query="Where is the vault of Alice?")


async def test_what_was_refused_is_all_still_there(listening: Listening) -> None:
    hers = await alices(listening)
    async with a_model(listening, user="bob") as client:
        for kind in ("conversation", "message", "memory"):
            await refused(client, "forget", id=hers[kind])
    async with a_model(listening, user="alice") as client:
        assert HUGIN in await read(client, f"foreword://conversations/{hers['conversation']}")
        assert HUGIN in await read(client, f"foreword://bundles/{hers['bundle']}")
        assert SECRET in await told(client, "recall", query="Where is the vault of Alice?")
        assert "1 messages" in await told(client, "forget", id=hers["message"])
        assert "1 memory items" in await told(client, "forget", id=hers["memory"])
