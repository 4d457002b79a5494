"""Replies and questions come in beside what was found, as every filter allows."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from app.adapters.sql.store import SqlStore
from app.domain.context import Candidate, ContextBundle, ContextRequest, Filters, Format, Source
from app.domain.conversation import NewConversation, NewMessage, Role
from app.domain.memory import ItemType
from app.services.context.gathering import ForgeLimits
from tests.factories import ACME, NOON
from tests.fakes import Memory

ASKED, REPLY = "Which database shall we pick?", "PostgreSQL, as always."
SOLD, PRICE = "How much was it?", "Nine euros for the green teapot."
TALK = ["Good morning.", ASKED, REPLY, "Fine, let us go on.", SOLD, PRICE, "Goodbye."]

DATABASE = ContextRequest(query="database", user_id="alice")
TEAPOT = ContextRequest(query="the green teapot", user_id="alice")


def spoken(texts: Sequence[str]) -> list[NewMessage]:
    """Two take turns, a minute apart."""
    return [
        NewMessage(
            role=(Role.ASSISTANT, Role.USER)[at % 2],
            content=text,
            created_at=NOON + at * timedelta(minutes=1),
        )
        for at, text in enumerate(texts)
    ]


@pytest.fixture(params=[1, 60], ids=["beside the pool", "in the pool, below the floor"])
async def memory(store: SqlStore, request: pytest.FixtureRequest) -> Memory:
    memory = Memory(store)
    memory.clock.now = NOON + timedelta(days=1)
    limits = ForgeLimits(per_source=request.param, floor=0.3, sufficient=0.3)
    memory.forge = replace(memory.forge, limits=limits)
    talk = NewConversation(user_id="alice", external_id="talk", messages=spoken(TALK))
    await memory.ingestor.ingest(ACME, talk)
    await memory.index()
    return memory


async def build(memory: Memory, request: ContextRequest) -> ContextBundle:
    request = replace(request, max_items=min(request.max_items, 20))
    situation = await memory.surveyor.survey(ACME, request)
    assert situation is not None
    return await memory.forge.build(request, situation)


async def retrieved(memory: Memory, request: ContextRequest) -> Sequence[Candidate]:
    return (await build(memory, request)).retrieved


async def contents(memory: Memory, request: ContextRequest) -> list[str]:
    return [each.item.content for each in await retrieved(memory, request)]


async def test_a_question_brings_its_reply(memory: Memory) -> None:
    found, reply = await retrieved(memory, replace(DATABASE, explain=True))
    assert (found.item.content, reply.item.content) == (ASKED, REPLY)
    assert reply.sources == {Source.EPISODIC}
    assert reply.signals["completes"] == 1.0
    assert reply.score < found.score
    assert [edge.id for edge in reply.item.lineage] == [str(reply.item.id)]


async def test_an_answer_brings_the_question_before_it(memory: Memory) -> None:
    assert await contents(memory, TEAPOT) == [PRICE, SOLD]


async def test_what_came_in_was_not_left_out(memory: Memory) -> None:
    bundle = await build(memory, replace(DATABASE, explain=True))
    shown = {each.item.id for each in bundle.retrieved}
    assert shown.isdisjoint(each.id for each in bundle.dropped)


@pytest.mark.parametrize(
    "narrower",
    [
        replace(DATABASE, filters=Filters(roles=(Role.USER,))),
        replace(DATABASE, filters=Filters(types=(ItemType.MESSAGE,), exclude_terms=("always",))),
        replace(DATABASE, query="database NOT PostgreSQL"),
        replace(DATABASE, filters=Filters(before=NOON + timedelta(minutes=2))),
        replace(DATABASE, as_of=NOON + timedelta(minutes=1)),
        replace(DATABASE, max_items=1),
    ],
    ids=["roles", "exclude_terms", "not", "before", "as_of", "max_items"],
)
async def test_no_filter_is_passed_by(memory: Memory, narrower: ContextRequest) -> None:
    assert await contents(memory, narrower) == [ASKED]


async def test_the_least_score_holds_for_what_comes_in(memory: Memory) -> None:
    found, reply = await retrieved(memory, DATABASE)
    between = (found.score + reply.score) / 2
    assert await contents(memory, replace(DATABASE, min_score=between)) == [ASKED]


async def test_where_only_chunks_are_wanted_no_message_comes_in(memory: Memory) -> None:
    chunks = Filters(types=(ItemType.CHUNK,))
    assert not await contents(memory, replace(DATABASE, filters=chunks))


@pytest.mark.parametrize("form", Format)
async def test_the_budget_holds_for_what_comes_in(memory: Memory, form: Format) -> None:
    counts = set()
    for budget in range(1, 120, 3):
        bundle = await build(memory, replace(DATABASE, budget_tokens=budget, format=form))
        assert bundle.total_tokens <= budget
        shown = [each.item.content for each in bundle.retrieved]
        assert shown in ([], [ASKED], [REPLY], [ASKED, REPLY])
        counts.add(len(shown))
    assert {0, 2} <= counts


async def test_what_is_in_the_history_does_not_come_in(memory: Memory) -> None:
    running = replace(DATABASE, conversation_external_id="talk")
    bundle = await build(memory, replace(running, history=replace(running.history, max_messages=5)))
    assert [each.content for each in bundle.recent_history] == TALK[2:]
    assert [each.item.content for each in bundle.retrieved] == [ASKED]


async def test_the_reply_of_another_user_does_not_come_in(memory: Memory) -> None:
    assert await contents(memory, replace(DATABASE, user_id="alice")) == [ASKED, REPLY]
    stranger = NewConversation(user_id="bob", external_id="talk", messages=spoken(TALK[:2]))
    await memory.ingestor.ingest(ACME, stranger)
    await memory.index()
    assert await contents(memory, replace(DATABASE, user_id="bob")) == [ASKED]
