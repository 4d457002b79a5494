"""Requests of the wrong shape: 422 on both databases, for everything a caller can send."""

import json
from typing import Any

import pytest
from httpx import AsyncClient

from tests.api.speaking import Json, get, problem, said, store

LONE = "\\ud800"
"""A surrogate without its other half, as JSON escapes it."""


async def refused(client: AsyncClient, path: str, body: str) -> None:
    answer = await client.post(
        path, content=body.encode(), headers={"content-type": "application/json"}
    )
    problem(answer, 422, "invalid-request")


def everywhere(value: str) -> list[tuple[str, str]]:
    """Bodies that hold `value`, a piece of JSON, in each place where a caller's text may be."""
    message = '{"role": "user", "content": "x", %s}'
    bodies = [f'{{"messages": [{{"role": "user", "content": {value}}}]}}']
    bodies += [
        f'{{"messages": [{message % each}]}}'
        for each in (
            f'"external_id": {value}',
            f'"name": {value}',
            f'"tool_call_id": {value}',
            f'"metadata": {{"a": [{{"b": {value}}}]}}',
            f'"metadata": {{{value}: 1}}',
            f'"tool_calls": [{{"id": {value}}}]',
            f"{value}: 1",
        )
    ]
    bodies += [
        f"{{{each}}}"
        for each in (
            *(f'"{name}": {value}' for name in ("external_id", "user_id", "label", "folder")),
            f'"system_prompt": {value}',
            f'"tags": [{value}]',
            f'"metadata": {{"a": [[{value}]]}}',
            f'"metadata": {{"a": {{{value}: null}}}}',
            f"{value}: 1",
        )
    ]
    questions = [f'{{"query": {value}}}'] + [
        f'{{"query": "q", {each}}}'
        for each in (
            f'"user_id": {value}',
            f'"conversation_external_id": {value}',
            f'"preferred_labels": [{value}]',
            f'"filters": {{"folder": {value}}}',
            f'"filters": {{"labels": [{value}]}}',
            f'"filters": {{"tags": [{value}]}}',
            f'"filters": {{"exclude_terms": [{value}]}}',
            f'"filters": {{{value}: 1}}',
            f'"format": {value}',
            f"{value}: 1",
        )
    ]
    return [("/conversations", each) for each in bodies] + [
        (path, each) for path in ("/context", "/search") for each in questions
    ]


@pytest.mark.parametrize(
    "text", ['"\\u0000"', '"a\\u0000b"', f'"{LONE}"', f'"a{LONE}b"', f'"\\udc00{LONE}"']
)
async def test_nul_and_lone_surrogates_are_refused_everywhere(
    client: AsyncClient, text: str
) -> None:
    for path, body in everywhere(text):
        await refused(client, path, body)
    assert (await get(client, "/conversations"))["items"] == []


async def test_a_patch_refuses_them_too(client: AsyncClient) -> None:
    stored = await store(client, "hello", label="before")
    path = f"/conversations/{stored['id']}"

    for text in ('"\\u0000"', f'"{LONE}"'):
        for body in (
            f'{{"label": {text}}}',
            f'{{"folder": {text}}}',
            f'{{"tags": [{text}]}}',
            f'{{"metadata": {{"a": {text}}}}}',
        ):
            answer = await client.patch(
                path, content=body, headers={"content-type": "application/json"}
            )
            problem(answer, 422, "invalid-request")
    assert (await get(client, path))["label"] == "before"


@pytest.mark.parametrize("text", ["%00", "a%00b", "%ED%A0%80", "%FF", "%C0%80", "a%e9"])
async def test_a_parameter_or_path_of_bytes_that_are_no_text_is_refused(
    client: AsyncClient, text: str
) -> None:
    for path in (
        *(f"/conversations?{name}={text}" for name in ("user_id", "folder", "label", "tag", "q")),
        *(f"/conversations?{name}={text}" for name in ("after", "cursor", "limit", text)),
        f"/conversations/{text}",
        f"/bundles/{text}",
        f"/memory/debug/retrieval?q={text}",
        f"/memory/debug/retrieval?q=x&user_id={text}",
    ):
        assert (await client.get(path)).status_code == 422, path
    problem(await client.delete(f"/users/{text}"), 422, "invalid-request")


