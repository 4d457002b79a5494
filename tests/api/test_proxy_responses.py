"""OpenAI's Responses through the proxy: memory behind the instructions, and what was said kept."""

import json
from typing import Any

import pytest

from tests.api.proxied import HUGIN, QUESTION, Service, eventually
from tests.stand_in_model import (
    Script,
    StandInModel,
    responded,
    response_streamed,
)

CALL = {
    "id": "fc_1",
    "type": "function_call",
    "call_id": "call_1",
    "name": "weather",
    "arguments": '{"city": "Oslo"}',
    "status": "completed",
}
ANSWER = {"type": "function_call_output", "call_id": "call_1", "output": "Rain."}


@pytest.fixture
def model(model: StandInModel) -> StandInModel:
    model.answers(responded("Understood."))
    return model


async def respond(service: Service, said: Any, user: str = "alice", **more: Any) -> Any:
    return await service.openai.responses.create(model="gpt-x", input=said, user=user, **more)


async def test_what_was_said_before_stands_behind_the_instructions(service: Service) -> None:
    await service.remembers(HUGIN, user_id="alice")
    answer = await respond(service, QUESTION, instructions="Be brief.")
    assert answer.output_text == "Understood."
    heard = service.model.last
    assert heard.path == "/v1/responses"
    assert heard.body["input"] == QUESTION
    assert heard.body["instructions"].startswith("Be brief.\n\n")
    assert f"> {HUGIN}" in heard.body["instructions"]
    assert heard.body["user"] == "alice"


async def test_without_instructions_memory_is_all_of_them(service: Service) -> None:
    await service.remembers(HUGIN, user_id="alice")
    listed = [{"role": "user", "content": [{"type": "input_text", "text": QUESTION}]}]
    await respond(service, listed)
    assert f"> {HUGIN}" in service.model.last.body["instructions"]
    assert service.model.last.body["input"] == listed


async def test_with_no_memory_the_request_is_passed_on_as_it_came(service: Service) -> None:
    raw = json.dumps({"model": "gpt-x", "input": "Hi", "user": "nobody"}, indent=3).encode()
    answer = await service.plain.post("/v1/responses?x=1", content=raw)
    assert answer.headers["x-foreword-memory"] == "empty"
    assert answer.content == responded("Understood.").body
    assert (service.model.last.raw, service.model.last.query) == (raw, "x=1")


async def test_what_was_said_is_kept_as_it_was_said(service: Service) -> None:
    await service.remembers(HUGIN, user_id="bob")
    service.model.answers(responded("It is called Hugin."))
    named = {"X-Foreword-User": "alice", "X-Foreword-Conversation": "deploy"}
    await respond(service, QUESTION, instructions="Be brief.", extra_headers=named)
    question, reply = await service.kept("alice", 2)
    assert (question["role"], question["content"]) == ("user", QUESTION)
    assert (reply["role"], reply["content"]) == ("assistant", "It is called Hugin.")
    assert reply["metadata"] == {
        "model": "stand-in-1",
        "status": "completed",
        "response_id": "resp_1",
    }
    (conversation,) = await service.conversations("alice")
    assert conversation["external_id"] == "deploy"
    assert conversation["system_prompt"] == "Be brief."


async def test_what_goes_on_from_a_response_is_of_its_conversation(service: Service) -> None:
    first, second, third = (responded(f"Reply {at}.", response=f"resp_{at}") for at in range(3))
    service.model.answers(first, second, third)
    begun = await respond(service, "Ask me something.")
    await respond(service, "Green tea.", previous_response_id=begun.id)
    await respond(service, "With milk.", previous_response_id="resp_1")
    kept = await service.kept("alice", 6)
    assert [each["content"] for each in kept] == [
        "Ask me something.",
        "Reply 0.",
        "Green tea.",
        "Reply 1.",
        "With milk.",
        "Reply 2.",
    ]


async def test_a_client_that_sends_all_of_the_chat_has_it_kept_once(service: Service) -> None:
    service.model.answers(responded("Which one?"), responded("Noted.", response="resp_2"))
    chat: list[Any] = [{"role": "user", "content": "I like tea."}]
    answer = await respond(service, chat)
    await service.kept("alice", 2)
    chat += [each.model_dump() for each in answer.output]
    await respond(service, [*chat, {"role": "user", "content": "The green one."}])
    kept = await service.kept("alice", 4)
    assert [each["content"] for each in kept] == [
        "I like tea.",
        "Which one?",
        "The green one.",
        "Noted.",
    ]


