"""Whatever JSON is sent: never an accident of ours."""

import json
from typing import Any

from httpx import AsyncClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

anything: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(exclude_categories=())),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
moments = st.datetimes().map(lambda at: f"{at.isoformat()}Z") | anything
names = st.text(st.characters(exclude_categories=()), max_size=300) | anything


def sometimes(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Some of the fields of an object, mostly with values that fit."""
    return st.fixed_dictionaries({}, optional=fields) | anything


messages = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "system", "tool"]), "content": names},
    optional={
        "external_id": names,
        "name": names,
        "created_at": moments,
        "tool_calls": st.lists(st.dictionaries(st.text(max_size=5), anything, max_size=2)),
        "tool_call_id": names,
        "importance": st.integers(0, 11) | anything,
        "metadata": st.dictionaries(names.filter(lambda n: isinstance(n, str)), anything),
    },
)
conversations = sometimes(
    external_id=names,
    user_id=names,
    label=names,
    folder=names,
    importance=st.integers(0, 11) | anything,
    tags=st.lists(names, max_size=3),
    metadata=st.dictionaries(st.text(max_size=5), anything, max_size=3) | anything,
    system_prompt=names,
    created_at=moments,
    messages=st.lists(messages | anything, max_size=3),
)
filters = sometimes(
    folder=names,
    labels=st.lists(names, max_size=2),
    tags=st.lists(names, max_size=2),
    roles=st.lists(st.sampled_from(["user", "tool"]), max_size=2),
    types=st.lists(st.sampled_from(["message", "fact"]), max_size=2),
    after=moments,
    before=moments,
    conversation_ids=st.lists(st.uuids().map(str), max_size=2),
    exclude_conversation_ids=st.lists(st.uuids().map(str), max_size=2),
    exclude_terms=st.lists(names, max_size=2),
)
questions = sometimes(
    query=names,
    user_id=names,
    conversation_id=st.uuids().map(str) | anything,
    conversation_external_id=names,
    budget_tokens=st.integers(-1, 2**70) | anything,
    max_items=st.integers(0, 501) | anything,
    min_score=st.floats() | anything,
    as_of=moments,
    deadline_ms=st.integers(0, 60_001) | anything,
    format=st.sampled_from(["json", "markdown", "messages"]) | anything,
    explain=st.booleans() | anything,
    group_by=st.just("conversation") | anything,
    history=sometimes(
        strategy=st.just("simple"), max_messages=st.integers(), max_share=st.floats()
    ),
    since=st.uuids().map(str) | anything,
    weights=sometimes(relevance=st.floats(), recency=st.floats(), importance=st.floats()),
    preferred_labels=st.lists(names, max_size=2),
    filters=filters,
)
fuzz = settings(
    max_examples=120,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


async def status(client: AsyncClient, path: str, body: Any) -> int:
    """The status that `body` gets, NaN and lone surrogates going out as they are."""
    answer = await client.post(
        path, content=json.dumps(body).encode(), headers={"content-type": "application/json"}
    )
    if answer.status_code >= 400:
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["request_id"]
    return answer.status_code


@fuzz
@given(body=conversations)
async def test_whatever_is_stored_is_stored_or_refused(client: AsyncClient, body: Any) -> None:
    assert await status(client, "/conversations", body) in {201, 422}


@fuzz
@given(body=questions)
async def test_whatever_is_asked_is_answered_or_refused(client: AsyncClient, body: Any) -> None:
    assert await status(client, "/context", body) in {200, 404, 422}


@fuzz
@given(text=st.text(min_size=1, max_size=60))
async def test_whatever_is_said_can_be_asked_for_again(client: AsyncClient, text: str) -> None:
    said = {"messages": [{"role": "user", "content": text}], "user_id": "alice"}
    stored = await status(client, "/conversations", said)
    asked = await status(client, "/context", {"query": text, "user_id": "alice"})
    assert (stored, asked) == ((422, 422) if "\0" in text else (201, 200))


@fuzz
@given(body=st.binary(max_size=40))
async def test_whatever_bytes_are_sent_are_refused(alone: AsyncClient, body: bytes) -> None:
    answer = await alone.post(
        "/context", content=body, headers={"content-type": "application/json"}
    )
    assert answer.status_code in {400, 422}
