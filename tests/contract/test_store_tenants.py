"""What one tenant stored is not there for another, whichever method it asks, with whichever key."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any
from uuid import UUID

import pytest
from uuid_utils.compat import uuid7

from app.domain.audit import user_subject
from app.domain.context import Filters
from app.domain.conversation import ConversationChanges, ConversationFilter
from app.domain.errors import BundleNotFound, ConversationNotFound, MessageNotFound
from app.domain.ids import BundleId
from app.ports import RecallFilter
from app.ports.store import Store
from app.ports.stored import Counts, Erased, Receipt
from app.services.writing.prepare import content_hash
from app.text.terms import QueryTerms
from tests.stored import (
    ACME,
    NOON,
    OTHER,
    Kept,
    erase_the_rest,
    keep,
    last_of,
    packed,
    row_of,
    said,
    scope_now,
)

DOG = QueryTerms(terms=["dog"])

BUNDLE = BundleId(UUID(str(uuid7())))
ALICE = ConversationFilter(user_id="alice")


@pytest.fixture
async def theirs(store: Store) -> AsyncIterator[Kept]:
    """Something of every kind, of ACME; the other tenant has a user of the same name."""
    kept = await keep(
        store,
        said("dogs bark", external_id="m", importance=10),
        external_id="chat",
        label="x",
        tags=["t"],
        folder="/work",
    )
    receipt = Receipt(
        bundle_id=BUNDLE,
        tenant=ACME,
        scope=kept.scope.key,
        subject=user_subject(ACME, "alice"),
        version=kept.scope.version,
        created_at=NOON,
        request={},
        answer={"timings": {"total": 0.1}},
        total_ms=100.0,
        facts={},
    )
    async with store.project() as projections:
        await projections.keep_receipts([receipt])
        await projections.keep_vectors(
            packed({kept.keys[0]: b"\1\2"}), model="m", dimension=1, now=NOON
        )
    async with store.write(ACME) as transaction:
        await transaction.answers.keep("/p", "k", body_hash=b"h", answer={"a": 1}, now=NOON)
    await keep(store, "cats", tenant=OTHER)
    before = await everything(store, kept)
    yield kept
    assert await everything(store, kept) == before


async def everything(store: Store, kept: Kept) -> list[Any]:
    async with store.read(ACME) as snapshot:
        return [
            await snapshot.scopes.find("alice"),
            await snapshot.conversations.get(kept.conversation.id),
            await last_of(snapshot.messages, kept.conversation.key, limit=9),
            await snapshot.recall.pinned(kept.within, limit=9),
            await snapshot.counts(),
            await snapshot.bundles.get(BUNDLE),
        ]


Asked = Callable[[Any, Kept], Awaitable[Any]]

EMPTY: dict[str, Asked] = {
    "find a conversation": lambda s, k: s.conversations.find(k.scope.key, "chat"),
    "keys of conversations": lambda s, k: s.conversations.keys(k.scope.key, [k.conversation.id]),
    "conversations in a folder": lambda s, k: s.conversations.matching(
        k.scope.key, Filters(folder="/work")
    ),
    "conversations with a tag": lambda s, k: s.conversations.matching(
        k.scope.key, Filters(tags=["t"])
    ),
    "messages": lambda s, k: s.messages.get([row_of(key) for key in k.keys]),
    "tail": lambda s, k: last_of(s.messages, k.conversation.key, limit=9),
    "what is stored": lambda s, k: s.messages.stored(
        k.conversation.key,
        external_ids=["m"],
        content_hashes=[content_hash("dogs bark", None)],
        last=9,
    ),
}
READS: dict[str, Asked] = {
    "pinned": lambda s, k: s.recall.pinned(k.within, limit=9),
}


@pytest.mark.parametrize("name", [*EMPTY, *READS])
async def test_reads_with_keys_of_others_find_nothing(
    store: Store, theirs: Kept, name: str
) -> None:
    async with store.read(ACME) as snapshot:
        assert await {**EMPTY, **READS}[name](snapshot, theirs)
    async with store.read(OTHER) as snapshot:
        assert not await {**EMPTY, **READS}[name](snapshot, theirs)


@pytest.mark.parametrize("name", EMPTY)
async def test_transactions_read_nothing_of_others_either(
    store: Store, theirs: Kept, name: str
) -> None:
    async with store.write(OTHER) as transaction:
        assert not await EMPTY[name](transaction, theirs)


@pytest.mark.parametrize("where", ["anywhere", "in the conversation"])
async def test_a_search_with_a_scope_of_others_finds_nothing(
    store: Store, theirs: Kept, where: str
) -> None:
    inside = None if where == "anywhere" else frozenset([theirs.conversation.key])
    within = RecallFilter(scopes=[theirs.scope.key], conversations=inside)
    found = []
    for tenant in (ACME, OTHER):
        async with store.read(tenant) as snapshot:
            answer = await snapshot.recall.find(DOG, scope=theirs.scope, within=within, limit=9)
        found.append(list(answer.keys))
    assert found == [list(theirs.keys), []]


async def test_nothing_of_others_is_hydrated(store: Store, theirs: Kept) -> None:
    async with store.read(OTHER) as snapshot:
        recalled = await snapshot.recall.hydrate(theirs.keys, scopes=[theirs.scope.key], model="m")
    assert list(recalled.keys) == []


async def test_pages_hold_nothing_of_others(store: Store, theirs: Kept) -> None:
    async with store.read(OTHER) as snapshot:
        messages = await snapshot.messages.page(
            theirs.conversation.key, cursor=None, limit=9, newest_first=False
        )
        conversations = await snapshot.conversations.page(ALICE, cursor=None, limit=9)
    assert list(messages.items) == []
    assert [each.label for each in conversations.items] == [None]


async def test_ids_of_others_are_unknown(store: Store, theirs: Kept) -> None:
    async with store.read(OTHER) as snapshot:
        with pytest.raises(ConversationNotFound):
            await snapshot.conversations.get(theirs.conversation.id)
        with pytest.raises(MessageNotFound):
            await snapshot.messages.scope_of(theirs.messages[0].id)
        with pytest.raises(BundleNotFound):
            await snapshot.bundles.get(BUNDLE)


async def test_nothing_of_others_is_counted(store: Store, theirs: Kept) -> None:
    async with store.read(OTHER) as snapshot:
        counted = await snapshot.counts()
    assert counted == Counts(
        conversations=1, messages=1, chunks=0, memory_items=0, embeddings=0, users=1
    )


async def test_the_outbox_of_others_is_not_waited_for(store: Store, theirs: Kept) -> None:
    async with store.write(OTHER) as transaction:
        mine = await transaction.last_outbox_key()
    async with store.project() as projections:
        rows = await projections.claim(now=NOON, limit=9, lease=1)
        await projections.finish([row for row in rows if row.tenant == OTHER])
    async with store.read(OTHER) as snapshot:
        assert await snapshot.indexed_until(mine)
    async with store.read(ACME) as snapshot:
        assert not await snapshot.indexed_until(mine)


async def test_answers_given_to_others_are_not_replayed(store: Store, theirs: Kept) -> None:
    async with store.write(OTHER) as transaction:
        assert await transaction.answers.find("/p", "k") is None
        await transaction.answers.keep("/p", "k", body_hash=b"o", answer={"a": 2}, now=NOON)
    async with store.write(ACME) as transaction:
        assert await transaction.answers.find("/p", "k") == (b"h", {"a": 1})


async def test_nothing_of_others_is_changed(store: Store, theirs: Kept) -> None:
    changes = ConversationChanges(given=frozenset({"label", "tags"}), label="mine", tags=["z"])
    async with store.write(OTHER) as transaction:
        with pytest.raises(ConversationNotFound):
            await transaction.conversations.change(theirs.conversation.key, changes, now=NOON)
        with pytest.raises(ConversationNotFound):
            await transaction.conversations.lock(theirs.conversation.key)
        await transaction.scopes.touch(theirs.scope.key, messages=5)


async def test_nothing_of_others_is_erased(store: Store, theirs: Kept) -> None:
    async with store.write(OTHER) as transaction:
        with pytest.raises(ConversationNotFound):
            await transaction.erase.conversation(theirs.conversation.id, now=NOON)
        with pytest.raises(MessageNotFound):
            await transaction.erase.message(theirs.messages[0].id, now=NOON)
        doomed = await transaction.erase.user("alice", now=NOON)
        nobody = await transaction.erase.user(None, now=NOON)
        not_doomed = await transaction.erase.portion(theirs.scope.key, limit=9, now=NOON)
    assert (nobody, not_doomed) == (Erased(), (Erased(), False))
    assert (await erase_the_rest(store, doomed)).messages == 1
    assert (await scope_now(store)).messages == 1
