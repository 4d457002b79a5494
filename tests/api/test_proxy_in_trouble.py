"""Whatever happens to memory, keys, callers and upstreams: the call goes on, nothing leaks."""

import asyncio
import json
from pathlib import Path
from typing import Any

import aiosqlite
import httpx
import openai
import pytest

from app.settings import Settings
from tests.api.keyed import a_key
from tests.api.proxied import HUGIN, QUESTION, eventually, in_front_of
from tests.api.serving import serving
from tests.api.speaking import problem, said, talking_to
from tests.stand_in_model import Script, StandInModel, said_back, streamed

BODY = {"model": "x", "messages": [said(QUESTION)], "user": "alice"}


async def test_memory_that_is_late_is_gone_without(embedded: Settings, model: StandInModel) -> None:
    async with in_front_of(model, embedded, deadline_s=1e-6) as service:
        await service.remembers(HUGIN, user_id="alice")
        answer = await service.plain.post("/v1/chat/completions", json=BODY)
        assert answer.headers["x-foreword-memory"] == "late"
        assert model.last.messages == BODY["messages"]


async def test_memory_that_fails_is_gone_without(embedded: Settings, model: StandInModel) -> None:
    async with in_front_of(model, embedded) as service:
        await service.remembers(HUGIN, user_id="alice")
        async with aiosqlite.connect(embedded.data_dir / "foreword.db") as other:
            await other.execute("ALTER TABLE message RENAME TO mislaid")
            answer = await service.plain.post("/v1/chat/completions", json=BODY)
            await other.execute("ALTER TABLE mislaid RENAME TO message")
        assert (answer.status_code, answer.headers["x-foreword-memory"]) == (200, "failed")
        assert model.last.messages == BODY["messages"]
        answer = await service.plain.post("/v1/chat/completions", json=BODY)
        assert answer.headers["x-foreword-memory"] == "used"


async def test_an_answer_waits_for_no_database(embedded: Settings, model: StandInModel) -> None:
    """It is there while another process writes; what was said is stored when that has ended."""
    async with in_front_of(model, embedded) as service:
        await service.remembers(HUGIN, user_id="alice", external_id="old")
        async with aiosqlite.connect(embedded.data_dir / "foreword.db") as other:
            await other.execute("BEGIN IMMEDIATE")
            headers = {"X-Foreword-Conversation": "new"}
            answer = await service.plain.post("/v1/chat/completions", json=BODY, headers=headers)
            assert answer.headers["x-foreword-memory"] == "used"
            assert len(await service.conversations("alice")) == 1
            await other.rollback()

        async def kept() -> bool:
            return len(await service.conversations("alice")) == 2

        await eventually(kept)


async def test_what_was_said_is_kept_when_the_service_ends(
    embedded: Settings, model: StandInModel
) -> None:
    async with in_front_of(model, embedded) as service:
        asked = [service.chat(f"Nr. {number}", user="alice") for number in range(20)]
        await asyncio.gather(*asked)
        await service.listening.end()
    async with talking_to(embedded) as client:
        page = (await client.get("/conversations", params={"user_id": "alice"})).json()
        assert [each["message_count"] for each in page["items"]] == [2] * 20


async def listen(client: httpx.AsyncClient, *, until: str) -> None:
    """Ask, hear so much of the answer, and go away."""
    heard = ""
    async with client.stream("POST", "/v1/chat/completions", json=BODY, timeout=60) as answer:
        async for each in answer.aiter_text():
            heard += each
            if until in heard:
                return


@pytest.mark.parametrize("held_after", [-1, 2])
async def test_a_caller_that_goes_away_stops_the_model(
    embedded: Settings, model: StandInModel, held_after: int
) -> None:
    model.answers(streamed({"content": "It is "}, {"content": "Hugin."}, held_after=held_after))
    async with in_front_of(model, embedded) as service:
        listening = asyncio.create_task(listen(service.plain, until="Hugin."))
        assert await asyncio.to_thread(model.holding.wait, 60)
        if held_after == -1:  # nothing will come
            listening.cancel()
        await asyncio.wait({listening})
        await asyncio.to_thread(model.left_alone.wait, 60)
        assert model.left_alone.is_set()
        if held_after == 2:
            _, reply = await service.kept("alice", 2)
            assert reply["content"] == "It is Hugin."
            assert reply["metadata"]["incomplete"] is True


async def test_an_answer_that_breaks_off_breaks_off(
    embedded: Settings, model: StandInModel
) -> None:
    model.answers(streamed({"content": "It is "}, breaks=True))
    async with in_front_of(model, embedded) as service:
        with pytest.raises(httpx.RemoteProtocolError):
            await service.plain.post("/v1/chat/completions", json=BODY)
        _, reply = await service.kept("alice", 2)
        assert (reply["content"], reply["metadata"]["incomplete"]) == ("It is ", True)


