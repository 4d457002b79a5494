"""A model behind the proxy has a memory, and its caller notices nothing else."""

import json
from typing import Any

import openai
import pytest

from app.api.passing import EVENTS
from app.settings import Settings
from tests.api.proxied import HUGIN, QUESTION, Service, eventually, in_front_of
from tests.api.speaking import Json, problem, said, talking_to
from tests.stand_in_model import (
    Script,
    StandInModel,
    messaged,
    responded,
    said_back,
    stand_in_model,
    streamed,
)
from tests.stand_in_qdrant import refusing_port

WEATHER = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}


def of(user: str, conversation: str | None = None, **more: str) -> dict[str, str]:
    named = {"X-Foreword-Conversation": conversation} if conversation else {}
    return {"X-Foreword-User": user, **named, **more}


async def test_what_was_said_before_stands_in_front_of_the_question(service: Service) -> None:
    await service.remembers(HUGIN, user_id="alice")
    prompt = said("Be brief.", "system")
    answer = await service.chat(prompt, QUESTION, user="alice")
    assert answer.choices[0].message.content == "Understood."
    memory, *rest = service.model.last.messages
    assert memory["role"] == "system"
    assert f"> {HUGIN}" in memory["content"]
    assert rest == [prompt, said(QUESTION)]
    assert service.model.last.body["user"] == "alice"


async def test_what_was_said_is_kept_as_it_was_said(service: Service) -> None:
    await service.remembers(HUGIN, user_id="bob", external_id="old")
    service.model.answers(said_back("It is called Hugin."))
    await service.chat(said("Be brief.", "system"), QUESTION, extra_headers=of("alice", "deploy"))
    question, reply = await service.kept("alice", 2)
    assert (question["role"], question["content"]) == ("user", QUESTION)
    assert (reply["role"], reply["content"]) == ("assistant", "It is called Hugin.")
    assert reply["metadata"] == {"model": "stand-in-1", "finish_reason": "stop"}
    (conversation,) = await service.conversations("alice")
    assert conversation["external_id"] == "deploy"
    assert conversation["system_prompt"] == "Be brief."


async def test_the_memory_of_a_request_is_never_kept(service: Service) -> None:
    await service.remembers(HUGIN, user_id="alice", external_id="old")
    headers = of("alice", "new")
    await service.chat(QUESTION, extra_headers=headers)
    assert HUGIN in service.model.last.messages[0]["content"]
    await service.chat(
        QUESTION, said("Understood.", "assistant"), "And now?", extra_headers=headers
    )
    assert await found_in(service, "new", 4) == [QUESTION, "Understood.", "And now?", "Understood."]


@pytest.mark.parametrize("whole", [False, True])
async def test_a_turn_that_is_said_again_is_kept_again(service: Service, whole: bool) -> None:  # noqa: FBT001
    """By a client that sends its last words, or all of the chat."""
    service.model.answers(*[said_back("ok")] * 3)
    chat = [said("yes")]
    for turn in range(1, 4):
        await service.chat(*chat, extra_headers=of("alice", "vote"))
        assert await found_in(service, "vote", 2 * turn) == ["yes", "ok"] * turn
        if whole:
            chat += [said("ok", "assistant"), said("yes")]


async def test_of_a_chat_without_messages_nothing_is_kept(service: Service) -> None:
    service.model.answers(said_back("Hello, who is there?"), said_back("ok"))
    for chat in ([], ["yes"]):
        await service.chat(*chat, extra_headers=of("alice", "vote"))
    assert await found_in(service, "vote", 2) == ["yes", "ok"]


async def found_in(service: Service, name: str, number: int) -> list[str]:
    async def enough() -> list[str]:
        for each in await service.conversations("alice"):
            if each["external_id"] == name and each["message_count"] >= number:
                answer = await service.plain.get(f"/conversations/{each['id']}/messages")
                return [message["content"] for message in answer.json()["items"]]
        return []

    return await eventually(enough)


