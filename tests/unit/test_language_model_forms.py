"""A language model is asked so as its endpoint takes it, by so many at once, and not for ever."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any

import httpx
import pytest

from app.adapters.language_model import ChatModel, LlmLimits
from app.adapters.telemetry import PrometheusTelemetry
from app.domain.errors import LanguageModelUnavailable
from tests.fakes_embedder import Answer, StubServer, stub_server

Body = Mapping[str, Any]

SCHEMA = {"type": "object"}
ANSWER = Answer(body=json.dumps({"choices": [{"message": {"content": '{"a": 1}'}}]}))
HANGING = Answer(body=None)


@pytest.fixture
def stub() -> Iterator[StubServer]:
    with stub_server() as server:
        yield server


@pytest.fixture
async def model(stub: StubServer) -> AsyncIterator[ChatModel]:
    async with httpx.AsyncClient(timeout=10, trust_env=False) as client:
        yield ChatModel(
            client=client,
            url=stub.url + "/v1",
            model="stub",
            limits=LlmLimits(timeout=5, attempts=2, first_wait=0.001, concurrency=2),
            on_answer=PrometheusTelemetry().llm_answered,
        )


async def ask(model: ChatModel) -> Any:
    return await model.answer(instructions="i", material="m", schema=SCHEMA, most=9)


def refused(message: str, param: str | None, code: str | None = None) -> Answer:
    """As OpenAI says it."""
    error = {"message": message, "type": "invalid_request_error", "param": param, "code": code}
    return Answer(status=400, body=json.dumps({"error": error}))


MAX_TOKENS = (
    "Unsupported parameter: 'max_tokens' is not supported with this model. "
    "Use 'max_completion_tokens' instead."
)
TEMPERATURE = (
    "Unsupported value: 'temperature' does not support 0 with this model. "
    "Only the default (1) value is supported."
)


def current_openai(body: Body) -> Answer:
    if "max_tokens" in body:
        return refused(MAX_TOKENS, "max_tokens", "unsupported_parameter")
    if body.get("temperature", 1) != 1:
        return refused(TEMPERATURE, "temperature", "unsupported_value")
    return ANSWER


def without_param(body: Body) -> Answer:
    """Names what it refuses in the message alone."""
    if "max_tokens" in body:
        return refused(MAX_TOKENS, None)
    return refused(TEMPERATURE, None) if "temperature" in body else ANSWER


def without_schemas(body: Body) -> Answer:
    if body.get("response_format", {}).get("type") == "json_schema":
        return refused("This response_format type is unavailable now", None)
    return ANSWER


def without_formats(body: Body) -> Answer:
    if "response_format" in body:
        return Answer(status=400, body='{"error": "unknown field: response_format"}')
    return ANSWER


def shown(body: Body) -> tuple[int | None, int | None, int | None, str | None]:
    """max_tokens, max_completion_tokens, temperature and the type of the format."""
    numbers = (body.get("max_tokens"), body.get("max_completion_tokens"), body.get("temperature"))
    return (*numbers, body.get("response_format", {}).get("type"))


async def test_a_request_bounds_the_answer_and_gives_the_schema(
    model: ChatModel, stub: StubServer
) -> None:
    stub.script = [ANSWER]
    await ask(model)
    assert shown(stub.bodies[0]) == (9, None, 0, "json_schema")
    assert stub.bodies[0]["response_format"]["json_schema"]["schema"] == SCHEMA


@pytest.mark.parametrize(
    ("rule", "asked", "last"),
    [
        (current_openai, 3, (None, 8_009, None, "json_schema")),
        (without_param, 3, (None, 8_009, None, "json_schema")),
        (without_schemas, 2, (9, None, 0, "json_object")),
        (without_formats, 3, (9, None, 0, None)),
    ],
)
async def test_what_an_endpoint_refuses_is_left_out_from_then_on(
    model: ChatModel,
    stub: StubServer,
    rule: Callable[[Body], Answer],
    asked: int,
    last: tuple[object, ...],
) -> None:
    stub.rule = rule
    assert await ask(model) == {"a": 1}
    assert len(stub.bodies) == asked
    assert shown(stub.bodies[-1]) == last
    assert await ask(model) == {"a": 1}
    assert [shown(each) for each in stub.bodies[asked:]] == [last]


async def test_several_at_once_learn_the_same(model: ChatModel, stub: StubServer) -> None:
    stub.rule = current_openai
    assert await asyncio.gather(*(ask(model) for _ in range(6))) == [{"a": 1}] * 6
    before = len(stub.bodies)
    await ask(model)
    assert len(stub.bodies) == before + 1


async def test_who_refuses_everything_is_asked_five_times(
    model: ChatModel, stub: StubServer
) -> None:
    everything = refused("max_tokens, temperature and response_format are not supported", None)
    stub.script = [everything] * 5
    with pytest.raises(LanguageModelUnavailable, match="status 400"):
        await ask(model)
    assert len(stub.bodies) == 5
    stub.script = [ANSWER]
    await ask(model)
    assert shown(stub.bodies[-1]) == (9, None, 0, "json_schema")


@pytest.mark.parametrize(
    "answer",
    [
        refused("This model's maximum context length is 8192 tokens.", "messages"),
        Answer(status=400, body="temperature"),
        Answer(status=400, body="[]"),
        Answer(status=400, body='{"error": null}'),
        Answer(status=404, body='{"error": {"message": "max_tokens", "param": "max_tokens"}}'),
    ],
)
async def test_of_another_refusal_nothing_is_learned(
    model: ChatModel, stub: StubServer, answer: Answer
) -> None:
    stub.script = [answer]
    with pytest.raises(LanguageModelUnavailable, match="status 40"):
        await ask(model)
    assert len(stub.bodies) == 1


async def test_a_fence_around_the_answer_is_left_out(model: ChatModel, stub: StubServer) -> None:
    content = '\n```json\n{"a": 1}\n```\n'
    stub.script = [Answer(body=json.dumps({"choices": [{"message": {"content": content}}]}))]
    assert await ask(model) == {"a": 1}


async def test_a_model_that_never_answers_is_waited_for_so_long_only(
    model: ChatModel, stub: StubServer
) -> None:
    model.limits = LlmLimits(timeout=0.1, attempts=2, first_wait=0.001)
    stub.rule = lambda _: HANGING
    with pytest.raises(LanguageModelUnavailable, match="TimeoutError"):
        await ask(model)
    assert len(stub.bodies) == 2
    with pytest.raises(LanguageModelUnavailable, match="a moment ago"):
        await ask(model)
    assert len(stub.bodies) == 2


async def test_only_so_many_ask_at_once(model: ChatModel, stub: StubServer) -> None:
    two, free, counted = threading.Event(), threading.Event(), threading.Lock()
    inside, most = 0, 0

    def held(_: Body) -> Answer:
        nonlocal inside, most
        with counted:
            inside += 1
            most = max(most, inside)
            if inside == 2:
                two.set()
        free.wait(5)
        with counted:
            inside -= 1
        return ANSWER

    stub.rule = held
    asking = [asyncio.create_task(ask(model)) for _ in range(5)]
    await asyncio.to_thread(two.wait, 5)
    await asyncio.sleep(0.1)
    free.set()
    assert await asyncio.gather(*asking) == [{"a": 1}] * 5
    assert most == 2
