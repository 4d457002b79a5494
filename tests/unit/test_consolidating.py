"""Conversations are distilled in order, once, whatever fails in between."""

from dataclasses import dataclass, field

import pytest

from app.adapters.sql.store import SqlStore
from app.domain.conversation import ConversationChanges
from app.domain.errors import EmbedderUnavailable, JobNotFound, Overtaken
from app.domain.ids import ConversationId, ConversationKey
from app.ports.distilling import DistillingState, DueConversation, GivenUp
from app.ports.store import Transaction
from app.services.common.pacing import Traffic
from app.services.distilling.consolidating import Consolidator, ConsolidatorLimits
from app.services.distilling.step import Portion, Write
from tests.factories import ACME, uuid_of
from tests.fakes import Memory


@dataclass
class Notebook:
    """A step that writes down what it gets, and can be made to stumble."""

    seen: list[list[str | None]] = field(default_factory=list)
    written: list[str | None] = field(default_factory=list)
    poison: str | None = None
    error: Exception = field(default_factory=ValueError)
    meanwhile: "list[str]" = field(default_factory=list)
    memory: Memory | None = None
    takes: int = 0
    by_message: bool = True

    async def distil(self, portion: Portion) -> Write:
        said = [each.content for each in portion.messages]
        self.seen.append(said)
        if self.memory is not None:
            self.memory.clock.forward(self.takes)
        if self.poison in said:
            raise self.error
        while self.meanwhile and self.memory:
            await self.memory.say(self.meanwhile.pop())

        async def write(_: Transaction) -> None:
            self.written += said

        return write


@dataclass(kw_only=True)
class Crossing(Traffic):
    """Counts how often somebody was let pass."""

    passed: int = 0

    async def let_pass(self, *, worked: float) -> None:
        assert worked > 0
        self.passed += 1


@pytest.fixture
def memory(store: SqlStore) -> Memory:
    return Memory(store)


@pytest.fixture
def notebook(memory: Memory) -> Notebook:
    return Notebook(memory=memory)


def consolidator(memory: Memory, *steps: Notebook, **limits: int) -> Consolidator:
    return Consolidator(
        store=memory.store,
        flags=memory.flags,
        telemetry=memory.telemetry,
        clock=memory.clock,
        steps=steps,
        limits=ConsolidatorLimits(**{"attempts": 2, **limits}),
    )


async def work_off(worker: Consolidator) -> None:
    while await worker.work_once():
        pass


async def test_what_is_said_comes_once_and_in_order(memory: Memory, notebook: Notebook) -> None:
    worker = consolidator(memory, notebook)
    await memory.say("one", "two")
    await work_off(worker)
    await memory.say("three")
    await work_off(worker)

    assert notebook.seen == [["one", "two"], ["three"]]
    assert memory.telemetry.messages_distilled == 3
    assert not await worker.work_once()
    assert await worker.state() == DistillingState(waiting=0, oldest_age=0.0, dead=0)


async def test_much_comes_in_portions(memory: Memory, notebook: Notebook) -> None:
    worker = consolidator(memory, notebook, messages=2)
    await memory.say("one", "two", "three", "four", "five")
    await memory.say("other", external_id="another chat")
    assert await worker.work_once()
    assert notebook.seen == [["one", "two"], ["other"]]
    await work_off(worker)
    assert notebook.seen == [["one", "two"], ["other"], ["three", "four"], ["five"]]


async def test_a_long_message_is_a_portion_of_its_own(memory: Memory, notebook: Notebook) -> None:
    worker = consolidator(memory, notebook, tokens=5)
    await memory.say("one", "many words " * 10, "three")
    await work_off(worker)
    assert [len(each) for each in notebook.seen] == [1, 1, 1]


async def test_one_that_fails_stops_no_other_and_is_given_up(
    memory: Memory, notebook: Notebook
) -> None:
    worker = consolidator(memory, notebook)
    notebook.poison = "poison"
    await memory.say("poison", external_id="ill")
    await memory.say("fine", external_id="well")
    await work_off(worker)
    assert notebook.written == ["fine"]
    assert (await worker.state()).waiting == 1

    memory.clock.forward(3_600)
    await work_off(worker)
    assert (await worker.state()).dead == 1
    memory.clock.forward(3_600)
    assert not await worker.work_once()

    (letter,) = await worker.given_up(ACME)
    assert letter.error == "internal error (ValueError)"
    notebook.poison = None
    await worker.revive(ACME, letter.id)
    await work_off(worker)
    assert notebook.written == ["fine", "poison"]
    assert await worker.given_up(ACME) == []


async def tried_out(memory: Memory, worker: Consolidator) -> None:
    """All tries, with what is waited for between them."""
    for _ in range(worker.limits.attempts):
        await work_off(worker)
        memory.clock.forward(3_600)


