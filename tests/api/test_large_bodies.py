"""Large bodies: counted before they are parsed, and read while others are answered."""

import asyncio
import gc
import json
import time
from collections.abc import AsyncIterator, Iterator

import pytest
from httpx import AsyncClient

from app.settings import LimitSettings, Settings
from tests.api.speaking import Json, get, problem, said, talking_to

JSON = {"content-type": "application/json"}
LARGE = "A line of a log that is read beside all else.\n" * 2_000


@pytest.fixture
async def small(embedded: Settings) -> AsyncIterator[AsyncClient]:
    """A service that takes little JSON beside texts."""
    limits = LimitSettings(metadata_bytes=20, json_values=50)
    async with talking_to(embedded.model_copy(update={"limits": limits})) as client:
        yield client


@pytest.fixture(autouse=True)
def _nothing_to_look_through() -> Iterator[None]:
    """
    As in a service, which begins with `gc.freeze`.

    Else a body of many values has all that the tests before have left looked through for garbage.
    """
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


async def longest_pause(client: AsyncClient, body: bytes, path: str = "/conversations") -> float:
    """
    How much this process did at most while `/healthz` waited, as `body` was answered.

    Of its own work, in millions of turns of an empty loop at the pace of now: neither what else
    goes on on the machine counts nor how fast it is. An idle one makes some thirty in a second.
    """
    before = pace()
    posting = asyncio.create_task(client.post(path, content=body, headers=JSON))
    longest = 0.0
    while not posting.done():
        asked = time.process_time()
        await client.get("/healthz")
        await asyncio.sleep(0.001)
        longest = max(longest, time.process_time() - asked)
    assert (await posting).status_code in {200, 201, 400, 413, 422}
    return longest / max(before, pace())


def pace() -> float:
    """Seconds that a million turns of an empty loop take this process now."""
    began = time.process_time()
    for _ in range(3_000_000):
        pass
    return (time.process_time() - began) / 3


@pytest.mark.parametrize("value", [b"0", b"[]", b'""', b'"k":0'])
async def test_many_values_stop_nobody(alone: AsyncClient, value: bytes) -> None:
    held = b'{"metadata": {"a": [%s]}}' if value != b'"k":0' else b'{"metadata": {%s}}'
    assert await longest_pause(alone, held % b",".join([value] * 3_000_000)) < 40
    assert await longest_pause(alone, held % b",".join([value] * 450_000)) < 40


MANY = [0] * 30_000
FULL = {"a": "x" * 12}
MUCH = {"a": "x" * 13}


async def test_the_values_of_a_large_body_are_counted(small: AsyncClient) -> None:
    for path in ("/conversations", "/context", "/memories"):
        document = problem(await small.post(path, json={"query": MANY}), 413, "too-many-values")
        assert document["max_values"] == 50
    commas = said("[,{" * 30_000)
    assert (await small.post("/conversations", json={"messages": [commas]})).status_code == 201


METADATA: list[tuple[str, str, Json, str]] = [
    ("POST", "/conversations", {"metadata": MUCH}, "#/metadata"),
    (
        "POST",
        "/conversations",
        {"messages": [said("x", metadata=MUCH)]},
        "#/messages/0/metadata",
    ),
    (
        "POST",
        "/conversations",
        {"messages": [said(None, "assistant", tool_calls=[{"a": "x"}, {"b": "y"}])]},
        "#/messages/0/tool_calls",
    ),
    ("POST", "/memories", {"type": "fact", "content": "x", "metadata": MUCH}, "#/metadata"),
]


async def test_metadata_and_tool_calls_weigh_so_much_at_most(small: AsyncClient) -> None:
    fits = {"metadata": FULL, "messages": [said("x", tool_calls=[{"a": "b" * 8}], metadata=FULL)]}
    assert len(json.dumps(FULL, separators=(",", ":"))) == 20
    stored = await small.post("/conversations", json=fits)
    assert stored.status_code == 201
    changed = ("PATCH", f"/conversations/{stored.json()['id']}", {"metadata": MUCH}, "#/metadata")
    for method, path, body, pointer in [*METADATA, changed]:
        document = problem(await small.request(method, path, json=body), 422, "invalid-request")
        (error,) = document["errors"]
        assert error == {"pointer": pointer, "detail": "must have at most 20 bytes as JSON"}


