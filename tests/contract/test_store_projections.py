"""The outbox and what the indexer needs: claimed once, done or tried again."""

from datetime import datetime, timedelta

import pytest

from app.domain.conversation import ConversationChanges, Role
from app.domain.ids import ItemKey
from app.domain.memory import ItemType, Table, item_key, table_and_row
from app.ports.projecting import OutboxRow, OutboxState
from app.ports.store import Store
from tests.stored import (
    ACME,
    NOON,
    OTHER,
    SECOND,
    Kept,
    keep,
    packed,
    row_of,
    said,
    scope_now,
    tell,
)

MODEL = "mini"
LONG = "The dogs of the house bark at the cats of the garden. " * 200


async def claim(
    store: Store, *, now: datetime = NOON, limit: int = 100, lease: float = 60
) -> list[OutboxRow]:
    async with store.project() as projections:
        return list(await projections.claim(now=now, limit=limit, lease=lease))


def items(rows: list[OutboxRow]) -> list[ItemKey]:
    return [row.item_key for row in rows]


async def embed(store: Store, *keys: ItemKey, vector: bytes = b"\1\2", model: str = MODEL) -> None:
    async with store.project() as projections:
        await projections.keep_vectors(
            packed(dict.fromkeys(keys, vector)), model=model, dimension=1, now=NOON
        )


async def vectors(store: Store, kept: Kept, model: str = MODEL) -> list[bytes | None]:
    async with store.observe() as observations:
        return [each.vector for each in await observations.to_index(kept.keys, model=model)]


async def erase(store: Store, kept: Kept, at: int) -> None:
    async with store.write(ACME) as transaction:
        await transaction.erase.message(kept.messages[at].id, now=NOON)


async def archive(store: Store, kept: Kept) -> None:
    given = ConversationChanges(given=frozenset({"archived"}), archived=True)
    async with store.write(ACME) as transaction:
        await transaction.conversations.change(kept.conversation.key, given, now=NOON)


async def state(store: Store, now: datetime = NOON) -> OutboxState:
    async with store.observe() as observations:
        return await observations.state(now=now)


async def test_an_empty_outbox_has_nothing_to_claim(store: Store) -> None:
    assert await claim(store) == []
    assert await state(store) == OutboxState(depth=0, oldest_age=0.0, dead=0)


async def test_a_claimed_row_tells_whose_it_is(store: Store) -> None:
    kept = await keep(store, "dog", tenant=OTHER)
    (row,) = await claim(store)
    assert (row.tenant, row.scope, row.item_key) == (OTHER, kept.scope.key, kept.keys[0])
    assert row.attempts == 0


async def test_rows_come_oldest_first_and_in_portions(store: Store) -> None:
    kept = await keep(store, *["dog"] * 5)
    assert items(await claim(store, limit=2)) == list(kept.keys[:2])
    assert items(await claim(store, limit=2)) == list(kept.keys[2:4])
    assert items(await claim(store, limit=2)) == list(kept.keys[4:])
    assert await claim(store) == []


async def test_rows_that_came_last_can_be_claimed_first(store: Store) -> None:
    kept = await keep(store, *["dog"] * 4)
    async with store.project() as projections:
        rows = await projections.claim(now=NOON, limit=2, lease=60, latest=True)
    assert items(list(rows)) == list(kept.keys[:1:-1])
    assert items(await claim(store)) == list(kept.keys[:2])


async def test_a_lease_that_ran_out_gives_the_row_to_others(store: Store) -> None:
    kept = await keep(store, "dog")
    await claim(store, lease=60)
    assert await claim(store, now=NOON + 59 * SECOND) == []
    assert items(await claim(store, now=NOON + 60 * SECOND)) == list(kept.keys)


async def test_a_row_is_not_claimed_before_it_is_due(store: Store) -> None:
    await keep(store, "dog")
    assert await claim(store, now=NOON - SECOND) == []


async def test_a_claim_that_is_rolled_back_leaves_the_row(store: Store) -> None:
    kept = await keep(store, "dog")

    async def fail() -> None:
        async with store.project() as projections:
            assert await projections.claim(now=NOON, limit=1, lease=60)
            raise LookupError

    with pytest.raises(LookupError):
        await fail()
    assert items(await claim(store)) == list(kept.keys)


