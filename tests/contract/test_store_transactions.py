"""All or nothing: failures, cancellations and crashes in the middle of a write."""

import asyncio

import pytest

from app.domain.ids import ItemKey
from app.ports.store import Store
from tests.stored import ACME, NOON, Kept, append, find, keep, last_of, prepare, scope_now, tell


async def untouched(store: Store, kept: Kept) -> None:
    """Nothing of what was not committed is there, and the next write works."""
    assert await scope_now(store) == kept.scope
    assert list(await find(store, "dog lost", kept.within)) == list(kept.keys)
    async with store.read(ACME) as snapshot:
        assert (await snapshot.counts()).messages == 1
    async with store.write(ACME) as transaction:
        await append(transaction, kept.conversation, "dog again")
    assert len(await find(store, "dog", kept.within)) == 2


async def test_an_exception_rolls_everything_back(store: Store) -> None:
    kept = await keep(store, "dog")

    async def fail() -> None:
        async with store.write(ACME) as transaction:
            await append(transaction, kept.conversation, "lost")
            await transaction.scopes.ensure("new", now=NOON)
            await transaction.answers.keep("/p", "k", body_hash=b"h", answer={}, now=NOON)
            raise LookupError

    with pytest.raises(LookupError):
        await fail()
    async with store.write(ACME) as transaction:
        assert await transaction.scopes.find("new") is None
        assert await transaction.answers.find("/p", "k") is None
    await untouched(store, kept)


async def test_a_task_cancelled_between_statements_rolls_back(store: Store) -> None:
    kept = await keep(store, "dog")
    written = asyncio.Event()

    async def write() -> None:
        async with store.write(ACME) as transaction:
            await append(transaction, kept.conversation, "lost")
            written.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(write())
    await written.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await untouched(store, kept)


@pytest.mark.parametrize("milliseconds", [0, 1, 2, 5, 10, 20, 40])
async def test_a_task_cancelled_amid_a_statement_rolls_back(
    store: Store, milliseconds: int
) -> None:
    kept = await keep(store, "dog")
    many = await prepare(*["lost"] * 2_000, conversation=kept.conversation.id, position=1)
    begun = asyncio.Event()

    async def write() -> None:
        async with store.write(ACME) as transaction:
            begun.set()
            await transaction.messages.append(kept.conversation, many, now=NOON)
            await asyncio.Event().wait()

    task = asyncio.create_task(write())
    await begun.wait()
    await asyncio.sleep(milliseconds / 1000)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await untouched(store, kept)


async def test_many_cancelled_writes_use_up_no_connection(store: Store) -> None:
    kept = await keep(store, "dog")

    async def write() -> None:
        async with store.write(ACME) as transaction:
            await append(transaction, kept.conversation, "lost")
            await asyncio.Event().wait()

    for turn in range(30):
        task = asyncio.create_task(write())
        for _ in range(turn):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    await untouched(store, kept)


async def test_many_cancelled_reads_use_up_no_connection(store: Store) -> None:
    kept = await keep(store, "dog")
    for turn in range(30):
        task = asyncio.create_task(find(store, "dog", kept.within))
        for _ in range(turn):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert list(await find(store, "dog", kept.within)) == list(kept.keys)
    await untouched(store, kept)


async def test_what_was_written_is_seen_inside_and_not_outside_until_the_end(store: Store) -> None:
    kept = await keep(store, "dog")
    async with store.write(ACME) as transaction:
        await append(transaction, kept.conversation, "cat")
        inside = await last_of(transaction.messages, kept.conversation.key, limit=9)
        async with store.read(ACME) as snapshot:
            outside = await last_of(snapshot.messages, kept.conversation.key, limit=9)
    assert [len(inside), len(outside)] == [2, 1]


async def test_appends_at_once_get_positions_of_their_own(store: Store) -> None:
    kept = await keep(store)

    async def write(number: int) -> None:
        async with store.write(ACME) as transaction:
            await append(transaction, kept.conversation, f"a{number}", f"b{number}")

    await asyncio.gather(*(write(number) for number in range(10)))
    async with store.read(ACME) as snapshot:
        tail = await last_of(snapshot.messages, kept.conversation.key, limit=99)
        conversation = await snapshot.conversations.get(kept.conversation.id)
    assert [each.position for each in tail] == list(range(20))
    pairs = [(one.content, two.content) for one, two in zip(tail[::2], tail[1::2], strict=True)]
    assert sorted(pairs) == sorted((f"a{number}", f"b{number}") for number in range(10))
    assert conversation.message_count == 20
    assert (await scope_now(store)).messages == 20


async def test_an_item_is_erased_while_its_vector_is_seen_to(store: Store) -> None:
    """Both take the scope and the item, in the same order."""
    kept = await tell(store, "dogs bark")
    scope = (await scope_now(store)).key
    async with store.project() as projections:
        rows = await projections.claim(now=NOON, limit=9, lease=60)

    async def finish() -> frozenset[ItemKey]:
        async with store.project() as projections:
            return await projections.finish(rows)

    async with store.write(ACME) as transaction:
        await transaction.memories.lock(scope, [])
        finishing = asyncio.create_task(finish())
        await asyncio.sleep(0.2)  # long enough to take what nobody holds
        await transaction.erase.memory(kept.id, now=NOON)
    assert await finishing == {rows[0].item_key}
