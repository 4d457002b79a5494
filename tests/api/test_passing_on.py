"""All else of the upstream's API comes through; what a caller keeps there is no other caller's."""

import asyncio
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

import openai
import pytest
from httpx import AsyncClient, Response
from starlette.datastructures import Headers

from app.api.passing import brings_own_key, to_upstream
from app.domain.keys import OPERATOR
from app.settings import Settings
from tests.api.keyed import a_key
from tests.api.proxied import Service, in_front_of
from tests.api.speaking import problem
from tests.stand_in_model import Script, StandInModel, responded, response_streamed

FILE = (
    b'{"id": "file-1", "object": "file", "bytes": 3, "created_at": 1, "filename": "a.txt", '
    b'"purpose": "assistants", "status": "processed"}'
)
LISTED = b'{"object": "list", "data": [], "has_more": false}'
BINARY = bytes(range(256)) * 8


async def test_files_come_and_go_as_with_the_upstream_itself(service: Service) -> None:
    service.model.answers(Script(chunks=[FILE]))
    made = await service.openai.files.create(file=("a.txt", BINARY), purpose="assistants")
    heard = service.model.last
    assert (made.id, heard.method, heard.path) == ("file-1", "POST", "/v1/files")
    assert heard.headers["content-type"].startswith("multipart/form-data; boundary=")
    assert BINARY in heard.raw
    assert heard.headers["authorization"] == "Bearer sk-provider"

    service.model.answers(Script(chunks=[BINARY[:9], BINARY[9:]], media_type="application/x-any"))
    read = await service.openai.files.content("file-1")
    assert (read.content, service.model.last.path) == (BINARY, "/v1/files/file-1/content")

    service.model.answers(Script(chunks=[LISTED]))
    await service.openai.files.list(purpose="vision", limit=2)
    heard = service.model.last
    assert (heard.method, heard.path) == ("GET", "/v1/files")
    assert {*heard.query.split("&")} == {"purpose=vision", "limit=2"}

    service.model.answers(Script(chunks=[b'{"id": "f", "object": "file", "deleted": true}']))
    assert (await service.openai.files.delete("f")).deleted
    assert (service.model.last.method, service.model.last.path) == ("DELETE", "/v1/files/f")
    assert (await service.plain.get("/conversations")).json()["items"] == []


async def test_a_responses_own_address_is_passed_on(service: Service) -> None:
    service.model.answers(Script(chunks=[b'{"error": {"message": "gone"}}'], status=404))
    with pytest.raises(openai.NotFoundError, match="gone"):
        await service.openai.responses.retrieve("resp_7")
    assert service.model.last.path == "/v1/responses/resp_7"


async def test_batches_of_messages_are_passed_on(service: Service) -> None:
    service.model.answers(Script(chunks=[b'{"data": [], "has_more": false}']))
    await service.anthropic.messages.batches.list()
    heard = service.model.last
    assert (heard.method, heard.path) == ("GET", "/v1/messages/batches")
    assert "sk-provider" in str(heard.headers)


async def test_a_slash_in_a_name_is_passed_on_as_it_was_written(service: Service) -> None:
    service.model.answers(Script(chunks=[b'{"id": "m", "object": "model"}']))
    await service.openai.models.retrieve("meta-llama/Llama-3")
    assert service.model.last.written == "/v1/models/meta-llama%2FLlama-3"
    await service.plain.get("/v1/files/a%2fb%20c/content")
    assert service.model.last.written == "/v1/files/a%2Fb%20c/content"


async def test_names_stay_as_they_are(service: Service) -> None:
    for name in ("ft:gpt-x:acme::1", "a b", "a%2Fb", "ü"):
        service.model.answers(Script(chunks=[b'{"id": "m", "object": "model"}']))
        await service.openai.models.retrieve(name)
        # The stand-in decodes a path once, as every server does.
        assert service.model.last.path == f"/v1/models/{name}"
    await service.openai.models.retrieve("a?b=1")
    heard = service.model.last
    assert (unquote(heard.path), heard.query) == ("/v1/models/a?b=1", "")