async def test_a_row_to_be_tried_again_waits_and_remembers(store: Store) -> None:
    kept = await keep(store, "dog")
    for attempt in (1, 2):
        rows = await claim(store, now=NOON + attempt * 10 * SECOND)
        async with store.project() as projections:
            await projections.retry(
                rows,
                due_at=NOON + (attempt + 1) * 10 * SECOND,
                error="no luck",
                tried=True,
                dead=False,
            )
        assert await claim(store, now=NOON + (attempt * 10 + 9) * SECOND) == []
    (row,) = await claim(store, now=NOON + 30 * SECOND)
    assert (row.item_key, row.attempts) == (kept.keys[0], 2)


async def test_a_dead_row_is_not_claimed_but_counted(store: Store) -> None:
    await keep(store, "dog", "cat")
    rows = await claim(store, limit=1)
    async with store.project() as projections:
        await projections.retry(rows, due_at=NOON, error="hopeless", tried=True, dead=True)
    assert len(await claim(store, now=NOON + timedelta(days=1))) == 1
    assert await state(store, NOON + 5 * SECOND) == OutboxState(depth=1, oldest_age=5.0, dead=1)


async def test_what_was_given_up_is_told_by_its_whole(store: Store) -> None:
    """Of a message its chunks count, of a document its parts; what others have does not."""
    kept = await keep(store, "dog", said(LONG))
    document = await tell(store, LONG, type=ItemType.DOCUMENT, source="manual")
    rows = await claim(store)
    chunk = next(row for row in rows if table_and_row(row.item_key)[0] is Table.CHUNK)
    part = [row for row in rows if table_and_row(row.item_key)[0] is Table.MEMORY][-1]
    assert document.parts > 1
    async with store.project() as projections:
        await projections.retry([chunk, part], due_at=NOON, error="x", tried=True, dead=True)
    ids = [each.id for each in kept.messages]
    for asked, dead in ((ids, 1), (ids[:1], 0), ([document.id], 1), ([*ids, document.id], 2)):
        async with store.read(ACME) as snapshot:
            assert await snapshot.given_up(asked) == dead
        async with store.read(OTHER) as snapshot:
            assert await snapshot.given_up(asked) == 0


async def test_a_finished_row_is_gone_and_its_scope_touched(store: Store) -> None:
    kept = await keep(store, "dog", "cat")
    bob = await keep(store, "dog", user_id="bob")
    rows = [row for row in await claim(store) if row.scope == kept.scope.key]
    async with store.project() as projections:
        assert await projections.finish(rows) == frozenset()
    assert (await scope_now(store)).version == kept.scope.version + 1
    assert await scope_now(store, "bob") == bob.scope
    late = NOON + timedelta(days=1)
    assert items(await claim(store, now=late)) == list(bob.keys)


async def test_finishing_tells_what_belongs_in_no_index_any_more(store: Store) -> None:
    kept, away = await keep(store, "dog", "cat"), await keep(store, "bird")
    rows = await claim(store)
    await erase(store, kept, 0)
    await archive(store, away)
    async with store.project() as projections:
        assert await projections.finish(rows) == {kept.keys[0], away.keys[0]}


async def test_what_is_noted_while_a_row_is_worked_on_stays(store: Store) -> None:
    kept = await keep(store, "dog")
    rows = await claim(store)
    async with store.write(ACME) as transaction:
        await transaction.messages.reindex(kept.conversation, now=NOON)
    async with store.project() as projections:
        await projections.finish(rows)
    assert items(await claim(store)) == list(kept.keys)


async def test_indexed_until_waits_for_the_tenants_own_rows_only(store: Store) -> None:
    await keep(store, "dog", tenant=OTHER)
    await keep(store, "dog")
    async with store.write(ACME) as transaction:
        mine = await transaction.last_outbox_key()
    await keep(store, "later")

    async def indexed() -> bool:
        async with store.read(ACME) as snapshot:
            return await snapshot.indexed_until(mine)

    rows = {row.key: row for row in await claim(store)}
    assert not await indexed()
    async with store.project() as projections:
        await projections.finish([rows[mine]])
    assert await indexed()


