"""What comes back because a bundle of ours was put into a prompt is stored, and not remembered."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from httpx import AsyncClient

from tests.api.speaking import (
    Json,
    contents,
    context,
    distilling_nothing,
    erase,
    get,
    said,
    search,
    store,
)

DECISION = "We picked PostgreSQL, because of its full-text search."
REPORT = (
    "The migration has to run before the release. It takes an hour on the large tables.\n"
    "Nobody may write meanwhile; the old indexes are dropped at its end, not at its beginning."
)
ABOUT = "the full-text search of PostgreSQL, and the migration before the release"
QUESTION = "Please remind me: how long does the backup of the museum take?"


@pytest.fixture
async def client(client: AsyncClient) -> AsyncClient:
    return await distilling_nothing(client)


@pytest.fixture
async def alone(alone: AsyncClient) -> AsyncClient:
    return await distilling_nothing(alone)


async def prompt_of(client: AsyncClient, **fields: str) -> str:
    """A question behind a bundle, as agents put it to their model."""
    bundle = await context(client, ABOUT, format="markdown", **fields)
    assert DECISION in bundle["text"]
    return f"{bundle['text']}\n\n{QUESTION}"


async def messages_of(client: AsyncClient, stored: Json) -> list[Json]:
    page = await get(client, f"/conversations/{stored['id']}/messages")
    items: list[Json] = page["items"]
    return items


async def test_of_a_prompt_that_comes_back_the_question_is_remembered(client: AsyncClient) -> None:
    await store(client, DECISION, REPORT, user_id="alice")
    prompt = await prompt_of(client, user_id="alice")

    stored = await store(client, prompt, user_id="alice", external_id="next")

    (kept,) = await messages_of(client, stored)
    assert kept["content"] == prompt
    ((start, stop),) = kept["echo"]
    assert prompt[start:stop].startswith("# Memory")
    assert prompt[stop:].strip() == QUESTION
    found = await search(client, "PostgreSQL full-text search", user_id="alice")
    assert contents(found) == [DECISION]
    whole = {"types": ["message"], "conversation_ids": [stored["id"]]}
    assert contents(await search(client, QUESTION, user_id="alice", filters=whole)) == [QUESTION]
    answer, *others = (await context(client, QUESTION, user_id="alice"))["retrieved_memories"]
    assert (answer["content"], answer["type"]) == (QUESTION, "chunk")
    assert [each["content"] for each in others] in ([], [REPORT])  # which says how long it takes
    (edge,) = answer["lineage"]
    assert prompt[edge["start"] : edge["stop"]] == QUESTION
    stats = await get(client, "/memory/debug/stats")
    assert (stats["messages"], stats["chunks"], stats["vectors"]) == (3, 1, 4)


async def test_a_bundle_alone_is_kept_and_in_no_index(client: AsyncClient) -> None:
    await store(client, DECISION, REPORT, user_id="alice")
    bundle = (await context(client, "migration", format="markdown", user_id="alice"))["text"]

    stored = await store(client, said(bundle, role="assistant"), user_id="alice")

    (kept,) = await messages_of(client, stored)
    assert (kept["content"], kept["echo"]) == (bundle, [[0, len(bundle)]])
    assert (await get(client, "/memory/debug/stats"))["vectors"] == 2
    found = contents(await search(client, "migration indexes", user_id="alice"))
    assert found == [REPORT]


async def test_an_echo_may_be_appended_to_the_running_conversation(client: AsyncClient) -> None:
    stored = await store(client, DECISION, REPORT, user_id="alice")
    prompt = await prompt_of(client, user_id="alice")
    path = f"/conversations/{stored['id']}/messages"

    answer = await client.post(path, json={"messages": [said(prompt)]})

    assert answer.status_code == 201
    assert [bool(each["echo"]) for each in await messages_of(client, stored)] == [0, 0, 1]


async def test_another_user_quotes_nothing_of_ours(client: AsyncClient) -> None:
    await store(client, DECISION, REPORT, user_id="alice")
    prompt = await prompt_of(client, user_id="alice")

    stored = await store(client, prompt, user_id="bob")

    (kept,) = await messages_of(client, stored)
    assert kept["echo"] == []


async def test_who_repeats_a_sentence_is_remembered_for_it(client: AsyncClient) -> None:
    await store(client, DECISION, user_id="alice")
    await prompt_of(client, user_id="alice")

    stored = await store(client, DECISION, user_id="alice", external_id="again")

    (kept,) = await messages_of(client, stored)
    assert kept["echo"] == []
    assert (await get(client, "/memory/debug/stats"))["vectors"] == 2


async def test_what_was_said_before_it_was_shown_is_no_echo(alone: AsyncClient) -> None:
    await store(alone, DECISION, REPORT, user_id="alice")
    await prompt_of(alone, user_id="alice")
    yesterday = (datetime.now(UTC) - timedelta(days=1)).isoformat()

    stored = await store(alone, said(REPORT, created_at=yesterday), user_id="alice")

    (kept,) = await messages_of(alone, stored)
    assert kept["echo"] == []


@pytest.mark.parametrize("archived_first", [True, False])
@pytest.mark.parametrize("chunking", [True, False])
async def test_an_echo_stays_out_of_the_indexes_whatever_happens_to_its_conversation(
    alone: AsyncClient, *, archived_first: bool, chunking: bool
) -> None:
    await alone.put("/flags", json={"chunking": chunking})
    await store(alone, DECISION, REPORT, user_id="alice")
    stored = await store(alone, await prompt_of(alone, user_id="alice"), user_id="alice")
    path = f"/conversations/{stored['id']}"
    if archived_first:
        await alone.patch(path, json={"archived": True})
    await alone.patch(path, json={"archived": False})
    await store(alone, user_id="alice")

    assert contents(await search(alone, "PostgreSQL search", user_id="alice")) == [DECISION]
    assert contents(await search(alone, "museum", user_id="alice")) == [QUESTION]
    erased = (await alone.delete(path)).json()
    assert (erased["erased"]["messages"], erased["erased"]["chunks"]) == (1, chunking)
    assert (erased["erased"]["full_text"], erased["remaining"]) == (1, 0)
    assert contents(await search(alone, "PostgreSQL search", user_id="alice")) == [DECISION]


async def test_who_says_again_what_was_erased_is_heard(alone: AsyncClient) -> None:
    stored = await store(alone, DECISION, REPORT, user_id="alice")
    await prompt_of(alone, user_id="alice")
    await erase(alone, f"/conversations/{stored['id']}")

    again = await store(alone, REPORT, user_id="alice")

    (kept,) = await messages_of(alone, again)
    assert kept["echo"] == []
    assert contents(await search(alone, "migration", user_id="alice")) == [REPORT]


async def test_what_another_conversation_showed_is_told_again_after_an_erasure(
    alone: AsyncClient,
) -> None:
    stored = await store(alone, "Tomatoes grow in the greenhouse.", user_id="alice")
    await store(alone, DECISION, REPORT, user_id="alice")
    await prompt_of(alone, user_id="alice")
    await store(alone, said(REPORT), user_id="alice", external_id="written receipts")
    await erase(alone, f"/conversations/{stored['id']}")
    prompt = await prompt_of(alone, user_id="alice")

    again = await store(alone, prompt, user_id="alice")

    (kept,) = await messages_of(alone, again)
    assert kept["echo"]


@pytest.mark.parametrize("seconds", [0, 0.5])
async def test_who_says_what_a_document_said_is_heard_once_that_is_gone(
    client: AsyncClient, seconds: float
) -> None:
    """Receipts are written four times a second: it may be noted already, or not yet."""
    told = {"type": "document", "content": f"{DECISION}\n{REPORT}", "source": "plan.md"}
    document = (await client.post("/memories?wait=indexed", json=told)).json()
    await store(client, "Tomatoes grow in the greenhouse.", user_id="alice")
    await prompt_of(client, user_id="alice")
    await asyncio.sleep(seconds)
    await erase(client, f"/memories/{document['id']}")

    again = await store(client, REPORT, user_id="alice")

    (kept,) = await messages_of(client, again)
    assert kept["echo"] == []
    assert contents(await search(client, "migration", user_id="alice")) == [REPORT]


@pytest.mark.parametrize("seconds", [0, 0.5])
async def test_who_says_again_what_was_archived_is_heard(
    client: AsyncClient, seconds: float
) -> None:
    stored = await store(client, DECISION, REPORT, user_id="alice")
    await prompt_of(client, user_id="alice")
    await asyncio.sleep(seconds)
    await client.patch(f"/conversations/{stored['id']}", json={"archived": True})

    again = await store(client, REPORT, user_id="alice")

    (kept,) = await messages_of(client, again)
    assert kept["echo"] == []
    assert contents(await search(client, "migration", user_id="alice")) == [REPORT]


GREENHOUSE = "Tomatoes grow in the greenhouse behind the museum."
A_FACT = {"type": "fact", "content": "Alice likes tomatoes.", "user_id": "alice"}
WAYS_TO_GO = ["message", "conversation", "memory", "archived", "document"]


async def something_goes(client: AsyncClient, way: str, stored: Json, memories: Json) -> None:
    """Any deletion that has nothing to do with what the prompt quotes."""
    conversation = f"/conversations/{stored['id']}"
    match way:
        case "message":
            await erase(client, f"/messages/{stored['message_ids'][0]}")
        case "conversation":
            await erase(client, conversation)
        case "archived":
            await client.patch(conversation, json={"archived": True})
        case _:
            await erase(client, f"/memories/{memories[way]}")


@pytest.mark.parametrize("way", WAYS_TO_GO)
async def test_a_prompt_of_before_a_deletion_is_an_echo_after_it(
    client: AsyncClient, way: str
) -> None:
    stored = await store(client, GREENHOUSE, user_id="alice")
    a_document = {"type": "document", "content": "Tomatoes are fruits.", "source": "fruits.md"}
    memories = {
        told["type"]: (await client.post("/memories?wait=indexed", json=told)).json()["id"]
        for told in (A_FACT, a_document)
    }
    await store(client, DECISION, REPORT, user_id="alice")
    prompt = await prompt_of(client, user_id="alice")
    of_all = {"memory": memories["fact"], "document": memories["document"]}
    await something_goes(client, way, stored, of_all)

    again = await store(client, prompt, user_id="alice")

    (kept,) = await messages_of(client, again)
    assert kept["echo"]
    found = contents(await search(client, "the migration before the release", user_id="alice"))
    assert [each for each in found if "migration" in each] == [REPORT]


@pytest.mark.parametrize("kind", ["messages", "conversations"])
async def test_of_what_a_prompt_showed_only_what_is_gone_is_heard_again(
    client: AsyncClient, kind: str
) -> None:
    doomed = await store(client, REPORT, user_id="alice")
    await store(client, DECISION, user_id="alice")
    assert REPORT.splitlines()[0] in await prompt_of(client, user_id="alice")
    gone = {"messages": doomed["message_ids"][0], "conversations": doomed["id"]}[kind]
    await erase(client, f"/{kind}/{gone}")

    quoted = await store(client, f"> {DECISION}\n\n{QUESTION}", user_id="alice")
    again = await store(client, REPORT, user_id="alice")

    assert [bool(each["echo"]) for each in await messages_of(client, quoted)] == [True]
    assert [each["echo"] for each in await messages_of(client, again)] == [[]]