async def test_a_large_body_is_stored_and_refused_as_a_small_one_is(alone: AsyncClient) -> None:
    fits = {"messages": [said(LARGE)], "label": "log"}
    headers = {"Idempotency-Key": "once"}
    first = await alone.post("/conversations", json=fits, headers=headers)
    again = await alone.post("/conversations", json=fits, headers=headers)
    assert (first.status_code, again.json()["id"]) == (201, first.json()["id"])
    assert again.headers["idempotency-replayed"] == "true"
    (kept,) = (await get(alone, f"/conversations/{first.json()['id']}/messages"))["items"]
    assert kept["content"] == LARGE

    answer = await alone.post("/conversations", json={"messages": [said(LARGE)], "x": 1, "y": 2})
    pointers = [each["pointer"] for each in problem(answer, 422, "invalid-request")["errors"]]
    assert pointers == ["#/x", "#/y"]
    other = {**fits, "label": "other"}
    answer = await alone.post("/conversations", json=other, headers=headers)
    problem(answer, 409, "idempotency-conflict")


@pytest.mark.parametrize(
    ("body", "status", "slug"),
    [
        (f'{{"label": "{LARGE}'.encode(), 400, "not-json"),
        (b'{"label": "\xff' + b"x" * 60_000 + b'"}', 400, "not-json"),
        (b'{"a":' * 50_000, 400, "bad-request"),
        (b'{"metadata": {"a": ' + b"1" * 60_000 + b"}}", 400, "bad-request"),
    ],
    ids=["cut off", "no utf-8", "too deep", "too long a number"],
)
async def test_a_large_body_that_is_no_json_is_400(
    alone: AsyncClient, body: bytes, status: int, slug: str
) -> None:
    problem(await alone.post("/conversations", content=body, headers=JSON), status, slug)


@pytest.mark.parametrize("size", [5_000, 60_000])
async def test_json_that_cannot_be_read_says_why(alone: AsyncClient, size: int) -> None:
    deep = b'{"metadata": ' + b'{"a":' * size + b"1" + b"}" * size + b"}"
    long = b'{"metadata": {"a": ' + b"1" * size + b"}}"
    for body, why in ((deep, "nested too deep"), (long, "too many digits")):
        answer = await alone.post("/conversations", content=body, headers=JSON)
        assert why in problem(answer, 400, "bad-request")["detail"]


async def test_a_large_body_of_another_kind_is_415(alone: AsyncClient) -> None:
    body = json.dumps({"messages": [said(LARGE)]}).encode()
    answer = await alone.post("/conversations", content=body, headers={"content-type": "text/csv"})
    problem(answer, 415, "unsupported-media-type")


def to_tool(content: str, **more: object) -> bytes:
    """A request of MCP to remember something."""
    params = {"name": "remember", "arguments": {"content": content, **more}}
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return json.dumps(request).encode()


async def test_what_models_send_is_counted_too(alone: AsyncClient) -> None:
    await alone.post("/mcp", content=to_tool("The first opens the server."), headers=JSON)
    many = to_tool("x", more=[0] * 3_000_000)
    assert await longest_pause(alone, many, "/mcp") < 20
    document = problem(await alone.post("/mcp", content=many, headers=JSON), 413, "too-many-values")
    assert document["max_values"] == 10_000
    for broken in (to_tool(LARGE)[:-1], b'{"a":' * 4_000 + b" " * 50_000, b"\xff" * 60_000):
        answer = await alone.post("/mcp", content=broken, headers=JSON)
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32700)


async def test_a_long_text_comes_through_mcp_as_it_is(alone: AsyncClient) -> None:
    text = 'Ä "quoted" \\ line\u2028 \U0001f600, [{' * 5_000
    answer = await alone.post("/mcp", content=to_tool(text, conversation="c"), headers=JSON)
    assert answer.json()["result"]["isError"] is False
    (kept,) = (await get(alone, "/conversations"))["items"]
    (message,) = (await get(alone, f"/conversations/{kept['id']}/messages"))["items"]
    assert message["content"] == text


async def test_what_models_send_has_no_more_values_than_any_body(small: AsyncClient) -> None:
    body = to_tool(LARGE, more=[0] * 60)
    document = problem(await small.post("/mcp", content=body, headers=JSON), 413, "too-many-values")
    assert document["max_values"] == 50
    assert (await small.post("/mcp", content=to_tool("Hi."), headers=JSON)).status_code == 200
