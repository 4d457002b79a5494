"""All else of the upstream's API comes through; what a caller keeps there is no other caller's."""

from urllib.parse import unquote

import openai
import pytest
from httpx import AsyncClient
from starlette.datastructures import Headers

from app.api.passing import brings_own_key, to_upstream
from app.domain.keys import OPERATOR
from app.settings import Settings
from tests.api.keyed import a_key
from tests.api.proxied import Service, in_front_of
from tests.api.speaking import problem
from tests.stand_in_model import Script, StandInModel

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