async def test_nothing_is_repeated_that_the_request_says_itself(service: Service) -> None:
    headers = of("alice", "one")
    await service.chat(HUGIN, extra_headers=headers)
    await service.kept("alice", 2)
    history = [said(HUGIN), said("Understood.", "assistant")]
    asked: dict[str, Any] = {"model": "gpt-x", "messages": [*history, said(QUESTION)]}
    answer = await service.openai.chat.completions.with_raw_response.create(
        **asked, extra_headers=headers
    )
    assert service.model.last.messages == [*history, said(QUESTION)]
    assert answer.headers["x-foreword-memory"] == "empty"
    await service.chat(QUESTION, extra_headers=headers)  # a client that sends no history
    assert HUGIN in service.model.last.messages[0]["content"]


async def test_a_request_that_names_no_conversation_is_known_by_how_it_began(
    service: Service,
) -> None:
    asked = [said(HUGIN)]
    for reply in ("Noted.", "Still noted.", "Yes."):
        service.model.answers(said_back(reply))
        await service.chat(*asked, user="alice")
        await service.kept("alice", len(asked) + 1)
        asked += [said(reply, "assistant"), said(f"And after {reply}")]
    kept = [each["content"] for each in await service.kept("alice", 6)]
    assert kept == [each["content"] for each in asked[:6]]


async def test_calls_of_tools_and_what_they_answer_are_one_exchange(service: Service) -> None:
    result = {"role": "tool", "tool_call_id": "call_1", "content": "18 degrees"}
    service.model.answers(said_back(None, tool_calls=[WEATHER]), said_back("It is mild."))
    answer = await service.chat("How warm is it?", user="alice")
    called = answer.choices[0].message.model_dump(exclude_none=True)
    await service.kept("alice", 2)
    await service.chat("How warm is it?", called, result, user="alice")
    kept = await service.kept("alice", 4)
    assert [each["role"] for each in kept] == ["user", "assistant", "tool", "assistant"]
    assert kept[1]["tool_calls"] == [WEATHER]
    assert kept[2]["tool_call_id"] == "call_1"


async def test_a_stream_comes_through_as_it_comes_and_is_kept_whole(service: Service) -> None:
    pieces = ["It is ", "called\n", "Hugin", " ∎."]
    deltas = [{"role": "assistant", "content": ""}, *({"content": each} for each in pieces)]
    service.model.answers(streamed(*deltas, held_after=3))
    heard: list[str] = []
    stream = await service.chat(QUESTION, user="alice", stream=True)
    async for chunk in stream:
        heard += [each.delta.content or "" for each in chunk.choices]
        service.model.go_on.set()  # only what came through can have let it go on
    assert "".join(heard) == "".join(pieces)
    assert [each["content"] for each in await service.kept("alice", 2)] == [
        QUESTION,
        "".join(pieces),
    ]


async def test_called_tools_are_put_together_from_a_stream(service: Service) -> None:
    def piece(index: int, **call: Any) -> dict[str, Any]:
        return {"tool_calls": [{"index": index, **call}]}

    service.model.answers(
        streamed(
            {"role": "assistant", "content": None},
            piece(0, id="a", type="function", function={"name": "weather", "arguments": ""}),
            piece(0, function={"arguments": '{"city": '}),
            piece(1, id="b", type="function", function={"name": "time", "arguments": "{}"}),
            piece(0, function={"arguments": '"Oslo"}'}),
            finish="tool_calls",
        )
    )
    async for _ in await service.chat("How warm is it?", user="alice", stream=True):
        pass
    _, reply = await service.kept("alice", 2)
    assert reply["content"] is None
    assert [(each["id"], each["function"]) for each in reply["tool_calls"]] == [
        ("a", {"name": "weather", "arguments": '{"city": "Oslo"}'}),
        ("b", {"name": "time", "arguments": "{}"}),
    ]


@pytest.mark.parametrize("stream", [False, True])
async def test_answers_pass_byte_for_byte(service: Service, stream: bool) -> None:  # noqa: FBT001
    script = streamed({"content": "Grüße"}) if stream else said_back("Grüße 🐈")
    service.model.answers(script)
    body = {"model": "x", "messages": [said("Hi")], "stream": stream}
    answer = await service.plain.post("/v1/chat/completions", json=body)
    assert answer.content == script.body
    assert answer.headers["content-type"].startswith(script.media_type)


