"""Doing again in an older copy what was erased and revoked since it was taken."""

from uuid import UUID

import pytest

from app.domain.audit import Action, Deed, subject, user_subject
from app.domain.conversation import NewConversation, NewMessage, Role
from app.domain.ids import KeyId
from app.domain.keys import ApiKey, Permission
from app.domain.memories import NewMemory
from app.domain.memory import ItemType
from app.domain.profile import ConsentChanges, ProfileChanges, Purpose
from app.ports.store import Store
from app.services.moving.erasing_again import EraserAgain, takes_away
from tests.factories import ACME, NOON
from tests.fakes import Memory
from tests.stored import OTHER

KEY = KeyId(UUID(int=4))
ALICE = user_subject(ACME, "alice")
AGREED = ConsentChanges(purposes={Purpose.PROFILE: True, Purpose.FACTS: True})


@pytest.fixture
async def memory(store: Store) -> Memory:
    return Memory(store)


def deed(action: Action, about: str, **facts: object) -> Deed:
    return Deed(action=action, subject=about, facts=facts)


async def again(memory: Memory, *several: Deed) -> list[bool]:
    eraser = EraserAgain(store=memory.store, clock=memory.clock)
    return [await eraser.again(ACME, each) for each in several]


async def messages(memory: Memory) -> int:
    async with memory.store.read(ACME) as snapshot:
        return (await snapshot.counts()).messages


async def test_what_was_erased_is_erased_once_more_and_nothing_else(memory: Memory) -> None:
    first = await memory.say("green tea", "black tea", external_id="first")
    second = await memory.say("white tea", external_id="second")
    pruned = await memory.say("old tea", external_id="third")
    other = await memory.say("mint tea", external_id="fourth")
    (kept,) = (
        await memory.keeper.keep(ACME, [NewMemory(type=ItemType.FACT, content="Tea.")])
    ).memories
    deeds = [
        deed(Action.MESSAGE_ERASED, subject("message", first.message_ids[0])),
        deed(Action.CONVERSATION_ERASED, subject("conversation", second.conversation_id)),
        deed(Action.CONVERSATION_PRUNED, subject("conversation", pruned.conversation_id)),
        deed(Action.MEMORY_ERASED, subject("memory", kept.id)),
    ]
    assert await again(memory, *deeds) == [True] * 4
    assert await again(memory, *deeds) == [False] * 4
    assert await messages(memory) == 2
    async with memory.store.read(ACME) as snapshot:
        assert (await snapshot.counts()).memory_items == 0
        await snapshot.conversations.get(other.conversation_id)
    async with memory.store.observe() as observations:
        assert list(await observations.unfinished(until=memory.clock())) == []


@pytest.mark.parametrize("user_id", ["alice", None])
async def test_a_user_is_known_by_the_hash_in_the_log(memory: Memory, user_id: str | None) -> None:
    told = NewMessage(role=Role.USER, content="tea")
    for owner, tenant in ((user_id, ACME), ("bob", ACME), (user_id, OTHER)):
        await memory.ingestor.ingest(tenant, NewConversation(user_id=owner, messages=[told]))
    erased = deed(Action.USER_ERASED, user_subject(ACME, user_id))
    assert await again(memory, erased, erased) == [True, False]
    assert await messages(memory) == 1
    async with memory.store.read(OTHER) as snapshot:
        assert (await snapshot.counts()).messages == 1


@pytest.mark.parametrize(
    ("revoked", "consents", "profile"),
    [
        (deed(Action.CONSENT_REVOKED, ALICE), set[Purpose](), False),
        (deed(Action.CONSENT_CHANGED, ALICE, revoked=["profile"]), {Purpose.FACTS}, False),
        (deed(Action.CONSENT_CHANGED, ALICE, revoked=["facts"]), {Purpose.PROFILE}, True),
        (deed(Action.PROFILE_ERASED, ALICE), {Purpose.PROFILE, Purpose.FACTS}, False),
    ],
)
async def test_a_consent_that_was_revoked_is_revoked(
    memory: Memory, revoked: Deed, consents: set[Purpose], *, profile: bool
) -> None:
    await memory.steward.change_consent(ACME, "alice", AGREED)
    await memory.steward.change_profile(ACME, "alice", ProfileChanges(notes="Tea."))
    told = NewMemory(type=ItemType.FACT, content="I live in Lisbon.", user_id="alice")
    await memory.keeper.keep(ACME, [told])
    async with memory.store.read(ACME) as snapshot:
        scope = await snapshot.scopes.find("alice")
        assert scope is not None
        assert await snapshot.personal.remaining(scope.key) == (1, 1)
    assert await again(memory, revoked, revoked) == [True, False]
    assert (await memory.steward.consent(ACME, "alice")).keys() == consents
    async with memory.store.read(ACME) as snapshot:
        assert await snapshot.personal.remaining(scope.key) == (int(profile), 0)


async def test_a_key_that_was_revoked_opens_nothing(memory: Memory) -> None:
    key = ApiKey(
        id=KEY,
        tenant=ACME,
        name="x",
        permissions=frozenset({Permission.READ}),
        created_at=NOON,
        expires_at=None,
    )
    async with memory.store.write(ACME) as transaction:
        await transaction.keys.add(key, secret_hash=b"1")
    assert await again(memory, deed(Action.KEY_REVOKED, subject("key", KEY))) == [True]
    async with memory.store.admit() as admission:
        (found,) = await admission.keys(ACME)
    assert found.revoked_at == memory.clock()


def test_what_only_grants_takes_nothing_away() -> None:
    assert takes_away(deed(Action.CONSENT_CHANGED, ALICE, revoked=["facts"]))
    assert not takes_away(deed(Action.CONSENT_CHANGED, ALICE, granted=["facts"], revoked=[]))
    assert not takes_away(deed(Action.CONVERSATION_STORED, "conversation:1"))
