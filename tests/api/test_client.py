"""The client for Python, both kinds of it, against the service that runs."""

import inspect
import re
from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import pytest

from app.client import AsyncClient, Client, ClientError, Message, NoAddress
from app.client import calls as all_calls
from app.client.calls import Call
from tests.api.serving import PATIENCE, Server, eventually, serving
from tests.exports import ASKED, HUGIN

NOT_OFFERED = {
    "/admin/keys": "keys are made on the machine, or by whoever holds an admin's",
    "/admin/audit": "the same",
    "/memory/debug/": "for people, on the page",
    "/memory/metrics": "the same",
    "/healthz": "for balancers",
    "/readyz": "the same",
    "/v1/": "the proxy speaks to clients of others",
    "/mcp": "the same",
}
JOBS = ("reindex", "reembed", "retry-dead-letters", "doctor", "prune", "backup")
GIVEN = {"kind": "users", "job": "doctor"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("service")) as server:
        yield server


@pytest.fixture
def memory(server: Server) -> Iterator[Client]:
    with server.memory() as memory:
        yield memory


def said(*contents: str) -> list[Message]:
    return [{"role": "user", "content": each} for each in contents]


def test_conversations_are_stored_read_changed_and_forgotten(memory: Client) -> None:
    stored = memory.remember(said(HUGIN), user_id="ann", external_id="c", wait=True)
    memory.append(stored["id"], said("My name is Ann Lee. I work at Acme Labs."), wait=True)
    changed = memory.change_conversation(stored["id"], label="Machines", tags=["x"])
    assert memory.conversation(stored["id"]) == changed
    (listed,) = memory.conversations(user_id="ann", tag="x")["items"]
    assert (listed["label"], listed["message_count"]) == ("Machines", 2)
    first, _ = memory.history(stored["id"], order="asc")["items"]
    assert memory.message(first["id"])["content"] == HUGIN
    assert HUGIN in memory.sum_up(stored["id"])["content"]
    (entity, *_) = eventually(lambda: memory.entities(user_id="ann", q="Acme")["items"])
    assert memory.entity(entity["id"], limit=5)["name"] == entity["name"]
    (user,) = memory.users(begins="an", limit=5)["items"]
    assert user["user_id"] == "ann"
    assert memory.forget("messages", first["id"])["erased"]["messages"] == 1
    assert memory.forget("users", "ann")["remaining"] == 0
    with pytest.raises(ClientError) as refused:
        memory.conversation(stored["id"])
    assert (refused.value.status, refused.value.problem["status"]) == (404, 404)


def test_what_is_refused_says_what_was_wrong(memory: Client) -> None:
    for ask, why in (
        (lambda: memory.history("chat-42"), "path:conversation_id: Input should be a valid UUID"),
        (lambda: memory.change_flags(fame=True), "#/fame: Extra inputs are not permitted."),
        (lambda: memory.context(""), "#/query: must not be empty"),
        (lambda: memory.memorise("fact", " "), "#/content: must not be blank"),
    ):
        with pytest.raises(ClientError) as refused:
            ask()
        assert why in str(refused.value)


def test_what_is_forgotten_is_named_alone_or_as_one_of_several(memory: Client) -> None:
    kept = [memory.memorise("fact", f"It is {number}.", user_id="ed") for number in range(2)]
    stored = memory.remember(said(HUGIN, ASKED), user_id="ed")
    first, second = stored["message_ids"]
    conversation = memory.remember(said(HUGIN), user_id="ed", external_id="other")["id"]
    for kind, identity in (
        *(("memory", kept[0]["id"]), ("memories", kept[1]["id"])),
        *(("message", first), ("messages", second)),
        *(("conversation", stored["id"]), ("conversations", conversation)),
        *(("user", "ed"), ("users", "ed")),
    ):
        assert memory.forget(kind, identity)["remaining"] == 0
    for kind in ("person", "userss", "", "."):
        for forget in (memory.forget, lambda *of: list(memory.forgetting(*of))):
            with pytest.raises(ValueError, match="but user, conversation, message, memory"):
                forget(kind, "ed")


@pytest.mark.parametrize("identity", [".", "..", ""])
def test_what_would_be_taken_out_of_a_path_is_sent_to_nobody_elses_address(
    memory: Client, identity: str
) -> None:
    known = ("consent", "profile")
    for user in known:
        memory.remember(said(HUGIN), user_id=user)
    of_somebody = (memory.consent, memory.revoke, memory.profile, memory.forget_profile)
    of_something = (memory.conversation, memory.memory, memory.entity, memory.job, memory.retry)
    for ask in (*of_somebody, *of_something, memory.history, memory.lineage, memory.start):
        with pytest.raises(ValueError, match="nothing has the id"):
            ask(identity)
    with pytest.raises(NoAddress):
        memory.forget("messages", identity)
    with pytest.raises(ClientError):
        memory.agree(identity, {"profile": False})
    if identity:
        assert memory.forget("users", identity)["erased"]["messages"] == 0
    for user in known:
        assert memory.forget("users", user)["erased"]["messages"] == 1


def test_a_context_is_built_watched_and_replayed(memory: Client) -> None:
    memory.remember(said(HUGIN), user_id="bo", wait=True)
    bundle = memory.context(ASKED, user_id="bo", format="markdown")
    assert HUGIN in str(bundle["text"])
    assert HUGIN in [each["content"] for each in memory.search(ASKED, user_id="bo")["results"]]
    told = [each["content"] for each in memory.bundle(bundle["bundle_id"])["retrieved_memories"]]
    assert HUGIN in told
    events = list(memory.events("Which machine is Hugin?", user_id="bo"))
    names = [name for name, _ in events]
    assert {"memory_debug", "item"} <= set(names)
    assert names[-1] == "bundle"
    assert HUGIN in [each["content"] for each in events[-1][1]["retrieved_memories"]]
    with pytest.raises(ClientError, match="no such conversation"):
        list(memory.events("Which?", conversation_id="00000000-0000-7000-8000-000000000000"))