async def test_what_the_request_says_besides_reaches_the_model_unchanged(service: Service) -> None:
    body = {
        "model": "x",
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}, {"image": 1}]}],
        "temperature": 0.1,
        "seed": 2**70,
        "vendor": {"nested": [None, 1.5e300, "\ud83d"]},
    }
    raw = json.dumps(body).encode()
    await service.plain.post("/v1/chat/completions?api-version=2", content=raw)
    assert json.loads(service.model.last.raw) == json.loads(raw)
    assert service.model.last.query == "api-version=2"


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500, 503])
async def test_errors_of_the_upstream_pass_and_nothing_is_kept(
    service: Service, status: int
) -> None:
    told = b'{"error": {"message": "No.", "type": "t", "param": null, "code": "c"}}'
    service.model.answers(Script(chunks=[told], status=status, headers={"retry-after": "7"}))
    with pytest.raises(openai.APIStatusError) as raised:
        await service.chat("Hi", user="alice")
    assert raised.value.status_code == status
    assert raised.value.code == "c"
    assert raised.value.response.headers["retry-after"] == "7"
    service.model.answers(said_back("Hello."))
    await service.chat("Hello?", user="alice")
    assert [each["content"] for each in await service.kept("alice", 2)] == ["Hello?", "Hello."]


async def test_where_an_upstream_has_moved_is_told(service: Service) -> None:
    moved = {"location": "https://models.example/v1/chat/completions"}
    service.model.answers(Script(chunks=[b""], status=307, headers=moved))
    body = {"messages": [said("Hi")]}
    answer = await service.plain.post("/v1/chat/completions", json=body)
    assert (answer.status_code, answer.headers["location"]) == (307, moved["location"])


async def test_an_upstream_that_is_not_there_is_told(embedded: Settings) -> None:
    with stand_in_model() as model, refusing_port() as nobody:
        async with in_front_of(model, embedded, upstream_url=nobody) as service:
            body = {"messages": [said("Hi")]}
            answer = await service.plain.post("/v1/chat/completions", json=body)
            problem(answer, 502, "upstream-unavailable")


async def test_an_upstream_that_is_silent_is_told(embedded: Settings) -> None:
    with stand_in_model() as model:
        model.answers(Script(chunks=[b"{}"], held_after=-1))
        async with in_front_of(model, embedded, timeout_s=0.05) as service:
            body = {"messages": [said("Hi")]}
            answer = await service.plain.post("/v1/chat/completions", json=body)
            problem(answer, 504, "upstream-timed-out")


async def test_without_an_upstream_that_is_told(embedded: Settings) -> None:
    async with talking_to(embedded) as client:
        answer = await client.post("/v1/chat/completions", json={"messages": [said("Hi")]})
        told = problem(answer, 404, "proxy-not-configured")
        assert "FOREWORD_PROXY__UPSTREAM_URL" in told["detail"]
        problem(await client.get("/v1/models"), 404, "proxy-not-configured")


async def test_headers_between_a_caller_and_us_go_no_further(service: Service) -> None:
    between = {"Connection": "keep-alive, X-Between", "X-Between": "1", "TE": "trailers"}
    headers = {**between, "X-Kept": "2"}
    body = {"messages": [said("Hi")]}
    (
        await service.plain.post("/v1/chat/completions", json=body, headers=headers)
    ).raise_for_status()
    assert service.model.last.headers["x-kept"] == "2"
    assert not {"x-between", "te"} & service.model.last.headers.keys()


async def test_models_are_the_upstreams(service: Service) -> None:
    told = {
        "object": "list",
        "data": [{"id": "m", "object": "model", "created": 1, "owned_by": ""}],
    }
    service.model.answers(Script(chunks=[json.dumps(told).encode()]))
    assert [each.id async for each in service.openai.models.list()] == ["m"]


