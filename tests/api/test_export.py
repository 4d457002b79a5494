"""What is exported is all there is, and makes an equal store of an empty one."""

import json
import sqlite3
from contextlib import closing
from typing import Any

from httpx import AsyncClient

from app.settings import Settings
from tests.api.importing import NOTHING, imported
from tests.api.keyed import a_caller, a_key, the_service
from tests.api.speaking import talking_to

LONG = " ".join(f"Sentence {number} of the long report." for number in range(120))


async def exported(client: AsyncClient, **parameters: str) -> list[dict[str, Any]]:
    answer = await client.get("/export", params=parameters)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/x-ndjson"
    return [json.loads(line) for line in answer.text.splitlines()]


async def post(client: AsyncClient, path: str, **body: Any) -> Any:
    answer = await client.post(path, json=body)
    assert answer.status_code == 201, answer.text
    return answer.json()


async def nothing_derived(client: AsyncClient) -> None:
    """So that what is compared stays as it is meanwhile."""
    off = {"facts": False, "summaries": False, "graph": False}
    assert (await client.put("/flags", json=off)).status_code == 200


async def fill(client: AsyncClient) -> None:
    """Something of everything that can be told."""
    await nothing_derived(client)
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "name": "Alice", "content": LONG, "importance": 10},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "t", "function": {"b": 1}}]},
        {
            "role": "tool",
            "content": "",
            "tool_call_id": "t",
            "metadata": {"z": 1, "a": [1.5, None]},
        },
    ]
    said = await post(
        client,
        "/conversations",
        user_id="alice",
        external_id="chat",
        label="Reports",
        folder="/work",
        importance=7,
        tags=["b", "a"],
        metadata={"b": {"d": 1, "c": 2}, "a": 0},
        system_prompt="You help.",
        created_at="2024-05-01T10:00:00.123456Z",
        messages=messages,
    )
    many = [{"role": "user", "content": f"message {at}"} for at in range(450)]
    unnamed = await post(client, "/conversations", user_id="alice", messages=many)
    await client.patch(f"/conversations/{unnamed['id']}", json={"archived": True})
    await post(client, "/conversations", messages=[{"role": "user", "content": "of nobody"}])
    await post(client, "/conversations", user_id="bob", messages=many[:3])
    fact = {"type": "fact", "user_id": "alice", "metadata": {"k": "v"}}
    await post(
        client,
        "/memories",
        **fact,
        content="Alice lives in Lisbon.",
        conversation_id=said["id"],
        valid_from="2024-05-02T00:00:00Z",
        valid_to="2030-01-01T00:00:00Z",
        expires_at="2090-01-01T00:00:00Z",
        source="a form",
    )
    for text in ("First version.", LONG):
        await post(client, "/memories", type="document", source="handbook", content=text)
    for path, told in (
        ("consent", {"purposes": {"profile": True, "learning": True}, "source": "form"}),
        ("profile", {"preferences": {"style": "terse"}, "context": {"b": 1}, "notes": "Hi."}),
    ):
        assert (await client.put(f"/users/alice/{path}", json=told)).status_code == 200


async def test_an_export_makes_an_equal_store(client: AsyncClient, elsewhere: AsyncClient) -> None:
    await fill(client)
    await nothing_derived(elsewhere)
    file = (await client.get("/export")).content

    answer = await elsewhere.post("/import", content=file)

    told = answer.json()
    assert (told["conversations"], told["messages"], told["memories"]) == (4, 458, 3)
    assert (told["duplicates"], told["rejected"]) == (0, [])
    assert (await elsewhere.get("/export")).content == file
    again = (await elsewhere.post("/import", content=file)).json()
    assert again == {**NOTHING, "duplicates": 461, "users": 1}
    assert (await elsewhere.get("/export")).content == file
    profile = (await elsewhere.get("/users/alice/profile")).json()
    assert profile == (await client.get("/users/alice/profile")).json()


