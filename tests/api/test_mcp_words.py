"""What models are told in words, and what they may not leave blank."""

import re
from collections.abc import AsyncIterator

import pytest
from httpx import AsyncClient
from mcp.client.client import Client

from app.settings import Settings
from tests.api.listening import Listening, listening_to
from tests.api.speaking import store
from tests.api.test_mcp import HUGIN, a_model, given, refused, told


@pytest.fixture
async def listening(embedded: Settings) -> AsyncIterator[Listening]:
    async with listening_to(embedded) as running:
        yield running


async def counted(client: Client, identity: str) -> dict[str, int]:
    """What `forget` says that it erased, by what it was."""
    words = await told(client, "forget", id=identity)
    assert re.fullmatch(r"Erased: (nothing|\d+ [a-z ]+(, \d+ [a-z ]+)*)", words), words
    return {
        name.replace(" ", "_"): int(count) for count, name in re.findall(r"(\d+) ([a-z ]+)", words)
    }


async def test_what_was_erased_is_told_as_the_receipt_counts_it(listening: Listening) -> None:
    async with (
        a_model(listening) as client,
        AsyncClient(base_url=listening.url, timeout=60, trust_env=False) as plain,
    ):
        for name in ("by a model", "over HTTP"):
            await store(plain, HUGIN, "It is in Bergen.", external_id=name)
        over_http, by_model = (await given(client, "list_conversations"))["conversations"]
        receipt = (await plain.delete(f"/conversations/{over_http['id']}")).json()["erased"]
        erased = await counted(client, by_model["id"])
        assert erased == {name: count for name, count in receipt.items() if count}
        assert (erased["messages"], erased["vectors"]) == (2, 2)

        noted = await told(client, "remember", content=HUGIN)
        assert (await counted(client, noted.rstrip(".").split()[-1]))["memory_items"] == 1


@pytest.mark.parametrize("blank", [" ", "\n", "\t \u3000"])
async def test_what_is_blank_is_not_remembered(listening: Listening, blank: str) -> None:
    async with a_model(listening) as client:
        for arguments in ({"content": blank}, {"content": blank, "conversation": "diary"}):
            assert await refused(client, "remember", **arguments) == "content: must not be blank."
        told_so = await refused(client, "remember", content=HUGIN, conversation=blank)
        assert told_so == "conversation: must not be blank."
        assert (await given(client, "list_conversations"))["conversations"] == []
    async with AsyncClient(base_url=listening.url, trust_env=False) as plain:
        assert (await plain.get("/memories")).json()["items"] == []
