"""Every filter of a context, on both engines, for contexts and searches alike."""

from typing import Any

from httpx import AsyncClient

from tests.api.speaking import Json, contents, context, problem, said, search, store

API = "The server of the api team is called Hugin."
OPS = "The server of the ops team is called Munin."
HOME = "The server under my desk at home is called Fafnir."
QUERY = "What is the server called?"


async def store_three(client: AsyncClient) -> dict[str, str]:
    """Conversations by name, with their ids."""
    common: Json = {"user_id": "alice"}
    api = await store(
        client,
        said(API, created_at="2026-01-01T00:00:00Z"),
        **common,
        label="API",
        folder="/work/api",
        tags=["a", "b"],
    )
    ops = await store(
        client,
        said(OPS, "assistant", created_at="2026-01-02T00:00:00Z"),
        **common,
        label="Ops",
        folder="/work",
        tags=["b"],
    )
    home = await store(
        client, said(HOME, "tool", created_at="2026-01-03T00:00:00Z"), **common, folder="/workshop"
    )
    return {"api": api["id"], "ops": ops["id"], "home": home["id"]}


def cases(ids: dict[str, str]) -> list[tuple[dict[str, Any], set[str]]]:
    stranger = "01900000-0000-7000-8000-000000000000"
    return [
        ({}, {API, OPS, HOME}),
        ({"folder": "/work"}, {API, OPS}),
        ({"folder": "/work/"}, {API, OPS}),
        ({"folder": "/work/api"}, {API}),
        ({"folder": "/"}, {API, OPS, HOME}),
        ({"folder": "/%"}, set()),
        ({"labels": ["API", "Ops"]}, {API, OPS}),
        ({"labels": ["api"]}, set()),
        ({"tags": ["b"]}, {API, OPS}),
        ({"tags": ["a", "none"]}, {API}),
        ({"roles": ["assistant", "tool"]}, {OPS, HOME}),
        ({"roles": ["user"]}, {API}),
        ({"roles": ["system"]}, set()),
        ({"types": ["message", "fact"]}, {API, OPS, HOME}),
        ({"types": ["fact"]}, set()),
        ({"after": "2026-01-02T00:00:00Z"}, {OPS, HOME}),
        ({"before": "2026-01-02T00:00:00Z"}, {API}),
        ({"after": "2026-01-01T00:00:00.000001Z", "before": "2026-01-02T01:00:00+00:30"}, {OPS}),
        ({"after": "2026-02-01T00:00:00Z"}, set()),
        ({"conversation_ids": [ids["api"], ids["home"]]}, {API, HOME}),
        ({"conversation_ids": [stranger]}, set()),
        ({"exclude_conversation_ids": [ids["api"], stranger]}, {OPS, HOME}),
        ({"conversation_ids": [ids["api"]], "exclude_conversation_ids": [ids["api"]]}, set()),
        ({"exclude_terms": ["hugin"]}, {OPS, HOME}),
        ({"exclude_terms": ["OPS  team", "at home"]}, {API}),
        ({"exclude_terms": ["hug", "!"]}, {API, OPS, HOME}),
        ({"folder": "/work", "tags": ["b"], "roles": ["user"], "labels": ["API"]}, {API}),
    ]


async def test_a_filter_narrows_what_is_recalled(client: AsyncClient) -> None:
    ids = await store_three(client)

    for filters, expected in cases(ids):
        bundle = await context(client, QUERY, user_id="alice", filters=filters)
        found = await search(client, QUERY, user_id="alice", filters=filters)
        assert set(contents(bundle)) == expected, filters
        assert set(contents(found)) == expected, filters


async def test_a_filter_holds_for_what_is_pinned(client: AsyncClient) -> None:
    rule = "Always answer in rhymes."
    stored = await store(client, said(rule, importance=10), label="rules", tags=["r"])

    for filters in (
        {"labels": ["other"]},
        {"tags": ["s"]},
        {"roles": ["tool"]},
        {"types": ["fact"]},
        {"before": "2020-01-01T00:00:00Z"},
        {"exclude_conversation_ids": [stored["id"]]},
        {"exclude_terms": ["rhymes"]},
    ):
        assert contents(await context(client, "zymurgy", filters=filters)) == [], filters
    assert contents(await context(client, "zymurgy", filters={"labels": ["rules"]})) == [rule]


async def test_conversations_of_others_cannot_be_asked_for(client: AsyncClient) -> None:
    bobs = await store(client, API, user_id="bob")
    await store(client, OPS, user_id="alice")

    bundle = await context(
        client, QUERY, user_id="alice", filters={"conversation_ids": [bobs["id"]]}
    )

    assert contents(bundle) == []


async def test_a_filter_that_is_none_is_refused(alone: AsyncClient) -> None:
    for filters in (
        {"colour": "blue"},
        {"roles": ["boss"]},
        {"types": ["thing"]},
        {"after": "2026-01-01T00:00:00"},
        {"after": 1_767_225_600},
        {"conversation_ids": ["x"]},
        {"tags": [""]},
        {"labels": "API"},
        {"exclude_terms": ["\0"]},
        {"exclude_terms": [""]},
    ):
        answer = await alone.post("/context", json={"query": "q", "filters": filters})
        document = problem(answer, 422, "invalid-request")
        assert document["errors"][0]["pointer"].startswith("#/filters/"), filters