async def test_what_was_last_written_when_comes_back(
    client: AsyncClient, elsewhere: AsyncClient
) -> None:
    await fill(client)
    lines = [each for each in await exported(client) if each["record"] == "conversation"]
    long_ago = [{**each, "updated_at": "2024-05-02T10:00:00+00:00"} for each in lines]
    file = "\n".join(map(json.dumps, long_ago)).encode()

    for _ in range(2):
        await elsewhere.post("/import", content=file)
        found = (await elsewhere.get("/conversations", params={"user_id": "alice"})).json()
        assert [each["updated_at"] for each in found["items"]] == ["2024-05-02T10:00:00Z"] * 2


async def test_what_was_written_here_since_stays_as_young_as_it_is(alone: AsyncClient) -> None:
    told = {"role": "user", "content": "From elsewhere."}
    said = await post(alone, "/conversations", external_id="c", messages=[{**told, "name": "A"}])
    before = (await alone.get(f"/conversations/{said['id']}")).json()["updated_at"]
    record = {"record": "conversation", "external_id": "c", "messages": [told]}
    line = {**record, "updated_at": "2024-05-02T10:00:00Z"}
    await alone.post("/import", content=json.dumps(line).encode())
    found = (await alone.get(f"/conversations/{said['id']}")).json()
    assert (found["message_count"], found["updated_at"]) == (2, before)


async def test_of_one_user_comes_what_is_of_that_user(client: AsyncClient) -> None:
    await fill(client)

    of_bob = await exported(client, user_id="bob")
    of_nobody = await exported(client, user_id="")

    assert [each["record"] for each in of_bob] == ["foreword", "conversation"]
    assert [each["content"] for each in of_nobody[1]["messages"]] == ["of nobody"]
    nothing = {"record": "foreword", "version": 1, "messages": 0}
    assert await exported(client, user_id="stranger") == [nothing]
    for lines in (of_bob, of_nobody, await exported(client)):
        said = [each for line in lines[1:] for each in line.get("messages", ())]
        assert lines[0] == {**nothing, "messages": len(said)}
    kinds = {each["record"] for each in await exported(client, user_id="alice")}
    assert kinds == {"foreword", "user", "conversation", "memory"}


