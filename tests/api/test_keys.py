"""Keys decide who may ask for what; without any, whoever is on this machine may."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import pytest
import pytest_asyncio
from httpx import AsyncClient, Response

from app.settings import KeySettings, ServerSettings, Settings
from tests.api.keyed import EVERYTHING, a_caller, a_key, revoke, the_service
from tests.api.speaking import Json, get, problem, said, settings_for, store
from tests.fakes_embedder import a_compiled_model

pytestmark = pytest.mark.asyncio(loop_scope="module")

UNKNOWN = "fwd_" + "A" * 43
QUICK = KeySettings(remembered_s=0.05, noted_s=0.05)
OPEN = ("/healthz", "/readyz", "/docs", "/openapi.json", "/metrics")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    a_compiled_model()
    directory: Path = tmp_path_factory.mktemp("keys")
    return settings_for(directory, keys=QUICK)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def app(shared: Settings) -> AsyncIterator[Any]:
    """A service with keys: each test brings tenants of its own."""
    await a_key(shared, "first")
    async with the_service(shared) as running:
        yield running


async def eventually(client: AsyncClient, path: str, status: int) -> None:
    """Ask until it is answered so."""
    async with asyncio.timeout(60):
        answer = await client.get(path)
        while answer.status_code != status:
            await asyncio.sleep(0.01)
            answer = await client.get(path)


def told(answer: Response) -> Json:
    """What an answer tells, but for the request that it answers."""
    return {k: v for k, v in answer.json().items() if k not in {"request_id", "instance"}}


async def test_the_first_key_ends_access_without_one_at_once(embedded: Settings) -> None:
    async with the_service(embedded) as app, a_caller(app) as anyone:
        stored = await store(anyone, "hello")
        made = await anyone.post("/admin/keys", json={"name": "first", "scopes": ["read"]})
        assert made.status_code == 201
        assert made.headers["cache-control"] == "no-store"
        refused = await anyone.get(f"/conversations/{stored['id']}")
        problem(refused, 401, "not-authenticated")
        assert refused.headers["www-authenticate"] == "Bearer"
        async with a_caller(app, made.json()["key"]) as holder:
            assert (await get(holder, f"/conversations/{stored['id']}"))["message_count"] == 1


async def test_a_key_made_beside_the_service_works_at_once_and_ends_access_without_one(
    embedded: Settings,
) -> None:
    quick = embedded.model_copy(update={"keys": QUICK})
    async with the_service(quick) as app, a_caller(app) as anyone:
        await store(anyone, "everybody's")
        _, key = await a_key(quick)
        async with a_caller(app, key) as holder:
            assert (await get(holder, "/conversations"))["items"] == []
        await eventually(anyone, "/conversations", 401)


async def test_revoking_the_only_key_lets_nobody_in(embedded: Settings) -> None:
    key_id, key = await a_key(embedded, scopes=EVERYTHING)
    async with (
        the_service(embedded) as app,
        a_caller(app, key) as holder,
        a_caller(app) as anyone,
    ):
        assert (await holder.delete(f"/admin/keys/{key_id}")).json()["revoked_at"]
        for each in (holder, anyone):
            problem(await each.get("/conversations"), 401, "not-authenticated")


async def test_without_keys_only_this_machine_is_answered(embedded: Settings) -> None:
    async with the_service(embedded) as app:
        for address, host, status in (
            ("127.0.0.1", "localhost:8000", 200),
            ("::1", "[::1]:8000", 200),
            ("10.0.0.1", "localhost:8000", 401),
            ("127.0.0.1", "rebound.example", 401),
        ):
            async with a_caller(app, address=address, host=host) as caller:
                assert (await caller.get("/conversations")).status_code == status
                assert (await caller.get("/healthz")).status_code == 200
        async with a_caller(app) as proxy:
            passed_on = await proxy.get("/conversations", headers={"X-Forwarded-For": "1.2.3.4"})
            assert passed_on.status_code == 401
            foreign = await proxy.get("/conversations", headers={"Origin": "http://evil.example"})
            assert foreign.status_code == 401


async def test_without_keys_what_is_no_key_of_ours_does_not_matter(embedded: Settings) -> None:
    async with the_service(embedded) as app:
        for key, status in (("sk-of-somebody-else", 200), ("", 200), (UNKNOWN, 401)):
            async with a_caller(app, key) as caller:
                assert (await caller.get("/conversations")).status_code == status, key


async def test_without_keys_everybody_is_answered_where_that_is_allowed(
    embedded: Settings,
) -> None:
    public = embedded.model_copy(update={"server": ServerSettings(allow_public=True)})
    async with the_service(public) as app, a_caller(app, address="10.0.0.1") as stranger:
        assert (await stranger.get("/conversations")).status_code == 200
        made = await stranger.post("/admin/keys", json={"name": "mine"})
        assert made.status_code == 201
        assert (await stranger.get("/conversations")).status_code == 401


async def test_a_key_opens_the_memory_of_its_tenant_only(app: Any, shared: Settings) -> None:
    (_, ours), (_, theirs) = await a_key(shared, "we"), await a_key(shared, "they")
    async with a_caller(app, ours) as we, a_caller(app, theirs) as they:
        mine = await store(we, "secret", external_id="chat", user_id="alice")
        same = await store(they, "other", external_id="chat", user_id="alice")
        assert mine["id"] != same["id"]
        for path in (f"/conversations/{mine['id']}", f"/conversations/{mine['id']}/messages"):
            hidden, absent = (
                await they.get(path),
                await they.get(path.replace(mine["id"], str(uuid4()))),
            )
            assert told(problem_of(hidden)) | {"conversation_id": 0} == told(problem_of(absent)) | {
                "conversation_id": 0
            }


def problem_of(answer: Response) -> Response:
    problem(answer, 404, "conversation-not-found")
    return answer


ASKED: list[tuple[str, str, str, Json | None]] = [
    ("GET", "/conversations", "read", None),
    ("GET", f"/conversations/{uuid4()}", "read", None),
    ("POST", "/context", "read", {"query": "q"}),
    ("POST", "/search", "read", {"query": "q"}),
    ("GET", "/memory/debug/retrieval?q=x", "read", None),
    ("GET", "/memory/debug/stats", "read", None),
    ("GET", f"/bundles/{uuid4()}", "read", None),
    ("POST", "/conversations", "write", {"messages": []}),
    ("PATCH", f"/conversations/{uuid4()}", "write", {}),
    ("DELETE", f"/conversations/{uuid4()}", "write", None),
    ("DELETE", f"/messages/{uuid4()}", "write", None),
    ("DELETE", "/users/nobody", "write", None),
    ("GET", "/admin/keys", "admin", None),
    ("POST", "/admin/keys", "admin", {"name": "x"}),
    ("DELETE", f"/admin/keys/{uuid4()}", "admin", None),
    ("GET", "/admin/audit", "admin", None),
    ("GET", "/users", "admin", None),
    ("GET", "/users/nobody/consent", "read", None),
]


async def test_a_key_may_do_what_its_scopes_say_and_nothing_else(
    app: Any, shared: Settings
) -> None:
    for scope in ("read", "write", "admin"):
        _, key = await a_key(shared, "scoped", scopes=scope)
        async with a_caller(app, key) as holder:
            for method, path, needed, body in ASKED:
                answer = await holder.request(method, path, json=body)
                if needed == scope:
                    assert answer.status_code in {200, 201, 404}, (method, path)
                else:
                    document = problem(answer, 403, "not-permitted")
                    assert (document["needed"], document["scopes"]) == (needed, [scope])
                    assert document["detail"] == f"It needs `{needed}`."


async def test_every_route_needs_a_key_but_those_that_are_meant_to_be_open(
    app: Any, shared: Settings
) -> None:
    described = (await read_open(app, "/openapi.json")).json()
    async with a_caller(app) as anyone:
        for path, operations in described["paths"].items():
            for method, operation in operations.items():
                answer = await anyone.request(method, path.replace("{", "").replace("}", ""))
                assert (answer.status_code == 401) is ("security" in operation), path
                assert (path in OPEN) is ("security" not in operation), path
        for path in OPEN:
            assert (await anyone.get(path)).status_code == 200
        for path in ("/nothing", "/", "/admin", "/ADMIN/keys", "//admin/keys", "/admin%2Fkeys"):
            problem(await anyone.get(path), 401, "not-authenticated")


async def read_open(app: Any, path: str) -> Response:
    async with a_caller(app) as anyone:
        return await anyone.get(path)


async def test_metrics_can_be_closed(embedded: Settings) -> None:
    closed = embedded.model_copy(update={"server": ServerSettings(open_metrics=False)})
    _, reader = await a_key(closed)
    _, admin = await a_key(closed, scopes="admin")
    async with the_service(closed) as app:
        for key, status in ((None, 401), (reader, 403), (admin, 200)):
            async with a_caller(app, key) as caller:
                assert (await caller.get("/metrics")).status_code == status


async def test_what_does_not_open_is_refused_without_a_reason(app: Any, shared: Settings) -> None:
    soon = datetime.now(UTC) + timedelta(milliseconds=1)
    _, expired = await a_key(shared, "late", expires_at=soon)
    revoked_id, revoked = await a_key(shared, "gone")
    await revoke(shared, "gone", revoked_id)
    answers = []
    for key in (None, expired, revoked, UNKNOWN, "fwd_short", "x" * 5_000, "é"):
        async with a_caller(app) as caller:
            headers = {} if key is None else {b"Authorization": b"Bearer " + key.encode()}
            answers.append(await caller.get("/conversations", headers=headers))
    assert all(told(each) == told(answers[0]) for each in answers)
    assert {each.status_code for each in answers} == {401}


async def test_other_ways_to_authenticate_are_refused(app: Any, shared: Settings) -> None:
    _, key = await a_key(shared)
    async with a_caller(app) as caller:
        for value in (key, f"Basic {key}", f"bearer  {key}", "Bearer"):
            answer = await caller.get("/conversations", headers={"Authorization": value})
            assert answer.status_code == (200 if value.startswith("bearer") else 401), value
        assert (await caller.get(f"/conversations?key={key}")).status_code == 401


async def test_a_header_of_its_own_wins_over_somebody_elses(app: Any, shared: Settings) -> None:
    _, key = await a_key(shared)
    async with a_caller(app, "sk-of-the-provider") as caller:
        assert (await caller.get("/conversations")).status_code == 401
        own = {"X-Foreword-Key": key}
        assert (await caller.get("/conversations", headers=own)).status_code == 200


async def test_a_key_revoked_beside_the_service_is_refused_soon(app: Any, shared: Settings) -> None:
    key_id, key = await a_key(shared, "soon")
    async with a_caller(app, key) as holder:
        assert (await holder.get("/conversations")).status_code == 200
        await revoke(shared, "soon", key_id)
        await eventually(holder, "/conversations", 401)


async def test_nobodys_body_is_read_before_it_is_known_whose_it_is(app: Any) -> None:
    async def endless() -> AsyncIterator[bytes]:
        raise AssertionError("the body was read")
        yield b""

    async with a_caller(app) as anyone:
        answer = await anyone.post(
            "/conversations", content=endless(), headers={"content-type": "application/json"}
        )
    problem(answer, 401, "not-authenticated")


async def test_an_admin_makes_lists_and_revokes_keys_of_its_own_tenant(
    app: Any, shared: Settings
) -> None:
    _, key = await a_key(shared, "ours", scopes="admin")
    foreign_id, _ = await a_key(shared, "theirs")
    async with a_caller(app, key) as admin:
        body = {"name": "reader", "scopes": ["read"], "expires_at": "2999-01-01T00:00:00Z"}
        made = (await admin.post("/admin/keys", json=body)).json()
        listed = await get(admin, "/admin/keys")
        assert [each["name"] for each in listed["items"]] == ["reader", "of ours"]
        assert listed["items"][0] == {k: v for k, v in made.items() if k != "key"}
        assert made["key"] not in str(listed)
        async with a_caller(app, made["key"]) as reader:
            assert (await reader.get("/conversations")).status_code == 200
            revoked = [(await admin.delete(f"/admin/keys/{made['id']}")).json() for _ in range(2)]
            for each in revoked:
                del each["last_used_at"]  # noted some time after the use
            assert revoked[0] == revoked[1]
            assert (await reader.get("/conversations")).status_code == 401
        for unknown in (foreign_id, uuid4()):
            problem(await admin.delete(f"/admin/keys/{unknown}"), 404, "key-not-found")


async def test_keys_of_the_wrong_shape_are_refused(app: Any, shared: Settings) -> None:
    _, key = await a_key(shared, scopes="admin")
    async with a_caller(app, key) as admin:
        for body in (
            {},
            {"name": ""},
            {"name": "x", "scopes": []},
            {"name": "x", "scopes": ["root"]},
            {"name": "x", "expires_at": "2020-01-01T00:00:00Z"},
            {"name": "x", "tenant": "other"},
        ):
            problem(await admin.post("/admin/keys", json=body), 422, "invalid-request")


async def test_the_last_use_of_a_key_is_noted(app: Any, shared: Settings) -> None:
    _, key = await a_key(shared, "used", scopes="admin")
    async with a_caller(app, key) as admin, asyncio.timeout(60):
        listed = await get(admin, "/admin/keys")
        while not listed["items"][0]["last_used_at"]:
            await asyncio.sleep(0.01)
            listed = await get(admin, "/admin/keys")


async def audit(admin: AsyncClient, **wanted: Any) -> list[tuple[str, str, Json]]:
    entries = (await get(admin, "/admin/audit", **wanted))["items"]
    return [(each["action"], each["subject"], each["facts"]) for each in entries]


async def test_the_audit_tells_what_was_done_under_which_key_and_no_word_of_it(
    app: Any, shared: Settings
) -> None:
    canary = "zanzibarcanary"
    key_id, key = await a_key(shared, "audited", scopes=EVERYTHING)
    async with a_caller(app, key) as holder:
        stored = await store(
            holder, said(canary, name=canary, metadata={canary: canary}), "more", label=canary,
            external_id=canary, user_id=canary, tags=[canary],
        )  # fmt: skip
        path = f"/conversations/{stored['id']}"
        await store(holder, said("more"), external_id=canary, user_id=canary)
        await holder.post(f"{path}/messages", json={"messages": [said("again")]})
        await holder.patch(path, json={"label": canary, "importance": 7})
        await holder.delete(f"/messages/{stored['message_ids'][0]}")
        await holder.delete(path)
        await holder.delete(f"/users/{canary}")
        await holder.delete("/users/unknown")
        await holder.get("/conversations")
        await holder.delete(path)

        subject = f"conversation:{stored['id']}"
        entries = await audit(holder)
        assert [each[:2] for each in entries[3:]] == [
            ("erasure.ended", subject),
            ("conversation.erased", subject),
            ("message.erased", f"message:{stored['message_ids'][0]}"),
            ("conversation.changed", subject),
            ("messages.appended", subject),
            ("conversation.stored", subject),
            ("key.created", f"key:{key_id}"),
        ]
        assert [facts for *_, facts in entries[6:9]] == [
            {"fields": ["importance", "label"]},
            {"messages": 1},
            {"messages": 2},
        ]
        users = ["user.erased", "erasure.ended", "user.erased"]
        assert [each[0] for each in entries[:3]] == users
        assert entries[5][2]["messages"] == 1

        whole = await get(holder, "/admin/audit")
        assert canary not in str(whole)
        actors = {(each["actor"], each["key_id"]) for each in whole["items"]}
        assert actors == {("key", str(key_id)), ("command", None)}
        assert await audit(holder, user_id=canary) == entries[1:3]
        assert await audit(holder, action="key.created") == entries[-1:]
        assert await audit(holder, subject=subject, limit=1) == entries[3:4]


async def test_the_audit_goes_on_page_by_page(app: Any, shared: Settings) -> None:
    _, key = await a_key(shared, "paged", scopes=EVERYTHING)
    async with a_caller(app, key) as holder:
        for number in range(4):
            await store(holder, f"number {number}")
        seen: list[Any] = []
        page = await get(holder, "/admin/audit", limit=2)
        while page["next_cursor"]:
            seen += page["items"]
            page = await get(holder, "/admin/audit", limit=2, cursor=page["next_cursor"])
        seen += page["items"]
        assert seen == (await get(holder, "/admin/audit"))["items"]
        assert len(seen) == 5


async def test_without_keys_the_audit_tells_so(embedded: Settings) -> None:
    async with the_service(embedded) as app, a_caller(app) as anyone:
        await store(anyone, "hello")
        (entry,) = (await get(anyone, "/admin/audit"))["items"]
    assert (entry["actor"], entry["key_id"]) == ("anyone here", None)


@pytest.mark.parametrize("user_id", ["a/b", "/", "a//b/", "x/profile", "a%2Fb", "ä/ö", "%"])
async def test_a_user_may_have_any_name(app: Any, shared: Settings, user_id: str) -> None:
    _, key = await a_key(shared, f"named-{uuid4()}")
    async with a_caller(app, key) as holder:
        await store(holder, "hello", user_id=user_id)
        await store(holder, "hello", user_id="a")
        erased = (await holder.delete(f"/users/{quote(user_id, safe='')}")).json()
        assert erased["erased"]["messages"] == 1
        assert (await get(holder, "/conversations", user_id=user_id))["items"] == []
        assert len((await get(holder, "/conversations", user_id="a"))["items"]) == 1


async def test_a_slash_that_divides_still_does(app: Any, shared: Settings) -> None:
    _, key = await a_key(shared)
    async with a_caller(app, key) as holder:
        problem(await holder.delete("/users/a/b"), 404, "not-found")
        problem(await holder.get("/conversations%2Fx"), 404, "not-found")