def test_what_is_told_of_a_user_is_kept_by_consent(memory: Client) -> None:
    first = memory.memorise("fact", "Cy lives in Rome.", user_id="cy", importance=4, wait=True)
    assert memory.memory(first["id"])["superseded"] == []
    assert memory.change_memory(first["id"], importance=7)["content"] == "Cy lives in Rome."
    assert [each["id"] for each in memory.memories(user_id="cy")["items"]] == [first["id"]]
    assert memory.lineage(first["id"])["items"] == []
    assert memory.agree("cy", {"profile": True}, source="test")["purposes"]["profile"]
    memory.change_profile("cy", preferences={"tone": "brief"}, notes="Tea.")
    assert memory.profile("cy")["preferences"] == {"tone": "brief"}
    assert memory.forget_profile("cy")["erased"]["profiles"] == 1
    assert memory.consent("cy")["has_profile"] is False
    assert memory.revoke("cy")["remaining"] == 0
    assert memory.consent("cy")["purposes"]["profile"] is False


def test_the_service_is_looked_after(memory: Client) -> None:
    assert memory.change_flags(hybrid=False)["hybrid"] is False
    assert memory.change_flags(hybrid=None) == memory.flags()
    job = memory.start("doctor", fix=False)
    eventually(lambda: memory.job(job["id"])["status"] == "done")
    assert memory.job(job["id"])["facts"]["sound"] is True
    again = memory.retry(job["id"])
    assert again["id"] in [each["id"] for each in memory.jobs()["items"]]


async def test_the_other_client_does_the_same(server: Server, tmp_path: Path) -> None:
    async with AsyncClient(server.url, seconds=PATIENCE) as memory:
        stored = await memory.remember(said(HUGIN), user_id="di", wait=True)
        assert (await memory.conversation(stored["id"]))["user_id"] == "di"
        assert [each["user_id"] for each in (await memory.users(begins="d"))["items"]] == ["di"]
        names = [name async for name, _ in memory.events(ASKED, user_id="di")]
        assert names[-1] == "bundle"
        file = b"".join([chunk async for chunk in memory.export("di")])
        lines = [line async for line in memory.import_file(file)]
        assert lines[-1]["duplicates"] >= 1
        known = lines[-1]["duplicates"]
        several: list[IO[bytes] | Iterable[bytes]] = [BytesIO(file), file.splitlines(keepends=True)]
        for each in several:
            lines = [line async for line in memory.import_file(each)]
            assert (lines[-1]["duplicates"], lines[-1]["messages"]) == (known, 0)
        path = tmp_path / "di.ndjson"
        path.write_bytes(file)
        lines = [line async for line in memory.import_file(path)]
        assert lines[-1]["duplicates"] == known
        with pytest.raises(FileNotFoundError, match=r"nowhere\.zip"):
            memory.import_file("nowhere.zip")
        assert (await memory.forget("users", "di"))["remaining"] == 0


def test_a_file_is_imported_by_its_path_or_by_what_it_holds(memory: Client, tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    path.write_text('[{"role": "user", "content": "The boat is called Fram."}]')
    *_, first = memory.import_file(str(path), user_id="fay")
    assert first["messages"] == 1
    for each in (path, path.read_bytes(), BytesIO(path.read_bytes())):
        *_, again = memory.import_file(each, user_id="fay")
        assert again["duplicates"] == 1
    with pytest.raises(FileNotFoundError, match=r"nowhere\.zip"):  # before anything is iterated
        memory.import_file("nowhere.zip")


def shape(client: type) -> dict[str, list[str]]:
    methods = inspect.getmembers(client, inspect.isfunction)
    public = {name: each for name, each in methods if not name.startswith("_")}
    return {name: [*inspect.signature(each).parameters] for name, each in public.items()}


def test_both_clients_have_the_same_methods() -> None:
    assert shape(Client) == shape(AsyncClient)


def call_of(make: Any) -> Call[Any]:
    """A call whose arguments are as empty as they may be."""
    empty = {"str": "x", "str | None": "x", "bool": False}
    needed = [
        each
        for each in inspect.signature(make).parameters.values()
        if each.default is each.empty and each.kind is not each.VAR_KEYWORD
    ]
    values = {each.name: GIVEN.get(each.name, empty.get(_spelled(each), [])) for each in needed}
    made: Call[Any] = make(**values)
    return made


def _spelled(parameter: inspect.Parameter) -> str:
    told = parameter.annotation
    return getattr(told, "__name__", str(told))


def test_what_the_service_offers_the_client_offers(server: Server) -> None:
    makers = {
        name: make
        for name, make in inspect.getmembers(all_calls, inspect.isfunction)
        if make.__module__ == all_calls.__name__ and not name.startswith("_")
    }
    assert makers.keys() <= shape(Client).keys()
    made = [call_of(each) for each in makers.values()]
    made += [all_calls.forget(kind, "x") for kind in ("conversations", "messages", "memories")]
    made += [all_calls.start(job) for job in JOBS]
    known = {(each.method, each.path) for each in made}
    with server.client() as http:
        paths = http.get("/openapi.json").json()["paths"]
    missing = [
        (method.upper(), path)
        for path, methods in paths.items()
        if not path.startswith(tuple(NOT_OFFERED))
        for method in methods
        if not any(
            method.upper() == verb and re.fullmatch(re.sub(r"{\w+}", "[^/]+", path), asked)
            for verb, asked in known
        )
    ]
    assert missing == []