@pytest.mark.parametrize(
    "path",
    [
        "/v1/..;/admin",
        "/v1/%2e%2e/admin",
        "/v1/files/%2e%2e/%2e%2e/admin",
        "/v1/files//x",
        "/v1/files/%2e",
        "/v1/..%2fhealthz",
        "/v1/models/x%2F..%2F..%2Fadmin",
        "/v1/..;%2Fadmin",
        "/v1/files/;x",
    ],
)
async def test_no_path_leads_out_of_the_upstreams_api(service: Service, path: str) -> None:
    problem(await service.plain.get(path), 404, "not-found")
    assert not service.model.heard


async def test_what_the_operators_key_has_kept_is_no_callers(
    embedded: Settings, model: StandInModel
) -> None:
    """Two tenants behind one provider's key must not find each other's files there."""
    _, ours = await a_key(embedded)
    async with in_front_of(model, embedded, key=ours, api_key="sk-operator") as service:
        for method, path in (
            ("GET", "/v1/files"),
            ("GET", "/v1/responses/resp_1"),
            ("DELETE", "/v1/models/ft:mine"),
            ("POST", "/v1/batches"),
            ("GET", "/v1/chat/completions"),
        ):
            headers = {"Authorization": f"Bearer {ours}"}
            answer = await service.plain.request(method, path, headers=headers)
            told = problem(answer, 403, "not-passed-on")
            assert "X-Foreword-Key" in told["detail"]
        assert not model.heard

        for headers in ({"Authorization": "Bearer sk-theirs"}, {"x-api-key": "sk-theirs"}):
            beside = {**headers, "X-Foreword-Key": ours}
            assert (await service.plain.get("/v1/files", headers=beside)).status_code == 200
            assert "sk-theirs" in str(model.last.headers)
            assert "sk-operator" not in str(model.last.headers)
            assert ours not in str(model.last.headers)
            assert (await service.plain.get("/v1/files", headers=headers)).status_code == 401


async def test_what_keeps_nothing_may_be_asked_with_the_operators_key(
    embedded: Settings, model: StandInModel
) -> None:
    _, ours = await a_key(embedded)
    async with in_front_of(model, embedded, key=ours, api_key="sk-operator") as service:
        model.answers(Script(chunks=[b'{"id": "m", "model": "o", "results": []}']))
        await service.openai.moderations.create(input="Hi")
        assert model.last.path == "/v1/moderations"
        model.answers(Script(chunks=[b'{"id": "m", "object": "model"}']))
        await service.openai.models.retrieve("m")
        assert model.last.headers["authorization"] == "Bearer sk-operator"


async def test_without_an_upstream_nothing_is_passed_on(alone: AsyncClient) -> None:
    problem(await alone.get("/v1/files"), 404, "proxy-not-configured")


async def test_a_key_of_ours_is_no_providers_however_it_is_spaced(embedded: Settings) -> None:
    """As the gate reads it: else the operator's key would open what is asked for with "theirs"."""
    _, ours = await a_key(embedded)
    for spaced in (ours, f" {ours}", f"\t{ours}", f"\xa0{ours}", f"{ours}\xa0", f"{ours} "):
        headers = Headers({"authorization": f"Bearer {spaced}"})
        assert not brings_own_key(headers)
        sent = dict(to_upstream(headers, OPERATOR, "sk-operator"))
        assert sent["authorization"] == "Bearer sk-operator"
    assert not brings_own_key(Headers({"authorization": "Bearer sk-theirs"})), "none of ours"
    beside = Headers({"authorization": "Bearer sk-theirs", "x-foreword-key": ours})
    assert brings_own_key(beside)


HELLO = [{"role": "user", "content": "Hi"}]


def seen_by_user(*parts: Any) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": [*parts]}]}


