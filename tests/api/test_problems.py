"""Errors as RFC 9457 documents, and what every response carries."""

import gzip
import re
from collections.abc import AsyncIterator
from uuid import uuid4

import pytest
from asgi_lifespan import LifespanManager
from httpx import ASGITransport, AsyncClient, Response

from app.api.problems import STATUS
from app.domain import errors
from app.main import create_app
from app.settings import LimitSettings, Settings
from tests.api.keyed import a_caller
from tests.api.speaking import get, problem, said, store, talking_to

JSON = {"content-type": "application/json"}
NOBODY = uuid4()
ELSEWHERE = {"conversation_external_id": "chat"}


def test_every_error_of_ours_has_a_status() -> None:
    ours = {
        each
        for each in vars(errors).values()
        if isinstance(each, type) and issubclass(each, errors.ForewordError)
    }
    assert ours - set(STATUS) == {errors.ForewordError}


def test_every_error_of_ours_has_a_title() -> None:
    for each in STATUS:
        assert each().title.endswith("."), each


@pytest.mark.parametrize(
    "body", [b"{", b"", b"nope", b'{"query": }', b"{'query': 'q'}", b'{"query": "q"} x', b"[1"]
)
async def test_what_is_not_json_is_400(alone: AsyncClient, body: bytes) -> None:
    for path in ("/context", "/conversations"):
        answer = await alone.post(path, content=body, headers=JSON)
        if body:
            problem(answer, 400, "not-json")
        else:
            problem(answer, 422, "invalid-request")


@pytest.mark.parametrize("body", [b'{"query": "\xff\xfe"}', b'{"query": "\xc3("}'])
async def test_what_is_not_utf_8_is_400_and_says_so(alone: AsyncClient, body: bytes) -> None:
    told = problem(await alone.post("/context", content=body, headers=JSON), 400, "not-json")
    assert told["detail"] == "The body is not in UTF-8."


@pytest.mark.parametrize("body", [b'{"query": "\xff"}', b"\xfe\xff", b'"\xc0\x80"'])
async def test_what_is_not_utf_8_is_400(alone: AsyncClient, body: bytes) -> None:
    answer = await alone.post("/context", content=body, headers=JSON)
    assert answer.status_code == 400
    assert answer.headers["content-type"] == "application/problem+json"


async def test_an_unknown_path_is_404(alone: AsyncClient) -> None:
    for path in ("/nothing", "/", "/v1", "/%00"):
        problem(await alone.get(path), 404, "not-found")


async def test_a_wrong_method_is_405_and_tells_the_right_ones(alone: AsyncClient) -> None:
    answer = await alone.put("/context", json={})
    problem(answer, 405, "method-not-allowed")
    assert answer.headers["allow"] == "POST"
    problem(await alone.delete("/conversations"), 405, "method-not-allowed")


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", "/conversations", "GET, POST"),
        ("PUT", "/memories", "GET, POST"),
        ("POST", "/users/alice/consent", "DELETE, GET, PUT"),
        ("POST", "/flags", "GET, PUT"),
        ("PUT", "/memories/x", "DELETE, GET, PATCH"),
    ],
)
async def test_all_methods_of_a_path_are_told(
    alone: AsyncClient, method: str, path: str, allowed: str
) -> None:
    answer = await alone.request(method, path)
    told = problem(answer, 405, "method-not-allowed")
    assert answer.headers["allow"] == allowed
    assert told["detail"] == f"This path takes {allowed}."


async def test_another_media_type_is_415(alone: AsyncClient) -> None:
    for kind in (
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
    ):
        for path in ("/context", "/conversations"):
            answer = await alone.post(
                path, content=b'{"query": "q"}', headers={"content-type": kind}
            )
            problem(answer, 415, "unsupported-media-type")


async def test_a_body_of_no_media_type_is_415(alone: AsyncClient) -> None:
    answer = await alone.post("/context", content=b'{"query": "q"}')
    problem(answer, 415, "unsupported-media-type")


async def test_json_may_say_more_about_itself(alone: AsyncClient) -> None:
    for kind in ("application/json; charset=utf-8", "Application/JSON", "application/x+json"):
        answer = await alone.post(
            "/context", content=b'{"query": "q"}', headers={"content-type": kind}
        )
        assert answer.status_code == 200, kind