async def test_a_user_whom_nobody_can_spell_is_nobody_else(client: AsyncClient) -> None:
    stored = await store(client, "The harbour is closed.", user_id="caf\ufffd")

    refused = problem(await client.delete("/users/caf%E9"), 422, "invalid-request")

    assert refused["errors"] == [{"pointer": "path", "detail": "must be in UTF-8, percent-encoded"}]
    assert (await get(client, f"/conversations/{stored['id']}"))["user_id"] == "caf\ufffd"


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"])
async def test_metadata_of_numbers_that_are_none_is_refused(
    client: AsyncClient, number: str
) -> None:
    await refused(client, "/conversations", f'{{"metadata": {{"a": {number}}}}}')
    await refused(client, "/conversations", f'{{"metadata": {{"a": [[{number}]]}}}}')


@pytest.mark.parametrize(
    "number",
    ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "true", "false", '"1"', '""', "[1]"],
)
async def test_numbers_that_are_none_are_refused(client: AsyncClient, number: str) -> None:
    for path, body in (
        ("/conversations", f'{{"importance": {number}}}'),
        (
            "/conversations",
            f'{{"messages": [{{"role": "user", "content": "a", "importance": {number}}}]}}',
        ),
        ("/memories", f'{{"type": "fact", "content": "a", "importance": {number}}}'),
        ("/context", f'{{"query": "q", "min_score": {number}}}'),
        ("/context", f'{{"query": "q", "weights": {{"recency": {number}}}}}'),
        ("/context", f'{{"query": "q", "history": {{"max_share": {number}}}}}'),
        ("/context", f'{{"query": "q", "budget_tokens": {number}}}'),
        ("/search", f'{{"query": "q", "max_items": {number}}}'),
        ("/admin/prune", f'{{"after_days": {number}}}'),
    ):
        await refused(client, path, body)


@pytest.mark.parametrize(
    "moment",
    [
        "2026-01-20T10:00:00",
        "2026-01-20",
        "yesterday",
        "",
        "0001-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59-00:01",
        "2026-13-01T00:00:00Z",
        "2026-01-20T25:00:00Z",
        1_767_225_600,
        1.5,
        True,
        {},
    ],
)
async def test_a_moment_without_an_offset_or_out_of_time_is_refused(
    alone: AsyncClient, moment: Any
) -> None:
    for path, body in (
        ("/conversations", {"created_at": moment}),
        ("/conversations", {"messages": [said("x", created_at=moment)]}),
        ("/context", {"query": "q", "as_of": moment}),
        ("/context", {"query": "q", "filters": {"after": moment}}),
        ("/search", {"query": "q", "filters": {"before": moment}}),
    ):
        await refused(alone, path, json.dumps(body))
    if isinstance(moment, str):
        problem(await alone.get("/conversations", params={"after": moment}), 422, "invalid-request")


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z"])
async def test_the_ends_of_time_can_be_stored_and_asked_for(
    client: AsyncClient, moment: str
) -> None:
    stored = await store(client, said("The end is near.", created_at=moment), created_at=moment)

    read = await get(client, f"/conversations/{stored['id']}")
    (message,) = (await get(client, f"/conversations/{stored['id']}/messages"))["items"]
    assert (read["created_at"], message["created_at"]) == (moment, moment)
    for asked in ({"as_of": moment}, {"filters": {"after": moment}}):
        answer = await client.post("/context", json={"query": "Is the end near?", **asked})
        assert len(answer.json()["retrieved_memories"]) == 1


async def test_json_as_deep_as_a_well_is_refused(client: AsyncClient) -> None:
    for depth, status in ((60, 201), (70, 422), (500, 422)):
        nested = "[" * depth + "]" * depth
        answer = await client.post(
            "/conversations",
            content=f'{{"metadata": {{"a": {nested}}}}}',
            headers={"content-type": "application/json"},
        )
        assert answer.status_code == status, depth
    for body in ("[" * 100_000, '{"metadata": ' + '{"a":' * 100_000):
        answer = await client.post(
            "/conversations", content=body, headers={"content-type": "application/json"}
        )
        assert answer.status_code in {400, 422}