async def test_embeddings_are_the_upstreams(service: Service) -> None:
    told = {"object": "list", "data": [{"object": "embedding", "index": 0, "embedding": [0.5]}]}
    service.model.answers(Script(chunks=[json.dumps(told).encode()]))
    found = await service.openai.embeddings.create(model="e", input="Hi", encoding_format="float")
    assert found.data[0].embedding == [0.5]
    heard = service.model.last
    assert (heard.body["input"], heard.headers["authorization"]) == ("Hi", "Bearer sk-provider")


async def test_what_is_no_part_of_the_upstreams_api_is_not_found(service: Service) -> None:
    problem(await service.plain.get("/v2/models"), 404, "not-found")
    problem(await service.plain.put("/v2/models"), 404, "not-found")
    assert not service.model.heard


async def test_problems_of_ours_are_told_to_clients_of_openai(service: Service) -> None:
    nobody = {"X-Foreword-User": ""}
    with pytest.raises(openai.UnprocessableEntityError, match="x-foreword-user must have") as told:
        await service.chat("Hi", extra_headers=nobody)
    assert told.value.code == "unusable-header"
    answer = await service.plain.get("/conversations", params={"limit": 0})
    assert "error" not in problem(answer, 422, "invalid-request")


@pytest.mark.parametrize("body", [b"", b"no", b"[]", b"[" * 200_000, b'"x"', b"\xff"])
async def test_what_is_no_object_is_refused(service: Service, body: bytes) -> None:
    answer = await service.plain.post("/v1/chat/completions", content=body)
    problem(answer, 400, "not-an-object")
    assert not service.model.heard


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"messages": None},
        {"messages": "hi"},
        {"messages": []},
        {"messages": ["hi"]},
        {"messages": [{}]},
        {"messages": [{"role": "user"}, {"role": 7, "content": {"a": 1}}]},
        {"messages": [{"role": "user", "content": "a\0b"}], "user": 3, "metadata": []},
        {"messages": [{"role": "user", "content": " "}], "n": 3},
        {"messages": [{"role": "user", "content": [{"text": 1}, 2, None]}]},
        {"messages": [{"role": "assistant", "content": None, "tool_calls": [1, {"function": 2}]}]},
    ],
)
async def test_what_we_do_not_understand_is_the_models_to_judge(
    service: Service, body: dict[str, Any]
) -> None:
    service.model.answers(Script(chunks=[b'{"choices": [{"message": 1}]}']))
    answer = await service.plain.post("/v1/chat/completions", json=body)
    assert answer.status_code == 200
    assert service.model.last.body == body


@pytest.mark.parametrize(
    "headers",
    [
        {"X-Foreword-User": ""},
        {"X-Foreword-User": "x" * 256},
        {"X-Foreword-Conversation": "a" * 300},
        {"X-Foreword-Budget": "many"},
        {"X-Foreword-Budget": "-1"},
        {"X-Foreword-Budget": "99999999"},
    ],
)
async def test_headers_that_say_nothing_of_use_are_refused(
    service: Service, headers: dict[str, str]
) -> None:
    body = {"messages": [said("Hi")]}
    answer = await service.plain.post("/v1/chat/completions", json=body, headers=headers)
    problem(answer, 422, "unusable-header")


async def test_headers_win_over_what_the_body_says(service: Service) -> None:
    metadata = {"user_id": "carol", "conversation_id": "c"}
    named = of("zo\N{LATIN SMALL LETTER E WITH DIAERESIS}", "z")
    raw = {name.encode(): value.encode() for name, value in named.items()}
    body = {"messages": [said("Hi")], "user": "dave", "metadata": metadata}
    await service.plain.post("/v1/chat/completions", json=body, headers=raw)
    await service.kept(named["X-Foreword-User"], 2)
    await service.plain.post("/v1/chat/completions", json=body)
    await service.kept("dave", 2)
    body.pop("user")
    await service.plain.post("/v1/chat/completions", json=body)
    await service.kept("carol", 2)
    (conversation,) = await service.conversations("carol")
    assert conversation["external_id"] == "c"