@pytest.fixture
async def small(embedded: Settings) -> AsyncIterator[AsyncClient]:
    """A service that takes bodies of a thousand bytes."""
    limits = LimitSettings(body_bytes=1_000)
    async with talking_to(embedded.model_copy(update={"limits": limits})) as client:
        yield client


async def test_a_body_that_is_too_large_is_413(small: AsyncClient) -> None:
    fits = b'{"query": "' + b"q" * (1_000 - 13) + b'"}'
    assert len(fits) == 1_000
    assert (await small.post("/context", content=fits, headers=JSON)).status_code == 200

    told = problem(
        await small.post("/context", content=fits + b" ", headers=JSON), 413, "body-too-large"
    )

    assert told["max_bytes"] == 1_000


async def test_a_compressed_body_is_415(small: AsyncClient) -> None:
    packed = gzip.compress(b'{"query": "q"}')
    answer = await small.post(
        "/context", content=packed, headers=JSON | {"content-encoding": "GZIP"}
    )
    problem(answer, 415, "body-compressed")
    plain = JSON | {"content-encoding": "identity"}
    assert (
        await small.post("/context", content=b'{"query": "q"}', headers=plain)
    ).status_code == 200


async def test_a_body_of_untold_length_is_413_as_soon_as_it_is_too_large(
    small: AsyncClient,
) -> None:
    async def endless() -> AsyncIterator[bytes]:
        while True:
            yield b" " * 100

    answer = await small.post("/context", content=endless(), headers=JSON)

    problem(answer, 413, "body-too-large")


@pytest.mark.parametrize(
    ("path", "body", "pointer"),
    [
        ("/context", [], "#"),
        ("/context", {"query": "q", "conversation_id": str(NOBODY), **ELSEWHERE}, "#"),
        ("/context", {"": 1, "query": "q"}, "#/"),
        ("/users/ann/consent", {"purposes": {"fame": True}}, "#/purposes/fame"),
        ("/users/ann/consent", {"purposes": {"a/b~": True}}, "#/purposes/a~1b~0"),
    ],
)
async def test_a_pointer_leads_to_what_is_wrong_also_where_that_is_a_key_or_all_of_it(
    alone: AsyncClient, path: str, body: object, pointer: str
) -> None:
    method = "PUT" if path.startswith("/users") else "POST"
    told = problem(await alone.request(method, path, json=body), 422, "invalid-request")
    assert [each["pointer"] for each in told["errors"]] == [pointer]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/conversations?wiat=indexed", {"messages": [said("x")]}),
        ("POST", "/context?wiat=indexed", {"query": "q"}),
        ("POST", "/memories?wait_s=1&wiat=indexed", {"type": "fact", "content": "x"}),
        ("POST", "/import?wiat=alice", [said("x")]),
        ("DELETE", "/users/alice?wiat=1", None),
        ("POST", "/admin/reindex?wiat=1", None),
    ],
)
async def test_an_address_that_asks_what_is_unknown_is_422_and_does_nothing(
    alone: AsyncClient, method: str, path: str, body: object
) -> None:
    answer = await alone.request(method, path, json=body)
    told = problem(answer, 422, "invalid-request")
    assert [each["pointer"] for each in told["errors"]] == ["query:wiat"]
    assert await get(alone, "/conversations") == {"items": [], "next_cursor": None}


async def test_who_looks_after_a_service_may_ask_what_they_like(alone: AsyncClient) -> None:
    looking = ("/memory/debug/stats", "/memory/metrics", "/export")
    for path in (*looking, "/healthz", "/readyz", "/metrics", "/docs"):
        assert (await alone.get(path, params={"at": "1"})).status_code == 200


async def test_a_wrong_shape_is_422_and_tells_where(alone: AsyncClient) -> None:
    body = {"messages": [{"role": "user", "content": "x"}, {"role": "boss", "content": "x"}]}
    answer = await alone.post("/conversations", json={**body, "a/b~c": 1})
    document = problem(answer, 422, "invalid-request")

    pointers = [each["pointer"] for each in document["errors"]]
    assert pointers == ["#/messages/1/role", "#/a~1b~0c"]
    assert all(each["detail"] for each in document["errors"])


