"""A language model makes summaries and facts better where it can be trusted, and that is all."""

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import pytest

from app.adapters.language_model import ChatModel, LlmLimits, read_prompts
from app.adapters.sql.store import SqlStore
from app.adapters.telemetry import PrometheusTelemetry
from app.domain.conversation import NewConversation, NewMessage, Role
from app.domain.errors import LanguageModelUnavailable
from app.domain.memories import Memory as Item
from app.domain.memory import ItemType
from app.services.distilling.consolidating import Consolidator
from app.services.distilling.facts import FactStep
from app.services.distilling.rewording import FactReader, SummaryWriter
from app.services.distilling.summarising import Summariser
from app.services.distilling.summing_up import SummaryDesk
from app.services.writing.ingest import Stored
from tests.factories import ACME, NOON
from tests.fakes import Memory
from tests.fakes_embedder import Answer, StubServer, stub_server
from tests.stored import items_of

DECIDED = "We decided on PostgreSQL 16 for the ledger service."
OTHER = "The release 2.4.1 is due on 12 May."
BY_RULES = f"- User: {DECIDED}"


@pytest.fixture
def stub() -> Iterator[StubServer]:
    with stub_server() as server:
        yield server


@pytest.fixture
def telemetry() -> PrometheusTelemetry:
    return PrometheusTelemetry()


@pytest.fixture
async def model(stub: StubServer, telemetry: PrometheusTelemetry) -> AsyncIterator[ChatModel]:
    headers = {"Authorization": "Bearer secret"}
    async with httpx.AsyncClient(headers=headers, timeout=10, trust_env=False) as client:
        yield ChatModel(
            client=client,
            url=stub.url + "/v1",
            model="stub",
            limits=LlmLimits(timeout=5, attempts=2, first_wait=0.001),
            on_answer=telemetry.llm_answered,
        )


@pytest.fixture
def memory(store: SqlStore, model: ChatModel) -> Memory:
    memory, prompts = Memory(store), read_prompts()
    memory.summariser = Summariser(
        store=store,
        sentences=memory.sentences,
        keeper=memory.keeper,
        tokens=memory.tokens,
        writer=SummaryWriter(model=model, tokens=memory.tokens, prompt=prompts["summary"]),
    )
    memory.summaries = SummaryDesk(store=store, flags=memory.flags, summariser=memory.summariser)
    reader = FactReader(model=model, tokens=memory.tokens, prompt=prompts["facts"])
    memory.consolidator = Consolidator(
        store=store,
        flags=memory.flags,
        telemetry=memory.telemetry,
        clock=memory.clock,
        steps=[FactStep(keeper=memory.keeper, reader=reader)],
    )
    return memory


def completion(content: str, **usage: int) -> Answer:
    answer = {"choices": [{"message": {"content": content}}], "usage": usage}
    return Answer(body=json.dumps(answer))


def bullets(*several: tuple[str, list[str]]) -> Answer:
    listed = [{"text": text, "sources": sources} for text, sources in several]
    return completion(json.dumps({"bullets": listed}))


def facts(**given: Any) -> Answer:
    usual = {"source": "M1", "attribute": "has", "tense": "now", "positive": True}
    usual["subject"] = "speaker"
    return completion(json.dumps({"facts": [usual | given]}))


async def tell(memory: Memory, *texts: str, external_id: str = "chat") -> Stored:
    messages = [NewMessage(role=Role.USER, content=text, created_at=NOON) for text in texts]
    new = NewConversation(user_id="alice", external_id=external_id, messages=messages)
    return await memory.ingestor.ingest(ACME, new)


async def summary(memory: Memory, *texts: str) -> Item:
    stored = await tell(memory, *texts)
    return (await memory.summaries.sum_up(ACME, stored.conversation_id)).memory


def cited(made: Item) -> list[int]:
    """How many messages each bullet cites."""
    listed = made.metadata["bullets"]
    assert isinstance(listed, list)
    return [len(each["message_ids"]) for each in listed]


async def drawn(memory: Memory, text: str) -> list[str]:
    await tell(memory, text)
    await memory.distil()
    found = await items_of(memory.store, at=NOON, type=ItemType.FACT)
    return sorted(each.content for each in found)


async def test_a_summary_in_its_own_words_cites_what_it_is_made_of(
    memory: Memory, stub: StubServer
) -> None:
    stub.script = [bullets(("PostgreSQL 16 keeps the ledger; 2.4.1 is due.", ["M1", "M2"]))]
    made = await summary(memory, DECIDED, OTHER)
    assert made.content == "- PostgreSQL 16 keeps the ledger; 2.4.1 is due."
    assert cited(made) == [2]
    asked = stub.bodies[0]
    assert asked["messages"][1]["content"] == f"M1: User: {DECIDED}\nM2: User: {OTHER}"
    assert stub.keys == ["Bearer secret"]


