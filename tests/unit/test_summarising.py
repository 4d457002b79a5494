"""Conversations are summed up, rolling, with what each bullet cites."""

import asyncio
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest

from app.adapters.sql.store import SqlStore
from app.domain.conversation import NewConversation, NewMessage, Role
from app.domain.errors import ConversationNotFound, NothingToSummarise, SummariesOff
from app.domain.ids import ConversationId, ConversationKey
from app.domain.memories import Memory as Item
from app.domain.memories import MemoryChanges, MemoryFilter
from app.domain.memory import ItemType
from app.ports.language import LanguageModel
from app.services.common.once import IdempotencyKey
from app.services.distilling.rewording import SummaryWriter
from app.services.distilling.summarising import SummaryStep
from app.services.writing.ingest import Stored
from tests.factories import ACME, NOON, uuid_of
from tests.fakes import Memory
from tests.stored import items_of

DAY = timedelta(days=1)
DECIDED = "We decided on PostgreSQL 16 for the ledger service."
AGREED = "We agreed to release version 2.4.1 on 12 May."


@pytest.fixture
def memory(store: SqlStore) -> Memory:
    return Memory(store)


def turn(text: str, role: Role = Role.USER, day: int = 0) -> NewMessage:
    return NewMessage(role=role, content=text, created_at=NOON + day * DAY)


async def tell(memory: Memory, *turns: NewMessage) -> Stored:
    new = NewConversation(user_id="alice", external_id="chat", messages=turns)
    stored = await memory.ingestor.ingest(ACME, new)
    await memory.distil()
    return stored


def exchange(*, day: int = 0, times: int = 5) -> list[NewMessage]:
    """The assistant speaks `times` times."""
    return [
        each
        for number in range(times)
        for each in (
            turn(f"Please look at ticket OPS-{day}{number} next.", day=day),
            turn(f"Ticket OPS-{day}{number} is about disk {number}.", Role.ASSISTANT, day),
        )
    ]


async def summaries(memory: Memory, day: int = 365) -> list[Item]:
    return await items_of(memory.store, at=NOON + day * DAY, now=NOON, type=ItemType.SUMMARY)


async def cited(memory: Memory, item: Item) -> set[str]:
    async with memory.store.read(ACME) as snapshot:
        return {each.id for each in await snapshot.memories.lineage(item)}


async def test_every_five_messages_of_the_assistant_bring_a_summary(memory: Memory) -> None:
    await tell(memory, *exchange(times=4))
    assert await summaries(memory) == []
    await tell(memory, *exchange(times=1, day=1), turn(DECIDED, day=1))
    (summary,) = await summaries(memory)
    assert DECIDED in summary.content
    assert summary.tokens <= 400


async def test_each_bullet_tells_where_it_was_said(memory: Memory) -> None:
    stored = await tell(memory, turn(DECIDED), *exchange())
    (summary,) = await summaries(memory)
    bullets = summary.metadata["bullets"]
    assert isinstance(bullets, list)
    assert len(bullets) == len(summary.content.splitlines())
    assert {one for each in bullets for one in each["message_ids"]} == await cited(memory, summary)
    own = next(each for each in bullets if str(stored.message_ids[0]) in each["message_ids"])
    assert DECIDED[own["start"] : own["stop"]] == DECIDED


async def test_the_next_one_goes_on_from_the_last_and_supersedes_it(memory: Memory) -> None:
    await tell(memory, turn(DECIDED), *exchange())
    await tell(memory, turn(AGREED, day=2), *exchange(day=2))
    (now,) = await summaries(memory)
    assert DECIDED in now.content
    assert AGREED in now.content
    (then,) = await summaries(memory, day=1)
    assert AGREED not in then.content


async def test_much_that_was_said_brings_one_too(memory: Memory) -> None:
    await tell(memory, *(turn(f"{DECIDED} Ledger {each} goes first.") for each in range(15)))
    assert len(await summaries(memory)) == 1


async def test_only_users_and_assistants_are_told(memory: Memory) -> None:
    secret = "We decided on the system prompt 7.7.7."
    await tell(memory, turn(secret, Role.SYSTEM), turn(secret, Role.TOOL), *exchange())
    (summary,) = await summaries(memory)
    assert "7.7.7" not in summary.content


@pytest.mark.parametrize("flag", [{"summaries": False}, {"summary_frequency": 0}])
async def test_none_are_made_where_none_are_wanted(
    memory: Memory, flag: dict[str, bool | int]
) -> None:
    await memory.flags.change(ACME, flag, reset=[])
    await tell(memory, turn(DECIDED), *exchange(times=20))
    assert await summaries(memory) == []


async def test_the_frequency_is_the_tenants(memory: Memory) -> None:
    await memory.flags.change(ACME, {"summary_frequency": 1}, reset=[])
    await tell(memory, *exchange(times=1))
    assert len(await summaries(memory)) == 1


