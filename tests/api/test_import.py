"""Importing what others export, on both pairs of engines."""

import asyncio
import io
import json
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from httpx import AsyncClient

from app.domain.ids import LOCAL_TENANT
from app.formats.reading import Reading
from app.main import open_services
from app.services.moving.imported import Imported
from app.settings import Settings
from tests.api.importing import NOTHING, imported, said
from tests.api.proxied import eventually
from tests.api.speaking import talking_to
from tests.exports import (
    ASKED,
    HUGIN,
    chatgpt_conversation,
    claude_conversation,
    lines_of,
    sharegpt_conversation,
    spelled,
    zipped,
)
from tests.readings import BOUNDS


async def test_of_a_chatgpt_export_the_current_path_comes_in_with_its_times(
    client: AsyncClient,
) -> None:
    file = zipped(conversations_json=spelled([chatgpt_conversation()]), user_json=b"{}")

    told = await imported(client, file, user_id="alice")

    assert told == {**NOTHING, "conversations": 1, "messages": 3}
    assert await said(client, "alice") == [
        [
            ("user", ASKED, "2023-11-14T22:13:20Z"),
            ("tool", "hosts: hugin", "2023-11-14T22:13:35.500000Z"),
            ("assistant", f"{HUGIN}\n[image]", "2023-11-14T22:13:40.250000Z"),
        ]
    ]
    (listed,) = (await client.get("/conversations", params={"user_id": "alice"})).json()["items"]
    assert (listed["external_id"], listed["label"]) == ("chat-1", "Machines")
    found = await client.post("/context", json={"query": ASKED, "user_id": "alice"})
    assert any(HUGIN in each["content"] for each in found.json()["retrieved_memories"])


async def test_a_second_import_brings_nothing_new(client: AsyncClient) -> None:
    several = [chatgpt_conversation("a"), chatgpt_conversation("b")]
    await imported(client, spelled(several), user_id="alice")
    before = await said(client, "alice")

    assert await imported(client, spelled(several), user_id="alice") == {
        **NOTHING,
        "duplicates": 6,
    }
    assert await said(client, "alice") == before


async def test_what_was_said_since_is_added(client: AsyncClient) -> None:
    before = chatgpt_conversation()
    shorter = {**before, "current_node": "looked"}
    await imported(client, spelled([shorter]), user_id="alice")

    told = await imported(client, spelled([before]), user_id="alice")

    assert told == {**NOTHING, "messages": 1, "duplicates": 2}
    assert [content for _, content, _ in (await said(client, "alice"))[0]] == [
        ASKED,
        "hosts: hugin",
        f"{HUGIN}\n[image]",
    ]


async def test_a_claude_export_comes_in_with_what_its_tools_said(client: AsyncClient) -> None:
    file = zipped(conversations_json=spelled([claude_conversation()]))

    told = await imported(client, file, user_id="alice")

    assert told == {**NOTHING, "conversations": 1, "messages": 4}
    assert [(role, content) for role, content, _ in (await said(client, "alice"))[0]] == [
        ("user", ASKED),
        ("assistant", "Let me look."),
        ("tool", "hugin"),
        ("assistant", HUGIN),
    ]
    assert await imported(client, file, user_id="alice") == {**NOTHING, "duplicates": 4}


@pytest.mark.parametrize(
    "file",
    [
        spelled([{"role": "user", "content": ASKED}, {"role": "assistant", "content": HUGIN}]),
        lines_of({"role": "user", "content": ASKED}, {"role": "assistant", "content": HUGIN}),
        lines_of(
            {
                "messages": [
                    {"role": "user", "content": [{"type": "text", "text": ASKED}]},
                    {"role": "assistant", "content": HUGIN},
                ]
            }
        ),
        spelled([sharegpt_conversation()]),
        lines_of(sharegpt_conversation()),
        json.dumps({"conversations": [sharegpt_conversation()]}, indent=2).encode(),
        f"role,content\nuser,{ASKED}\nassistant,{HUGIN}\n".encode(),
        f"\ufeffSender;Text;Thread\r\nhuman;{ASKED};t\r\nai;{HUGIN};t\r\n".encode(),
        f"role,content\nuser,{ASKED}\nassistant,{HUGIN}\n".encode("utf-16"),
    ],
    ids=["list", "lines", "objects", "sharegpt", "lines of it", "wrapped", "csv", "excel", "utf16"],
)
async def test_other_lists_come_in_once(alone: AsyncClient, file: bytes) -> None:
    first = await imported(alone, file, user_id="alice")
    again = await imported(alone, file, user_id="alice")

    assert first == {**NOTHING, "conversations": 1, "messages": 2}
    assert again == {**NOTHING, "duplicates": 2}
    assert [(role, content) for role, content, _ in (await said(alone, "alice"))[0]] == [
        ("user", ASKED),
        ("assistant", HUGIN),
    ]