async def test_the_next_summary_is_given_the_lines_of_the_one_before(
    memory: Memory, stub: StubServer
) -> None:
    stub.script = [bullets(("PostgreSQL 16 it is.", ["M1"])), bullets(("Both hold.", ["P1", "M1"]))]
    await summary(memory, DECIDED)
    made = await summary(memory, OTHER)
    assert (
        stub.bodies[1]["messages"][1]["content"] == f"P1: PostgreSQL 16 it is.\nM1: User: {OTHER}"
    )
    assert cited(made) == [2]


@pytest.mark.parametrize(
    "answer",
    [
        bullets(("PostgreSQL 17 keeps the ledger.", ["M1"])),
        bullets(("It is ticket OPS-99.", ["M1"])),
        bullets(("PostgreSQL 16 is in deploy.yaml.", ["M1"])),
        bullets(("PostgreSQL 16.", [])),
        bullets(("PostgreSQL 16.", ["M7"])),
        bullets((" ", ["M1"])),
        bullets(("It \0 is.", ["M1"])),
        bullets(("It \ud800 is.", ["M1"])),
        bullets(("many words " * 300, ["M1"])),
        bullets(),
        completion("no JSON"),
        completion("[]"),
        completion('{"bullets": 3}'),
        completion('{"bullets": [{"text": "x", "sources": [{}]}]}'),
        Answer(body="{}"),
        Answer(body="no JSON"),
        Answer(status=400),
    ],
)
async def test_what_cannot_be_trusted_leaves_the_rules_to_it(
    memory: Memory, stub: StubServer, answer: Answer
) -> None:
    stub.script = [answer]
    assert (await summary(memory, DECIDED)).content == BY_RULES


def long(number: int) -> str:
    """Some 2,800 tokens, of which no two are said twice in a row."""
    return f"Part {number} begins. " + "many words of it " * 700


async def test_a_summary_of_much_is_written_in_windows(memory: Memory, stub: StubServer) -> None:
    stub.script = [
        bullets(("The first parts.", ["M1", "M4"])),
        bullets(("All of it.", ["P1", "M1"])),
    ]
    made = await summary(memory, *(long(number) for number in range(5)))
    assert made.content == "- All of it."
    assert cited(made) == [3]
    first, second = [each["messages"][1]["content"] for each in stub.bodies]
    assert [f"Part {number} begins" in first for number in range(5)] == [True] * 4 + [False]
    assert second.startswith("P1: The first parts.\nM1: User: Part 4 begins.")
    assert max(memory.tokens.count(each) for each in (first, second)) <= 12_000


async def test_one_window_that_fails_leaves_the_summary_to_rules(
    memory: Memory, stub: StubServer
) -> None:
    stub.script = [bullets(("The first parts.", ["M1"])), completion("no JSON")]
    made = await summary(memory, DECIDED, *(long(number) for number in range(5)))
    assert DECIDED in made.content


async def test_of_a_message_longer_than_a_window_the_beginning_is_read(
    memory: Memory, stub: StubServer
) -> None:
    stub.script = [bullets(("It begins.", ["M1"]))]
    assert (await summary(memory, long(1) * 6)).content == "- It begins."
    (asked,) = [each["messages"][1]["content"] for each in stub.bodies]
    assert 8_000 < memory.tokens.count(asked) <= 12_000


async def test_facts_are_looked_for_in_windows(memory: Memory, stub: StubServer) -> None:
    bicycle = "At home there is a red bicycle of mine, I should say."
    stub.script = [
        facts(source="M2", quote="Part 1", value="Part 1"),
        facts(source="M2", quote="a red bicycle of mine", value="red bicycle"),
    ]
    await tell(memory, *(long(number) for number in range(5)), bicycle)
    await memory.distil()
    found = await items_of(memory.store, at=NOON, type=ItemType.FACT)
    assert sorted(each.content for each in found) == ["User: Part 1", "User: a red bicycle of mine"]
    assert len(stub.bodies) == 2


async def test_a_server_that_fails_is_asked_again_and_then_left_alone(
    memory: Memory, stub: StubServer, telemetry: PrometheusTelemetry
) -> None:
    stub.script = [Answer(status=500), Answer(status=503)]
    assert (await summary(memory, DECIDED)).content == BY_RULES
    assert len(stub.bodies) == 2
    await summary(memory, OTHER)
    assert len(stub.bodies) == 2
    assert 'foreword_llm_requests_total{outcome="unavailable"} 1.0' in _told(telemetry)


async def test_tokens_are_counted(
    model: ChatModel, stub: StubServer, telemetry: PrometheusTelemetry
) -> None:
    stub.script = [completion("{}", prompt_tokens=120, completion_tokens=30)]
    await model.answer(instructions="i", material="m", schema={}, most=9)
    assert 'foreword_llm_tokens_total{direction="read"} 120.0' in _told(telemetry)
    assert 'foreword_llm_tokens_total{direction="written"} 30.0' in _told(telemetry)


