"""`foreword mcp` as an application starts it, spoken to with the SDK's own client."""

import asyncio
import json
import signal
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters

from tests.api.serving import COMMAND, PATIENCE, context, environment, run, serving
from tests.api.test_mcp import HUGIN, QUESTION, TOOLS, read, refused, told

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


@asynccontextmanager
async def a_model(directory: Path, *arguments: str, **settings: str) -> AsyncIterator[Client]:
    started = StdioServerParameters(
        command=str(COMMAND),
        args=["mcp", *arguments],
        env=environment(directory, **settings),
        cwd=directory,
    )
    async with Client(started, read_timeout_seconds=PATIENCE) as client:
        yield client


async def test_without_a_server_it_opens_the_store_itself(tmp_path: Path) -> None:
    async with a_model(tmp_path) as client:
        assert {each.name for each in (await client.list_tools()).tools} == TOOLS
        await told(client, "remember", content=HUGIN, conversation="diary")
        assert HUGIN in await told(client, "recall", query=QUESTION)
        async with a_model(tmp_path, "--user-id", "bob") as another:  # it finds the first one
            assert HUGIN not in await told(another, "recall", query=QUESTION)
            assert "one user" in await refused(another, "search", query="x", user_id="alice")
            await told(another, "remember", content="Bob likes tea.")
        async with a_model(tmp_path, MCP__USER_ID="bob") as another:
            assert "Bob likes tea." in await told(another, "recall", query="tea")
            assert "one user" in await refused(another, "search", query="x", user_id="alice")
        async with a_model(tmp_path, "--user-id", "eve", MCP__USER_ID="bob") as another:
            assert "Bob likes tea." not in await told(another, "recall", query="tea")
        (diary,) = (await client.list_resources()).resources
        assert HUGIN in await read(client, diary.uri)
        assert "Bob likes tea." in await told(client, "recall", query="tea", user_id="bob")
    assert not (tmp_path / "data" / "server.json").exists()
    async with a_model(tmp_path) as client:
        assert HUGIN in await told(client, "recall", query=QUESTION)


async def test_those_that_begin_at_once_serve_one_memory(tmp_path: Path) -> None:
    async def remember(content: str) -> None:
        async with a_model(tmp_path) as client:
            await told(client, "remember", content=content)

    await asyncio.gather(remember(HUGIN), remember("Munin is a build machine."))
    async with a_model(tmp_path) as client:
        found = await told(client, "recall", query="Which machines and servers are there?")
    assert HUGIN in found
    assert "Munin" in found


async def test_where_the_first_one_ends_the_second_goes_on(tmp_path: Path) -> None:
    """And is found by a third one, as the first was."""
    here, leave = asyncio.Event(), asyncio.Event()

    async def be_first() -> None:
        async with a_model(tmp_path) as first:
            await told(first, "remember", content=HUGIN)
            here.set()
            await leave.wait()

    being_first = asyncio.create_task(be_first())
    await here.wait()
    async with a_model(tmp_path, "--user-id", "bob") as second:
        await told(second, "remember", content="Bob likes tea.")
        leave.set()
        await being_first
        assert "Bob likes tea." in await told(second, "recall", query="tea")
        async with a_model(tmp_path) as third:
            assert HUGIN in await told(third, "recall", query=QUESTION)
        assert "Bob likes tea." in await told(second, "recall", query="tea")
    assert not (tmp_path / "data" / "server.json").exists()