async def test_an_erased_message_leaves_the_summary_at_once(memory: Memory) -> None:
    stored = await tell(memory, turn(DECIDED), *exchange())
    forgotten = await memory.forgetter.message(ACME, stored.message_ids[0])
    assert forgotten.summaries == 1
    assert forgotten.remaining == 0
    (summary,) = await summaries(memory)
    assert DECIDED not in summary.content
    assert "OPS-" in summary.content


async def test_a_worker_makes_it_anew_where_the_model_is_away(memory: Memory) -> None:
    memory.sentences.most = 0
    stored = await tell(memory, turn(DECIDED), *exchange())
    memory.embedder.down = True
    forgotten = await memory.forgetter.message(ACME, stored.message_ids[0])
    assert forgotten.summaries == 0
    assert await summaries(memory) == []
    memory.embedder.down = False
    memory.clock.forward(60)
    await memory.distil()
    (summary,) = await summaries(memory)
    assert DECIDED not in summary.content


async def test_an_erasure_asks_no_language_model(memory: Memory) -> None:
    silent = Silent()
    stored = await tell(memory, turn(DECIDED), *exchange())
    summariser = replace(memory.summariser, writer=writer_of(memory, silent))
    desk = replace(memory.summaries, summariser=summariser)
    forgetter = replace(memory.forgetter, resummarise=desk.rebuild)
    forgotten = await asyncio.wait_for(forgetter.message(ACME, stored.message_ids[0]), 30)
    assert (forgotten.summaries, forgotten.remaining, silent.asked) == (1, 0, 0)
    (summary,) = await summaries(memory)
    assert DECIDED not in summary.content
    assert "OPS-" in summary.content

    write_with(memory, OldWords())
    await memory.distil()
    assert [each.content for each in await summaries(memory)] == ["- Old words."]
    write_with(memory, silent)
    await memory.distil()
    assert silent.asked == 0


async def test_an_erasure_leaves_the_words_of_somebody(memory: Memory) -> None:
    write_with(memory, OldWords())
    stored = await tell(memory, turn(DECIDED), *exchange())
    summariser = replace(memory.summariser, writer=writer_of(memory, OldWords()))
    desk = replace(memory.summaries, summariser=summariser)
    forgetter = replace(memory.forgetter, resummarise=desk.rebuild)
    assert (await forgetter.message(ACME, stored.message_ids[0])).summaries == 1
    (summary,) = await summaries(memory)
    changes = MemoryChanges(given=frozenset({"content"}), content="- My own words.")
    await memory.keeper.change(ACME, summary.id, changes)
    await memory.distil()
    assert [each.content for each in await summaries(memory)] == ["- My own words."]


async def test_what_no_bullet_tells_can_go_without_a_new_summary(memory: Memory) -> None:
    stored = await tell(memory, turn("Hi!"), turn(DECIDED), *exchange())
    (before,) = await summaries(memory)
    assert str(stored.message_ids[0]) not in await cited(memory, before)
    assert (await memory.forgetter.message(ACME, stored.message_ids[0])).summaries == 0
    await memory.distil()
    assert [each.id for each in await summaries(memory)] == [before.id]


async def test_of_sentences_without_an_end_there_is_a_summary(memory: Memory) -> None:
    walk = "we walked along the river to the mill and looked at how the water turned its wheel"
    said = f"Yesterday {walk}; {walk}, but {DECIDED[:-1]}; {walk}; {walk}, so {walk}"
    stored = await tell(memory, turn(said))
    made = await memory.summaries.sum_up(ACME, stored.conversation_id)
    assert DECIDED[:-1] in made.memory.content


@dataclass(frozen=True)
class OldWords:
    """A language model that says the same of everything, and whether it goes on."""

    async def answer(self, *, material: str, **_: object) -> object:
        text = "More of it." if material.startswith("P1:") else "Old words."
        return {"bullets": [{"text": text, "sources": ["M1"]}]}


@dataclass
class Silent:
    """A language model that never answers."""

    asked: int = 0

    async def answer(self, **_: object) -> object:
        self.asked += 1
        return await asyncio.Future()


def writer_of(memory: Memory, model: LanguageModel) -> SummaryWriter:
    return SummaryWriter(model=model, tokens=memory.tokens, prompt="Sum up.")


def write_with(memory: Memory, model: LanguageModel | None) -> None:
    """From now on summaries are made in the words of `model`, or by rules."""
    writer = None if model is None else writer_of(memory, model)
    summariser = replace(memory.summariser, writer=writer)
    memory.consolidator.steps = [SummaryStep(summariser=summariser, tokens=200)]