async def test_it_is_asked_again_after_a_rest(model: ChatModel, stub: StubServer) -> None:
    now = 0.0
    model.timer = lambda: now
    stub.script = [Answer(status=500), Answer(status=500), completion('{"a": 1}')]
    for _ in range(2):
        with pytest.raises(LanguageModelUnavailable):
            await model.answer(instructions="i", material="m", schema={}, most=9)
    now = 61.0
    assert await model.answer(instructions="i", material="m", schema={}, most=9) == {"a": 1}


@pytest.mark.parametrize("content", ["no JSON", "[1", ""])
async def test_tokens_of_what_cannot_be_used_are_counted_too(
    model: ChatModel, stub: StubServer, telemetry: PrometheusTelemetry, content: str
) -> None:
    stub.script = [completion(content, prompt_tokens=120, completion_tokens=30)]
    with pytest.raises(LanguageModelUnavailable):
        await ask(model)
    assert 'foreword_llm_tokens_total{direction="read"} 120.0' in _told(telemetry)
    assert 'foreword_llm_tokens_total{direction="written"} 30.0' in _told(telemetry)
    assert 'foreword_llm_requests_total{outcome="unusable"} 1.0' in _told(telemetry)


async def ask(model: ChatModel) -> Any:
    return await model.answer(instructions="i", material="m", schema={}, most=9)


@pytest.mark.parametrize("status", [400, 404, 413, 422])
async def test_what_is_refused_keeps_it_from_no_other_request(
    model: ChatModel, stub: StubServer, status: int
) -> None:
    stub.script = [Answer(status=status), completion("{}")]
    with pytest.raises(LanguageModelUnavailable):
        await ask(model)
    assert await ask(model) == {}


@pytest.mark.parametrize("status", [401, 403, 429, 500, 503])
async def test_it_rests_where_the_next_request_would_fare_no_better(
    model: ChatModel, stub: StubServer, status: int
) -> None:
    stub.script = [Answer(status=status)] * 2
    with pytest.raises(LanguageModelUnavailable, match="status"):
        await ask(model)
    asked = len(stub.bodies)
    with pytest.raises(LanguageModelUnavailable, match="a moment ago"):
        await ask(model)
    assert len(stub.bodies) == asked


async def test_a_fact_that_stands_in_the_message_is_kept(memory: Memory, stub: StubServer) -> None:
    text = "At home there is a red bicycle of mine, I should say. I live in Lisbon."
    stub.script = [facts(quote="a red bicycle of mine", value="red bicycle")]
    assert await drawn(memory, text) == ["User lives in Lisbon", "User: a red bicycle of mine"]


@pytest.mark.parametrize(
    "answer",
    [
        facts(quote="a blue bicycle", value="blue bicycle"),
        facts(quote="a red bicycle", value="blue bicycle"),
        facts(quote="a red bicycle", value="red bicycle", attribute="invented"),
        facts(quote="a red bicycle", value="red bicycle", source="M2"),
        facts(quote="a red bicycle", value="red bicycle", tense="never"),
        facts(quote="a red bicycle", value="red bicycle", positive="yes"),
        facts(quote="", value=""),
        completion('{"facts": [3]}'),
        completion('{"facts": 3}'),
        Answer(status=404),
    ],
)
async def test_a_fact_that_does_not_stand_there_is_none(
    memory: Memory, stub: StubServer, answer: Answer
) -> None:
    stub.script = [answer]
    assert await drawn(memory, "There is a red bicycle. I live in Lisbon.") == [
        "User lives in Lisbon"
    ]


async def test_what_is_said_of_another_ends_nothing_of_who_says_it(
    memory: Memory, stub: StubServer
) -> None:
    away = {"quote": "my brother ended up in Rome", "value": "Rome", "attribute": "lives_in"}
    stub.script = [facts(**away, source="M2", subject=each) for each in ("my brother", "speaker")]
    for external_id in ("as it is", "mistaken"):
        await tell(memory, "I live in Lisbon.", f"{away['quote']}.", external_id=external_id)
        await memory.distil()
        found = await items_of(memory.store, at=NOON, type=ItemType.FACT)
        assert {each.content for each in found} == {
            "User lives in Lisbon",
            "User's brother lives in Rome (ended up there)",
        }


async def test_what_rules_found_is_not_told_twice(memory: Memory, stub: StubServer) -> None:
    stub.script = [facts(quote="I live in Lisbon", value="Lisbon", attribute="lives_in")]
    assert await drawn(memory, "I live in Lisbon.") == ["User lives in Lisbon"]


def _told(telemetry: PrometheusTelemetry) -> str:
    return telemetry.exposition().decode()