async def test_where_the_server_is_killed_the_next_one_is_found(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        async with a_model(tmp_path) as client:
            await told(client, "remember", content=HUGIN)
            server.kill()
            with serving(tmp_path) as another:
                assert HUGIN in await told(client, "recall", query=QUESTION)
                assert another.end() == 0
            assert HUGIN in await told(client, "recall", query=QUESTION)  # itself


async def test_it_talks_to_the_server_that_runs(tmp_path: Path) -> None:
    with serving(tmp_path) as server, server.client() as plain:
        async with a_model(tmp_path) as client:
            await told(client, "remember", content=HUGIN)
        found = context(plain, QUESTION)["retrieved_memories"]
        assert [each["content"] for each in found] == [HUGIN]
        made = run(tmp_path, "keys", "create", "--tenant", "acme", "--name", "mcp", "--json")
        key = json.loads(made.stdout)["key"]
        async with a_model(tmp_path, "--url", server.url, "--key", key) as client:
            assert HUGIN not in await told(client, "recall", query=QUESTION)
        elsewhere = {"CLIENT__URL": server.url, "CLIENT__KEY": key}
        async with a_model(tmp_path, **elsewhere) as client:
            await told(client, "remember", content="Acme brews tea.")
            assert HUGIN not in await told(client, "recall", query=QUESTION)
        asked = run(tmp_path, "ask", "Who brews tea?", "--json", **elsewhere)
        (memory,) = json.loads(asked.stdout)["retrieved_memories"]
        assert memory["content"] == "Acme brews tea."
        async with a_model(tmp_path) as client:  # the server's own key opens it as ever
            assert HUGIN in await told(client, "recall", query=QUESTION)


def test_standard_output_carries_nothing_but_the_protocol(tmp_path: Path) -> None:
    lines = [HELLO, {"jsonrpc": "2.0", "method": "notifications/initialized"}, "no message"]
    ended = subprocess.run(
        [COMMAND, "mcp"],
        input="".join(json.dumps(each) + "\n" for each in lines),
        env=environment(tmp_path, LOG__LEVEL="debug"),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        cwd=tmp_path,
    )
    assert ended.returncode == 0, ended.stderr
    answers = [json.loads(line) for line in ended.stdout.splitlines()]
    assert all(each["jsonrpc"] == "2.0" for each in answers)
    assert answers[0]["result"]["serverInfo"]["name"] == "foreword"
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_as_the_end_of_the_input_does(tmp_path: Path, number: int) -> None:
    with subprocess.Popen(
        [COMMAND, "mcp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(tmp_path),
        cwd=tmp_path,
    ) as speaking:
        assert speaking.stdin is not None
        assert speaking.stdout is not None
        assert speaking.stderr is not None
        speaking.stdin.write(json.dumps(HELLO).encode() + b"\n")
        speaking.stdin.flush()
        assert json.loads(speaking.stdout.readline())["id"] == HELLO["id"]
        speaking.send_signal(number)
        assert speaking.wait(PATIENCE) == 0
        assert b"Traceback" not in speaking.stderr.read()
    assert not (tmp_path / "data" / "server.json").exists()


@pytest.mark.parametrize("url", ["http://127.0.0.1:9", "nowhere"])
def test_a_server_that_is_not_there_is_told_in_one_line(tmp_path: Path, url: str) -> None:
    ended = run(tmp_path, "mcp", "--url", url)
    assert (ended.returncode, ended.stdout) == (2, "")
    (line,) = ended.stderr.splitlines()
    assert line.startswith(f"foreword: the server at {url} does not answer")


def test_without_a_key_that_opens_it_says_what_every_command_says(tmp_path: Path) -> None:
    run(tmp_path, "keys", "create", "--tenant", "acme", "--name", "mcp")
    with serving(tmp_path) as server:
        for key in ((), ("--key", "wrong")):
            told = [
                run(tmp_path, *command, "--url", server.url, *key)
                for command in (("mcp",), ("ask", "Who?"))
            ]
            assert [each.returncode for each in told] == [2, 2]
            assert told[0].stderr == told[1].stderr
            assert told[0].stderr.startswith("foreword: A valid API key is needed.")


def test_a_server_that_speaks_no_mcp_is_told_in_words(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        url = f"{server.url}/nowhere"
        ended = run(tmp_path, "mcp", "--url", url)
    assert (ended.returncode, ended.stdout) == (2, "")
    (line,) = ended.stderr.splitlines()
    assert line.startswith(f"foreword: the server at {url} does not answer: ")
    assert "TaskGroup" not in line


def test_a_key_that_cannot_be_one_is_told_in_one_line(tmp_path: Path) -> None:
    ended = run(tmp_path, "mcp", "--url", "http://127.0.0.1:9", "--key", "schlüssel")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "foreword: the key has characters that no key has\n"


async def test_a_user_may_have_any_name(tmp_path: Path) -> None:
    async with a_model(tmp_path, "--user-id", "zoë ∎") as client:
        await told(client, "remember", content=HUGIN)
        assert HUGIN in await told(client, "recall", query=QUESTION)
