"""Anthropic's Messages through the proxy: memory behind `system`, and what was said kept."""

import json
from dataclasses import replace
from typing import Any

import pytest
from anthropic import beta_async_tool
from anthropic.types import MessageParam

from app.settings import Settings
from tests.api.keyed import a_key
from tests.api.proxied import HUGIN, QUESTION, Service, in_front_of
from tests.stand_in_model import (
    Script,
    StandInModel,
    message_streamed,
    messaged,
)

VERSION = "2023-06-01"
BODY = {"model": "claude-x", "max_tokens": 9, "messages": [{"role": "user", "content": "Hi"}]}
CALL = {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {"city": "Oslo"}}
ANSWER = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "Rain."}
SPOKEN = (
    {"type": "text", "text": ""},
    [{"type": "text_delta", "text": each} for each in ("It is ", "called Hugin.")],
)
CALLED = (
    {**CALL, "input": {}},
    [{"type": "input_json_delta", "partial_json": each} for each in ('{"city"', ': "Oslo"}')],
)
THOUGHT = (
    {"type": "thinking", "thinking": "", "signature": ""},
    [{"type": "thinking_delta", "thinking": "Where is it?"}],
)
REPLIED = {"model": "stand-in-1", "stop_reason": "end_turn", "response_id": "msg_1"}


@pytest.fixture
def model(model: StandInModel) -> StandInModel:
    model.answers(messaged("Understood."))
    return model


async def message(service: Service, *said: Any, user: str = "alice", **more: Any) -> Any:
    """A text is what the user says."""
    return await service.anthropic.messages.create(
        model="claude-x",
        max_tokens=100,
        messages=[{"role": "user", "content": each} if isinstance(each, str) else each
                  for each in said],
        metadata={"user_id": user},
        **more,
    )  # fmt: skip


async def test_what_was_said_before_stands_behind_the_instructions(service: Service) -> None:
    await service.remembers(HUGIN, user_id="alice")
    answer = await message(service, QUESTION, system="Be brief.")
    assert answer.content[0].text == "Understood."
    heard = service.model.last
    assert heard.path == "/v1/messages"
    assert heard.body["messages"] == [{"role": "user", "content": QUESTION}]
    assert heard.body["system"].startswith("Be brief.\n\n")
    assert f"> {HUGIN}" in heard.body["system"]