async def test_a_message_that_fails_stops_none_behind_it(
    memory: Memory, notebook: Notebook
) -> None:
    other = Notebook()
    worker = consolidator(memory, notebook, other, messages=5)
    notebook.poison = "poison"
    said = ["one", "two", "poison", "four", "five"]
    stored = await memory.say(*said, "six")
    await tried_out(memory, worker)
    assert notebook.written == ["one", "two", "four", "five", "six"]
    assert other.written == [*said, "six"]

    (letter,) = await worker.given_up(ACME)
    assert isinstance(letter, GivenUp)
    assert letter.messages == [stored.message_ids[2]]
    assert letter.error == "internal error (ValueError)"
    assert await worker.state() == DistillingState(waiting=0, oldest_age=0.0, dead=1)
    assert not await worker.work_once()


async def test_what_was_left_out_is_tried_with_the_next_message_and_holds_it_up_no_more(
    memory: Memory, notebook: Notebook
) -> None:
    worker = consolidator(memory, notebook)
    notebook.poison = "poison"
    await memory.say("one", "poison")
    await tried_out(memory, worker)
    del notebook.seen[:]
    await memory.say("three")
    await work_off(worker)
    assert notebook.seen == [["poison"], ["three"]]
    assert notebook.written == ["one", "three"]
    (letter,) = await worker.given_up(ACME)
    assert letter.attempts == 2

    notebook.poison = None
    await worker.revive(ACME, letter.id)
    await work_off(worker)
    assert notebook.written == ["one", "three", "poison"]
    assert await worker.given_up(ACME) == []
    await memory.say("four")
    await work_off(worker)
    assert notebook.seen[-1] == ["four"]


async def test_what_is_made_of_a_whole_conversation_is_left_out_alone(
    memory: Memory, notebook: Notebook
) -> None:
    whole = Notebook(by_message=False, poison="two")
    worker = consolidator(memory, whole, notebook, messages=2)
    await memory.say("one", "two", "three")
    await tried_out(memory, worker)
    assert notebook.written == ["one", "two", "three"]
    assert whole.written == ["three"]
    assert await worker.given_up(ACME) == []  # it came with the next portion

    whole.poison = "four"
    await memory.say("four")
    await tried_out(memory, worker)
    assert notebook.written[3:] == ["four"]
    (letter,) = await worker.given_up(ACME)
    assert isinstance(letter, GivenUp)
    assert letter.messages == []
    await worker.revive(ACME, letter.id)
    await work_off(worker)
    assert await worker.given_up(ACME) == []


@pytest.mark.parametrize("outage", [EmbedderUnavailable(), Overtaken()])
async def test_an_outage_at_the_last_try_leaves_nothing_out(
    memory: Memory, notebook: Notebook, outage: Exception
) -> None:
    """Broken off in the middle, all of it is done again; what was written before, too."""
    other = Notebook(poison="two", error=outage)
    worker = consolidator(memory, notebook, other, attempts=1)
    await memory.say("one", "two")
    assert await worker.work_once()
    assert (await worker.state()).dead == 0
    assert (notebook.written, other.written) == (["one", "two"], [])
    other.poison = None
    memory.clock.forward(60)
    await work_off(worker)
    assert (notebook.written, other.written) == (["one", "two"] * 2, ["one", "two"])
    assert await worker.given_up(ACME) == []


async def test_an_erased_message_is_left_out_no_more(memory: Memory, notebook: Notebook) -> None:
    worker = consolidator(memory, notebook, attempts=1)
    notebook.poison = "poison"
    stored = await memory.say("one", "poison")
    await work_off(worker)
    assert (await worker.state()).dead == 1
    await memory.forgetter.message(ACME, stored.message_ids[1])
    await work_off(worker)
    assert await worker.given_up(ACME) == []
    assert (await worker.state()).dead == 0


async def test_what_was_left_out_comes_in_its_place_where_all_is_distilled_anew(
    memory: Memory, notebook: Notebook
) -> None:
    worker = consolidator(memory, notebook, attempts=1)
    notebook.poison = "poison"
    await memory.say("one", "poison", "three")
    await work_off(worker)
    notebook.poison = None
    await worker.anew(ConversationKey(0))
    await work_off(worker)
    assert notebook.written == ["one", "three", "one", "poison", "three"]
    assert await worker.given_up(ACME) == []


async def test_what_was_not_given_up_cannot_be_revived(memory: Memory, notebook: Notebook) -> None:
    worker = consolidator(memory, notebook)
    await memory.say("one")
    with pytest.raises(JobNotFound):
        await worker.revive(ACME, uuid_of(7))


