"""Days, weeks, months and years are summed up once they are over, each of what lies below."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import pytest

from app.adapters.sql.store import SqlStore
from app.domain.audit import Action, user_subject
from app.domain.conversation import ConversationChanges, NewConversation, NewMessage, Role
from app.domain.errors import LanguageModelUnavailable
from app.domain.memories import Memory as Item
from app.domain.memories import MemoryChanges
from app.domain.memory import ItemType
from app.domain.periods import Period, span_about
from app.services.distilling.periods import PeriodSummariser
from app.services.distilling.rewording import SummaryWriter
from app.services.writing.ingest import Stored
from tests.factories import ACME, NOON
from tests.fakes import Memory
from tests.stored import items_of

DAY = timedelta(days=1)
LATER = NOON + 1_000 * DAY
MONDAY = NOON + DAY  # NOON is a Sunday, the first of March 2026


@pytest.fixture
def memory(store: SqlStore) -> Memory:
    return Memory(store)


DECISIONS = [
    "We decided to close ticket OPS-1 for good.",
    "Berta agreed to bring the keys of the Lisbon office by train.",
    "Never use tabs in the Python files of the ledger service.",
    "The budget for garden chairs is 1,200 euros this summer.",
]


def said(at: datetime, decision: str = DECISIONS[0]) -> list[NewMessage]:
    """Much of a day, with a decision."""
    filler = [
        NewMessage(
            role=Role.ASSISTANT if turn % 2 else Role.USER,
            content=f"The report {turn} of the build machines says that rack {turn} was quiet, as"
            " it was on most of the days before, and nobody had to look after it at all.",
            created_at=at + turn * timedelta(seconds=1),
        )
        for turn in range(20)
    ]
    decided = NewMessage(
        role=Role.USER,
        content=decision,
        created_at=at + timedelta(minutes=1),
    )
    return [*filler, decided]


async def tell(memory: Memory, *messages: NewMessage, chat: str = "chat") -> Stored:
    new = NewConversation(user_id="alice", external_id=chat, messages=messages)
    stored = await memory.ingestor.ingest(ACME, new)
    await memory.distil()
    return stored


async def periods(memory: Memory, period: Period | None = None) -> list[Item]:
    """Those that there are, by when they begin."""
    found = await items_of(memory.store, at=LATER, now=LATER, type=ItemType.SUMMARY)
    spans = {each.id: span for each in found if (span := span_about(each.subject))}
    told = [each for each in found if each.id in spans]
    told.sort(key=lambda each: (spans[each.id].period, spans[each.id].begins))
    return [each for each in told if period in (None, spans[each.id].period)]


def subjects(items: Sequence[Item]) -> list[str | None]:
    return [each.subject for each in items]


async def cited(memory: Memory, item: Item) -> set[str]:
    async with memory.store.read(ACME) as snapshot:
        return {each.id for each in await snapshot.memories.lineage(item)}


async def at(memory: Memory, moment: datetime) -> None:
    memory.clock.now = moment
    await memory.distil()


async def test_a_day_is_summed_up_once_it_is_over(memory: Memory) -> None:
    stored = await tell(memory, *said(NOON))
    assert await periods(memory) == []

    await at(memory, NOON + timedelta(hours=12))
    day, *larger = await periods(memory)
    assert day.subject == "summary|day|2026-03-01"
    assert DECISIONS[0] in day.content
    assert 0 < day.tokens <= 400
    assert day.derived
    assert day.metadata["period"] == "day"
    assert day.metadata["from"] == "2026-03-01T00:00:00+00:00"
    assert day.metadata["until"] == "2026-03-02T00:00:00+00:00"
    bullets = day.metadata["bullets"]
    assert isinstance(bullets, list)
    assert {one for each in bullets for one in each["message_ids"]} == await cited(memory, day)
    assert await cited(memory, day) <= {str(each) for each in stored.message_ids}
    assert subjects(larger) == ["summary|week|2026-03-01"]


async def test_what_is_larger_is_made_of_what_lies_below(memory: Memory) -> None:
    memory.clock.now = LATER
    days = [MONDAY, MONDAY + DAY, MONDAY + 9 * DAY, MONDAY + 40 * DAY]
    for number, day in enumerate(days):
        await tell(memory, *said(day, DECISIONS[number]), chat=f"chat {number}")

    assert [len(await periods(memory, each)) for each in Period] == [4, 3, 2, 1]
    below = {each.subject: await cited(memory, each) for each in await periods(memory)}
    (year,) = await periods(memory, Period.YEAR)
    of_days = set().union(*(of for about, of in below.items() if "|day|" in str(about)))
    for about, of in below.items():
        assert of <= of_days, about
    assert all(each in year.content for each in DECISIONS)
    assert year.tokens <= 400


async def test_a_quiet_day_is_told_of_by_its_week_alone(memory: Memory) -> None:
    memory.clock.now = LATER
    small = NewMessage(
        role=Role.USER, content="We agreed on 12 May for Berta.", created_at=MONDAY + DAY
    )
    await tell(memory, *said(MONDAY), small)
    assert subjects(await periods(memory, Period.DAY)) == ["summary|day|2026-03-02"]
    (week,) = await periods(memory, Period.WEEK)
    assert "Berta" in week.content


async def test_where_little_was_said_there_is_no_summary(memory: Memory) -> None:
    memory.clock.now = LATER
    await tell(memory, NewMessage(role=Role.USER, content="We chose 4 racks.", created_at=NOON))
    assert await periods(memory) == []


async def test_what_comes_late_is_told_too(memory: Memory) -> None:
    memory.clock.now = LATER
    await tell(memory, *said(MONDAY))
    before = await periods(memory)
    late = NewMessage(
        role=Role.USER,
        content="We decided on PostgreSQL 16 for the ledger service.",
        created_at=MONDAY + timedelta(hours=3),
    )
    await tell(memory, late, chat="another")
    after = await periods(memory)
    assert subjects(after) == subjects(before)
    assert all("PostgreSQL 16" in each.content for each in after)


async def test_the_same_twice_changes_nothing(memory: Memory) -> None:
    memory.clock.now = LATER
    await tell(memory, *said(MONDAY), *said(MONDAY + DAY))
    before = await periods(memory)
    async with memory.store.project() as projections:
        await projections.distil_anew(after=0, limit=10, now=LATER)  # type: ignore[arg-type]
    await memory.distil()
    assert await periods(memory) == before


async def test_what_is_erased_is_told_no_more(memory: Memory) -> None:
    memory.clock.now = LATER
    stored = await tell(memory, *said(MONDAY), *said(MONDAY + DAY, DECISIONS[1]))
    doomed = stored.message_ids[20]
    assert any("OPS-1" in each.content for each in await periods(memory))
    receipt = await memory.forgetter.message(ACME, doomed)
    assert receipt.remaining == 0
    left = await periods(memory)
    assert not any("OPS-1" in each.content for each in left)
    await memory.distil()
    anew = await periods(memory)
    assert len(anew) > len(left)
    assert not any("OPS-1" in each.content for each in anew)


async def test_a_conversation_takes_what_tells_of_it_along(memory: Memory) -> None:
    memory.clock.now = LATER
    gone = await tell(memory, *said(MONDAY))
    await tell(memory, *said(MONDAY + DAY, DECISIONS[1]), chat="other")
    await memory.forgetter.conversation(ACME, gone.conversation_id)
    await memory.distil()
    left = await periods(memory)
    assert subjects(left)[0] == "summary|day|2026-03-03"
    assert not any("OPS-1" in each.content for each in left)


async def test_what_is_archived_is_told_once_it_is_back(memory: Memory) -> None:
    memory.clock.now = LATER
    stored = await tell(memory, *said(MONDAY))
    before = [each.content for each in await periods(memory)]
    for archived, told in ((True, []), (False, before)):
        given = ConversationChanges(given=frozenset({"archived"}), archived=archived)
        await memory.ingestor.change(ACME, stored.conversation_id, given)
        await memory.distil()
        assert [each.content for each in await periods(memory)] == told


async def test_what_somebody_changed_stays(memory: Memory) -> None:
    memory.clock.now = LATER
    await tell(memory, *said(MONDAY))
    day = (await periods(memory))[0]
    changes = MemoryChanges(given=frozenset({"content"}), content="- A quiet Monday.")
    await memory.keeper.change(ACME, day.id, changes)
    await tell(memory, *said(MONDAY + timedelta(hours=1), DECISIONS[1]), chat="late")
    assert (await periods(memory))[0].content == "- A quiet Monday."


async def test_without_the_flag_they_wait(memory: Memory) -> None:
    memory.clock.now = LATER
    await memory.flags.change(ACME, {"summaries": False}, reset=[])
    await tell(memory, *said(MONDAY))
    assert await periods(memory) == []
    assert (await memory.consolidator.state()).periods == 0
    await memory.flags.change(ACME, {}, reset=["summaries"])
    await memory.distil()
    assert len(await periods(memory)) == 4


@dataclass(frozen=True)
class Stumbling:
    """A model with a mistake in it, of the kind that nobody expected: with what holds a word."""

    over: str = ""

    async def answer(self, *, material: str, **_: object) -> object:
        if self.over in material:
            raise RuntimeError("OPS-1 is secret")
        raise LanguageModelUnavailable


def stumbles(memory: Memory, model: Stumbling) -> PeriodSummariser:
    """Have periods summed up with `model`; what did so before."""
    well = memory.cascade.summariser
    writer = SummaryWriter(model=model, tokens=memory.tokens, prompt="Sum up.")
    memory.cascade.summariser = replace(well, writer=writer)
    return well


async def test_one_that_fails_stops_no_other(memory: Memory) -> None:
    memory.clock.now = LATER
    well = stumbles(memory, Stumbling(over="Lisbon"))
    await tell(memory, *said(MONDAY, DECISIONS[1]))
    await tell(memory, *said(MONDAY + 9 * DAY), chat="other")
    assert subjects(await periods(memory))[:1] == ["summary|day|2026-03-11"]
    assert subjects(await periods(memory, Period.MONTH)) == []  # it waits for what lies below
    memory.cascade.summariser = well
    await at(memory, LATER + timedelta(hours=1))
    assert [len(await periods(memory, each)) for each in Period] == [2, 2, 1, 1]


async def test_what_keeps_failing_is_given_up_told_and_tried_again(memory: Memory) -> None:
    memory.clock.now = LATER
    new = NewConversation(user_id="alice", external_id="chat", messages=said(MONDAY))
    await memory.ingestor.ingest(ACME, new)
    while (await memory.consolidator.state()).waiting:
        await memory.consolidator.work_once()
    well = stumbles(memory, Stumbling())
    rounds = 0
    while (state := await memory.consolidator.state()).periods:
        assert state.periods + state.dead == len(Period)
        await memory.distil()
        memory.clock.forward(3_600)
        rounds += 1
    assert state.dead == len(Period)
    # Each is held back until those inside of it are given up, and tried in the same round then.
    assert rounds == len(Period) * (memory.cascade.limits.attempts - 1) + 1
    assert not await memory.consolidator.work_once()

    letters = await memory.consolidator.given_up(ACME)
    assert {each.error for each in letters} == {"internal error (RuntimeError)"}
    memory.cascade.summariser = well
    for each in letters:
        await memory.consolidator.revive(ACME, each.id)
    await memory.distil()

    assert [len(await periods(memory, each)) for each in Period] == [1, 1, 1, 1]
    assert await memory.consolidator.given_up(ACME) == []
    assert (await memory.consolidator.state()).dead == 0
    assert await retried(memory) == [{"items": 1}] * len(Period)


async def retried(memory: Memory) -> list[object]:
    """What the audit log tells of that, under the user."""
    about, action = user_subject(ACME, "alice"), Action.DEAD_LETTERS_RETRIED
    async with memory.store.read(ACME) as snapshot:
        page = await snapshot.audit.page(action=action, subject=about, cursor=None, limit=9)
    return [each.deed.facts for each in page.items]


async def test_periods_get_their_turn_while_conversations_keep_coming(memory: Memory) -> None:
    memory.clock.now = LATER
    new = NewConversation(user_id="alice", external_id="chat", messages=said(MONDAY))
    await memory.ingestor.ingest(ACME, new)
    between = memory.consolidator.limits.between_periods
    made = []
    for turn in range(between * len(Period)):
        await memory.say("One more.", external_id=f"chat {turn}", user_id="bob")
        assert (await memory.consolidator.state()).waiting
        assert await memory.consolidator.work_once()
        made.append(len(await periods(memory)))
    levels = [level for level in range(len(Period)) for _ in range(between)]
    assert made == [*levels[1:], len(Period)]


async def test_a_turn_is_bounded(memory: Memory) -> None:
    """Ten years at once: some periods a turn, none of them lost."""
    memory.clock.now = LATER + 4_000 * DAY
    months = [NOON + 30 * number * DAY for number in range(12)]
    for number, month in enumerate(months):
        new = NewConversation(user_id="alice", external_id=f"{number}", messages=said(month))
        await memory.ingestor.ingest(ACME, new)
    while (await memory.consolidator.state()).waiting:
        await memory.consolidator.work_once()
    waiting = (await memory.consolidator.state()).periods
    while waiting:
        await memory.consolidator.work_once()
        left = (await memory.consolidator.state()).periods
        assert waiting - left <= memory.cascade.limits.batch
        waiting = left
    assert len(await periods(memory, Period.DAY)) == 12
