"""How much, how often and how many at once: each limit is a setting, each told clearly."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import pytest
from asgi_lifespan import LifespanManager
from httpx import AsyncClient

from app.main import create_app
from app.settings import LimitSettings, ServerSettings, Settings
from tests.api.keyed import a_caller, a_key, the_service
from tests.api.speaking import Json, problem, said, talking_to
from tests.exports import lines_of

JSON = {"content-type": "application/json"}


def limited(settings: Settings, **limits: float) -> Settings:
    return settings.model_copy(update={"limits": LimitSettings.model_validate(limits)})


@pytest.fixture
async def small(embedded: Settings) -> AsyncIterator[AsyncClient]:
    """A service that takes little of everything."""
    most = {"messages": 2, "message_chars": 10, "query_chars": 12, "list_items": 3, "filter_ids": 2}
    little = limited(embedded, body_s=0.2, **most)
    async with talking_to(little) as client:
        yield client


def ids(number: int) -> list[str]:
    return [str(uuid4()) for _ in range(number)]


FITS: list[tuple[str, Json]] = [
    ("/conversations", {"messages": [said("x" * 10), said("\N{GRINNING FACE}" * 10)]}),
    ("/conversations", {"system_prompt": "x" * 10, "tags": ["a", "b", "c"]}),
    ("/context", {"query": "q" * 12}),
    ("/search", {"query": "q", "filters": {"labels": ["a", "b", "c"], "conversation_ids": ids(2)}}),
]
TOO_MUCH: list[tuple[str, Json, str, int]] = [
    ("/conversations", {"messages": [said("x")] * 3}, "#/messages", 2),
    ("/conversations", {"messages": [said("x" * 11)]}, "#/messages/0/content", 10),
    ("/conversations", {"system_prompt": "x" * 11}, "#/system_prompt", 10),
    ("/conversations", {"tags": ["x"] * 4}, "#/tags", 3),
    (
        "/conversations",
        {"messages": [said(None, "assistant", tool_calls=[{}] * 4)]},
        "#/messages/0/tool_calls",
        3,
    ),
    (f"/conversations/{uuid4()}/messages", {"messages": [said("x")] * 3}, "#/messages", 2),
    ("/context", {"query": "q" * 13}, "#/query", 12),
    ("/search", {"query": "q" * 13}, "#/query", 12),
    ("/context", {"query": "q", "preferred_labels": ["x"] * 4}, "#/preferred_labels", 3),
    *(
        ("/context", {"query": "q", "filters": {name: value * 4}}, f"#/filters/{name}", 3)
        for name, value in (
            ("labels", ["x"]),
            ("tags", ["x"]),
            ("exclude_terms", ["x"]),
            ("roles", ["user"]),
            ("types", ["message"]),
        )
    ),
    *(
        ("/context", {"query": "q", "filters": {name: ids(3)}}, f"#/filters/{name}", 2)
        for name in ("conversation_ids", "exclude_conversation_ids")
    ),
]


async def test_what_is_too_much_is_422_and_tells_the_most(small: AsyncClient) -> None:
    for path, body in FITS:
        assert (await small.post(path, json=body)).status_code in {200, 201}, body
    for path, body, pointer, most in TOO_MUCH:
        document = problem(await small.post(path, json=body), 422, "invalid-request")
        (error,) = document["errors"]
        assert error["pointer"] == pointer
        assert f"at most {most} " in error["detail"]
    asked = await small.get("/memory/debug/retrieval", params={"q": "q" * 13})
    assert problem(asked, 422, "invalid-request")["errors"][0]["pointer"] == "query:q"


async def test_the_description_of_the_api_tells_the_limits(small: AsyncClient) -> None:
    schemas = (await small.get("/openapi.json")).json()["components"]["schemas"]
    assert schemas["ConversationIn"]["properties"]["messages"]["maxItems"] == 2
    assert schemas["ContextIn"]["properties"]["query"]["maxLength"] == 12
    filters = schemas["FiltersIn"]["properties"]
    assert (filters["labels"]["maxItems"], filters["conversation_ids"]["maxItems"]) == (3, 2)
    content = schemas["MessageIn"]["properties"]["content"]["anyOf"][0]
    assert content["maxLength"] == 10


async def test_a_body_that_does_not_come_is_408(small: AsyncClient) -> None:
    async def dribble() -> AsyncIterator[bytes]:
        yield b'{"query": '
        await asyncio.Event().wait()

    answer = await small.post("/context", content=dribble(), headers=JSON)

    assert problem(answer, 408, "body-too-slow")["max_seconds"] == 0.2
    assert answer.headers["connection"] == "close"


@pytest.mark.parametrize(
    ("limits", "seconds"),
    [({"body_s": 60, "import_s": 0.3}, 0.3), ({"body_s": 0.01, "import_s": 60}, 0.01)],
    ids=["all in all", "one part"],
)
async def test_an_import_that_only_drips_is_408(
    embedded: Settings, limits: dict[str, float], seconds: float
) -> None:
    async def drip() -> AsyncIterator[bytes]:
        while True:
            yield b"x"
            await asyncio.sleep(0.05)

    async with talking_to(limited(embedded, **limits)) as client:
        async with asyncio.timeout(30):
            answer = await client.post("/import", content=drip())
    assert problem(answer, 408, "body-too-slow")["max_seconds"] == seconds


async def test_a_rate_that_is_used_up_is_429_for_that_key_only(embedded: Settings) -> None:
    slow = limited(embedded, requests_per_s=0.001, burst=3)
    (_, eager), (_, calm) = await a_key(slow), await a_key(slow)
    async with the_service(slow) as app, a_caller(app, eager) as one, a_caller(app, calm) as other:
        answers = [await one.get("/conversations") for _ in range(4)]
        assert [each.status_code for each in answers] == [200, 200, 200, 429]
        left = [each.headers["ratelimit-remaining"] for each in answers]
        assert left == ["2", "1", "0", "0"]
        assert {each.headers["ratelimit-limit"] for each in answers} == {"3"}

        document = problem(answers[3], 429, "too-many-requests")
        assert answers[3].headers["retry-after"] == str(document["retry_after_s"])
        assert 900 < document["retry_after_s"] <= 1_000
        assert 2_900 < int(answers[3].headers["ratelimit-reset"]) <= 3_000

        assert (await other.get("/conversations")).status_code == 200
        assert (await one.get("/healthz")).status_code == 200
        assert "ratelimit-limit" not in (await one.get("/healthz")).headers


async def test_no_rate_is_no_header(embedded: Settings) -> None:
    async with talking_to(limited(embedded, requests_per_s=0)) as client:
        answer = await client.get("/conversations")
    assert answer.status_code == 200
    assert "ratelimit-limit" not in answer.headers


async def test_too_many_at_once_are_429_until_one_is_done(embedded: Settings) -> None:
    app = create_app(limited(embedded, concurrent=2))
    done, running = asyncio.Event(), asyncio.Semaphore(0)

    async def wait() -> str:
        running.release()
        await done.wait()
        return "done"

    app.add_api_route("/wait", wait)
    async with LifespanManager(app, startup_timeout=60) as manager, a_caller(manager.app) as caller:
        waiting = [asyncio.create_task(caller.get("/wait")) for _ in range(2)]
        for _ in waiting:
            await running.acquire()
        refused = await caller.get("/conversations")
        document = problem(refused, 429, "too-many-requests")
        assert (document["concurrent"], refused.headers["retry-after"]) == (2, "1")
        assert (await caller.get("/healthz")).status_code == 200
        done.set()
        assert [(await each).status_code for each in waiting] == [200, 200]
        assert (await caller.get("/conversations")).status_code == 200


@pytest.mark.parametrize("path", ["/conversations", "/export"])
async def test_an_answer_that_nobody_takes_gives_its_place_back(
    embedded: Settings, path: str
) -> None:
    asked, answered, never = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def receive() -> Json:
        if asked.is_set():
            await never.wait()
        asked.set()
        return {"type": "http.request", "body": b""}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.body":
            answered.set()
            await never.wait()

    scope = {
        "type": "http",
        "method": "GET",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [],
        "client": ("127.0.0.1", 1),
        "http_version": "1.1",
        "scheme": "http",
        "server": ("foreword", 80),
        "root_path": "",
    }
    slow = limited(embedded, concurrent=1, answer_s=0.2)
    async with the_service(slow) as app, a_caller(app) as caller:
        running = asyncio.create_task(app({**scope}, receive, send))
        await answered.wait()
        problem(await caller.get("/conversations"), 429, "too-many-requests")
        async with asyncio.timeout(30):
            await running
        assert (await caller.get("/conversations")).status_code == 200


async def test_every_answer_shields_the_browser(embedded: Settings) -> None:
    async with talking_to(embedded) as client:
        for path, policy in (
            ("/conversations", "default-src 'none'; frame-ancestors 'none'"),
            ("/nothing", "default-src 'none'; frame-ancestors 'none'"),
            ("/docs", "script-src 'self'; style-src 'self';"),
        ):
            headers = (await client.get(path)).headers
            assert policy in headers["content-security-policy"]
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["x-frame-options"] == "DENY"
            assert headers["referrer-policy"] == "no-referrer"


PREFLIGHT = {
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "authorization",
}


async def test_pages_of_elsewhere_may_not_ask_unless_their_origin_is_named(
    embedded: Settings,
) -> None:
    page = "https://app.example.com"
    async with talking_to(embedded) as client:
        answer = await client.options("/context", headers={"Origin": page, **PREFLIGHT})
        assert not any(each.startswith("access-control") for each in answer.headers)
    named = embedded.model_copy(update={"server": ServerSettings(cors_origins=(page,))})
    async with talking_to(named) as client:
        for origin, allowed in ((page, page), ("https://evil.example", None)):
            headers = {"Origin": origin, **PREFLIGHT}
            answer = await client.options("/context", headers=headers)
            assert answer.headers.get("access-control-allow-origin") == allowed
            asked = await client.post("/context", json={"query": "q"}, headers={"Origin": origin})
            assert asked.status_code == (200 if allowed else 401)
            assert asked.headers.get("access-control-allow-origin") == allowed


async def test_websockets_are_refused(embedded: Settings) -> None:
    sent: list[Any] = []

    async def receive() -> Json:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        sent.append(message)

    async with the_service(embedded) as app:
        await app({"type": "websocket", "path": "/x", "headers": []}, receive, send)
    assert sent == [{"type": "websocket.close", "code": 1008}]


async def test_of_an_import_what_is_too_large_beside_a_text_is_rejected_with_its_place(
    embedded: Settings,
) -> None:
    much = {"m": "x" * 100}
    calls = [{"function": {"name": "look", "arguments": "x" * 50}}] * 2
    told = [
        {"role": "user", "content": "One.", "metadata": much},
        {"role": "user", "content": "Two.", "metadata": {"m": "é" * 40}},
        {"role": "assistant", "content": "Three.", "tool_calls": calls},
        {"role": "assistant", "content": "Four.", "metadata": {"m": "x" * 80}},
    ]
    file = lines_of(
        {"id": "a", "messages": told},
        {"id": "b", "messages": told[3:], "metadata": much},
        {"record": "memory", "type": "fact", "content": "Five.", "metadata": much},
        {"record": "memory", "type": "fact", "content": "Six.", "metadata": {}},
    )
    async with talking_to(limited(embedded, metadata_bytes=100)) as client:
        answer = (await client.post("/import", content=file)).json()
    assert (answer["messages"], answer["memories"]) == (2, 1)
    rejected = {each["at"]: each["reason"] for each in answer["rejected"]}
    assert rejected == {
        "line 1.messages[0]": "metadata has more than 100 bytes as JSON",
        "line 1.messages[2]": "tool_calls has more than 100 bytes as JSON",
        "line 2": "metadata has more than 100 bytes as JSON",
        "line 3": "metadata has more than 100 bytes as JSON",
    }