async def test_what_was_given_up_gets_a_try_with_the_next_message(
    memory: Memory, notebook: Notebook
) -> None:
    worker = consolidator(memory, notebook, attempts=1)
    notebook.poison = "poison"
    await memory.say("poison")
    await work_off(worker)
    assert (await worker.state()).dead == 1
    notebook.poison = None
    await memory.say("more")
    await work_off(worker)
    assert notebook.written == ["poison", "more"]


async def test_an_outage_gives_nothing_up(memory: Memory, notebook: Notebook) -> None:
    worker = consolidator(memory, notebook, attempts=1)
    notebook.poison, notebook.error = "tea", EmbedderUnavailable()
    await memory.say("tea")
    for _ in range(5):
        await work_off(worker)
        memory.clock.forward(3_600)
    assert (await worker.state()).dead == 0
    notebook.poison = None
    await work_off(worker)
    assert notebook.written == ["tea"]


async def test_what_is_said_meanwhile_stays_to_be_done(memory: Memory, notebook: Notebook) -> None:
    worker = consolidator(memory, notebook)
    notebook.meanwhile = ["two"]
    await memory.say("one")
    await work_off(worker)
    assert notebook.written == ["one", "two"]


async def test_a_claim_that_was_lost_writes_nothing_twice(
    memory: Memory, notebook: Notebook
) -> None:
    slow, fast = consolidator(memory, notebook), consolidator(memory, notebook)
    await memory.say("one")
    async with memory.store.project() as projections:
        claimed = await projections.claim_conversations(now=memory.clock(), limit=1, lease=1.0)
    memory.clock.forward(2.0)
    await work_off(fast)
    await slow._settle(claimed[0])
    assert notebook.seen == [["one"], ["one"]]
    assert notebook.written == ["one"]


async def test_what_came_too_late_for_its_claim_is_left_to_whoever_claims_it_next(
    memory: Memory, notebook: Notebook
) -> None:
    """Where a language model is asked, both would pay for the same."""
    notebook.takes = 2
    worker = consolidator(memory, notebook, lease=1)
    for text in ("one", "two"):
        await memory.say(text, external_id=text)
    await worker.work_once()
    assert notebook.written == ["one"]
    await work_off(worker)
    assert notebook.seen == [["one"], ["two"]]


async def test_nobody_else_gets_what_is_claimed(memory: Memory, notebook: Notebook) -> None:
    await memory.say("one")
    worker = consolidator(memory, notebook)
    async with memory.store.project() as projections:
        held = await projections.claim_conversations(now=memory.clock(), limit=9, lease=60.0)
    assert [type(each) for each in held] == [DueConversation]
    await memory.say("two")
    assert not await worker.work_once()
    await worker.resume()
    await work_off(worker)
    assert notebook.written == ["one", "two"]


async def test_an_archived_conversation_waits_until_it_comes_back(
    memory: Memory, notebook: Notebook
) -> None:
    worker = consolidator(memory, notebook)
    stored = await memory.say("one")

    async def archive(*, archived: bool) -> None:
        changes = ConversationChanges(given=frozenset({"archived"}), archived=archived)
        chat = ConversationId(stored.conversation_id)
        await memory.ingestor.change(ACME, chat, changes)

    await archive(archived=True)
    await memory.say("two")
    await work_off(worker)
    assert notebook.seen == []
    assert (await worker.state()).waiting == 0
    await archive(archived=False)
    await work_off(worker)
    assert notebook.written == ["one", "two"]


async def test_an_erased_message_is_not_distilled_and_brings_a_look(
    memory: Memory, notebook: Notebook
) -> None:
    worker = consolidator(memory, notebook)
    stored = await memory.say("one", "two")
    await work_off(worker)
    await memory.forgetter.message(ACME, stored.message_ids[1])
    await memory.say("three")
    await work_off(worker)
    assert notebook.seen == [["one", "two"], ["three"]]
    await memory.forgetter.message(ACME, stored.message_ids[0])
    await work_off(worker)
    assert notebook.seen[2:] == [[]]


async def test_everything_can_be_distilled_anew(memory: Memory, notebook: Notebook) -> None:
    worker = consolidator(memory, notebook)
    await memory.say("one")
    await memory.say("two", external_id="another chat")
    await work_off(worker)
    keys = await worker.anew(ConversationKey(0))
    assert len(keys) == 2
    assert await worker.anew(keys[-1]) == []
    await work_off(worker)
    assert notebook.written == ["one", "two", "one", "two"]


async def test_it_gives_way_after_each_conversation(memory: Memory, notebook: Notebook) -> None:
    for subject in ("one", "two"):
        await memory.say(subject, external_id=subject)
    worker = consolidator(memory, notebook)
    worker.traffic = Crossing()
    assert await worker.work_once()
    assert worker.traffic.passed == len(notebook.seen) == 2
