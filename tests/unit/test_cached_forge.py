import asyncio
import json
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from app.adapters.sql.store import SqlStore
from app.domain.context import ContextRequest, Filters
from app.domain.errors import ConversationNotFound
from app.domain.ids import BundleId, TenantId
from app.services.answering.cached import Answered
from app.services.erasing.erasure import Forgotten
from tests.factories import ACME
from tests.fakes import Memory

REQUEST = ContextRequest(query="green tea?", user_id="alice")


@pytest.fixture
async def memory(store: SqlStore) -> Memory:
    memory = Memory(store)
    await memory.say("green tea", "black coffee")
    await memory.index()
    return memory


def told(answer: Answered) -> Any:
    return json.loads(answer.body)


def contents(answer: Answered) -> list[str]:
    return [each["content"] for each in told(answer)["retrieved_memories"]]


def bundle_id(answer: Answered) -> BundleId:
    return BundleId(UUID(told(answer)["bundle_id"]))


async def test_what_was_just_asked_is_answered_from_the_cache(memory: Memory) -> None:
    first = await memory.cached.answer(ACME, REQUEST)
    again = await memory.cached.answer(ACME, replace(REQUEST))
    assert contents(first) == ["green tea"]
    assert (first.cache_hit, again.cache_hit) == (False, True)
    assert bundle_id(again) == bundle_id(first)
    assert memory.telemetry.cache == [False, True]
    assert memory.telemetry.bundles == 1


@pytest.mark.parametrize(
    "other",
    [
        replace(REQUEST, query="green tea"),
        replace(REQUEST, budget_tokens=3_999),
        replace(REQUEST, filters=Filters(exclude_terms=("coffee",))),
        replace(REQUEST, explain=True),
    ],
)
async def test_another_request_is_another_entry(memory: Memory, other: ContextRequest) -> None:
    first = await memory.cached.answer(ACME, REQUEST)
    second = await memory.cached.answer(ACME, other)
    assert not second.cache_hit
    assert bundle_id(second) != bundle_id(first)


async def test_the_same_request_in_flight_is_built_once(memory: Memory) -> None:
    memory.embedder.gate.close()
    asked = [asyncio.create_task(memory.cached.answer(ACME, REQUEST)) for _ in range(5)]
    await memory.embedder.gate.reached.wait()
    await asyncio.sleep(0.05)
    memory.embedder.gate.opened.set()

    answers = await asyncio.gather(*asked)

    assert len({bundle_id(each) for each in answers}) == 1
    assert memory.telemetry.bundles == 1


async def test_a_caller_that_goes_does_not_take_the_answer_from_the_others(memory: Memory) -> None:
    memory.embedder.gate.close()
    first = asyncio.create_task(memory.cached.answer(ACME, REQUEST))
    await memory.embedder.gate.reached.wait()
    second = asyncio.create_task(memory.cached.answer(ACME, REQUEST))
    await asyncio.sleep(0.05)
    first.cancel()
    memory.embedder.gate.opened.set()

    answer = await second

    assert contents(answer) == ["green tea"]
    assert memory.telemetry.bundles == 1
    with pytest.raises(asyncio.CancelledError):
        await first


async def test_degraded_bundles_are_not_cached(memory: Memory) -> None:
    memory.embedder.down = True
    poor = await memory.cached.answer(ACME, REQUEST)
    assert [each["source"] for each in told(poor)["metadata"]["degraded"]] == ["semantic"]
    assert contents(poor) == ["green tea"]

    memory.embedder.down = False
    rich = await memory.cached.answer(ACME, REQUEST)
    assert (rich.cache_hit, told(rich)["metadata"]["degraded"]) == (False, [])
    assert bundle_id(await memory.cached.answer(ACME, REQUEST)) == bundle_id(rich)


async def test_a_write_makes_what_was_cached_unreachable(memory: Memory) -> None:
    before = await memory.cached.answer(ACME, REQUEST)
    await memory.say("more green tea", external_id="another chat")

    after = await memory.cached.answer(ACME, REQUEST)

    assert not after.cache_hit
    assert contents(before) == ["green tea"]
    assert "more green tea" in contents(after)


