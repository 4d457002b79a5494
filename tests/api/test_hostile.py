"""What nobody means well by: stored as it is or refused clearly, never an accident."""

import json
from typing import Any

import pytest
from httpx import AsyncClient

from tests.api.speaking import context, distilling_nothing, get, problem, said, store

JSON = {"content-type": "application/json"}
BIDI = "\u202eevil\u202c \u2066isolate\u2069 \u200b\u200c\u200d\ufeff\u00ad \u0301\u0301 \U000e0041"


async def contents_of(client: AsyncClient, conversation_id: str) -> list[str]:
    items = (await get(client, f"/conversations/{conversation_id}/messages"))["items"]
    return [each["content"] for each in items]


async def test_invisible_characters_are_kept_as_they_are_and_do_not_hide_words(
    client: AsyncClient,
) -> None:
    text = f"The harbour {BIDI} is closed."
    stored = await store(client, text, user_id=BIDI, external_id=BIDI, label=BIDI, tags=[BIDI])
    assert await contents_of(client, stored["id"]) == [text]
    assert (await get(client, f"/conversations/{stored['id']}"))["user_id"] == BIDI
    bundle = await context(client, f"{BIDI} harbour", user_id=BIDI, format="markdown")
    assert [each["content"] for each in bundle["retrieved_memories"]] == [text]


async def test_every_character_that_may_be_stored_is_stored_faithfully(
    client: AsyncClient,
) -> None:
    odd = [*range(1, 0x21), 0x7F, *range(0x80, 0xA1), 0xFFFD, 0xFFFE, 0xFFFF, 0x10FFFF]
    text = "".join(f"a{chr(code)}b " for code in odd)
    stored = await store(client, text, metadata={text: text}, label=text)
    assert await contents_of(client, stored["id"]) == [text]
    read = await get(client, f"/conversations/{stored['id']}")
    assert (read["metadata"], read["label"]) == ({text: text}, text)


async def test_ten_megabytes_in_one_message_are_stored_faithfully(alone: AsyncClient) -> None:
    await distilling_nothing(alone)  # would go on for half a minute, which nobody waits for here
    text = "\n".join(f"Line {n} of the log says that nothing happened." for n in range(210_000))
    assert len(text) > 10_000_000
    text = text[:10_000_000]
    answer = await alone.post("/conversations", json={"messages": [said(text)]})
    assert answer.status_code == 201
    assert await contents_of(alone, answer.json()["id"]) == [text]
    too_long = await alone.post("/conversations", json={"messages": [said(f"{text}.")]})
    problem(too_long, 422, "invalid-request")


NUMBERS = [0, -0.0, 1e-320, 1.7976931348623157e308, 2**53 + 1, 2**63, -(2**70), 10**300]


async def test_numbers_of_any_size_are_kept_or_refused(client: AsyncClient) -> None:
    stored = await store(client, "x", metadata={"numbers": NUMBERS})
    read = await get(client, f"/conversations/{stored['id']}")
    kept = read["metadata"]["numbers"]
    assert [float(each) for each in kept] == [float(each) for each in NUMBERS]
    whole = [each for each in NUMBERS if isinstance(each, int)]
    assert [each for each in kept if each in whole] == [each for each in NUMBERS if each in whole]
    digits = "1" * 5_000
    for path, body, status in (
        ("/conversations", f'{{"metadata": {{"a": {digits}}}}}', 400),
        ("/context", f'{{"query": "q", "budget_tokens": {10**30}}}', 422),
        ("/context", f'{{"query": "q", "max_items": {digits}}}', 400),
    ):
        answer = await client.post(path, content=body, headers=JSON)
        assert answer.status_code == status, answer.text
        assert answer.headers["content-type"] == "application/problem+json"
    problem(await client.get(f"/conversations?limit={digits}"), 422, "invalid-request")


async def test_numbers_of_any_size_are_moved_as_they_are(client: AsyncClient) -> None:
    whole = [each for each in NUMBERS if isinstance(each, int)]
    stored = await store(client, "x", user_id="alice", metadata={"numbers": whole, "n": 1e30})
    file = (await client.get("/export", params={"user_id": "alice"})).content
    lines = [json.loads(line) for line in file.splitlines()]
    assert [each["metadata"]["numbers"] for each in lines if each.get("metadata")] == [whole]
    assert (await client.delete(f"/conversations/{stored['id']}")).status_code == 200

    told = (await client.post("/import", content=file)).json()
    assert (told["conversations"], told["rejected"]) == (1, [])
    kept = (await get(client, f"/conversations/{stored['id']}"))["metadata"]
    assert (kept["numbers"], float(kept["n"])) == (whole, 1e30)
    assert all(isinstance(each, int) for each in kept["numbers"])


