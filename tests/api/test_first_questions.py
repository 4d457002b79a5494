"""What a user asked before anything was stored of them goes with them, too."""

import asyncio

import pytest
from httpx import AsyncClient

from tests.api.speaking import context, erase, get, problem, store

QUESTION = "What did Doctor Weiss say about my knee?"
_WRITTEN_S = 1.5
"""After which receipts are written: that is done once a second."""


@pytest.mark.parametrize("stored", [False, True])
@pytest.mark.parametrize("documents", [False, True])
@pytest.mark.parametrize("seconds", [0, _WRITTEN_S])
async def test_of_an_erased_user_no_question_is_kept(
    client: AsyncClient, seconds: float, *, documents: bool, stored: bool
) -> None:
    if documents:
        told = {"type": "document", "content": "Knees are seen by Doctor Weiss.", "source": "a.md"}
        assert (await client.post("/memories?wait=indexed", json=told)).status_code == 201
    asked = await context(client, QUESTION, user_id="alice")
    others = await context(client, QUESTION, user_id="bob")
    await asyncio.sleep(seconds)
    if stored:
        await store(client, "My knee hurts.", user_id="alice")

    receipt = await erase(client, "/users/alice")

    assert receipt["erased"]["bundles"] == 1
    await asyncio.sleep(_WRITTEN_S - seconds)
    problem(await client.get(f"/bundles/{asked['bundle_id']}"), 404, "bundle-not-found")
    assert (await get(client, f"/bundles/{others['bundle_id']}"))["query"] == QUESTION