def test_of_an_answer_that_breaks_off_one_line_tells(tmp_path: Path, model: StandInModel) -> None:
    model.answers(streamed({"content": "It is "}, breaks=True))
    with serving(tmp_path, PROXY__UPSTREAM_URL=model.url) as server, server.client() as client:
        before, heard = len(server.log.splitlines()), list[bytes]()
        asked = BODY | {"stream": True}
        with (
            client.stream("POST", "/v1/chat/completions", json=asked) as answer,
            pytest.raises(httpx.RemoteProtocolError),
        ):
            heard.extend(answer.iter_raw())
        assert b"It is " in b"".join(heard)
        assert server.end() == 0
        lines = [json.loads(each) for each in server.log.splitlines()[before:]]
        (told,) = (each for each in lines if each["level"] != "info")
    assert (told["event"], told["level"]) == ("an answer broke off", "warning")


async def test_one_callers_cookies_are_nobody_elses(
    embedded: Settings, model: StandInModel
) -> None:
    reply = said_back("Hi")
    model.answers(Script(chunks=reply.chunks, headers={"set-cookie": "who=alice; Path=/"}))
    async with in_front_of(model, embedded) as service:
        answer = await service.plain.post("/v1/chat/completions", json=BODY)
        assert "set-cookie" not in answer.headers
        await service.plain.post("/v1/chat/completions", json=BODY)
        assert "cookie" not in model.last.headers


async def test_the_providers_key_goes_to_the_provider_only(
    embedded: Settings, model: StandInModel, caplog: pytest.LogCaptureFixture
) -> None:
    _, ours = await a_key(embedded)
    reply = said_back("Hi")
    model.answers(Script(chunks=reply.chunks, headers={"x-request-id": "req-1"}))
    caplog.set_level("DEBUG")
    async with in_front_of(model, embedded, key="sk-secret-1") as service:
        completions = service.openai.chat.completions.with_raw_response
        asked: dict[str, Any] = {"model": "x", "messages": [said("Hi")], "user": "alice"}
        with pytest.raises(openai.AuthenticationError):
            await service.chat("Hi")
        answer = await completions.create(**asked, extra_headers={"X-Foreword-Key": ours})
        assert model.last.headers["authorization"] == "Bearer sk-secret-1"
        assert not [name for name in model.last.headers if name.startswith("x-foreword")]
        assert answer.headers["x-upstream-request-id"] == "req-1"
        owned = {"Authorization": f"Bearer {ours}"}
        await service.plain.post("/v1/chat/completions", json=BODY, headers=owned)
        assert "authorization" not in model.last.headers
    database = (embedded.data_dir / "foreword.db").read_bytes()
    assert b"sk-secret-1" not in database
    assert "sk-secret-1" not in caplog.text


async def test_the_operators_key_opens_the_upstream(
    embedded: Settings, model: StandInModel
) -> None:
    async with in_front_of(model, embedded, key="none-needed", api_key="sk-ours") as service:
        await service.chat("Hi")
        assert model.last.headers["authorization"] == "Bearer sk-ours"
    _, ours = await a_key(embedded)
    async with in_front_of(model, embedded, key=ours, api_key="sk-ours") as service:
        await service.chat("Hi")
        assert model.last.headers["authorization"] == "Bearer sk-ours"
        assert ours.encode() not in model.last.raw


async def test_passing_on_reads_and_writes(embedded: Settings, model: StandInModel) -> None:
    _, reads = await a_key(embedded, scopes="read")
    _, writes = await a_key(embedded, scopes="write")
    async with in_front_of(model, embedded) as service:
        for key, needed in ((reads, "write"), (writes, "read")):
            headers = {"X-Foreword-Key": key}
            answer = await service.plain.post("/v1/chat/completions", json=BODY, headers=headers)
            assert problem(answer, 403, "not-permitted")["needed"] == needed
        assert not model.heard
        allowed = await service.plain.get("/v1/models", headers={"X-Foreword-Key": reads})
        assert allowed.status_code == 200


async def test_tenants_have_memories_of_their_own(embedded: Settings, model: StandInModel) -> None:
    _, acme = await a_key(embedded, "acme")
    _, other = await a_key(embedded, "other")
    async with in_front_of(model, embedded) as service:
        alices = {"user_id": "alice", "external_id": "c", "messages": [said(HUGIN)]}
        for key, becomes in ((acme, "used"), (other, "empty")):
            headers = {"X-Foreword-Key": key, "X-Foreword-Conversation": "c"}
            if key == acme:
                await service.plain.post("/conversations", json=alices, headers=headers)
            answer = await service.plain.post("/v1/chat/completions", json=BODY, headers=headers)
            assert answer.headers["x-foreword-memory"] == becomes


async def test_what_went_through_is_counted(embedded: Settings, model: StandInModel) -> None:
    async with in_front_of(model, embedded) as service:
        await service.chat("Hi", user="alice")
        await service.kept("alice", 2)
        told = (await service.plain.get("/metrics")).text
        assert 'foreword_proxy_requests_total{memory="empty"} 1.0' in told
        assert 'foreword_proxy_exchanges_total{outcome="kept"} 1.0' in told