async def test_what_is_to_index_comes_with_text_and_vector(store: Store) -> None:
    kept = await keep(store, said("bark", name="Rex", role=Role.ASSISTANT), "meow")
    await embed(store, kept.keys[0])
    async with store.observe() as observations:
        dog, cat = await observations.to_index(list(reversed(kept.keys)), model=MODEL)
    assert (dog.key, dog.tenant, dog.scope) == (kept.keys[0], ACME, kept.scope.key)
    assert (dog.conversation, dog.role, dog.type) == (
        kept.conversation.key,
        Role.ASSISTANT,
        ItemType.MESSAGE,
    )
    assert (dog.text, dog.created_at, dog.vector) == ("Rex: bark", NOON, b"\1\2")
    assert (cat.key, cat.text, cat.vector) == (kept.keys[1], "meow", None)
    assert await vectors(store, kept, model="other") == [None, None]


async def test_embeddings_replace_the_older_ones_of_their_model(store: Store) -> None:
    kept = await keep(store, "dog")
    await embed(store, *kept.keys, vector=b"old")
    await embed(store, *kept.keys, vector=b"new")
    await embed(store, *kept.keys, vector=b"other", model="other")
    assert await vectors(store, kept) == [b"new"]
    assert await vectors(store, kept, model="other") == [b"other"]
    async with store.read(ACME) as snapshot:
        assert (await snapshot.counts()).embeddings == 2


async def test_no_embedding_is_kept_of_what_is_gone(store: Store) -> None:
    kept, away = await keep(store, "dog", "cat"), await keep(store, "bird")
    await erase(store, kept, 0)
    await archive(store, away)
    await embed(store, *kept.keys, *away.keys, ItemKey(10**9 * 4))
    async with store.read(ACME) as snapshot:
        assert (await snapshot.counts()).embeddings == 1
        assert await snapshot.recall.remaining(kept.keys, []) == 1


async def test_the_recallable_are_walked_in_ascending_portions(store: Store) -> None:
    kept = await keep(store, "dog", said("system", role=Role.SYSTEM), "cat", "   ", "bird")
    theirs = await keep(store, "fish", tenant=OTHER)
    away = await keep(store, "gone")
    await archive(store, away)
    walked: list[ItemKey] = []
    async with store.observe() as observations:
        while len(walked) < 100:
            portion = await observations.recallable(
                after=walked[-1] if walked else ItemKey(0), limit=2
            )
            if not portion:
                break
            walked += portion
    assert walked == [*kept.keys, *theirs.keys]


async def test_what_belongs_is_told_from_what_does_not(store: Store) -> None:
    kept, away = await keep(store, "dog", "cat"), await keep(store, "bird")
    await erase(store, kept, 1)
    await archive(store, away)
    async with store.observe() as observations:
        asked = [*kept.keys, *away.keys, ItemKey(10**9 * 4)]
        assert await observations.belonging(asked) == {kept.keys[0]}
        assert await observations.belonging([]) == frozenset()


async def test_a_chunk_does_not_pass_for_the_message_of_its_number(store: Store) -> None:
    kept = await keep(store, "dog")
    chunk = item_key(Table.CHUNK, row_of(kept.keys[0]))
    async with store.observe() as observations:
        assert await observations.belonging([chunk]) == frozenset()
        assert list(await observations.to_index([chunk], model=MODEL)) == []
    rows = await claim(store)
    await embed(store, chunk)
    async with store.project() as projections:
        await projections.finish(rows)
        await projections.enqueue([chunk], now=NOON)
    assert await claim(store) == []


async def test_an_item_is_noted_once(store: Store) -> None:
    kept = await keep(store, "dog", "cat", "bird")
    rows = await claim(store)
    async with store.project() as projections:
        await projections.finish(rows[:1])
        await projections.retry(rows[1:2], due_at=NOON, error="x", tried=True, dead=True)
    for _ in range(2):
        async with store.project() as projections:
            await projections.enqueue([*kept.keys, ItemKey(10**9 * 4)], now=NOON)
    noted = await claim(store, now=NOON + timedelta(days=1))
    assert sorted(items(noted)) == list(kept.keys)
    assert {(row.tenant, row.scope) for row in noted} == {(ACME, kept.scope.key)}


async def test_thousands_of_keys_pass_at_once(store: Store) -> None:
    kept = await keep(store, "dog")
    many = [*kept.keys, *(ItemKey(10**9 * 4 + 4 * number) for number in range(20_000))]
    async with store.observe() as observations:
        assert await observations.belonging(many) == set(kept.keys)
        assert len(await observations.to_index(many, model=MODEL)) == 1
    async with store.project() as projections:
        await projections.enqueue(many, now=NOON)
