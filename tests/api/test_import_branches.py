"""Importing a tree of messages again once another of its branches is current."""

import pytest
from httpx import AsyncClient

from tests.api.importing import NOTHING, imported
from tests.exports import ASKED, HUGIN, MUNIN, chatgpt_conversation, claude_conversation, spelled

LOOKED, NEW = "hosts: hugin", f"{HUGIN}\n[image]"
BEFORE = spelled([chatgpt_conversation(current_node="old")])
SINCE = spelled([chatgpt_conversation()])


async def messages(client: AsyncClient) -> list[tuple[str, bool]]:
    """What was said in the only conversation, in order, and whether that was left."""
    listed = (await client.get("/conversations", params={"user_id": "alice"})).json()["items"]
    page = (await client.get(f"/conversations/{listed[0]['id']}/messages")).json()["items"]
    assert len(listed) == 1
    assert listed[0]["message_count"] == len(page)
    return [(each["content"], each["aside"]) for each in page]


async def history(client: AsyncClient, external_id: str) -> list[str]:
    wanted = {
        "query": "And then?",
        "user_id": "alice",
        "conversation_external_id": external_id,
    }
    bundle = (await client.post("/context", json=wanted)).json()
    return [each["content"] for each in bundle["recent_history"]]


async def test_the_branch_that_was_left_is_kept_aside(client: AsyncClient) -> None:
    await imported(client, BEFORE, user_id="alice")
    assert await messages(client) == [(ASKED, False), (MUNIN, False)]
    assert await history(client, "chat-1") == [ASKED, MUNIN]

    told = await imported(client, SINCE, user_id="alice")

    assert told == {**NOTHING, "messages": 2, "duplicates": 1}
    assert await messages(client) == [(ASKED, False), (MUNIN, True), (LOOKED, False), (NEW, False)]
    assert await history(client, "chat-1") == [ASKED, LOOKED, NEW]


async def test_what_was_left_is_found_all_the_same(client: AsyncClient) -> None:
    await imported(client, BEFORE, user_id="alice")
    await imported(client, SINCE, user_id="alice")
    found = await client.post("/search", json={"query": "Munin", "user_id": "alice"})
    assert MUNIN in [each["content"] for each in found.json()["results"]]


async def test_who_goes_back_to_a_branch_has_it_as_it_was(client: AsyncClient) -> None:
    for file in (BEFORE, SINCE, SINCE):
        await imported(client, file, user_id="alice")

    assert await imported(client, BEFORE, user_id="alice") == {**NOTHING, "duplicates": 2}

    assert await messages(client) == [(ASKED, False), (MUNIN, False), (LOOKED, True), (NEW, True)]
    assert await history(client, "chat-1") == [ASKED, MUNIN]


async def test_what_was_said_here_since_is_never_aside(alone: AsyncClient) -> None:
    await imported(alone, BEFORE, user_id="alice")
    here = {
        "external_id": "chat-1",
        "user_id": "alice",
        "messages": [{"role": "user", "content": "Are you sure?"}],
    }
    await alone.post("/conversations", json=here)

    await imported(alone, SINCE, user_id="alice")

    assert ("Are you sure?", False) in await messages(alone)


async def test_a_tree_that_is_damaged_leaves_nothing(alone: AsyncClient) -> None:
    await imported(alone, SINCE, user_id="alice")
    damaged = chatgpt_conversation()
    damaged["mapping"]["looked"]["parent"] = "gone"

    await imported(alone, spelled([damaged]), user_id="alice")

    assert not any(aside for _, aside in await messages(alone))


@pytest.mark.parametrize("leaf", ["a2", "b2"])
async def test_of_claude_too_the_current_branch_is_gone_on_with(
    alone: AsyncClient, leaf: str
) -> None:
    root = "00000000-0000-4000-8000-000000000000"
    said = [
        {"uuid": "q", "parent_message_uuid": root, "sender": "human", "text": ASKED},
        {"uuid": "a1", "parent_message_uuid": "q", "sender": "assistant", "text": MUNIN},
        {"uuid": "a2", "parent_message_uuid": "a1", "sender": "human", "text": "Really?"},
        {"uuid": "b1", "parent_message_uuid": "q", "sender": "assistant", "text": HUGIN},
        {"uuid": "b2", "parent_message_uuid": "b1", "sender": "human", "text": "Thanks."},
    ]
    for current in ("a2", "b2", leaf):
        told = claude_conversation(chat_messages=said, current_leaf_message_uuid=current)
        await imported(alone, spelled([told]), user_id="alice")

    left = {content for content, aside in await messages(alone) if aside}

    assert left == ({MUNIN, "Really?"} if leaf == "b2" else {HUGIN, "Thanks."})


async def test_what_is_aside_stays_so_wherever_it_moves(client: AsyncClient) -> None:
    await imported(client, BEFORE, user_id="alice")
    await imported(client, SINCE, user_id="alice")
    exported = (await client.get("/export", params={"user_id": "alice"})).content
    before = await messages(client)
    await client.delete("/users/alice")

    await imported(client, exported)

    assert await messages(client) == before
    again = (await client.get("/export", params={"user_id": "alice"})).content
    assert again == exported