async def test_a_model_is_asked_of_what_rules_cannot_tell(memory: Memory) -> None:
    stored = await tell(memory, turn("Sent!"))
    summariser = replace(memory.summariser, writer=writer_of(memory, OldWords()))
    desk = replace(memory.summaries, summariser=summariser)
    assert (await desk.sum_up(ACME, stored.conversation_id)).memory.content == "- Old words."


async def anew(memory: Memory) -> None:
    memory.clock.forward(60)
    await memory.consolidator.anew(ConversationKey(0))
    await memory.distil()


async def stored(memory: Memory) -> list[str]:
    """Those that hold no more, too."""
    wanted = MemoryFilter(type=ItemType.SUMMARY, user_id="alice", now=NOON, at=None)
    async with memory.store.read(ACME) as snapshot:
        page = await snapshot.memories.page(wanted, cursor=None, limit=50)
    return [each.content for each in page.items]


async def test_anew_it_is_made_from_the_beginning_in_the_place_of_the_last(memory: Memory) -> None:
    write_with(memory, OldWords())
    await tell(memory, turn(DECIDED), *exchange())
    await tell(memory, turn(AGREED, day=2), *exchange(day=2))
    assert await stored(memory) == ["- More of it.", "- Old words."]
    write_with(memory, None)
    for _ in range(2):
        await anew(memory)
        (summary,) = await summaries(memory)
        assert DECIDED in summary.content
        assert AGREED in summary.content
        assert len(await stored(memory)) == 2
    (then,) = await summaries(memory, day=1)
    assert then.content == "- Old words."

    write_with(memory, OldWords())
    await anew(memory)
    assert [each.content for each in await summaries(memory)] == ["- Old words."]


async def test_anew_it_is_made_once_at_the_end_of_much(memory: Memory) -> None:
    memory.consolidator.limits = replace(memory.consolidator.limits, messages=3)
    await tell(memory, turn(DECIDED), *exchange(times=9))
    before = await stored(memory)
    await anew(memory)
    assert len(await stored(memory)) == len(before)


async def test_one_that_was_lost_comes_again(memory: Memory) -> None:
    await tell(memory, turn(DECIDED), *exchange())
    (lost,) = await summaries(memory)
    async with memory.store.write(ACME) as transaction:
        await transaction.memories.drop(lost, now=NOON)
    await anew(memory)
    assert [each.content for each in await summaries(memory)] == [lost.content]


async def test_what_somebody_changed_is_gone_on_from(memory: Memory) -> None:
    await tell(memory, turn(DECIDED), *exchange())
    (summary,) = await summaries(memory)
    changes = MemoryChanges(given=frozenset({"content"}), content="- My own words.")
    await memory.keeper.change(ACME, summary.id, changes)
    await anew(memory)
    assert [each.content for each in await summaries(memory)] == ["- My own words."]


async def test_where_none_was_due_there_is_none_anew(memory: Memory) -> None:
    await tell(memory, turn(DECIDED))
    await anew(memory)
    assert await summaries(memory) == []


async def test_one_can_be_asked_for(memory: Memory) -> None:
    stored = await tell(memory, turn(DECIDED))
    assert await summaries(memory) == []
    made = await memory.summaries.sum_up(ACME, stored.conversation_id)
    assert made.memory.content == f"- User: {DECIDED}"
    again = await memory.summaries.sum_up(ACME, stored.conversation_id)
    assert again.memory.id == made.memory.id
    await memory.distil()
    assert [each.id for each in await summaries(memory)] == [made.memory.id]


async def test_asking_twice_under_one_key_makes_one(memory: Memory) -> None:
    stored = await tell(memory, turn(DECIDED))
    once = IdempotencyKey(path="/x", key="k", body_hash=b"h")
    first = await memory.summaries.sum_up(ACME, stored.conversation_id, once)
    await tell(memory, turn(AGREED, day=1))
    second = await memory.summaries.sum_up(ACME, stored.conversation_id, once)
    assert second.replayed
    assert second.memory.id == first.memory.id


async def test_what_cannot_be_summed_up_is_refused(memory: Memory) -> None:
    with pytest.raises(ConversationNotFound):
        await memory.summaries.sum_up(ACME, ConversationId(uuid_of(9_999)))
    stored = await tell(memory, turn("Hi!"))
    with pytest.raises(NothingToSummarise):
        await memory.summaries.sum_up(ACME, stored.conversation_id)
    await memory.flags.change(ACME, {"summaries": False}, reset=[])
    with pytest.raises(SummariesOff):
        await memory.summaries.sum_up(ACME, stored.conversation_id)


async def test_a_long_conversation_is_summed_up_in_windows(memory: Memory) -> None:
    turns = [turn(DECIDED), *(turn(f"Row {each} of the table is {each}.") for each in range(450))]
    await tell(memory, *turns)
    (summary,) = await summaries(memory)
    assert DECIDED in summary.content
    assert summary.tokens <= 400