@pytest.mark.parametrize("year", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z"])
async def test_what_was_shown_may_be_quoted_at_the_ends_of_time(
    client: AsyncClient, year: str
) -> None:
    text = "The harbour master keeps the spare key of the lighthouse under the third stone."
    await store(client, text, user_id="alice")
    await context(client, "Where is the spare key of the lighthouse?", user_id="alice")
    quoted = f"> {text}\n\n{'And so it was said, over and over. ' * 9}"
    stored = await store(client, said(quoted, created_at=year), user_id="alice")
    assert await contents_of(client, stored["id"]) == [quoted]


@pytest.mark.parametrize(
    "moment",
    [
        "0001-01-01T00:00:00Z",
        "0001-01-01T00:00:00-12:00",
        "9999-12-30T00:00:00Z",
        "9999-12-31T23:59:59Z",
        "9999-12-31T23:59:59+14:00",
    ],
)
async def test_times_are_asked_for_at_the_ends_of_time(alone: AsyncClient, moment: str) -> None:
    await store(alone, "The spare key lies under the third stone.")
    for query in ("What was yesterday?", "last night", "What did I say half a year ago?"):
        for path in ("/context", "/search"):
            asked = {"query": query, "as_of": moment}
            answer = await alone.post(path, json=asked)
            assert answer.status_code == 200, answer.text


@pytest.mark.parametrize(
    "body",
    [
        b'{"query": "\xff\xfe"}',
        b'{"query": "\xed\xa0\x80"}',
        b"\xef\xbb\xbf[]",
        b'{"query": "q", "query": "r", "\xc3\x28": 1}',
        b'{"a":' * 5_000,
        b"[" * 200_000 + b"]" * 200_000,
        b'{"query": "q"}' * 2,
        b"\x00",
        b'{"query": "\t\n"}',
        json.dumps({"query": "q", "filters": {"a" * 100_000: 1}}).encode(),
        json.dumps({f"k{n}": n for n in range(20_000)}).encode(),
    ],
    ids=range(11),
)
async def test_bodies_of_malice_are_refused(alone: AsyncClient, body: bytes) -> None:
    for path in ("/context", "/conversations", "/admin/keys"):
        answer = await alone.post(path, content=body, headers=JSON)
        assert answer.status_code in {400, 422}, answer.text[:200]
        assert answer.headers["content-type"] == "application/problem+json"
        assert len(answer.content) < 1_000_000


HEADERS: list[dict[bytes, Any]] = [
    {b"Authorization": b"\xff\xfe"},
    {b"Authorization": b"Bearer \x80"},
    {b"X-Foreword-Key": b"fwd_" + b"\xe9" * 43},
    {b"Idempotency-Key": b"\xff"},
    {b"X-Request-ID": b"\r\nX: y"},
    {b"Content-Length": b"-1"},
    {b"Content-Length": b"9" * 400},
    {b"Content-Type": b"\xff/\xff"},
    {b"Host": b"\xff["},
    {b"Origin": b"http://["},
    {b"Cache-Control": b"\xff"},
    {b"Accept": b"\xff"},
]


@pytest.mark.parametrize("headers", HEADERS, ids=range(len(HEADERS)))
async def test_headers_of_malice_are_no_accident(
    alone: AsyncClient, headers: dict[bytes, Any]
) -> None:
    given = {b"Content-Type": b"application/json", **headers}
    for path, body in (("/context", b'{"query": "q"}'), ("/conversations", b"{}")):
        answer = await alone.post(path, content=body, headers=given)
        assert answer.status_code < 500, answer.text


UNSPEAKABLE = {"a%2Fb%00", "%ED%B0%AF"}


@pytest.mark.parametrize("name", ["%2F", "%2f%2F", "..%2F..", "%252F", *sorted(UNSPEAKABLE)])
async def test_names_in_paths_are_no_accident(client: AsyncClient, name: str) -> None:
    answer = await client.delete(f"/users/{name}")
    assert answer.status_code == (422 if name in UNSPEAKABLE else 200), answer.text
    wrong = await client.get(f"/conversations/{name}/messages")
    assert wrong.status_code in {404, 422}


async def test_a_fact_is_kept_whatever_its_metadata_says_and_found_behind_blanks(
    client: AsyncClient,
) -> None:
    odd = {"subject": "Anna", "attribute": "job", "tense": ["now"], "value": " "}
    fact = {"type": "fact", "content": "Anna is a nurse.", "metadata": odd}
    stored = await client.post("/memories", json=fact)
    assert stored.status_code == 201, stored.text
    found = await context(client, f"{' ' * 2_000}What does Anna do?")
    assert [each["content"] for each in found["retrieved_memories"]] == ["Anna is a nurse."]
