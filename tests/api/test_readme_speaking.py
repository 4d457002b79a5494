"""The examples of README and docs of speaking to the service do what they say."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from app.settings import Settings
from tests.api.keyed import a_key
from tests.api.listening import listening_to
from tests.api.proxied import in_front_of
from tests.api.serving import COMMAND, PATIENCE, environment
from tests.api.test_mcp import HUGIN, QUESTION, told
from tests.readme import HERE, examples
from tests.stand_in_model import Script, messaged, said_back, stand_in_model

REPLY = "You keep it on PostgreSQL."


@pytest.mark.parametrize(
    ("told", "reply", "memory_in"),
    [
        (
            examples("python", "In front of a model"),
            said_back(REPLY),
            lambda body: body["messages"][0]["content"],
        ),
        (examples("python", "Anthropic's API"), messaged(REPLY), lambda body: body["system"]),
    ],
    ids=["OpenAI", "Anthropic"],
)
async def test_an_application_gets_a_memory_by_another_base_url(
    embedded: Settings, told: list[str], reply: Script, memory_in: Callable[[Any], str]
) -> None:
    (code,) = told
    decided = "We decided to keep the database on PostgreSQL."
    keys = {"OPENAI_API_KEY": "sk-test", "ANTHROPIC_API_KEY": "sk-test"}
    with stand_in_model() as model:
        model.answers(reply)
        async with in_front_of(model, embedded) as service:
            await service.remembers(decided, user_id="alice")
            assert HERE in code
            ran = await asyncio.to_thread(
                subprocess.run,
                [sys.executable, "-c", code.replace(HERE, service.listening.url)],
                env=environment(embedded.data_dir) | keys,
                capture_output=True,
                text=True,
                timeout=PATIENCE,
                check=False,
            )
        assert ran.stdout == f"{REPLY}\n", ran.stderr
        assert decided in memory_in(model.last.body)


def configured() -> dict[str, Any]:
    (told,) = examples("json", "For models: MCP")
    servers: dict[str, Any] = json.loads(told)["mcpServers"]
    return servers


async def test_an_application_starts_the_command_that_it_is_told(tmp_path: Path) -> None:
    given = configured()["memory"]
    assert given["command"] == COMMAND.name
    started = StdioServerParameters(
        command=str(COMMAND), args=given["args"], env=environment(tmp_path), cwd=tmp_path
    )
    async with Client(started, read_timeout_seconds=PATIENCE) as client:
        await told(client, "remember", content=HUGIN)
        assert HUGIN in await told(client, "recall", query=QUESTION, user_id="alice")


async def test_an_application_speaks_to_the_address_that_it_is_told(embedded: Settings) -> None:
    _, key = await a_key(embedded)
    given = configured()["team-memory"]
    headers = given["headers"] | {"Authorization": f"Bearer {key}"}
    assert given["headers"].keys() == headers.keys()
    async with (
        listening_to(embedded) as listening,
        httpx2.AsyncClient(headers=headers, timeout=PATIENCE, trust_env=False) as http,
        Client(
            streamable_http_client(given["url"].replace(HERE, listening.url), http_client=http)
        ) as client,
    ):
        await told(client, "remember", content=HUGIN)
        assert HUGIN in await told(client, "recall", query=QUESTION)