async def test_an_export_becomes_another_users_memory_beside_the_first(
    client: AsyncClient,
) -> None:
    await fill(client)
    file = (await client.get("/export", params={"user_id": "alice"})).content

    for new in (454, 0):
        told = await client.post("/import", content=file, params={"user_id": "carol"})
        assert (told.json()["messages"], told.json()["rejected"]) == (new, [])

    def without_ids(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
        text = json.dumps(
            [{**each, "user_id": "", "id": "", "conversation_id": ""} for each in lines]
        )
        messages = json.loads(text, object_hook=lambda each: {**each, "id": ""})
        return list(messages)

    of_alice, of_carol = [await exported(client, user_id=each) for each in ("alice", "carol")]
    assert without_ids(of_alice) == without_ids(of_carol)
    assert [each["id"] for each in of_alice if "id" in each] != [
        each["id"] for each in of_carol if "id" in each
    ]


async def test_embeddings_come_along_where_they_are_asked_for(alone: AsyncClient) -> None:
    body = {"user_id": "alice", "messages": [{"role": "user", "content": LONG}]}
    await alone.post("/conversations", json=body, params={"wait": "indexed"})
    lines = await exported(alone, user_id="alice", embeddings="true")
    vectors = [each for each in lines if each["record"] == "embedding"]
    assert {each["of"] for each in vectors} == {"message", "chunk"}
    assert all({"id", "model", "vector"} <= each.keys() for each in vectors)
    again = await alone.post("/import", content="\n".join(map(json.dumps, lines)).encode())
    assert again.json()["rejected"] == []


async def test_an_id_of_another_tenant_is_neither_taken_nor_told(settings: Settings) -> None:
    (_, ours), (_, theirs) = [
        await a_key(settings, tenant, "read,write,admin") for tenant in ("acme", "rival")
    ]
    async with the_service(settings) as app, a_caller(app, ours) as acme:
        await fill(acme)
        file = (await acme.get("/export")).content
        async with a_caller(app, theirs) as rival:
            assert len(await exported(rival)) == 1
            await nothing_derived(rival)
            for new in (458, 0):
                told = (await rival.post("/import", content=file)).json()
                assert (told["messages"], told["rejected"]) == (new, [])
            for line in map(json.loads, file.splitlines()):
                if line["record"] == "conversation":
                    assert (await rival.get(f"/conversations/{line['id']}")).status_code == 404
            assert len(await exported(rival)) == len(file.splitlines())
        assert (await acme.get("/export")).content == file


async def test_one_user_needs_read_and_the_tenant_admin(embedded: Settings) -> None:
    _, reading = await a_key(embedded, "acme", "read")
    async with the_service(embedded) as app, a_caller(app, reading) as reader:
        assert (await reader.get("/export", params={"user_id": "alice"})).status_code == 200
        assert (await reader.get("/export")).json()["needed"] == "admin"
        assert (await reader.post("/import", content=b"[]")).status_code == 403


async def test_the_tenant_needs_admin_alone(embedded: Settings) -> None:
    _, governing = await a_key(embedded, "acme", "admin")
    async with the_service(embedded) as app, a_caller(app, governing) as admin:
        assert (await admin.get("/export")).status_code == 200
        for user_id in ("alice", ""):
            answer = await admin.get("/export", params={"user_id": user_id})
            assert (answer.status_code, answer.json()["needed"]) == (403, "read")


async def test_lineage_and_what_superseded_what_come_back(
    client: AsyncClient, elsewhere: AsyncClient
) -> None:
    ids = [f"01900000-0000-7000-8000-00000000000{number}" for number in range(6)]
    said = {"id": ids[1], "role": "user", "content": "I live in Lisbon now."}
    moment = "2024-05-01T10:00:00+00:00"
    fact = {"record": "memory", "type": "fact", "user_id": "alice", "importance": 5}
    lines = [
        {"record": "foreword", "version": 1, "messages": 1},
        {
            "record": "conversation",
            "id": ids[0],
            "user_id": "alice",
            "importance": 5,
            "created_at": moment,
            "updated_at": "2024-05-03T10:00:00+00:00",
            "messages": [{**said, "created_at": moment}],
        },
        {
            **fact,
            "id": ids[2],
            "content": "Alice lives in Rome.",
            "subject": "Alice lives_in",
            "created_at": moment,
            "valid_from": moment,
        },
        {
            **fact,
            "id": ids[3],
            "content": "Alice lives in Lisbon.",
            "subject": "Alice lives_in",
            "derived_from": [ids[1]],
            "created_at": moment,
            "valid_from": "2024-05-02T10:00:00+00:00",
        },
        {**fact, "id": ids[4], "content": "Of nothing.", "derived_from": [ids[5]]},
        {"record": "superseded", "user_id": "alice", "id": ids[2], "by": ids[3]},
    ]
    file = "\n".join(map(json.dumps, lines)).encode()
    for each in (client, elsewhere):
        await nothing_derived(each)

    told = (await client.post("/import", content=file)).json()

    assert (told["memories"], [each["at"] for each in told["rejected"]]) == (2, ["line 5"])
    assert await exported(client) == [*lines[:4], lines[5]]
    lineage = (await client.get(f"/memories/{ids[3]}/lineage")).json()["items"]
    assert [each["id"] for each in lineage] == [ids[1]]
    old = (await client.get(f"/memories/{ids[2]}")).json()
    assert (old["superseded_by"], old["valid_to"]) == (ids[3], "2024-05-02T10:00:00Z")
    whole = (await client.get("/export")).content
    await elsewhere.post("/import", content=whole)
    assert (await elsewhere.get("/export")).content == whole


async def test_a_memory_item_that_is_blank_costs_no_line(embedded: Settings) -> None:
    async with talking_to(embedded) as client:
        for content in ("blank later", "Alice lives in Lisbon."):
            await post(client, "/memories", type="fact", user_id="alice", content=content)
    with closing(sqlite3.connect(embedded.data_dir / "foreword.db")) as database, database:
        database.execute("UPDATE memory_item SET content = ' ' WHERE content = 'blank later'")
    async with talking_to(embedded) as client:
        file = (await client.get("/export", params={"user_id": "alice"})).content
        told = await imported(client, file, user_id="bob")
        assert (told.get("memories"), told["rejected"]) == (1, [])
