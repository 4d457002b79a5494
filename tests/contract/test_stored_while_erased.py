"""What is stored at the moment at which somebody erases it, or whose it is: it is stored anew."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from sqlalchemy import text

from app.adapters.sql.database import Database
from app.domain.conversation import NewConversation, NewMessage, Role
from app.domain.errors import ConversationNotFound
from app.domain.memory import ItemType
from app.domain.profile import ConsentChanges, Grant, Profile, Purpose
from app.ports.store import Store
from app.services.writing.ingest import Stored
from tests.fakes import Memory
from tests.stored import ACME, NOON, items_of, keep, scope_of, tell

NEW = NewConversation(
    user_id="alice", external_id="chat", messages=[NewMessage(role=Role.USER, content="a cat")]
)
GRANT = Grant(source="settings page", granted_at=NOON, expires_at=None)
_WAITING = text(
    "SELECT count(*) FROM pg_stat_activity"
    " WHERE datname = current_database() AND wait_event_type = 'Lock'"
)


async def until_one_waits(database: Database) -> None:
    """For a lock; where there is one writer, whoever writes waits for it."""
    waiting = database.embedded
    while not waiting:
        await asyncio.sleep(0.01)
        async with database.read() as connection:
            waiting = bool((await connection.execute(_WAITING)).scalar_one())


async def told(store: Store, stored: Stored) -> list[str | None]:
    async with store.read(ACME) as snapshot:
        conversation = await snapshot.conversations.get(stored.conversation_id)
        page = await snapshot.messages.page(
            conversation.key, cursor=None, limit=9, newest_first=False
        )
    return [each.content for each in page.items]


async def test_of_a_user_who_is_erased_meanwhile(store: Store, database: Database) -> None:
    memory, kept = Memory(store), await keep(store, "a dog", external_id="chat")
    async with store.write(ACME) as transaction:
        await transaction.conversations.claim(kept.scope.key, "chat")
        storing = asyncio.create_task(memory.ingestor.ingest(ACME, NEW))
        await until_one_waits(database)
        await transaction.erase.user("alice", now=NOON)
    stored = await storing
    assert stored.begun
    assert await told(store, stored) == ["a cat"]


async def test_a_conversation_that_is_erased_meanwhile(store: Store, database: Database) -> None:
    memory, kept = Memory(store), await keep(store, "a dog", external_id="chat")
    async with store.write(ACME) as transaction:
        await transaction.conversations.lock(kept.conversation.key)
        storing = asyncio.create_task(memory.ingestor.ingest(ACME, NEW))
        await until_one_waits(database)
        await transaction.erase.conversation(kept.conversation.id, now=NOON)
    stored = await storing
    assert stored.begun
    assert stored.conversation_id != kept.conversation.id
    assert await told(store, stored) == ["a cat"]


async def test_what_is_appended_to_it_by_its_id_is_refused(
    store: Store, database: Database
) -> None:
    memory, kept = Memory(store), await keep(store, "a dog", external_id="chat")
    async with store.write(ACME) as transaction:
        await transaction.conversations.lock(kept.conversation.key)
        appending = asyncio.create_task(
            memory.ingestor.append(ACME, kept.conversation.id, NEW.messages)
        )
        await until_one_waits(database)
        await transaction.erase.conversation(kept.conversation.id, now=NOON)
    (refused,) = await asyncio.gather(appending, return_exceptions=True)
    assert isinstance(refused, ConversationNotFound)


async def test_who_agrees_while_they_are_erased_waits_for_nobody_who_waits_for_them(
    store: Store, database: Database
) -> None:
    memory = Memory(store)
    await keep(store, "a dog")
    agreed = ConsentChanges(purposes={Purpose.PROFILE: True, Purpose.FACTS: True})
    await memory.steward.change_consent(ACME, "alice", agreed)
    async with store.write(ACME) as transaction:
        scope = await scope_of(transaction)
        await transaction.scopes.touch(scope.key)
        erasing = asyncio.create_task(memory.forgetter.user(ACME, "alice"))
        await until_one_waits(database)
        await transaction.personal.grant(scope.key, list(Purpose), GRANT)
    erased = (await erasing).erased
    assert (erased.messages, erased.consents) == (1, len(Purpose))


async def wholly_erased(
    store: Store, database: Database, meanwhile: Coroutine[Any, Any, object]
) -> None:
    """Erase alice to the last row while somebody stores `meanwhile` what is theirs."""
    await keep(store, "a dog")
    async with store.write(ACME) as transaction:
        gone = await transaction.erase.user("alice", now=NOON)
        assert gone.doomed is not None
        await transaction.erase.portion(gone.doomed, limit=9, now=NOON)
        storing = asyncio.create_task(meanwhile)
        await until_one_waits(database)
    await storing


async def test_an_item_of_a_user_who_is_erased_meanwhile(store: Store, database: Database) -> None:
    telling = tell(store, "Feed the cat.", type=ItemType.PROCEDURE)
    await wholly_erased(store, database, telling)
    assert [each.content for each in await items_of(store)] == ["Feed the cat."]


async def test_what_a_user_agrees_to_who_is_erased_meanwhile(
    store: Store, database: Database
) -> None:
    steward = Memory(store).steward
    agreed = ConsentChanges(purposes={Purpose.PROFILE: True})
    await wholly_erased(store, database, steward.change_consent(ACME, "alice", agreed))
    assert list(await steward.consent(ACME, "alice")) == [Purpose.PROFILE]


async def test_a_profile_that_is_brought_back_of_a_user_who_is_erased_meanwhile(
    store: Store, database: Database
) -> None:
    memory = Memory(store)
    agreed, profile = {Purpose.PROFILE: GRANT}, Profile(notes="Short answers.", updated_at=NOON)
    await wholly_erased(store, database, memory.steward.restore(ACME, "alice", agreed, profile))
    assert (await memory.steward.profile(ACME, "alice")).notes == "Short answers."