async def test_a_wrong_parameter_is_422_and_told_by_name(alone: AsyncClient) -> None:
    for path, pointer in (
        ("/conversations?limit=0", "query:limit"),
        ("/conversations?colour=blue", "query:colour"),
        ("/conversations/x", "path:conversation_id"),
        (f"/conversations/{uuid4()}/messages?order=up", "query:order"),
        ("/memory/debug/retrieval", "query:q"),
        ("/memory/debug/retrieval?q=x&user=ann", "query:user"),
    ):
        document = problem(await alone.get(path), 422, "invalid-request")
        assert [each["pointer"] for each in document["errors"]] == [pointer]


async def test_no_error_repeats_what_was_sent(alone: AsyncClient) -> None:
    canary = "canary-of-the-mine"
    answer = await alone.post(
        "/conversations", json={"messages": [{"role": canary, "content": [canary]}]}
    )

    problem(answer, 422, "invalid-request")
    assert canary not in answer.text


def carries_the_usual(answer: Response) -> bool:
    timing = re.fullmatch(r"app;dur=\d+\.\d\d", answer.headers["server-timing"])
    return timing is not None and bool(answer.headers["x-request-id"])


async def test_every_response_carries_a_request_id_and_server_timing(alone: AsyncClient) -> None:
    stored = await store(alone, "hello")
    answers = [
        await alone.get("/healthz"),
        await alone.get("/metrics"),
        await alone.get(f"/conversations/{stored['id']}"),
        await alone.get("/nothing"),
        await alone.post("/context", content=b"{", headers=JSON),
        await alone.post("/context", json={"query": "q"}),
        await alone.delete("/context"),
        await alone.post("/context", content=b"", headers={"content-length": "999999999999"}),
    ]

    assert [each.status_code for each in answers] == [200, 200, 200, 404, 400, 200, 405, 413]
    assert all(map(carries_the_usual, answers))
    assert len({each.headers["x-request-id"] for each in answers}) == len(answers)


async def test_the_callers_request_id_is_given_back(alone: AsyncClient) -> None:
    for path in ("/healthz", "/nothing"):
        answer = await alone.get(path, headers={"X-Request-ID": "turn-42/a"})
        assert answer.headers["x-request-id"] == "turn-42/a"
    document = problem(
        await alone.get("/nothing", headers={"X-Request-ID": "turn-43"}), 404, "not-found"
    )
    assert document["request_id"] == "turn-43"


async def test_a_request_id_that_is_none_is_replaced(alone: AsyncClient) -> None:
    for given in ("", "a b", "x" * 201, "é"):
        answer = await alone.get("/healthz", headers={b"X-Request-ID": given.encode()})
        assert answer.headers["x-request-id"] not in {"", given}


async def test_an_accident_of_ours_is_told_without_its_trace(embedded: Settings) -> None:
    app = create_app(embedded)

    async def stumble() -> None:
        raise RuntimeError("the secret of the trace")

    app.add_api_route("/stumble", stumble)
    async with LifespanManager(app) as manager:
        transport = ASGITransport(manager.app, raise_app_exceptions=False)
        async with AsyncClient(transport=transport, base_url="http://foreword") as client:
            answer = await client.get("/stumble")

    problem(answer, 500, "internal-error")
    assert "secret" not in answer.text
    assert carries_the_usual(answer)


async def test_a_key_conflict_tells_the_key(alone: AsyncClient) -> None:
    key = {"Idempotency-Key": "k"}
    await alone.post("/conversations", json={"messages": [said("a")]}, headers=key)
    answer = await alone.post("/conversations", json={"messages": [said("b")]}, headers=key)
    assert problem(answer, 409, "idempotency-conflict")["key"] == "k"


async def test_what_a_driver_says_is_for_the_log_only(
    embedded: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    secret = 'connection to "10.1.2.3" as user "ann" refused'
    app = create_app(embedded)

    async def fail(kind: str) -> None:
        raise vars(errors)[kind](secret, retry_after_s=7)

    app.add_api_route("/fail/{kind}", fail)
    async with LifespanManager(app, startup_timeout=60) as manager, a_caller(manager.app) as caller:
        for each, status in STATUS.items():
            caplog.clear()
            answer = await caller.get(f"/fail/{each.__name__}")
            ours = status >= 500
            assert (secret in answer.json()["detail"]) is not ours
            assert (secret in [getattr(line, "reason", None) for line in caplog.records]) is ours
            assert answer.json()["retry_after_s"] == 7