NAMING: list[tuple[str, dict[str, Any], str]] = [
    ("responses", {"previous_response_id": "resp_1"}, "previous_response_id"),
    ("responses", {"conversation": "conv_1"}, "conversation"),
    ("responses", {"conversation": {"id": "conv_1"}}, "conversation.id"),
    ("responses", {"prompt": {"id": "pmpt_1"}}, "prompt.id"),
    ("responses", {"input": [{"type": "item_reference", "id": "msg_1"}]}, "input[0].id"),
    ("responses", {"input": [{"id": "msg_1"}]}, "input[0].id"),
    ("responses", {"input": [{"type": "image_generation_call", "id": "ig_1"}]}, "input[0].id"),
    (
        "responses",
        {"input": [{"role": "user", "content": [{"type": "input_file", "file_id": "file_1"}]}]},
        "input[0].content[0].file_id",
    ),
    (
        "responses",
        {"tools": [{"type": "file_search", "vector_store_ids": ["vs_1"]}]},
        "tools[0].vector_store_ids",
    ),
    (
        "responses",
        {"tools": [{"type": "code_interpreter", "container": {"file_ids": ["file_1"]}}]},
        "tools[0].container.file_ids",
    ),
    (
        "responses",
        {"tools": [{"type": "code_interpreter", "container": "c"}]},
        "tools[0].container",
    ),
    (
        "chat/completions",
        seen_by_user({"type": "file", "file": {"file_id": "file_1"}}),
        "messages[0].content[0].file.file_id",
    ),
    (
        "chat/completions",
        {"messages": [{"role": "assistant", "audio": {"id": "audio_1"}}]},
        "messages[0].audio.id",
    ),
    (
        "messages",
        seen_by_user({"type": "document", "source": {"type": "file", "file_id": "file_1"}}),
        "messages[0].content[0].source.file_id",
    ),
    ("messages", {"messages": HELLO, "container": "container_1"}, "container"),
    ("messages", {"messages": HELLO, "container": {"id": "container_1"}}, "container.id"),
    (
        "messages",
        {"messages": HELLO, "thread": {"type": "continue", "previous_message_id": "msg_1"}},
        "thread.previous_message_id",
    ),
    (
        "messages/count_tokens",
        seen_by_user({"type": "image", "source": {"type": "file", "file_id": "file_1"}}),
        "messages[0].content[0].source.file_id",
    ),
    ("images/edits", {"images": [{"file_id": "file_1"}]}, "images[0].file_id"),
]


async def test_what_the_provider_keeps_is_not_named_on_the_operators_key(
    embedded: Settings, model: StandInModel
) -> None:
    """Whoever tells its id has it, and the key is that of all tenants."""
    _, acme = await a_key(embedded, "acme")
    operators = {"Authorization": f"Bearer {acme}"}
    own = {"Authorization": "Bearer sk-theirs", "X-Foreword-Key": acme}
    async with in_front_of(model, embedded, key=acme, api_key="sk-operator") as service:
        for path, body, field in NAMING:
            model.heard.clear()
            answer = await service.plain.post(f"/v1/{path}", json=body, headers=operators)
            told = problem(answer, 403, "not-passed-on")
            assert told["field"] == field
            assert f"`{field}`" in told["detail"]
            assert not model.heard

            answer = await service.plain.post(f"/v1/{path}", json=body, headers=own)
            assert answer.status_code == 200
            assert model.last.body == body


async def test_while_there_are_no_keys_all_is_one_callers(service: Service) -> None:
    for path, body, field in NAMING:
        answer = await service.plain.post(f"/v1/{path}", json=body)
        assert answer.status_code == 200, field
        assert service.model.last.body == body