NO_IMPORTANCE: list[Any] = [0, 11, -1, 5.5, "5x", []]
NO_MOMENT: list[Any] = [1.7e9, "1769000000", "1769000000.5", "-1", "2026-01-20", "10:00:00Z"]
NO_QUERY: list[Any] = ["", None, 1, [], {}, "x" * 200_001]
WRONG: list[tuple[str, Json]] = [
    *(("/conversations", {"importance": each}) for each in NO_IMPORTANCE),
    *(("/conversations", {"messages": [said("x", importance=each)]}) for each in NO_IMPORTANCE),
    *(("/context", {"query": each}) for each in NO_QUERY),
    ("/conversations", {"importance": None}),
    ("/context", {}),
    ("/search", {"query": ""}),
    ("/context", {"query": "q", "budget_tokens": 0}),
    ("/context", {"query": "q", "budget_tokens": -1}),
    ("/context", {"query": "q", "max_items": 0}),
    ("/context", {"query": "q", "max_items": 501}),
    ("/context", {"query": "q", "deadline_ms": 0}),
    ("/context", {"query": "q", "format": "xml"}),
    ("/context", {"query": "q", "group_by": "label"}),
    ("/context", {"query": "q", "since": "x"}),
    ("/context", {"query": "q", "tenant": "other"}),
    ("/search", {"query": "q", "budget_tokens": 100}),
    ("/conversations", {"messages": [{"role": "user"}]}),
    ("/conversations", {"messages": [{"content": "x"}]}),
    ("/conversations", {"messages": [said(None)]}),
    ("/conversations", {"messages": [said(None, tool_calls=[])]}),
    ("/conversations", {"messages": [said("x", "robot")]}),
    ("/conversations", {"messages": [said("x", colour="blue")]}),
    ("/conversations", {"messages": [said("x", metadata=[])]}),
    ("/conversations", {"messages": [said("x", tool_calls=["x"])]}),
    ("/conversations", {"messages": {}}),
    ("/conversations", {"colour": "blue"}),
    ("/conversations", {"external_id": ""}),
    ("/conversations", {"external_id": "x" * 256}),
    ("/conversations", {"external_id": 7}),
    ("/conversations", {"user_id": ""}),
    ("/conversations", {"tags": "rest"}),
    *(("/conversations", {"created_at": each}) for each in NO_MOMENT),
    *(("/conversations", {"messages": [said("x", created_at=each)]}) for each in NO_MOMENT),
    *(("/context", {"query": "q", "as_of": each}) for each in NO_MOMENT),
]


@pytest.mark.parametrize("calls", ["null", "[]"])
async def test_content_is_null_only_beside_a_tool_call(alone: AsyncClient, calls: str) -> None:
    message = said(None, "assistant", tool_calls=json.loads(calls))
    answer = await alone.post("/conversations", json={"messages": [message]})
    for wrong in problem(answer, 422, "invalid-request")["errors"]:
        assert wrong["detail"].endswith("content may be null only where tool_calls has a call")


async def test_what_has_another_shape_is_refused(alone: AsyncClient) -> None:
    for path, body in WRONG:
        await refused(alone, path, json.dumps(body))
    for whole in ("[]", "null", "1", '"x"', "true"):
        await refused(alone, "/conversations", whole)
        await refused(alone, "/context", whole)
    assert (await get(alone, "/conversations"))["items"] == []


async def test_texts_of_all_scripts_come_back_as_they_were(client: AsyncClient) -> None:
    texts = [
        "Größe €5 \N{GRINNING FACE}",
        "עברית و العربية",
        "日本語\r\n\ttabs",
        "a\u2028b\ufeffc\uffff",
    ]
    metadata = {text: [text] for text in texts}

    stored = await store(client, *texts, metadata=metadata, user_id=texts[0], external_id=texts[1])

    read = await get(client, f"/conversations/{stored['id']}")
    messages = (await get(client, f"/conversations/{stored['id']}/messages"))["items"]
    assert (read["metadata"], read["user_id"]) == (metadata, texts[0])
    assert [each["content"] for each in messages] == texts


async def test_what_we_say_of_a_mistake_begins_with_our_words(alone: AsyncClient) -> None:
    weightless = {"relevance": 0, "recency": 0, "importance": 0}
    answer = await alone.post("/context", json={"query": "q", "weights": weightless})
    assert problem(answer, 422, "invalid-request")["errors"] == [
        {"pointer": "#/weights", "detail": "at least one weight must be above zero"}
    ]
