"""Old conversations are erased where somebody says so, and nothing else is."""

from datetime import datetime, timedelta

import pytest

from app.adapters.sql.store import SqlStore
from app.domain.conversation import NewConversation, NewMessage, Role
from app.domain.ids import ConversationKey, TenantId
from app.services.common.jobs import Progress
from app.services.erasing.pruning import Pruner
from tests.factories import ACME
from tests.fakes import Memory

DAY = timedelta(days=1)
OTHER = TenantId("other")


@pytest.fixture
async def memory(store: SqlStore) -> Memory:
    return Memory(store)


def pruner(memory: Memory, after: timedelta | None = None) -> Pruner:
    return Pruner(store=memory.store, forgetter=memory.forgetter, clock=memory.clock, after=after)


async def say(memory: Memory, name: str, *, tenant: TenantId = ACME, **about: int) -> None:
    message = NewMessage(role=Role.USER, content=f"{name} tea", importance=about.get("message"))
    new = NewConversation(
        user_id="alice",
        external_id=name,
        importance=about.get("importance", 5),
        messages=[message],
        created_at=memory.clock() - 1_000 * DAY,
    )
    await memory.ingestor.ingest(tenant, new)


async def left(memory: Memory, tenant: TenantId = ACME) -> list[str]:
    async with memory.store.read(tenant) as snapshot:
        scope = await snapshot.scopes.find("alice")
        names = ["old", "pinned", "holds a pin", "young"]
        assert scope is not None
        found = [await snapshot.conversations.find(scope.key, name) for name in names]
    return [name for name, each in zip(names, found, strict=True) if each is not None]


async def ten_days(memory: Memory) -> None:
    await say(memory, "old")
    await say(memory, "pinned", importance=10)
    await say(memory, "holds a pin", message=10)
    await say(memory, "old", tenant=OTHER)
    memory.clock.forward(10 * 86_400)
    await say(memory, "young")


async def test_what_nobody_wrote_to_is_erased_with_a_line_in_the_log(memory: Memory) -> None:
    await ten_days(memory)
    since = memory.clock() - 5 * DAY
    told = await pruner(memory).prune(Progress(), since=since, dry_run=False, tenant=ACME)
    assert (told["conversations"], told["messages"], told["remaining"]) == (1, 1, 0)
    assert datetime.fromisoformat(told["untouched_since"]) == memory.clock() - 5 * DAY
    assert await left(memory) == ["pinned", "holds a pin", "young"]
    assert await left(memory, OTHER) == ["old"]
    async with memory.store.read(ACME) as snapshot:
        log = await snapshot.audit.page(action=None, subject=None, cursor=None, limit=2)
    assert [each.deed.action for each in log.items] == ["erasure.ended", "conversation.pruned"]


async def test_what_was_just_imported_is_not_old(memory: Memory) -> None:
    message = NewMessage(role=Role.USER, content="tea")
    long_ago = memory.clock() - 1_000 * DAY
    brought = NewConversation(
        user_id="alice", external_id="old", messages=[message], updated_at=long_ago
    )
    await memory.ingestor.ingest(ACME, brought)
    async with memory.store.read(ACME) as snapshot:
        scope = await snapshot.scopes.find("alice")
        assert scope is not None
        found = await snapshot.conversations.find(scope.key, "old")
    assert found is not None
    assert found.updated_at == long_ago
    await pruner(memory, 5 * DAY).tick()
    assert await left(memory) == ["old"]
    gone = await memory.forgetter.idle_conversation(ACME, found.id, since=memory.clock() - 5 * DAY)
    assert gone is None
    memory.clock.forward(6 * 86_400)
    await pruner(memory, 5 * DAY).tick()
    assert await left(memory) == []


async def test_a_dry_run_tells_the_same_and_erases_nothing(memory: Memory) -> None:
    await ten_days(memory)
    since = pruner(memory).before(5 * DAY)
    told = await pruner(memory).prune(Progress(), since=since, dry_run=True)
    assert (told["conversations"], told["messages"], told["dry_run"]) == (2, 2, True)
    assert await left(memory) == ["old", "pinned", "holds a pin", "young"]


async def test_nothing_is_pruned_unless_the_policy_says_so(memory: Memory) -> None:
    await ten_days(memory)
    await pruner(memory).tick()
    assert await left(memory) == ["old", "pinned", "holds a pin", "young"]
    await pruner(memory, 5 * DAY).tick()
    assert await left(memory) == ["pinned", "holds a pin", "young"]
    assert await left(memory, OTHER) == []


async def test_what_was_written_to_meanwhile_stays(memory: Memory) -> None:
    await ten_days(memory)
    since = memory.clock() - 5 * DAY
    async with memory.store.observe() as observations:
        (idle, _) = await observations.idle(since=since, after=ConversationKey(0), limit=9)
    message = NewMessage(role=Role.USER, content="Still here.")
    again = NewConversation(user_id="alice", external_id="old", messages=[message])
    await memory.ingestor.ingest(ACME, again)
    gone = await memory.forgetter.idle_conversation(ACME, idle.id, since=since)
    assert gone is None
    assert "old" in await left(memory)
