"""Switches of requests, and texts that are too long: refused, and told in plain words."""

import json

import pytest
from httpx import AsyncClient

from tests.api.speaking import get, problem, store

JSON = {"content-type": "application/json"}


@pytest.mark.parametrize("value", ["1", "0", '"yes"', '"no"', '"true"', "null", "[]"])
async def test_what_is_neither_true_nor_false_is_refused(client: AsyncClient, value: str) -> None:
    for path, body in (
        ("/context", f'{{"query": "q", "explain": {value}}}'),
        ("/search", f'{{"query": "q", "explain": {value}}}'),
        ("/admin/prune", f'{{"after_days": 1, "dry_run": {value}}}'),
        ("/admin/doctor", f'{{"fix": {value}}}'),
    ):
        problem(await client.post(path, content=body, headers=JSON), 422, "invalid-request")
    stored = await store(client, "hello")
    path = f"/conversations/{stored['id']}"

    answer = await client.patch(path, json={"archived": json.loads(value)})

    problem(answer, 422, "invalid-request")
    assert (await get(client, path))["archived"] is False


async def test_a_text_that_is_too_long_is_told_in_characters(client: AsyncClient) -> None:
    answer = await client.post("/conversations", json={"user_id": "x" * 256})

    told = problem(answer, 422, "invalid-request")
    assert told["errors"] == [
        {"pointer": "#/user_id", "detail": "must have at most 255 characters"}
    ]
