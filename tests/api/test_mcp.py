"""The service for models, spoken to with the SDK's own client over HTTP."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from inspect import cleandoc
from typing import Any
from uuid import uuid4

import httpx2
import pytest
from httpx import AsyncClient
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from app.settings import LimitSettings, Settings
from tests.api.keyed import a_key
from tests.api.listening import Listening, listening_to
from tests.api.speaking import store

HUGIN = "The deployment server of the api team is called Hugin."
QUESTION = "What is the deployment server called?"
TOOLS = {"remember", "recall", "search", "list_conversations", "get_conversation", "forget"}


@pytest.fixture
async def listening(embedded: Settings) -> AsyncIterator[Listening]:
    async with listening_to(embedded) as running:
        yield running


@asynccontextmanager
async def a_model(
    listening: Listening, key: str | None = None, user: str | None = None, mode: str = "auto"
) -> AsyncIterator[Client]:
    given = {"Authorization": f"Bearer {key}" if key else None, "X-Foreword-User": user}
    headers = {name: value for name, value in given.items() if value is not None}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60, trust_env=False) as http,
        Client(
            streamable_http_client(f"{listening.url}/mcp", http_client=http), mode=mode
        ) as client,
    ):
        yield client


async def told(client: Client, tool: str, **arguments: Any) -> str:
    """The words of an answer."""
    answer = await client.call_tool(tool, arguments)
    assert not answer.is_error, answer
    return "\n".join(each.text for each in answer.content if each.type == "text")


async def given(client: Client, tool: str, **arguments: Any) -> Any:
    """The values of an answer."""
    answer = await client.call_tool(tool, arguments)
    assert not answer.is_error, answer
    return answer.structured_content


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    answer = await client.call_tool(tool, arguments)
    assert answer.is_error, answer
    (text,) = answer.content
    assert text.type == "text"
    return text.text


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_model_remembers_recalls_and_forgets(listening: Listening, mode: str) -> None:
    async with a_model(listening, mode=mode) as client:
        assert "recall" in (client.instructions or "")
        remembered = await told(client, "remember", content=HUGIN)
        assert HUGIN in await told(client, "recall", query=QUESTION)
        found = await given(client, "search", query=QUESTION)
        (memory,) = found["memories"]
        assert memory["content"] == HUGIN
        assert memory["id"] in remembered
        assert "1 memory items" in await told(client, "forget", id=memory["id"])
        assert "Nothing in memory" in await told(client, "recall", query=QUESTION)
        assert "nothing under this id" in await refused(client, "forget", id=memory["id"])


async def test_each_tool_says_what_it_is_for(listening: Listening) -> None:
    async with a_model(listening) as client:
        tools = {each.name: each for each in (await client.list_tools()).tools}
        assert set(tools) == TOOLS
        for tool in tools.values():
            assert len(tool.description or "") > 60, tool.name
            assert tool.description == cleandoc(tool.description or ""), tool.name
            assert tool.input_schema["additionalProperties"] is False
            assert "ctx" not in tool.input_schema["properties"]
            for name, argument in tool.input_schema["properties"].items():
                assert "description" in argument, (tool.name, name)
        hints = {name: tool.annotations for name, tool in tools.items() if tool.annotations}
        assert {name for name, each in hints.items() if each.read_only_hint} == TOOLS - {
            "remember",
            "forget",
        }
        assert [name for name, each in hints.items() if each.destructive_hint] == ["forget"]


async def test_what_is_wrong_with_a_call_is_told_in_plain_words(listening: Listening) -> None:
    async with a_model(listening) as client:
        strange = await refused(client, "remember", content=HUGIN, user="alice")
        assert strange.endswith(
            "remember takes content, conversation, importance, user_id; not 'user'."
        )
        assert HUGIN not in await told(client, "recall", query=QUESTION)
        several = await refused(client, "recall", query="", budget_tokens=1)
        assert several.startswith("query: ")
        assert " budget_tokens: Input should be greater than or equal to 50." in several
        assert "pydantic" not in several
        assert await refused(client, "forget") == "id: Field required."
        assert await refused(client, "remember", content="") == "content: must not be empty."


async def test_conversations_are_listed_read_and_erased(listening: Listening) -> None:
    async with a_model(listening) as client:
        for number in range(3):
            await told(client, "remember", content=f"Nr. {number}", conversation="diary")
        await told(client, "remember", content="Other", conversation="other")
        listed = await given(client, "list_conversations", limit=1)
        assert (listed["conversations"][0]["name"], listed["next_cursor"] is None) == (
            "other",
            False,
        )
        (diary,) = (await given(client, "list_conversations", text="dia"))["conversations"]
        first = await given(client, "get_conversation", conversation_id=diary["id"], limit=2)
        assert [each["content"] for each in first["messages"]] == ["Nr. 0", "Nr. 1"]
        rest = await given(
            client, "get_conversation", conversation_id=diary["id"], cursor=first["next_cursor"]
        )
        assert [each["content"] for each in rest["messages"]] == ["Nr. 2"]
        assert "1 messages" in await told(client, "forget", id=first["messages"][0]["id"])
        assert "2 messages" in await told(client, "forget", id=diary["id"])
        assert "no such conversation" in await refused(
            client, "get_conversation", conversation_id=diary["id"]
        )


async def test_a_conversation_is_read_by_its_own_name(listening: Listening) -> None:
    async with a_model(listening) as client:
        for user in (None, "alice"):
            whose = {} if user is None else {"user_id": user}
            said = f"Nr. {user}"
            await told(client, "remember", content=said, conversation="diary", **whose)
            page = await given(client, "get_conversation", name="diary", **whose)
            assert page["conversation"]["name"] == "diary"
            assert [each["content"] for each in page["messages"]] == [said]
        hers = {"conversation_id": page["conversation"]["id"]}
        assert await given(client, "get_conversation", **hers, user_id="alice") == page
        assert await given(client, "get_conversation", **hers) == page
        for wanted in (
            {"name": "dairy"},
            {"name": "diary", "user_id": "bob"},
            {**hers, "user_id": "bob"},
        ):
            assert "no such conversation" in await refused(client, "get_conversation", **wanted)
        for unclear in ({}, {**hers, "name": "diary"}):
            assert "conversation_id or name" in await refused(client, "get_conversation", **unclear)
    async with a_model(listening, user="alice") as client:
        assert await given(client, "get_conversation", name="diary") == page
    async with a_model(listening, user="bob") as client:
        assert "no such conversation" in await refused(client, "get_conversation", name="diary")


async def test_what_tools_were_called_is_told_in_a_line(listening: Listening) -> None:
    called = {"id": "1", "type": "function"} | {
        "function": {"name": "weather", "arguments": '{"city":\n "Oslo"}'}
    }
    other = {"id": "2", "type": "function", "function": {"name": "time", "arguments": {"tz": "å"}}}
    said = [
        {"role": "user", "content": "How warm is it?"},
        {"role": "assistant", "content": None, "tool_calls": [called]},
        {"role": "assistant", "content": "And when?", "tool_calls": [other, {"name": "x"}]},
    ]
    async with AsyncClient(base_url=listening.url, timeout=60, trust_env=False) as plain:
        stored = (await plain.post("/conversations", json={"messages": said})).json()
    async with a_model(listening) as client:
        found = await given(client, "get_conversation", conversation_id=stored["id"])
        assert [each["content"] for each in found["messages"]] == [
            "How warm is it?",
            '[calls weather({"city": "Oslo"})]',
            'And when?\n[calls time({"tz": "å"})]\n[calls x()]',
        ]
        whole = await read(client, f"foreword://conversations/{stored['id']}")
        assert '> [calls weather({"city": "Oslo"})]' in whole


async def test_conversations_and_bundles_are_resources(listening: Listening) -> None:
    async with a_model(listening) as client:
        await told(client, "remember", content=f"{HUGIN}\n# Not a heading", conversation="diary")
        templates = (await client.list_resource_templates()).resource_templates
        assert {each.uri_template for each in templates} == {
            "foreword://conversations/{conversation_id}",
            "foreword://bundles/{bundle_id}",
        }
        (resource,) = (await client.list_resources()).resources
        assert (resource.name, resource.mime_type) == ("diary", "text/markdown")
        transcript = await read(client, resource.uri)
        assert transcript.startswith('# "diary"\n\nuser, ')
        assert f"> {HUGIN}\n> # Not a heading" in transcript
        answer = await client.call_tool("recall", {"query": QUESTION})
        (link,) = [each.uri for each in answer.content if each.type == "resource_link"]
        bundle = json.loads(await read(client, link))
        assert HUGIN in bundle["retrieved_memories"][0]["content"]
        for missing in (f"conversations/{uuid4()}", f"bundles/{uuid4()}", "conversations/x"):
            with pytest.raises(MCPError):
                await read(client, f"foreword://{missing}")


async def read(client: Client, uri: str) -> str:
    (content,) = (await client.read_resource(uri)).contents
    text: str = content.text  # type: ignore[union-attr]
    return text


async def test_a_recalled_text_keeps_its_budget(listening: Listening) -> None:
    async with a_model(listening) as client, AsyncClient(base_url=listening.url) as plain:
        for name in ("Hugin", "Munin", "Odin", "Freya", "Loki"):
            content = f"{name} is a deployment server; it belongs to the team of {name}'s friends."
            await told(client, "remember", content=content)
        # Once this is indexed, so is what was written before: else their ranks are still moving.
        await store(plain, "Well.", user_id="nobody")
        large = await told(client, "recall", query=QUESTION)
        answer = await client.call_tool("recall", {"query": QUESTION, "budget_tokens": 80})
        assert 0 < len(answer.content[0].text) < len(large)  # type: ignore[union-attr]
        (link,) = [each.uri for each in answer.content if each.type == "resource_link"]
        bundle = await plain.get("/bundles/" + link.rpartition("/")[2])
        assert bundle.json()["metadata"]["total_tokens"] <= 80


async def test_keys_scopes_and_tenants_hold_here_too(embedded: Settings) -> None:
    _, reads = await a_key(embedded, "acme", scopes="read")
    _, writes = await a_key(embedded, "acme", scopes="read,write")
    _, other = await a_key(embedded, "other", scopes="read,write,admin")
    async with listening_to(embedded) as listening:
        with pytest.raises(BaseExceptionGroup):
            async with a_model(listening):
                pass
        async with a_model(listening, writes) as client:
            await told(client, "remember", content=HUGIN)
            (memory,) = (await given(client, "search", query=QUESTION))["memories"]
        async with a_model(listening, reads) as client:
            assert HUGIN in await told(client, "recall", query=QUESTION)
            assert "scope" in await refused(client, "remember", content=HUGIN)
            assert "scope" in await refused(client, "forget", id=memory["id"])
        async with a_model(listening, other) as client:
            assert HUGIN not in await told(client, "recall", query=QUESTION)
            await refused(client, "forget", id=memory["id"])
        headers = {"Authorization": f"Bearer {other}"}
        async with AsyncClient(base_url=listening.url, headers=headers) as plain:
            audit = (await plain.get("/admin/audit")).json()["items"]
            assert all(each["action"] == "key.created" for each in audit)
        async with a_model(listening, writes) as client:
            await told(client, "remember", content="More")
        assert "ratelimit-remaining" in (await ping(listening, writes)).headers


async def test_a_key_that_only_writes_can_remember_and_forget(embedded: Settings) -> None:
    _, writes = await a_key(embedded, "acme", scopes="write")
    _, reads = await a_key(embedded, "acme", scopes="read")
    _, governs = await a_key(embedded, "acme", scopes="admin")
    async with listening_to(embedded) as listening:
        async with a_model(listening, writes) as client:
            kept = await told(client, "remember", content=HUGIN)
            identity = kept.removesuffix(".").rpartition(" ")[2]
            assert "scope" in await refused(client, "recall", query=QUESTION)
            assert "scope" in await refused(client, "search", query=QUESTION)
            assert "scope" in await refused(client, "list_conversations")
            with pytest.raises(MCPError, match="scope"):
                await client.list_resources()
        async with a_model(listening, reads) as client:
            assert HUGIN in await told(client, "recall", query=QUESTION)
        async with a_model(listening, writes) as client:
            await told(client, "forget", id=identity)
        async with a_model(listening, reads) as client:
            assert HUGIN not in await told(client, "recall", query=QUESTION)
        assert (await ping(listening, governs)).status_code == HTTPStatus.FORBIDDEN


async def ping(listening: Listening, key: str) -> httpx2.Response:
    headers = {"Authorization": f"Bearer {key}", "Accept": "application/json, text/event-stream"}
    async with httpx2.AsyncClient(headers=headers, trust_env=False) as http:
        body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        return await http.post(f"{listening.url}/mcp", json=body)


async def test_who_writes_is_in_the_audit_log(embedded: Settings) -> None:
    key_id, key = await a_key(embedded, "acme", scopes="read,write,admin")
    async with listening_to(embedded) as listening:
        async with a_model(listening, key) as client:
            await told(client, "remember", content=HUGIN)
        headers = {"Authorization": f"Bearer {key}"}
        async with AsyncClient(base_url=listening.url, headers=headers) as plain:
            newest = (await plain.get("/admin/audit")).json()["items"][0]
        assert str(key_id) in str(newest)


async def test_a_connection_for_one_user_is_for_nobody_else(listening: Listening) -> None:
    async with a_model(listening) as client:
        await told(client, "remember", content=HUGIN, conversation="c", user_id="alice")
        assert HUGIN not in await told(client, "recall", query=QUESTION)
        assert HUGIN in await told(client, "recall", query=QUESTION, user_id="alice")
        (listed,) = (await given(client, "list_conversations", user_id="alice"))["conversations"]
    async with a_model(listening, user="alice") as client:
        assert HUGIN in await told(client, "recall", query=QUESTION)
        assert "one user" in await refused(client, "recall", query=QUESTION, user_id="bob")
    async with a_model(listening, user="bob") as client:
        assert HUGIN not in await told(client, "recall", query=QUESTION)
        await refused(client, "get_conversation", conversation_id=listed["id"])
        await refused(client, "forget", id=listed["id"])


async def test_limits_hold_here_too(embedded: Settings) -> None:
    limits = LimitSettings(message_chars=20, query_chars=10)
    async with (
        listening_to(embedded.model_copy(update={"limits": limits})) as listening,
        a_model(listening) as client,
    ):
        assert "at most 20" in await refused(client, "remember", content="x" * 21)
        assert "at most 10" in await refused(client, "recall", query="x" * 11)
        assert "NUL" in await refused(client, "remember", content="a\0")
        await refused(client, "recall", query="")
        await refused(client, "recall", query="x", budget_tokens=1)
        await refused(client, "forget", id="everything")


async def test_a_page_of_elsewhere_gets_nothing(listening: Listening) -> None:
    async with AsyncClient(base_url=listening.url) as plain:
        body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        headers = {
            "Origin": "https://evil.example",
            "Accept": "application/json, text/event-stream",
        }
        assert (await plain.post("/mcp", json=body, headers=headers)).status_code == 401
        metrics = (await plain.get("/metrics")).text
        assert 'route="/mcp"' not in metrics
        await plain.post("/mcp", json=body, headers={"Accept": headers["Accept"]})
        assert 'route="/mcp"' in (await plain.get("/metrics")).text