_SAID = {
    "chat/completions": said_back("Understood."),
    "responses": responded("Understood."),
    "messages": messaged("Understood."),
}
FORMS: list[tuple[str, dict[str, Any]]] = [
    ("chat/completions", {"messages": [said(QUESTION)]}),
    ("responses", {"input": QUESTION}),
    ("messages", {"messages": [said(QUESTION)]}),
]


@pytest.mark.parametrize(("form", "asked"), FORMS)
async def test_a_user_may_be_a_number(service: Service, form: str, asked: Json) -> None:
    await service.remembers(HUGIN, user_id="41")
    for more in (
        {"user": 42, "metadata": {"conversation_id": 7}},
        {"user": None, "metadata": {"user_id": 43, "conversation": 7}},
        {"user": None, "safety_identifier": 44, "metadata": {"conversation_id": 7}},
    ):
        body = {**asked, **more}
        answer = await service.plain.post(f"/v1/{form}", json=body)
        assert (answer.status_code, answer.headers["x-foreword-memory"]) == (200, "empty")
        assert service.model.last.raw == answer.request.content
    for user in ("42", "43", "44"):
        await service.kept(user, 1 if form != "chat/completions" else 2)
        (conversation,) = await service.conversations(user)
        assert conversation["external_id"] == "7"
    await service.plain.post(f"/v1/{form}", json={**asked, "user": 41})
    assert HUGIN in service.model.last.raw.decode()


@pytest.mark.parametrize(("form", "asked"), FORMS)
async def test_nobody_is_who_is_no_name(service: Service, form: str, asked: Json) -> None:
    """They would all be nobody, and nobody's memory is one."""
    for wrong in ("", "  ", True, False, 4.2, ["alice"], {"id": "alice"}, 10**255):
        for more, where in (
            ({"user": wrong}, "user"),
            ({"metadata": {"user_id": wrong}}, "metadata.user_id"),
            ({"metadata": {"user": wrong}}, "metadata.user"),
            ({"safety_identifier": wrong}, "safety_identifier"),
            ({"metadata": {"conversation_id": wrong}}, "metadata.conversation_id"),
        ):
            if (wrong, where) == ("  ", "metadata.conversation_id"):
                continue
            answer = await service.plain.post(f"/v1/{form}", json={**asked, **more})
            assert problem(answer, 422, "unusable-field")["where"] == where
    assert not service.model.heard


SHOWN: list[tuple[str, dict[str, Any], list[str]]] = [
    (
        "chat/completions",
        {
            "messages": [
                said("Look at my garden."),
                {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]},
                {"role": "user", "content": [{"type": "text", "text": "And?"}, {"type": "file"}]},
            ]
        },
        ["Look at my garden.", "[image_url]", "And?\n[file]"],
    ),
    (
        "responses",
        {"input": [{"role": "user", "content": [{"type": "input_image", "image_url": "x"}]}]},
        ["[input_image]"],
    ),
    (
        "messages",
        {
            "messages": [
                {
                    "role": "user",
                    "content": [
                        {"type": "image", "source": {"type": "url", "url": "x"}},
                        {"type": "document", "source": {"type": "text", "data": "Roses."}},
                        {"type": "document", "source": {"type": "base64", "data": "AA"}},
                    ],
                }
            ]
        },
        ["[image]\nRoses.\n[document]"],
    ),
]


@pytest.mark.parametrize(("form", "asked", "kept"), SHOWN)
async def test_what_a_user_shows_is_kept_as_a_word_for_it(
    service: Service, form: str, asked: Json, kept: list[str]
) -> None:
    service.model.answers(_SAID[form])
    answer = await service.plain.post(f"/v1/{form}", json={**asked, "user": "alice"})
    assert answer.request.content == service.model.last.raw
    messages = await service.kept("alice", len(kept) + 1)
    assert [each["content"] for each in messages] == [*kept, "Understood."]