async def test_an_index_that_catches_up_makes_what_was_cached_unreachable(memory: Memory) -> None:
    await memory.say("more green tea", external_id="another chat")
    await memory.cached.answer(ACME, REQUEST)
    await memory.index()
    assert not (await memory.cached.answer(ACME, REQUEST)).cache_hit


async def test_another_user_s_write_leaves_the_cache_alone(memory: Memory) -> None:
    await memory.cached.answer(ACME, REQUEST)
    await memory.say("green tea", user_id="bob")
    assert (await memory.cached.answer(ACME, REQUEST)).cache_hit


async def test_who_wants_a_fresh_bundle_gets_one(memory: Memory) -> None:
    first = await memory.cached.answer(ACME, REQUEST)
    fresh = await memory.cached.answer(ACME, REQUEST, fresh=True)
    assert not fresh.cache_hit
    assert bundle_id(fresh) != bundle_id(first)
    assert memory.telemetry.cache == [False]


async def test_a_fresh_bundle_takes_the_place_of_the_old_one(memory: Memory) -> None:
    await memory.cached.answer(ACME, REQUEST)
    fresh = await memory.cached.answer(ACME, REQUEST, fresh=True)
    again = await memory.cached.answer(ACME, REQUEST)
    assert again.cache_hit
    assert bundle_id(again) == bundle_id(fresh)


async def test_where_nothing_was_ever_said_the_bundle_is_empty(memory: Memory) -> None:
    nobody = replace(REQUEST, user_id="nobody")
    answer = await memory.cached.answer(ACME, nobody)
    assert (contents(answer), told(answer)["metadata"]["sufficient"]) == ([], False)
    assert [told(answer)["metadata"][each] for each in ("total_tokens", "candidates")] == [0, 0]
    result = await memory.cached.search(ACME, nobody)
    assert (list(result.candidates), result.sufficient) == ([], False)
    assert memory.telemetry.cache == []


async def test_another_tenant_shares_nothing(memory: Memory) -> None:
    await memory.cached.answer(ACME, REQUEST)
    other = await memory.cached.answer(TenantId("other"), REQUEST)
    assert (other.cache_hit, contents(other)) == (False, [])


async def test_an_error_is_raised_to_everyone_who_asked_and_not_kept(memory: Memory) -> None:
    unknown = replace(REQUEST, conversation_external_id="nowhere")
    for _ in range(2):
        with pytest.raises(ConversationNotFound):
            await memory.cached.answer(ACME, unknown)
    assert told(await memory.cached.answer(ACME, REQUEST))["metadata"]["sufficient"]


async def test_a_search_is_never_answered_from_the_cache(memory: Memory) -> None:
    for _ in range(2):
        result = await memory.cached.search(ACME, REQUEST)
        assert [each.item.content for each in result.candidates] == ["green tea"]
        assert result.sufficient
    assert memory.telemetry.cache == []


async def test_what_is_erased_is_gone_from_the_cache(memory: Memory) -> None:
    await memory.cached.answer(ACME, REQUEST)
    forgotten: Forgotten = await memory.forgetter.user(ACME, "alice")
    assert (forgotten.cache_entries, forgotten.remaining) == (1, 0)
    assert forgotten.erased.bundles == 1
    answer = await memory.cached.answer(ACME, REQUEST)
    assert (answer.cache_hit, contents(answer)) == (False, [])


async def test_every_answer_has_a_receipt(memory: Memory) -> None:
    answer = await memory.cached.answer(ACME, REQUEST)
    receipt = memory.recorder.find(bundle_id(answer))
    assert receipt is not None
    assert receipt.request["query"] == "green tea?"


async def test_who_is_told_while_it_is_made_counts_as_all_do(memory: Memory) -> None:
    prepared = await memory.cached.prepare(ACME, REQUEST)
    told_to: list[object] = []
    answers = [
        await memory.cached.answer_aloud(prepared, told_to.append, fresh=fresh)
        for fresh in (False, False, True)
    ]
    assert [each.cache_hit for each in answers] == [False, True, False]
    assert memory.telemetry.cache == [False, True]