async def test_tools_calls_and_answers_belong_to_the_exchange(service: Service) -> None:
    service.model.answers(responded(CALL), responded("It rains.", response="resp_2"))
    chat: list[Any] = [{"role": "user", "content": "What is the weather?"}]
    headers = {"X-Foreword-Conversation": "weather"}
    await respond(service, chat, extra_headers=headers)
    await service.kept("alice", 2)
    thought = {"type": "reasoning", "id": "rs_1", "summary": []}
    await respond(service, [*chat, thought, CALL, ANSWER], extra_headers=headers)
    asked, called, told, replied = await service.kept("alice", 4)
    (call,) = called["tool_calls"]
    assert call["function"] == {"name": "weather", "arguments": '{"city": "Oslo"}'}
    assert (told["role"], told["content"], told["tool_call_id"]) == ("tool", "Rain.", "call_1")
    assert (asked["content"], replied["content"]) == ("What is the weather?", "It rains.")


async def test_what_was_said_and_called_at_once_is_kept_once(service: Service) -> None:
    service.model.answers(responded("Let me see.", CALL), responded("It rains.", response="r2"))
    chat: list[Any] = [{"role": "user", "content": "What is the weather?"}]
    answer = await respond(service, chat)
    await service.kept("alice", 2)
    chat += [each.model_dump() for each in answer.output]
    await respond(service, [*chat, ANSWER])
    _, called, told, replied = await service.kept("alice", 4)
    assert (called["content"], len(called["tool_calls"])) == ("Let me see.", 1)
    assert (told["content"], replied["content"]) == ("Rain.", "It rains.")


async def test_the_upstreams_conversation_names_ours(service: Service) -> None:
    await respond(service, "Hi", conversation={"id": "conv_7"})
    await service.kept("alice", 2)
    (conversation,) = await service.conversations("alice")
    assert conversation["external_id"] == "conv_7"


async def test_a_stream_comes_through_byte_for_byte_and_is_kept(service: Service) -> None:
    script = response_streamed("It is ", "called Hugin.")
    service.model.answers(script)
    body = {"model": "gpt-x", "input": QUESTION, "user": "alice", "stream": True}
    answer = await service.plain.post("/v1/responses", json=body)
    assert answer.content == script.body
    _, reply = await service.kept("alice", 2)
    assert reply["content"] == "It is called Hugin."
    assert "incomplete" not in reply["metadata"]


async def test_openais_client_reads_the_stream(service: Service) -> None:
    service.model.answers(response_streamed("Under", "stood."))
    words = [
        event.delta
        async for event in await respond(service, "Hi", stream=True)
        if event.type == "response.output_text.delta"
    ]
    assert words == ["Under", "stood."]


async def test_a_stream_that_broke_off_is_kept_as_far_as_it_came(service: Service) -> None:
    whole = response_streamed("It is ", "called Hugin.")
    service.model.answers(Script(chunks=whole.chunks[:2], media_type=whole.media_type))
    body = {"model": "gpt-x", "input": QUESTION, "user": "alice", "stream": True}
    await service.plain.post("/v1/responses", json=body)
    _, reply = await service.kept("alice", 2)
    assert reply["content"] == "It is "
    assert reply["metadata"]["incomplete"] is True


async def test_a_response_that_failed_is_no_reply(service: Service) -> None:
    error = {"code": "server_error", "message": "It broke."}
    service.model.answers(responded(status="failed", error=error))
    await respond(service, "I live in Oslo.")
    (asked,) = await service.kept("alice", 1)
    assert asked["content"] == "I live in Oslo."


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"input": 7},
        {"input": [7, "text", None, {"role": 7}, {"type": []}, {"role": "user", "content": {}}]},
        {"input": "Hi", "instructions": ["Be brief."], "previous_response_id": 7},
        {"input": "Hi", "conversation": [], "metadata": "none"},
    ],
)
async def test_what_cannot_be_understood_is_passed_on(service: Service, body: Any) -> None:
    answer = await service.plain.post("/v1/responses", json=body)
    assert answer.status_code == 200
    assert service.model.last.body == body


async def test_memory_is_that_of_who_asks_alone(service: Service) -> None:
    await service.remembers(HUGIN, user_id="bob")
    await respond(service, QUESTION)
    assert "instructions" not in service.model.last.body


async def test_who_asks_is_told_by_the_safety_identifier_where_nobody_else_is(
    service: Service,
) -> None:
    await service.remembers(HUGIN, user_id="hash-of-alice")
    body = {"input": QUESTION, "safety_identifier": "hash-of-alice"}
    await service.plain.post("/v1/responses", json=body)
    assert HUGIN in service.model.last.body["instructions"]
    await service.plain.post("/v1/responses", json={**body, "user": "bob"})
    assert "instructions" not in service.model.last.body


async def test_what_goes_on_from_a_response_that_is_not_remembered_begins_anew(
    service: Service,
) -> None:
    await respond(service, "I like tea.", previous_response_id="resp_unknown")

    async def there() -> Any:
        return await service.conversations("alice")

    (conversation,) = await eventually(there)
    assert conversation["external_id"].startswith("chat-")