ERRORS = [
    Script(chunks=[b'{"error": {"message": "overloaded"}}']),
    Script(chunks=[b'{"type": "error", "error": {"type": "overloaded_error"}}']),
    Script(chunks=[b"<html>Bad gateway</html>"], media_type="text/html"),
    Script(chunks=[b""]),
    Script(chunks=[b'data: {"error": {"message": "overloaded"}}\n\n'], media_type=EVENTS),
    Script(
        chunks=[b'event: error\ndata: {"type": "error", "code": "overloaded"}\n\n'],
        media_type=EVENTS,
    ),
    Script(chunks=[b"data: <html>Bad gateway</html>\n\n"], media_type=EVENTS),
]


@pytest.mark.parametrize(("form", "asked"), FORMS)
async def test_of_an_answer_that_is_an_error_nothing_is_kept(
    service: Service, form: str, asked: Json
) -> None:
    """Whatever its status says: who asks again would have asked twice."""
    for script in ERRORS:
        service.model.answers(script)
        answer = await service.plain.post(f"/v1/{form}", json={**asked, "user": "alice"})
        assert (answer.status_code, answer.content) == (200, script.body)
    service.model.answers(_SAID[form])
    await service.plain.post(f"/v1/{form}", json={**asked, "user": "alice"})
    asking, reply = await service.kept("alice", 2)
    assert (asking["content"], reply["content"]) == (QUESTION, "Understood.")


async def test_a_conversation_may_be_named_by_its_id(service: Service) -> None:
    stored = await service.remembers(HUGIN, user_id="alice")
    named = {"X-Foreword-Conversation": stored["id"]}
    await service.chat(QUESTION, extra_headers=named)
    assert HUGIN in service.model.last.messages[0]["content"]
    assert len(await service.kept("alice", 3)) == 3
    with pytest.raises(openai.NotFoundError):
        await service.chat(QUESTION, extra_headers={**named, "X-Foreword-User": "bob"})


async def test_the_budget_is_kept_and_zero_is_no_memory(service: Service) -> None:
    servers = "Munin the mail", "Odin the build", "Freya the staging", "Loki the test"
    for name, purpose in (each.split(" ", 1) for each in servers):
        said_of = f"{name} is what {purpose} server of this deployment is called by everybody."
        await service.remembers(said_of, HUGIN, user_id="alice")

    async def asked(budget: str | None) -> Any:
        headers = of("alice") | ({"X-Foreword-Budget": budget} if budget else {})
        body: dict[str, Any] = {"model": "x", "messages": [said(QUESTION)]}
        return await service.openai.chat.completions.with_raw_response.create(
            **body, extra_headers=headers
        )

    large, small, none = await asked(None), await asked("90"), await asked("0")
    assert large.headers["x-foreword-memory"] == "used"
    assert 90 < int(large.headers["x-foreword-tokens"]) <= 4_000
    assert 0 < int(small.headers["x-foreword-tokens"]) <= 90
    assert int(small.headers["x-foreword-items"]) < int(large.headers["x-foreword-items"])
    assert none.headers["x-foreword-memory"] == "off"
    assert service.model.last.messages == [said(QUESTION)]
    bundle = await service.plain.get(f"/bundles/{large.headers['x-foreword-bundle']}")
    assert HUGIN in [each["content"] for each in bundle.json()["retrieved_memories"]]


async def test_memory_is_joined_to_the_instructions_where_that_is_wanted(
    embedded: Settings, model: StandInModel
) -> None:
    async with in_front_of(model, embedded, placement="joined", budget_tokens=500) as service:
        await service.remembers(HUGIN, user_id="alice")
        await service.chat(said("Be brief.", "developer"), QUESTION, user="alice")
        instructions, question = model.last.messages
        assert instructions["role"] == "developer"
        assert instructions["content"].startswith("Be brief.\n\n# Memory")
        assert question == said(QUESTION)
        parts = {"role": "system", "content": [{"type": "text", "text": "Be brief."}]}
        await service.chat(parts, QUESTION, user="alice")
        assert HUGIN in model.last.messages[0]["content"][1]["text"]
        await service.chat(QUESTION, user="alice")
        assert [each["role"] for each in model.last.messages] == ["system", "user"]
