"""Which conversations are to be distilled: noted, claimed once, done or tried again."""

import asyncio
from datetime import datetime

import pytest

from app.domain.errors import JobNotFound, Overtaken
from app.domain.ids import ConversationKey, MessageKey, TenantId
from app.domain.memory import table_and_row
from app.ports.distilling import DistillingState, DueConversation, Undistilled
from app.ports.store import Store
from tests.stored import ACME, NOON, OTHER, SECOND, Kept, append, keep, packed

LATER = NOON + 90 * SECOND


async def claim(
    store: Store, now: datetime = NOON, *, limit: int = 100, lease: float = 60
) -> list[DueConversation]:
    async with store.project() as projections:
        return list(await projections.claim_conversations(now=now, limit=limit, lease=lease))


async def read(store: Store, due: DueConversation, *, messages: int = 10) -> Undistilled:
    async with store.observe() as observations:
        found = await observations.undistilled(due, messages=messages, tokens=1_000)
    assert found is not None
    return found


async def finish(store: Store, due: DueConversation, found: Undistilled) -> None:
    async with store.write(ACME) as transaction:
        await transaction.distilling.hold(due, found)
        await transaction.distilling.advance(due, found, now=NOON)


async def distil(store: Store, due: DueConversation) -> list[str | None]:
    found = await read(store, due)
    await finish(store, due, found)
    return [each.content for each in found.messages]


async def state(store: Store, tenant: TenantId | None = None) -> DistillingState:
    async with store.observe() as observations:
        return await observations.distilling(now=NOON + SECOND, tenant=tenant)


async def say(store: Store, kept: Kept, text: str) -> None:
    async with store.write(ACME) as transaction:
        await append(transaction, kept.conversation, text)


async def give_up(store: Store, due: DueConversation) -> None:
    async with store.project() as projections:
        await projections.leave_conversations([due], due_at=NOON, error="no", dead=True)


async def test_stored_vectors_are_those_of_one_model_and_of_messages(store: Store) -> None:
    kept = await keep(store, "one", "two", "three")
    first, second, third = kept.keys
    async with store.project() as projections:
        for model, vectors in (("m", {first: b"\1\2", second: b"\3\4"}), ("n", {third: b"\5\6"})):
            await projections.keep_vectors(packed(vectors), model=model, dimension=1, now=NOON)
    rows = [MessageKey(table_and_row(each)[1]) for each in kept.keys]
    async with store.observe() as observations:
        found = await observations.vectors_of([rows[0], rows[2]], model="m")
        none = await observations.vectors_of(rows, model="unknown")
    assert (found, none) == ({rows[0]: b"\1\2"}, {})


async def test_who_lost_a_claim_says_nothing_of_what_others_do(store: Store) -> None:
    await keep(store, "one")
    (slow,) = await claim(store, lease=1)
    (fast,) = await claim(store, NOON + SECOND)
    await give_up(store, slow)
    assert await claim(store, NOON + 2 * SECOND) == []
    await distil(store, fast)
    await give_up(store, slow)
    assert await state(store) == DistillingState(waiting=0, oldest_age=0.0, dead=0)


async def test_what_waits_is_told_of_one_tenant_or_of_all(store: Store) -> None:
    await keep(store, "one")
    await keep(store, "two")
    (due, _) = await claim(store)
    await give_up(store, due)
    both = DistillingState(waiting=1, oldest_age=1.0, dead=1)
    assert [await state(store), await state(store, ACME)] == [both] * 2
    assert await state(store, OTHER) == DistillingState(waiting=0, oldest_age=0.0, dead=0)


async def test_what_is_said_is_due_once(store: Store) -> None:
    await keep(store, "one", "two")
    assert await state(store) == DistillingState(waiting=1, oldest_age=1.0, dead=0)
    (due,) = await claim(store)
    assert await claim(store) == []
    assert await distil(store, due) == ["one", "two"]
    assert await claim(store, LATER) == []
    assert await state(store) == DistillingState(waiting=0, oldest_age=0.0, dead=0)


async def test_the_mark_goes_on_where_it_stopped(store: Store) -> None:
    kept = await keep(store, "one", "two", "three")
    (due,) = await claim(store)
    found = await read(store, due, messages=2)
    assert found.more
    await finish(store, due, found)
    (due,) = await claim(store)
    assert await distil(store, due) == ["three"]
    await say(store, kept, "four")
    (due,) = await claim(store)
    assert await distil(store, due) == ["four"]


async def test_a_lease_that_ran_out_gives_a_conversation_to_another(store: Store) -> None:
    await keep(store, "one")
    (slow,) = await claim(store)
    found = await read(store, slow)
    (fast,) = await claim(store, LATER)
    await distil(store, fast)
    with pytest.raises(Overtaken):
        await finish(store, slow, found)