async def test_a_response_goes_on_for_whom_it_was_made_alone(
    embedded: Settings, model: StandInModel
) -> None:
    _, acme = await a_key(embedded, "acme")
    _, beta = await a_key(embedded, "beta")
    model.answers(responded("Hello.", response="resp_a"), responded("And?", response="resp_b"))
    async with in_front_of(model, embedded, api_key="sk-operator") as service:

        async def asked(key: str, user: str, **more: Any) -> Response:
            headers = {"Authorization": f"Bearer {key}"}
            body = {"model": "x", "input": "Hi", "user": user, **more}
            return await service.plain.post("/v1/responses", json=body, headers=headers)

        assert (await asked(beta, "bob")).status_code == 200
        for key, user in ((acme, "bob"), (beta, "eve")):
            answer = await asked(key, user, previous_response_id="resp_a")
            told = problem(answer, 403, "not-passed-on")
            assert told["field"] == "previous_response_id"
        assert len(model.heard) == 1

        item = {"type": "item_reference", "id": "msg_0"}
        answer = await asked(beta, "bob", previous_response_id="resp_a", input=[item])
        assert answer.status_code == 200
        assert model.last.body["previous_response_id"] == "resp_a"
        answer = await asked(beta, "bob", previous_response_id="resp_b")
        assert answer.status_code == 200
        for more in ({"metadata": {"id": "resp_z"}}, {"tools": [{"id": "resp_z"}]}):
            model.answers(responded("Hello.", response="resp_c", **more))
            await asked(acme, "eve")
        problem(await asked(acme, "eve", previous_response_id="resp_z"), 403, "not-passed-on")


@pytest.mark.parametrize("held", [False, True])
async def test_a_response_that_was_streamed_goes_on_at_once(
    embedded: Settings,
    model: StandInModel,
    held: bool,  # noqa: FBT001
) -> None:
    """What is asked before the end of the answer came through waits for it, not for the store."""
    _, acme = await a_key(embedded, "acme")
    stream = response_streamed("Hel", "lo.", response="resp_a")
    held_after = len(stream.chunks) - 1 if held else None
    model.answers(replace(stream, held_after=held_after), responded("And?", response="resp_b"))
    async with in_front_of(model, embedded, key=acme, api_key="sk-operator") as service:
        events = await service.openai.responses.create(model="x", input="Hi", stream=True)
        first = await anext(aiter(events))
        assert first.type == "response.created"
        going_on = asyncio.create_task(
            service.openai.responses.create(
                model="x", input="And?", previous_response_id=first.response.id
            )
        )
        model.go_on.set()
        assert (await going_on).id == "resp_b"
        await events.close()


async def test_a_field_that_is_there_twice_is_not_passed_on_with_the_operators_key(
    embedded: Settings, model: StandInModel
) -> None:
    """Who reads it next may take the one that was not looked at."""
    _, acme = await a_key(embedded, "acme")
    twice = b'{"input": "Hi", "previous_response_id": "resp_1", "previous_response_id": null}'
    async with in_front_of(model, embedded, key=acme, api_key="sk-operator") as service:
        headers = {"Authorization": f"Bearer {acme}"}
        answer = await service.plain.post("/v1/responses", content=twice, headers=headers)
        assert problem(answer, 403, "not-passed-on")["field"] == "previous_response_id"
        assert not model.heard


async def test_what_only_looks_like_a_name_is_passed_on_with_the_operators_key(
    embedded: Settings, model: StandInModel
) -> None:
    _, acme = await a_key(embedded, "acme")
    named = {"file_id": "file_1", "container": "c"}
    called = {"type": "tool_use", "id": "toolu_1", "name": "read", "input": named}
    schema = {"name": "read", "input_schema": {"properties": {"file_id": {"type": "string"}}}}
    said = {"type": "message", "id": "msg_1", "role": "assistant", "content": "Hello."}
    thought = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"}
    bodies: list[tuple[str, dict[str, Any]]] = [
        ("chat/completions", {"messages": HELLO, "metadata": named}),
        ("chat/completions", {"messages": HELLO, "audio": {"voice": "alloy", "format": "wav"}}),
        ("messages", {"messages": [{"role": "assistant", "content": [called]}], "tools": [schema]}),
        ("responses", {"input": [said, thought], "previous_response_id": None}),
    ]
    async with in_front_of(model, embedded, key=acme, api_key="sk-operator") as service:
        headers = {"Authorization": f"Bearer {acme}"}
        for path, body in bodies:
            answer = await service.plain.post(f"/v1/{path}", json=body, headers=headers)
            assert answer.status_code == 200, answer.text
            assert model.last.body == body
        files = {"image": ("a.png", BINARY, "image/png")}
        answer = await service.plain.post("/v1/images/edits", files=files, headers=headers)
        assert answer.status_code == 200