async def test_what_is_stored_with_another_content_stays_and_is_counted(
    client: AsyncClient,
) -> None:
    file = spelled([chatgpt_conversation()])
    await imported(client, file, user_id="alice")
    edited = file.replace(HUGIN.encode(), b"It is called Munin.")
    key = {"Idempotency-Key": "edited"}

    answers = [
        await client.post("/import", params={"user_id": "alice"}, content=edited, headers=key)
        for _ in range(2)
    ]

    assert [each.json() for each in answers] == [{**NOTHING, "duplicates": 3, "differing": 1}] * 2
    assert answers[1].headers["idempotency-replayed"] == "true"
    stored = [content for _, content, _ in (await said(client, "alice"))[0]]
    assert f"{HUGIN}\n[image]" in stored


async def test_a_form_brings_a_file_too(client: AsyncClient) -> None:
    files = {"file": ("conversations.json", spelled([chatgpt_conversation()]))}
    answer = await client.post("/import", params={"user_id": "alice"}, files=files)
    assert answer.json() == {**NOTHING, "conversations": 1, "messages": 3}
    empty = await client.post("/import", files={"x": (None, "no file")})
    assert empty.status_code == 422


async def test_a_file_waits_where_the_data_is(
    alone: AsyncClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system's temporary directory may be small, or memory."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    file = lines_of(*({"pad": "x" * 1_000} for _ in range(1_500)), sharegpt_conversation())
    assert (await imported(alone, file))["messages"] == 2
    answer = await alone.post("/import", files={"file": ("lines.ndjson", file)})
    assert (answer.status_code, answer.json()["duplicates"]) == (200, 2)


async def test_a_long_conversation_comes_in_whole_and_in_order(client: AsyncClient) -> None:
    several = [{"role": "user", "content": f"message {number}"} for number in range(1_050)]
    file = spelled([{"id": "long", "messages": several}])

    assert (await imported(client, file, user_id="alice"))["messages"] == 1_050

    (listed,) = (await client.get("/conversations", params={"user_id": "alice"})).json()["items"]
    page = await client.get(f"/conversations/{listed['id']}/messages", params={"limit": 500})
    assert [each["content"] for each in page.json()["items"]] == [
        f"message {number}" for number in range(500)
    ]
    assert await imported(client, file, user_id="alice") == {**NOTHING, "duplicates": 1_050}


async def test_an_import_that_is_cut_off_is_begun_again(embedded: Settings) -> None:
    several = [{"role": "user", "content": f"message {number}"} for number in range(1_050)]
    file = spelled([{"id": "long", "messages": several}])

    def reading() -> Reading:
        return Reading(io.BytesIO(file), BOUNDS)

    first, second = Imported(), Imported()

    async def begun() -> int:
        return first.messages

    async with AsyncExitStack() as stack:
        importer = (await open_services(embedded, stack, working=False)).importer
        task = asyncio.create_task(importer.run(LOCAL_TENANT, reading(), first))
        await eventually(begun)
        task.cancel()
        await asyncio.wait({task})
        assert 0 < first.messages < 1_050

        await importer.run(LOCAL_TENANT, reading(), second)

    known = second.duplicates
    assert (known >= first.messages, second.messages + known) == (True, 1_050)
    async with talking_to(embedded) as client:
        (listed,) = (await client.get("/conversations")).json()["items"]
        assert listed["message_count"] == 1_050


async def test_an_import_tells_how_far_it_is(alone: AsyncClient) -> None:
    answer = await alone.post(
        "/import",
        content=spelled([chatgpt_conversation()]),
        headers={"Accept": "application/x-ndjson"},
    )
    *_, last = map(json.loads, answer.text.splitlines())
    assert last == {**NOTHING, "conversations": 1, "messages": 3}


async def test_the_same_file_at_once_comes_in_once(client: AsyncClient) -> None:
    file = spelled([chatgpt_conversation(f"c{number}") for number in range(30)])
    told = await asyncio.gather(*(imported(client, file, user_id="alice") for _ in range(3)))
    assert sum(each["messages"] for each in told) == 90
    assert sum(each["duplicates"] for each in told) == 180
    assert len(await said(client, "alice")) == 30


async def test_documents_come_in_bulk_for_every_user(client: AsyncClient) -> None:
    pages = {"handbook.md": "The vault opens at nine.", "menu.md": "Soup is on Mondays."}
    lines = [
        {"record": "memory", "type": "document", "source": source, "content": content}
        for source, content in pages.items()
    ]
    file = b"\n".join(json.dumps(each).encode() for each in lines)

    told = await imported(client, file)

    assert told == {**NOTHING, "memories": 2}
    assert await imported(client, file) == {**NOTHING, "duplicates": 2}
    body = {"query": "When does the vault open?", "user_id": "bob"}
    (first, *_) = (await client.post("/context", json=body)).json()["retrieved_memories"]
    assert (first["type"], first["content"]) == ("document", pages["handbook.md"])