async def test_beside_blocks_memory_is_one_more(service: Service) -> None:
    await service.remembers(HUGIN, user_id="alice")
    block = {"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}
    await message(service, QUESTION, system=[block])
    first, memory = service.model.last.body["system"]
    assert first == block
    assert f"> {HUGIN}" in memory["text"]


async def test_without_instructions_memory_is_all_of_them(service: Service) -> None:
    await service.remembers(HUGIN, user_id="alice")
    await message(service, {"role": "user", "content": [{"type": "text", "text": QUESTION}]})
    assert f"> {HUGIN}" in service.model.last.body["system"]


async def test_with_no_memory_the_request_is_passed_on_as_it_came(service: Service) -> None:
    raw = json.dumps(BODY, indent=3).encode()
    answer = await service.plain.post("/v1/messages?beta=true", content=raw)
    assert answer.headers["x-foreword-memory"] == "empty"
    assert answer.content == messaged("Understood.").body
    assert (service.model.last.raw, service.model.last.query) == (raw, "beta=true")


async def test_what_was_said_is_kept_as_it_was_said(service: Service) -> None:
    service.model.answers(messaged("It is called Hugin."))
    named = {"X-Foreword-Conversation": "deploy"}
    await message(service, QUESTION, system="Be brief.", extra_headers=named)
    question, reply = await service.kept("alice", 2)
    assert (question["role"], question["content"]) == ("user", QUESTION)
    assert (reply["role"], reply["content"]) == ("assistant", "It is called Hugin.")
    assert reply["metadata"] == REPLIED
    (conversation,) = await service.conversations("alice")
    assert conversation["external_id"] == "deploy"
    assert conversation["system_prompt"] == "Be brief."


async def test_a_client_that_sends_all_of_the_chat_has_it_kept_once(service: Service) -> None:
    service.model.answers(messaged("Which one?"), messaged("Noted."))
    answer = await message(service, "I like tea.")
    await service.kept("alice", 2)
    replied = {"role": "assistant", "content": [each.model_dump() for each in answer.content]}
    await message(service, "I like tea.", replied, "The green one.")
    kept = await service.kept("alice", 4)
    assert [each["content"] for each in kept] == [
        "I like tea.",
        "Which one?",
        "The green one.",
        "Noted.",
    ]


async def test_tools_calls_and_answers_belong_to_the_exchange(service: Service) -> None:
    await service.remembers(HUGIN, user_id="alice", external_id="before")
    service.model.answers(messaged("Let me see.", CALL), messaged("It rains."))
    headers = {"X-Foreword-Conversation": "before"}
    answer = await message(service, QUESTION, extra_headers=headers)
    await service.kept("alice", 3)
    called = {"role": "assistant", "content": [each.model_dump() for each in answer.content]}
    told = {"role": "user", "content": [ANSWER]}
    await message(service, QUESTION, called, told, extra_headers=headers)
    assert service.model.last.body["messages"][-1] == told
    *_, call, answered, replied = await service.kept("alice", 5)
    assert call["content"] == "Let me see."
    (function,) = call["tool_calls"]
    assert function["function"] == {"name": "weather", "arguments": '{"city": "Oslo"}'}
    assert (answered["role"], answered["content"]) == ("tool", "Rain.")
    assert answered["tool_call_id"] == "toolu_1"
    assert replied["content"] == "It rains."


async def test_while_tools_answer_the_question_is_still_that_of_the_user(service: Service) -> None:
    await service.remembers(HUGIN, user_id="alice")
    called = {"role": "assistant", "content": [CALL]}
    await message(service, QUESTION, called, {"role": "user", "content": [ANSWER]})
    assert f"> {HUGIN}" in service.model.last.body["system"]


async def test_a_stream_comes_through_byte_for_byte_and_is_kept(service: Service) -> None:
    script = message_streamed(THOUGHT, SPOKEN, CALLED)
    service.model.answers(script)
    body = {
        "model": "claude-x",
        "max_tokens": 100,
        "stream": True,
        "metadata": {"user_id": "alice"},
        "messages": [{"role": "user", "content": QUESTION}],
    }
    answer = await service.plain.post("/v1/messages", json=body)
    assert answer.content == script.body
    _, reply = await service.kept("alice", 2)
    assert reply["content"] == "It is called Hugin."
    (call,) = reply["tool_calls"]
    assert call["function"] == {"name": "weather", "arguments": '{"city": "Oslo"}'}
    assert reply["metadata"] == REPLIED


async def test_a_thread_is_one_conversation_and_takes_no_instructions_after_its_first(
    service: Service,
) -> None:
    @beta_async_tool
    async def weather(city: str) -> str:
        """How the weather is."""
        return f"Rain in {city}."

    await service.remembers(HUGIN, user_id="bob")
    service.model.answers(messaged(CALL, stop="tool_use"), messaged("It rains.", message="msg_2"))
    runner = service.anthropic.beta.messages.tool_runner(
        model="claude-x",
        max_tokens=100,
        system="Be brief.",
        tools=[weather],
        messages=[{"role": "user", "content": "How is the weather?"}],
        metadata={"user_id": "alice"},
    )
    await runner.until_done()
    assert service.model.last.body["thread"]["previous_message_id"] == "msg_1"
    kept = await service.kept("alice", 4)
    assert [each["role"] for each in kept] == ["user", "assistant", "tool", "assistant"]
    (conversation,) = await service.conversations("alice")
    assert conversation["system_prompt"] == "Be brief."
    for thread in ({"type": "create"}, {"type": "continue", "previous_message_id": "msg_0"}):
        asked = [{"role": "user", "content": QUESTION}]
        body = {"messages": asked, "thread": thread, "metadata": {"user_id": "bob"}}
        answer = await service.plain.post("/v1/messages", json=body)
        brought = "system" in service.model.last.body
        goes_on = thread["type"] == "continue"
        assert (brought, answer.headers["x-foreword-memory"]) == (
            (False, "off") if goes_on else (True, "used")
        )


@pytest.mark.parametrize("named", [{}, {"X-Foreword-Conversation": "deploy"}])
async def test_a_call_that_was_streamed_is_kept_once_however_it_is_written(
    service: Service, named: dict[str, str]
) -> None:
    written = [{"type": "input_json_delta", "partial_json": '{"city":"Oslo"}'}]
    service.model.answers(message_streamed((CALLED[0], written)), messaged("It rains."))
    asked: MessageParam = {"role": "user", "content": QUESTION}
    async with service.anthropic.messages.stream(
        model="claude-x",
        max_tokens=100,
        messages=[asked],
        metadata={"user_id": "alice"},
        extra_headers=named,
    ) as stream:
        answer = await stream.get_final_message()
    await service.kept("alice", 2)
    called = {"role": "assistant", "content": [each.model_dump() for each in answer.content]}
    await message(
        service, asked, called, {"role": "user", "content": [ANSWER]}, extra_headers=named
    )
    _, call, answered, _ = await service.kept("alice", 4)
    assert call["tool_calls"][0]["function"]["arguments"] == '{"city": "Oslo"}'
    assert answered["content"] == "Rain."


async def test_what_the_upstreams_own_tools_are_asked_is_not_said(service: Service) -> None:
    searching = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
    found = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
    query = [{"type": "input_json_delta", "partial_json": '{"query": "hugin"}'}]
    service.model.answers(
        message_streamed(SPOKEN, (searching, query), (found, []), SPOKEN, SPOKEN), messaged("Yes.")
    )
    asked: MessageParam = {"role": "user", "content": QUESTION}
    async with service.anthropic.messages.stream(
        model="claude-x", max_tokens=100, messages=[asked], metadata={"user_id": "alice"}
    ) as stream:
        answer = await stream.get_final_message()
    _, reply = await service.kept("alice", 2)
    said = "It is called Hugin."
    assert reply["content"] == f"{said}\n{said}{said}"
    replied = {"role": "assistant", "content": [each.model_dump() for each in answer.content]}
    await message(service, asked, replied, "Sure?")
    await service.kept("alice", 4)


async def test_anthropics_client_tells_the_id_of_the_request(service: Service) -> None:
    for status in (200, 400):
        script = replace(messaged("Hi."), status=status, headers={"request-id": "req_1"})
        service.model.answers(script)
        answer = await service.plain.post("/v1/messages", json=BODY)
        assert (answer.status_code, answer.headers["request-id"]) == (status, "req_1")


async def test_anthropics_client_reads_the_stream(service: Service) -> None:
    service.model.answers(message_streamed(SPOKEN))
    async with service.anthropic.messages.stream(
        model="claude-x", max_tokens=100, messages=[{"role": "user", "content": "Hi"}]
    ) as stream:
        words = [each async for each in stream.text_stream]
    assert words == ["It is ", "called Hugin."]


@pytest.mark.parametrize("error", [b"", b'event: error\ndata: {"type": "error"}\n\n'])
async def test_a_stream_that_broke_off_is_kept_as_far_as_it_came(
    service: Service, error: bytes
) -> None:
    begun = message_streamed(SPOKEN, ends=False)
    service.model.answers(Script(chunks=[*begun.chunks, error], media_type=begun.media_type))
    body = {"stream": True, "messages": [{"role": "user", "content": QUESTION}], "user": "alice"}
    await service.plain.post("/v1/messages", json=body)
    _, reply = await service.kept("alice", 2)
    assert reply["content"] == "It is called Hugin."
    assert reply["metadata"]["incomplete"] is True


async def test_the_operators_key_stands_where_anthropic_looks_for_it(
    embedded: Settings, model: StandInModel
) -> None:
    async with in_front_of(model, embedded, key="none-needed", api_key="sk-ours") as service:
        await message(service, "Hi")
        assert model.last.headers["x-api-key"] == "sk-ours"
        assert "authorization" not in model.last.headers
        await service.chat("Hi")
        assert model.last.headers["authorization"] == "Bearer sk-ours"
        assert "x-api-key" not in model.last.headers


async def test_a_key_of_ours_opens_where_anthropics_clients_put_theirs(
    embedded: Settings, model: StandInModel
) -> None:
    _, ours = await a_key(embedded)
    for operators in (None, "sk-ours"):
        async with in_front_of(model, embedded, key=ours, api_key=operators) as service:
            await message(service, "Hi")
            assert model.last.headers.get("x-api-key") == operators
            headers = {"x-api-key": ours, "anthropic-version": VERSION}
            answer = await service.plain.post("/v1/messages", json=BODY, headers=headers)
            assert answer.status_code == 200
            assert model.last.headers.get("x-api-key") == operators
            assert ours not in str(model.last.headers)


async def test_the_callers_own_key_is_passed_on_beside_one_of_ours(
    embedded: Settings, model: StandInModel
) -> None:
    _, ours = await a_key(embedded)
    theirs = {"x-api-key": "sk-provider", "anthropic-version": VERSION}
    async with in_front_of(model, embedded, api_key="sk-ours") as service:
        for refused in (theirs, {"x-api-key": "sk-provider", "Authorization": "Bearer sk-other"}):
            answer = await service.plain.post("/v1/messages", json=BODY, headers=refused)
            assert answer.status_code == 401
        for opening in ({"X-Foreword-Key": ours}, {"Authorization": f"Bearer {ours}"}):
            headers = {**theirs, **opening}
            await service.plain.post("/v1/messages", json=BODY, headers=headers)
            assert model.last.headers["x-api-key"] == "sk-provider"
            assert "authorization" not in model.last.headers
        await message(service, "Hi", extra_headers={"X-Foreword-Key": ours})
        assert model.last.headers["authorization"] == "Bearer sk-provider"
        assert ours not in str(model.heard)


async def test_tokens_are_counted_by_the_upstream(service: Service) -> None:
    service.model.answers(Script(chunks=[b'{"input_tokens": 7}']))
    counted = await service.anthropic.messages.count_tokens(
        model="claude-x", messages=[{"role": "user", "content": QUESTION}]
    )
    assert counted.input_tokens == 7
    assert service.model.last.path == "/v1/messages/count_tokens"
    answer = await service.plain.get("/conversations")
    assert answer.json()["items"] == []


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"messages": 7, "system": 7},
        {"messages": [7, None, {"role": 7}, {"content": [7, {"type": []}]}, {"role": "user"}]},
        {"messages": [{"role": "user", "content": [{"type": "tool_result"}]}], "metadata": "none"},
        {"messages": [{"role": "assistant", "content": [{"type": "tool_use", "input": [[7]]}]}]},
    ],
)
async def test_what_cannot_be_understood_is_passed_on(service: Service, body: Any) -> None:
    answer = await service.plain.post("/v1/messages", json=body)
    assert answer.status_code == 200
    assert service.model.last.body == body
