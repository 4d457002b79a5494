"""Which periods are to be summed up: noted, claimed in order, done once; and what they are of."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from app.domain.conversation import Role
from app.domain.errors import JobNotFound, Overtaken
from app.domain.ids import MessageKey, TenantId
from app.domain.memory import ItemType, Table, rows_of
from app.domain.periods import Period, Span, span_of, spans_of
from app.ports.periods import DuePeriod, PeriodMaterial, PeriodsState
from app.ports.store import Store
from app.ranking.pool import Gist
from app.ranking.query import Unsought
from app.text.intervals import Interval
from tests.stored import (
    ACME,
    NOON,
    OTHER,
    SECOND,
    Kept,
    erase_the_rest,
    items_of,
    keep,
    outbox_keys,
    said,
    tell,
)
from tests.stored_items import MODEL, archive, change, counters, shown, within

Json = dict[str, Any]
DAY = timedelta(days=1)
LATER = NOON + 400 * DAY
EARLY = datetime(1, 1, 1, tzinfo=UTC)


async def note(store: Store, kept: Kept, *moments: datetime, at: datetime = LATER) -> None:
    spans = [span for each in moments for span in spans_of(each)]
    async with store.write(ACME) as transaction:
        await transaction.periods.note(kept.scope.key, spans, now=at)


async def claim(store: Store, at: datetime = LATER, *, lease: float = 60) -> list[DuePeriod]:
    async with store.project() as projections:
        return list(await projections.claim_periods(now=at, limit=100, lease=lease))


async def settle(store: Store, *several: DuePeriod) -> None:
    async with store.write(ACME) as transaction:
        for each in several:
            await transaction.periods.settle(each)


async def waiting(store: Store, at: datetime = LATER) -> int:
    async with store.observe() as observations:
        return await observations.periods_due(now=at)


async def state(store: Store, at: datetime = LATER, tenant: TenantId | None = None) -> PeriodsState:
    async with store.observe() as observations:
        return await observations.periods(now=at, tenant=tenant)


async def leave(
    store: Store, due: DuePeriod, *, dead: bool = False, due_at: datetime = LATER
) -> None:
    async with store.project() as projections:
        await projections.leave_periods([due], due_at=due_at, error="no", dead=dead)


async def material(store: Store, due: DuePeriod, *, least: int = 0) -> PeriodMaterial:
    async with store.observe() as observations:
        return await observations.period_material(
            due, least=least, messages=3, tokens=1_000, now=NOON
        )


def due_of(kept: Kept, period: Period, *, tenant: TenantId = ACME) -> DuePeriod:
    span = span_of(period, NOON)
    return DuePeriod(tenant=tenant, scope=kept.scope.key, span=span, revision=1, attempts=0)


async def summed_up(store: Store, kept: Kept, span: Span, *, of: int = 0) -> None:
    await tell(
        store,
        f"- Gist of {span.subject}.",
        NOON,
        type=ItemType.SUMMARY,
        subject=span.subject,
        derived_from=[kept.messages[of].id],
        derived=True,
    )


async def gists(store: Store) -> list[str]:
    found = await items_of(store, type=ItemType.SUMMARY)
    return sorted(str(each.subject) for each in found)


async def test_small_periods_come_before_those_that_they_lie_in(store: Store) -> None:
    kept = await keep(store, "one")
    await note(store, kept, NOON, NOON + 40 * DAY, EARLY)
    order = []
    while several := await claim(store):
        order.append([each.span.period for each in several])
        await settle(store, *several)
    assert order == [[Period.DAY] * 3, [Period.WEEK] * 3, [Period.MONTH] * 3, [Period.YEAR] * 2]
    assert await waiting(store) == 0


async def test_what_is_given_up_is_told_to_its_tenant_only(store: Store) -> None:
    kept = await keep(store, "one")
    await note(store, kept, NOON)
    (day,) = await claim(store)
    await leave(store, day, dead=True)

    told = PeriodsState(waiting=3, oldest_age=0.0, dead=1)
    assert [await state(store), await state(store, tenant=ACME)] == [told] * 2
    nothing = PeriodsState(waiting=0, oldest_age=0.0, dead=0)
    assert await state(store, tenant=OTHER) == nothing
    (week,) = await claim(store, LATER + DAY)
    assert week.span == span_of(Period.WEEK, NOON)  # nobody waits for what was given up
    async with store.read(ACME) as snapshot:
        (letter,) = await snapshot.periods.given_up()
    assert (letter.user_id, letter.span) == (kept.scope.user_id, day.span)
    assert (letter.error, letter.attempts, letter.noted_at) == ("no", 1, LATER)
    async with store.read(OTHER) as snapshot:
        assert await snapshot.periods.given_up() == []
    with pytest.raises(JobNotFound):
        async with store.write(OTHER) as transaction:
            await transaction.periods.revive(letter.id, now=LATER)
    async with store.write(ACME) as transaction:
        assert await transaction.periods.revive(letter.id, now=LATER) == letter
    (again,) = await claim(store)
    assert (again.span, again.attempts) == (day.span, 0)
    async with store.write(ACME) as transaction:
        with pytest.raises(JobNotFound):
            await transaction.periods.revive(letter.id, now=LATER)


async def test_what_was_given_up_gets_a_try_with_the_next_note(store: Store) -> None:
    kept = await keep(store, "one")
    await note(store, kept, NOON)
    (day,) = await claim(store)
    await leave(store, day, dead=True, due_at=LATER + 9 * DAY)
    await note(store, kept, NOON, at=LATER + DAY)
    (again,) = await claim(store, LATER + DAY)
    assert (again.span, again.attempts) == (day.span, 1)
    assert (await state(store, LATER + DAY)).dead == 0


async def test_what_waits_for_another_try_waits(store: Store) -> None:
    """What a worker would take now is another thing than what is not done."""
    kept = await keep(store, "one")
    await note(store, kept, NOON)
    (day,) = await claim(store)
    await leave(store, day, due_at=LATER + DAY)
    assert await waiting(store) == 3
    assert (
        await state(store)
        == PeriodsState(waiting=4, oldest_age=0.0, dead=0)
        == await state(store, LATER - DAY)
    )
    assert (await state(store, LATER + DAY)).oldest_age == DAY.total_seconds()


async def test_none_comes_before_it_is_over(store: Store) -> None:
    kept = await keep(store, "one")
    await note(store, kept, NOON, at=NOON)
    assert await claim(store, NOON) == []
    assert await waiting(store, NOON) == 0
    (day,) = await claim(store, NOON + DAY)
    assert day.span == span_of(Period.DAY, NOON)


async def test_what_is_claimed_is_claimed_by_one(store: Store) -> None:
    kept = await keep(store, "one")
    await note(store, kept, NOON)
    (day,) = await claim(store)
    assert await claim(store) == []
    (again,) = await claim(store, LATER + 61 * SECOND)
    assert again == day
    async with store.project() as projections:
        await projections.leave_periods([again], due_at=LATER + 90 * SECOND, error="no")
    assert await claim(store, LATER + 61 * SECOND) == []
    (tried,) = await claim(store, LATER + 90 * SECOND)
    assert tried.attempts == 1


async def test_who_lost_a_claim_says_nothing_of_what_others_do(store: Store) -> None:
    await note(store, await keep(store, "one"), NOON)
    (slow,) = await claim(store, lease=1)
    (fast,) = await claim(store, LATER + SECOND)
    await leave(store, slow, dead=True)
    assert await claim(store, LATER + 2 * SECOND) == []
    await leave(store, fast)
    assert [each.attempts for each in await claim(store, LATER + 2 * SECOND)] == [1]


async def test_what_was_noted_meanwhile_is_done_again(store: Store) -> None:
    kept = await keep(store, "one")
    await note(store, kept, NOON)
    (day,) = await claim(store)
    await note(store, kept, NOON)
    with pytest.raises(Overtaken):
        await settle(store, day)
    with pytest.raises(Overtaken):
        await settle(store, due_of(kept, Period.YEAR), due_of(kept, Period.YEAR))


async def test_tenants_that_want_none_have_none_claimed(store: Store) -> None:
    kept = await keep(store, "one")
    await note(store, kept, NOON)
    for wanted in (False, True):
        async with store.write(ACME) as transaction:
            await transaction.flags.change({"summaries": wanted}, reset=[], now=NOON)
        assert await waiting(store) == 4 * wanted
        assert len(await claim(store)) == wanted


async def test_a_day_is_made_of_what_was_said_and_may_be_recalled(store: Store) -> None:
    kept = await keep(
        store,
        said("before", NOON - DAY),
        said("small talk", importance=1),
        said("last words", NOON + SECOND, importance=8),
        said("a", importance=7),
        said("b", role=Role.ASSISTANT, importance=7),
        said("a tool's", role=Role.TOOL, importance=9),
    )
    await keep(store, "of another user", user_id="bob")
    hidden = await keep(store, said("archived", importance=9))
    await archive(store, hidden, archived=True)
    found = await material(store, due_of(kept, Period.DAY))
    assert found.user_id == "alice"
    assert [each.content for each in found.said] == ["a", "b", "last words"]
    assert found.tokens == 6
    assert (found.before, found.below, found.cited) == (None, [], [])
    assert (await material(store, due_of(kept, Period.DAY), least=7)).said == ()
    strangers = await material(store, due_of(kept, Period.DAY, tenant=OTHER))
    assert strangers.said == []


async def test_what_is_larger_is_made_of_the_outermost_below_and_what_lies_beside(
    store: Store,
) -> None:
    kept = await keep(store, said("one"), said("two", NOON + DAY), said("three", NOON + 3 * DAY))
    week = span_of(Period.WEEK, NOON + DAY)
    await summed_up(store, kept, span_of(Period.DAY, NOON))
    await summed_up(store, kept, span_of(Period.DAY, NOON + DAY), of=1)
    await summed_up(store, kept, week, of=1)
    found = await material(store, due_of(kept, Period.MONTH))
    day = span_of(Period.DAY, NOON)
    assert [each.subject for each in found.below] == [day.subject, week.subject]
    assert [each.content for each in found.cited] == ["one", "two"]
    assert [each.content for each in found.said] == []
    of_day = await material(store, due_of(kept, Period.DAY))
    assert of_day.before is not None
    assert of_day.before.subject == day.subject


async def test_an_erased_message_takes_the_summaries_that_tell_of_it_along(store: Store) -> None:
    kept = await keep(store, "one", "two")
    day, week = span_of(Period.DAY, NOON), span_of(Period.WEEK, NOON)
    await summed_up(store, kept, day)
    await summed_up(store, kept, week, of=1)
    async with store.write(ACME) as transaction:
        erased = await transaction.erase.message(kept.messages[0].id, now=LATER)
    assert erased.memory_items == 1
    assert await gists(store) == [week.subject]
    (due,) = await claim(store)
    assert due.span == day


async def test_a_conversation_takes_them_along_at_once(store: Store) -> None:
    kept = await keep(store, "one")
    day = span_of(Period.DAY, NOON)
    await summed_up(store, kept, day)
    async with store.write(ACME) as transaction:
        doomed = await transaction.erase.conversation(kept.conversation.id, now=LATER)
    assert (doomed.memory_items, await gists(store)) == (1, [])
    (due,) = await claim(store)
    assert (due.span, due.scope) == (day, kept.scope.key)
    assert (await material(store, due)).tokens == 0
    assert (await erase_the_rest(store, doomed)).messages == 1


async def test_archiving_and_its_end_are_noted(store: Store) -> None:
    kept = await keep(store, said("one"), said("two", EARLY))
    day = span_of(Period.DAY, NOON)
    await summed_up(store, kept, day)
    for archived in (True, False):
        await archive(store, kept, archived=archived)
        assert await gists(store) == []
        several = await claim(store, LATER if archived else LATER + DAY)
        assert [each.span for each in several] == [span_of(Period.DAY, EARLY), day]


async def test_what_sums_up_periods_is_found_by_its_meaning_alone(store: Store) -> None:
    """In full text it would make the words less telling that it says once more."""
    kept = await keep(store, "zebra")
    before = await counters(store)
    await summed_up(store, kept, span_of(Period.DAY, NOON))
    assert await counters(store) == before
    assert await shown(store, "gist") == []
    (item,) = await items_of(store, type=ItemType.SUMMARY)
    assert item.key in await outbox_keys(store)
    asked = await within(store)
    async with store.read(ACME) as snapshot:
        read = await snapshot.recall.surrounded([item.key], within=asked, model=MODEL)
        (gist,) = read.recalled.gists
        cited = frozenset(map(MessageKey, rows_of(Table.MESSAGE, kept.keys)))
        assert gist == Gist(cited=cited, span=span_of(Period.DAY, NOON))
    async with store.write(ACME) as transaction:
        await transaction.memories.drop(item, now=NOON)
    assert await counters(store) == before
    assert await gists(store) == []


async def test_what_is_derived_is_recalled_only_where_it_is_wanted(store: Store) -> None:
    kept = await keep(store, "said")
    told: Json = {"derived_from": [kept.messages[0].id], "derived": True}
    await tell(store, "zebra derived", **told)
    await tell(
        store, "zebra gist", type=ItemType.SUMMARY, conversation_id=kept.conversation.id, **told
    )
    await tell(store, "zebra written")
    changed = await tell(store, "zebra before", **told)
    await change(store, changed, content="zebra changed")
    everything = ["zebra changed", "zebra derived", "zebra gist", "zebra written"]
    assert await shown(store, "zebra") == everything
    facts, summaries = frozenset({ItemType.FACT}), frozenset({ItemType.SUMMARY})
    assert await shown(store, "zebra", untold=facts) == [
        "zebra changed",
        "zebra gist",
        "zebra written",
    ]
    assert await shown(store, "zebra", untold=summaries) == [
        "zebra changed",
        "zebra derived",
        "zebra written",
    ]


async def test_where_conversations_are_left_out_no_period_is_told_of(store: Store) -> None:
    kept = await keep(store, "said")
    await summed_up(store, kept, span_of(Period.DAY, NOON))
    (item,) = await items_of(store, type=ItemType.SUMMARY)
    others = await within(store, without_conversations=frozenset({kept.conversation.key}))
    async with store.read(ACME) as snapshot:
        read = await snapshot.recall.surrounded([item.key], within=others, model=MODEL)
    assert len(read.recalled) == 0


async def test_what_was_not_found_again_is_outdated(store: Store) -> None:
    kept = await keep(store, "one", "two")
    other = await keep(store, "one, in other words")
    told: Json = {"derived": True, "derived_from": [kept.messages[0].id]}
    await tell(store, "again", **told)
    old = await tell(store, "not again", **told)
    async with store.write(ACME) as transaction:
        item = await transaction.memories.get(old.id, now=None)
        others = [other.messages[0].id]
        await transaction.memories.derive(item.scope, item.key, others, reworded=True)
    await tell(store, "again", LATER, **told, subject="s")
    since, types = NOON + DAY, {ItemType.FACT}
    async with store.write(ACME) as transaction:
        found = await transaction.distilling.outdated(kept.conversation.key, types, since=since)
        assert [each.content for each in found] == ["again", "not again"]
        keys = [each.key for each in found]
        await transaction.distilling.unsay(kept.conversation.key, keys, since=since, now=LATER)
        assert (
            await transaction.distilling.outdated(other.conversation.key, types, since=since) == []
        )
    assert [each.content for each in await items_of(store, at=LATER, now=LATER)] == ["again"]


async def of_periods(
    store: Store, *spans: Span, tenant: TenantId = ACME, **narrowed: Any
) -> list[str]:
    """What is read of the summaries of these periods where nothing else was found."""
    asked = await within(store, **narrowed)
    async with store.read(tenant) as snapshot:
        read = await snapshot.recall.surrounded(
            [], within=asked, model=MODEL, unsought=Unsought(periods=frozenset(spans))
        )
    return sorted(read.recalled.contents)


async def test_summaries_are_read_by_the_periods_that_they_sum_up(store: Store) -> None:
    week, day = span_of(Period.WEEK, NOON), span_of(Period.DAY, NOON)
    for content, span, user in (
        ("dogs", week, "alice"),
        ("cats", day, "alice"),
        ("owls", day, "bob"),
    ):
        await tell(store, content, type=ItemType.SUMMARY, subject=span.subject, user_id=user)
    await tell(store, "tea", subject=day.subject)
    assert await of_periods(store, day) == ["cats"]
    assert await of_periods(store, day, week) == ["cats", "dogs"]
    assert await of_periods(store, span_of(Period.DAY, NOON - DAY)) == []
    assert await of_periods(store) == []
    assert await of_periods(store, day, tenant=OTHER) == []


async def test_those_are_narrowed_and_hold_as_all_that_is_found(store: Store) -> None:
    day = span_of(Period.DAY, NOON)
    kept = await keep(store, said("dogs bark", NOON + SECOND))
    (message,) = kept.messages
    about: Json = {"type": ItemType.SUMMARY, "subject": day.subject, "derived": True}
    await tell(store, "dogs", **about, derived_from=[message.id], valid_from=NOON + SECOND)
    later: Json = {"now": NOON + DAY}
    assert await of_periods(store, day, **later) == ["dogs"]
    assert await of_periods(store, day, **later, after=NOON, before=NOON + DAY) == ["dogs"]
    several: list[Json] = [
        {"after": NOON + 2 * SECOND},
        {"before": NOON + SECOND},
        {"as_of": NOON},
        {"types": frozenset({ItemType.MESSAGE})},
        {"untold": frozenset({ItemType.SUMMARY})},
        {"without_conversations": frozenset({kept.conversation.key})},
        {"now": None},
    ]
    for narrowed in several:
        assert await of_periods(store, day, **{**later, **narrowed}) == [], narrowed
    found = await within(store, **later)
    async with store.read(ACME) as snapshot:
        read = await snapshot.recall.surrounded(
            kept.keys, within=found, model=MODEL, unsought=Unsought(periods=frozenset([day]))
        )
    assert sorted(read.recalled.contents) == ["dogs", "dogs bark"]
    assert {each and each.span for each in read.recalled.gists} == {None, day}


async def test_the_most_important_of_a_time_is_read(store: Store) -> None:
    talk = [said(f"note {at}", NOON + at * SECOND, importance=1 + at % 5) for at in range(60)]
    await keep(store, *talk)
    await keep(store, said("of bob", NOON), user_id="bob")
    asked = await within(store)
    hour = Interval(NOON + SECOND, NOON + 50 * SECOND, 1.0)
    async with store.read(ACME) as snapshot:
        read = await snapshot.recall.surrounded(
            [], within=asked, model=MODEL, unsought=Unsought(moments=[hour])
        )
    assert sorted(read.recalled.contents) == sorted(f"note {at}" for at in range(50) if at % 5)


async def test_of_what_callers_say_nothing_of_the_best_rated_is_read(store: Store) -> None:
    """Decisions at the beginning of an hour of small things."""
    texts = [f"We decided on plan {at}." if at < 5 else f"note {at}" for at in range(60)]
    await keep(store, *(said(text, NOON + at * SECOND) for at, text in enumerate(texts)))
    asked = await within(store)
    hour = Interval(NOON, NOON + 60 * SECOND, 1.0)
    async with store.read(ACME) as snapshot:
        read = await snapshot.recall.surrounded(
            [], within=asked, model=MODEL, unsought=Unsought(moments=[hour])
        )
    assert sorted(read.recalled.contents) == sorted([*texts[:5], *texts[25:]])