async def test_what_was_erased_meanwhile_is_not_written(store: Store) -> None:
    kept = await keep(store, "one", "two")
    (due,) = await claim(store)
    found = await read(store, due)
    async with store.write(ACME) as transaction:
        await transaction.erase.message(kept.messages[1].id, now=NOON)
    with pytest.raises(Overtaken):
        await finish(store, due, found)


async def test_what_was_noted_meanwhile_stays_due(store: Store) -> None:
    kept = await keep(store, "one")
    (due,) = await claim(store)
    found = await read(store, due)
    await say(store, kept, "two")
    await finish(store, due, found)
    (due,) = await claim(store)
    assert await distil(store, due) == ["two"]


async def test_workers_at_once_share_the_work(store: Store) -> None:
    for name in "abcdef":
        await keep(store, "one", external_id=name)
    several = await asyncio.gather(*(claim(store, limit=3) for _ in range(3)))
    claimed = [each.conversation for part in several for each in part]
    assert len(claimed) == len(set(claimed)) == 6


async def test_what_is_given_up_is_told_to_its_tenant_only(store: Store) -> None:
    kept = await keep(store, "one")
    (due,) = await claim(store)
    await give_up(store, due)
    assert await claim(store, LATER) == []
    assert (await state(store)).dead == 1
    async with store.read(ACME) as snapshot:
        (letter,) = await snapshot.distilling.given_up()
    assert (letter.id, letter.conversation_id) == (due.id, kept.conversation.id)
    assert (letter.error, letter.attempts) == ("no", 1)
    async with store.read(OTHER) as snapshot:
        assert await snapshot.distilling.given_up() == []
    with pytest.raises(JobNotFound):
        async with store.write(OTHER) as transaction:
            await transaction.distilling.revive(due.id, now=NOON)
    async with store.write(ACME) as transaction:
        await transaction.distilling.revive(due.id, now=NOON)
    assert len(await claim(store)) == 1


async def leave_out(store: Store, due: DueConversation, found: Undistilled, at: int) -> None:
    async with store.write(ACME) as transaction:
        await transaction.distilling.leave_out(due, found, {found.messages[at].key: "odd"})
        await transaction.distilling.advance(due, found, now=NOON)


async def test_what_is_left_out_is_told_and_comes_again_by_itself(store: Store) -> None:
    kept = await keep(store, "one", "two", "three")
    (due,) = await claim(store)
    await leave_out(store, due, await read(store, due), 1)
    assert await claim(store, LATER) == []
    assert await state(store) == DistillingState(waiting=0, oldest_age=0.0, dead=1)
    async with store.read(ACME) as snapshot:
        (letter,) = await snapshot.distilling.given_up()
    assert (letter.messages, letter.error) == ([kept.messages[1].id], "odd")

    await say(store, kept, "four")
    (due,) = await claim(store)
    again = await read(store, due)
    assert ([each.content for each in again.messages], again.more) == (["two"], True)
    await leave_out(store, due, again, 0)
    (due,) = await claim(store)
    assert await distil(store, due) == ["four"]
    assert (await state(store)).dead == 1

    async with store.write(ACME) as transaction:
        assert (await transaction.distilling.revive(letter.id, now=NOON)).id == letter.id
    (due,) = await claim(store)
    again = await read(store, due)
    assert ([each.content for each in again.messages], again.more) == (["two"], False)
    async with store.write(ACME) as transaction:
        await transaction.distilling.leave_out(due, again, {})
        await transaction.distilling.advance(due, again, now=NOON)
    assert await state(store) == DistillingState(waiting=0, oldest_age=0.0, dead=0)


async def test_what_was_noted_while_something_was_left_out_stays_due(store: Store) -> None:
    kept = await keep(store, "one")
    (due,) = await claim(store)
    found = await read(store, due)
    await say(store, kept, "two")
    await leave_out(store, due, found, 0)
    (due,) = await claim(store)
    assert [each.content for each in (await read(store, due)).messages] == ["one"]


async def test_what_is_left_out_goes_with_its_message(store: Store) -> None:
    kept = await keep(store, "one", "two")
    (due,) = await claim(store)
    await leave_out(store, due, await read(store, due), 1)
    async with store.write(ACME) as transaction:
        await transaction.erase.message(kept.messages[1].id, now=NOON)
    (due,) = await claim(store)
    assert await distil(store, due) == []
    assert (await state(store)).dead == 0


async def test_a_doomed_conversation_is_nobodys(store: Store) -> None:
    kept = await keep(store, "one")
    async with store.write(ACME) as transaction:
        await transaction.erase.conversation(kept.conversation.id, now=NOON)
    assert await claim(store) == []
    assert (await state(store)).waiting == 0


async def test_anew_begins_with_the_first_message(store: Store) -> None:
    kept = await keep(store, "one")
    (due,) = await claim(store)
    await distil(store, due)
    async with store.project() as projections:
        keys = await projections.distil_anew(after=ConversationKey(0), limit=9, now=NOON)
    assert keys == [kept.conversation.key]
    (due,) = await claim(store)
    assert await distil(store, due) == ["one"]
