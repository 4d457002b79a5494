"""A conversation that goes on, or is opened again, with what sums it up."""

from datetime import timedelta
from typing import Any

import pytest

from app.adapters.sql.store import SqlStore
from app.domain.context import (
    ContextBundle,
    ContextRequest,
    Filters,
    Format,
    HistoryOptions,
    HistoryStrategy,
    Source,
)
from app.domain.conversation import NewConversation, NewMessage, Role
from app.domain.ids import ConversationId
from app.domain.memories import NewMemory
from app.domain.memory import ItemType
from tests.factories import ACME, NOON
from tests.fakes import Memory

GIST = "- Ann: We use PostgreSQL."
TALK = ["Be brief.", "We use PostgreSQL.", *(f"Well, number {n}." for n in range(12))]


@pytest.fixture
async def memory(store: SqlStore) -> Memory:
    """Some talk, a minute apart, of which the first half is summed up."""
    memory = Memory(store)
    roles = [Role.SYSTEM, *[Role.USER] * 20]
    messages = [
        NewMessage(role=role, content=text, created_at=NOON + at * timedelta(minutes=1))
        for at, (role, text) in enumerate(zip(roles, TALK, strict=False))
    ]
    new = NewConversation(user_id="alice", external_id="chat", messages=messages)
    stored = await memory.ingestor.ingest(ACME, new)
    memory.clock.forward(3_600)
    gist = NewMemory(
        type=ItemType.SUMMARY,
        content=GIST,
        conversation_id=stored.conversation_id,
        subject="it",
        valid_from=NOON + timedelta(minutes=6),
        derived_from=[stored.message_ids[at] for at in (1, 6)],
    )
    await memory.keeper.keep(ACME, [gist])
    await memory.index()
    return memory


async def ask(
    memory: Memory, strategy: HistoryStrategy = HistoryStrategy.HYBRID, **about: Any
) -> ContextBundle:
    options = HistoryOptions(strategy=strategy, max_messages=10, max_share=0.5)
    asked = {"conversation_external_id": "chat", "user_id": "alice", "history": options, **about}
    request = ContextRequest(**{"query": "zymurgy", **asked})
    situation = await memory.surveyor.survey(ACME, request)
    return await memory.forge.build(request, situation)


def said(bundle: ContextBundle) -> list[int]:
    return [each.position for each in bundle.recent_history]


def led(bundle: ContextBundle) -> list[str]:
    leading = [each for each in bundle.retrieved if each.sources == {Source.EPISODIC}]
    return [each.item.content for each in leading]


async def test_each_strategy_tells_the_conversation_its_own_way(memory: Memory) -> None:
    simple = await ask(memory, HistoryStrategy.SIMPLE)
    summed = await ask(memory, HistoryStrategy.SUMMARIZATION)
    hybrid = await ask(memory)
    assert (said(simple), led(simple)) == ([0, *range(5, 14)], [])
    assert (said(summed), led(summed)) == ([0, *range(7, 14)], [GIST])
    assert (said(hybrid), led(hybrid)) == ([0, *range(5, 14)], [GIST])


async def test_the_summary_is_shown_once_though_it_is_found(memory: Memory) -> None:
    bundle = await ask(memory, query="We use PostgreSQL.")
    assert [each.item.content for each in bundle.retrieved].count(GIST) == 1
    assert led(bundle) == [GIST]
    plain = await ask(memory, HistoryStrategy.SIMPLE, query="We use PostgreSQL.")
    found = {each.item.content: each.sources for each in plain.retrieved}
    assert Source.LEXICAL in found[GIST]


async def test_it_stands_before_all_that_depends_on_the_question(memory: Memory) -> None:
    one = await ask(memory, format=Format.MESSAGES, query="We use PostgreSQL.")
    other = await ask(memory, format=Format.MESSAGES, query="zymurgy")
    assert one.messages is not None
    assert other.messages is not None
    standing = str(other.messages[0]["content"])
    assert standing.endswith(
        f"# Summary of this conversation\nsummary, 2026-03-01 12:06:\n> {GIST}"
    )
    assert str(one.messages[0]["content"]).startswith(standing)


async def test_filters_that_do_not_let_it_in_keep_it_out(memory: Memory) -> None:
    for filters in (
        Filters(types=(ItemType.MESSAGE,)),
        Filters(roles=(Role.USER,)),
        Filters(exclude_terms=("PostgreSQL",)),
        Filters(after=NOON + timedelta(days=1)),
        Filters(conversation_ids=(ConversationId(memory.ids()),)),
    ):
        bundle = await ask(memory, HistoryStrategy.SUMMARIZATION, filters=filters)
        assert (said(bundle), led(bundle)) == ([0, *range(5, 14)], [])
    assert led(await ask(memory, filters=Filters(types=(ItemType.SUMMARY,)))) == [GIST]


async def test_as_of_before_there_was_nothing_to_sum_up(memory: Memory) -> None:
    early = await ask(memory, as_of=NOON + timedelta(minutes=5))
    assert (said(early), led(early)) == ([0, 1, 2, 3, 4, 5], [])
    whole = await ask(memory, as_of=NOON + timedelta(minutes=7))
    assert (said(whole), led(whole)) == ([*range(8)], [])


async def test_without_history_there_is_no_summary_of_it(memory: Memory) -> None:
    bundle = await ask(memory, history=HistoryOptions(max_messages=0))
    assert (said(bundle), led(bundle)) == ([], [])


async def test_the_bundle_replays_with_its_summary(memory: Memory) -> None:
    bundle = await ask(memory)
    request = ContextRequest(query="zymurgy", user_id="alice")
    situation = await memory.surveyor.survey(ACME, request)
    memory.recorder.built(ACME, request, situation, bundle)
    await memory.recorder.flush()
    replay = await memory.replayer.replay(ACME, bundle.id)
    assert (said(replay), led(replay)) == (said(bundle), [GIST])


async def test_the_budget_holds_with_a_summary(memory: Memory) -> None:
    for budget in range(1, 200, 7):
        for form in Format:
            for strategy in HistoryStrategy:
                bundle = await ask(memory, strategy, budget_tokens=budget, format=form)
                assert bundle.total_tokens <= budget
