"""Memory in trouble costs no call; what was said through the proxy arrives all the same."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from typing import Any, cast
from uuid import uuid4

import pytest

from app.adapters.sql.store import SqlStore
from app.domain.chat import Exchange, Keeping, Outcome, Party, Question
from app.domain.conversation import ConversationFilter, NewMessage, Role
from app.domain.errors import StoreUnavailable
from app.domain.ids import TenantId
from app.ports.store import Store
from app.services.proxy.exchanges import MOST_KEPT, MOST_WAITING, ExchangeKeeper
from app.services.proxy.prompting import MOST_LATE, Prompter
from app.services.writing.waiting import IndexWaiter
from app.text.chat import name_of
from tests.factories import ACME
from tests.fakes import Memory
from tests.stored import last_of

TEA = "green tea is what alice drinks"
ALICE = Party(user_id="alice", conversation="c")
REPLY = b'{"choices": [{"message": {"content": "Understood."}}]}'
ASKED = Exchange(
    party=ALICE,
    chat=[{"role": "user", "content": "tea?"}],
    answer=REPLY,
    streamed=False,
    whole=True,
)
LOOKED_UP: list[dict[str, Any]] = [
    {"role": "user", "content": "tea?"},
    {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "look"}}]},
    {"role": "tool", "content": "green", "tool_call_id": "1"},
]


class Troubled:
    """A store that does not answer for as often as `fails` says."""

    def __init__(self, store: SqlStore, fails: int) -> None:
        self._store = store
        self.fails = fails

    def read(self, tenant: TenantId) -> AbstractAsyncContextManager[Any]:
        self._trouble()
        return self._store.read(tenant)

    def write(self, tenant: TenantId) -> AbstractAsyncContextManager[Any]:
        self._trouble()
        return self._store.write(tenant)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def _trouble(self) -> None:
        if self.fails:
            self.fails -= 1
            raise StoreUnavailable


class Deaf(Troubled):
    """The same of one that has done what was asked of it: of that nothing is heard."""

    @asynccontextmanager
    async def write(self, tenant: TenantId) -> AsyncIterator[Any]:
        async with self._store.write(tenant) as transaction:
            yield transaction
        self._trouble()

    def read(self, tenant: TenantId) -> AbstractAsyncContextManager[Any]:
        return self._store.read(tenant)


def troubled(store: SqlStore, fails: int) -> Store:
    return cast("Store", Troubled(store, fails))


@pytest.fixture
async def memory(store: SqlStore) -> Memory:
    memory = Memory(store)
    await memory.say(TEA, "black coffee")
    await memory.index()
    return memory


def prompter(memory: Memory, *, deadline: float = 30.0, store: Store | None = None) -> Prompter:
    return Prompter(
        store=store or memory.store,
        forge=memory.cached,
        telemetry=memory.telemetry,
        deadline=deadline,
    )


def asking(query: str = "green tea?", **more: Any) -> Question:
    given = {"party": ALICE, "shown": (), "budget_tokens": None}
    return Question(query=query, **{**given, **more})


def keeper(
    memory: Memory, store: Store, *, longest: int = 1_000, most_called: int = 1_000
) -> ExchangeKeeper:
    return ExchangeKeeper(
        store=memory.store,
        ingestor=replace(memory.ingestor, store=store),
        waiter=IndexWaiter(memory.store, memory.indexer),
        telemetry=memory.telemetry,
        longest=longest,
        most_called=most_called,
    )


async def said_in(memory: Memory, name: str | None = "c") -> list[str | None]:
    async with memory.store.read(ACME) as snapshot:
        wanted = ConversationFilter(user_id="alice")
        page = await snapshot.conversations.page(wanted, cursor=None, limit=50)
        for each in page.items:
            if each.external_id == name:
                tail = await last_of(snapshot.messages, each.key, limit=50)
                return [message.content for message in tail]
    return []


async def test_what_is_known_is_recalled_and_recorded(memory: Memory) -> None:
    found = await prompter(memory).recollect(ACME, asking())
    assert (found.outcome, found.items) == (Outcome.USED, 1)
    assert TEA in found.text
    assert found.bundle_id is not None
    assert await memory.replayer.replay(ACME, found.bundle_id)


async def test_who_asks_nothing_or_wants_nothing_gets_nothing(memory: Memory) -> None:
    empty, off = [
        await prompter(memory).recollect(ACME, asking(query, budget_tokens=budget))
        for query, budget in (("", None), ("green tea?", 0))
    ]
    assert (empty.outcome, off.outcome) == (Outcome.EMPTY, Outcome.OFF)
    assert memory.telemetry.outcomes == [Outcome.EMPTY, Outcome.OFF]
    assert memory.telemetry.bundles == 0


async def test_what_is_shown_is_not_recalled(memory: Memory) -> None:
    found = await prompter(memory).recollect(ACME, asking(shown=(f"I said: {TEA}!",)))
    assert (found.outcome, found.text) == (Outcome.EMPTY, "")


async def test_of_a_very_long_question_the_ends_are_read(memory: Memory) -> None:
    found = await prompter(memory).recollect(ACME, asking("x " * 100_000 + "green tea?"))
    assert TEA in found.text


async def test_late_memory_is_gone_without(memory: Memory) -> None:
    late = prompter(memory, deadline=0.0)
    assert (await late.recollect(ACME, asking())).outcome is Outcome.LATE
    assert memory.telemetry.bundles == 0
    await late.drain()
    assert memory.telemetry.bundles == 1


async def test_memory_that_fails_is_gone_without(memory: Memory, store: SqlStore) -> None:
    in_trouble = prompter(memory, store=troubled(store, fails=1))
    party = Party(user_id="alice", conversation=str(uuid4()))
    assert (await in_trouble.recollect(ACME, asking(party=party))).outcome is Outcome.FAILED
    assert (await in_trouble.recollect(ACME, asking(party=party))).outcome is Outcome.USED


class Read(Troubled):
    """A store that counts how often it is read from."""

    reads = 0

    def read(self, tenant: TenantId) -> AbstractAsyncContextManager[Any]:
        self.reads += 1
        return super().read(tenant)


async def test_the_first_turn_of_a_named_conversation_is_looked_into_once(
    store: SqlStore,
) -> None:
    """Its name leads to nothing yet: it costs what a chat without a name does."""
    read = Read(store, fails=0)
    memory = Memory(cast("Store", read))
    await memory.say(TEA)
    await memory.index()
    told = []
    for name in (None, "begins"):
        read.reads = 0
        party = replace(ALICE, conversation=name)
        found = await prompter(memory).recollect(ACME, asking(party=party))
        told.append((read.reads, found.outcome, found.items))
    assert told[0] == told[1]
    assert told[0][1:] == (Outcome.USED, 1)


async def test_who_never_said_anything_may_begin_a_conversation(memory: Memory) -> None:
    party = Party(user_id="nobody yet", conversation="begins")
    found = await prompter(memory).recollect(ACME, asking(party=party))
    assert found.outcome is Outcome.EMPTY


async def test_an_exchange_is_stored_once_the_store_answers(
    memory: Memory, store: SqlStore
) -> None:
    exchanges = keeper(memory, troubled(store, fails=3))
    exchanges.keep(ACME, ASKED)
    again = replace(ASKED, chat=[{"role": "user", "content": "and now?"}])
    exchanges.keep(ACME, again)
    await exchanges.drain()
    assert await said_in(memory) == ["tea?", "Understood.", "and now?", "Understood."]
    assert memory.telemetry.exchanges == [Keeping.KEPT, Keeping.KEPT]


@pytest.mark.parametrize("party", [ALICE, replace(ALICE, conversation=None)])
@pytest.mark.parametrize("chat", [ASKED.chat, LOOKED_UP])
async def test_what_is_tried_again_is_stored_once(
    memory: Memory, store: SqlStore, party: Party, chat: list[dict[str, Any]]
) -> None:
    """The store has it already, and nobody heard so."""
    exchanges = keeper(memory, cast("Store", Deaf(store, fails=2)))
    exchanges.keep(ACME, replace(ASKED, party=party, chat=chat))
    await exchanges.drain()
    said = [each.get("content") for each in chat] + ["Understood."]
    name = party.conversation or name_of(
        chat, NewMessage(role=Role.ASSISTANT, content="Understood.")
    )
    assert await said_in(memory, name) == said
    assert memory.telemetry.exchanges == [Keeping.KEPT]


async def test_what_nobody_asked_is_stored_once_too(memory: Memory, store: SqlStore) -> None:
    """Such a conversation has no name to be known by."""
    exchanges = keeper(memory, cast("Store", Deaf(store, fails=2)))
    greeting = [{"role": "system", "content": "Greet whoever comes."}]
    exchanges.keep(ACME, replace(ASKED, party=replace(ALICE, conversation=None), chat=greeting))
    await exchanges.drain()
    assert await said_in(memory, None) == ["Understood."]
    wanted = ConversationFilter(user_id="alice")
    async with memory.store.read(ACME) as snapshot:
        page = await snapshot.conversations.page(wanted, cursor=None, limit=50)
    assert [each.external_id for each in page.items] == [None, "chat"]


async def test_a_reply_to_no_chat_at_all_is_not_stored(memory: Memory) -> None:
    exchanges = keeper(memory, memory.store)
    for name in (None, "tea"):
        exchanges.keep(ACME, replace(ASKED, party=replace(ALICE, conversation=name), chat=[]))
    await exchanges.drain()
    async with memory.store.read(ACME) as snapshot:
        wanted = ConversationFilter(user_id="alice")
        page = await snapshot.conversations.page(wanted, cursor=None, limit=50)
    assert [each.external_id for each in page.items] == ["chat"]
    assert memory.telemetry.exchanges == [Keeping.KEPT, Keeping.KEPT]


@pytest.mark.parametrize("what", ["user", "conversation"])
async def test_what_waits_to_be_stored_goes_with_its_user_or_conversation(
    memory: Memory, store: SqlStore, what: str
) -> None:
    """The database was away when it was said, and is back when it is erased."""
    exchanges = keeper(memory, memory.store)
    exchanges.keep(ACME, ASKED)
    await exchanges.drain()
    late = keeper(memory, troubled(store, fails=3))
    memory.forgetter.waiting.append(late.drop)
    async with store.read(ACME) as snapshot:
        wanted = ConversationFilter(user_id="alice")
        page = await snapshot.conversations.page(wanted, cursor=None, limit=50)
    (kept,) = [each.id for each in page.items if each.external_id == "c"]
    named = replace(ALICE, user_id=None, conversation=str(kept))
    for party in (ALICE, named):
        chat = [{"role": "user", "content": f"by {party.conversation}"}]
        late.keep(ACME, replace(ASKED, chat=chat, party=party))
    late.keep(ACME, replace(ASKED, party=replace(ALICE, user_id="bob", conversation="c")))
    await asyncio.sleep(0)

    if what == "user":
        await memory.forgetter.user(ACME, "alice")
    else:
        await memory.forgetter.conversation(ACME, kept)
    await late.drain()

    assert await said_in(memory) == await said_in(memory, str(kept)) == []
    assert Counter(memory.telemetry.exchanges[1:]) == {Keeping.LOST: 2, Keeping.KEPT: 1}


async def test_what_is_said_again_is_stored_again(memory: Memory) -> None:
    exchanges = keeper(memory, memory.store)
    for _ in range(3):
        exchanges.keep(ACME, ASKED)
    await exchanges.drain()
    assert await said_in(memory) == ["tea?", "Understood."] * 3


async def test_into_a_conversation_named_by_its_id_as_well(memory: Memory, store: SqlStore) -> None:
    kept = await memory.say("Hello.", external_id="c")
    party = replace(ALICE, conversation=str(kept.conversation_id))
    exchanges = keeper(memory, cast("Store", Deaf(store, fails=1)))
    for _ in range(2):
        exchanges.keep(ACME, replace(ASKED, party=party))
    await exchanges.drain()
    assert await said_in(memory) == ["Hello.", *["tea?", "Understood."] * 2]


async def test_a_client_that_sends_the_whole_chat_stores_nothing_twice(memory: Memory) -> None:
    exchanges = keeper(memory, memory.store)
    chat = [*ASKED.chat]
    for _ in range(3):
        exchanges.keep(ACME, replace(ASKED, chat=[*chat]))
        chat += [{"role": "assistant", "content": "Understood."}, *ASKED.chat]
    await exchanges.drain()
    assert await said_in(memory) == ["tea?", "Understood."] * 3


async def test_calls_of_tools_come_along_and_are_stored_once(memory: Memory) -> None:
    exchanges = keeper(memory, memory.store)
    for _ in range(2):
        called = json.dumps({"choices": [{"message": LOOKED_UP[1]}]}).encode()
        exchanges.keep(ACME, replace(ASKED, answer=called))
        exchanges.keep(ACME, replace(ASKED, chat=LOOKED_UP))
    await exchanges.drain()
    assert await said_in(memory) == ["tea?", None, "green", "Understood."] * 2


async def test_a_reply_that_was_begun_by_the_caller_is_stored_with_its_question(
    memory: Memory,
) -> None:
    begun = [*ASKED.chat, {"role": "assistant", "content": "Well:"}]
    exchanges = keeper(memory, memory.store)
    exchanges.keep(ACME, replace(ASKED, chat=begun))
    exchanges.keep(ACME, replace(ASKED, chat=begun))
    await exchanges.drain()
    assert await said_in(memory) == ["tea?", "Well:", "Understood."] * 2


async def test_a_reply_that_is_gone_on_with_is_not_stored_again(memory: Memory) -> None:
    exchanges = keeper(memory, memory.store)
    exchanges.keep(ACME, ASKED)
    more = [*ASKED.chat, {"role": "assistant", "content": "Understood."}]
    exchanges.keep(ACME, replace(ASKED, chat=more, answer=REPLY.replace(b"Und", b"Und m")))
    await exchanges.drain()
    assert await said_in(memory) == ["tea?", "Understood.", "Und merstood."]


async def test_of_what_cannot_be_stored_the_rest_is_told(memory: Memory) -> None:
    exchanges = keeper(memory, memory.store, longest=5)
    exchanges.keep(ACME, ASKED)
    exchanges.keep(ACME, replace(ASKED, answer=b"", whole=False))
    exchanges.keep(ACME, replace(ASKED, party=replace(ALICE, user_id="bob", conversation="d")))
    exchanges.keep(ACME, replace(ASKED, chat=[{"role": "user", "content": "coffee?"}]))
    await exchanges.drain()
    assert await said_in(memory) == ["tea?"]
    partly, lost = Keeping.PARTLY, Keeping.LOST
    assert sorted(memory.telemetry.exchanges) == sorted([partly, Keeping.KEPT, partly, lost])


async def test_an_answer_that_was_too_large_to_be_held_is_told(memory: Memory) -> None:
    exchanges = keeper(memory, memory.store)
    exchanges.keep(ACME, replace(ASKED, answer=REPLY[:-9], cut=True))
    await exchanges.drain()
    assert await said_in(memory) == ["tea?"]
    assert memory.telemetry.exchanges == [Keeping.PARTLY]


async def test_what_is_too_large_beside_a_message_is_not_kept(memory: Memory) -> None:
    called = {"function": {"name": "look", "arguments": "x" * 100}}
    chat: list[dict[str, Any]] = [
        {"role": "system", "content": "x" * 11},
        {"role": "user", "content": "tea?"},
        {"role": "assistant", "tool_calls": [called]},
        {"role": "tool", "content": "green"},
    ]
    reply = {"model": "m" * 300, "choices": [{"message": {"content": "Here."}}]}
    answer = json.dumps(reply).encode()
    exchanges = keeper(memory, memory.store, longest=10, most_called=100)
    exchanges.keep(ACME, replace(ASKED, chat=chat, answer=answer))
    await exchanges.drain()
    async with memory.store.read(ACME) as snapshot:
        page = await snapshot.conversations.page(
            ConversationFilter(user_id="alice"), cursor=None, limit=50
        )
        kept = next(each for each in page.items if each.external_id == "c")
        said = await last_of(snapshot.messages, kept.key, limit=10)
    assert [each.content for each in said] == ["tea?", "green", "Here."]
    assert kept.system_prompt is None
    assert memory.telemetry.exchanges == [Keeping.PARTLY]
    assert said[-1].metadata["model"] == "m" * 255


async def test_nothing_on_the_way_is_nothing_to_wait_for(memory: Memory) -> None:
    exchanges = keeper(memory, memory.store)
    await asyncio.gather(exchanges.room(), exchanges.drain())


async def test_a_call_waits_for_room_no_longer_than_a_moment(
    memory: Memory, store: SqlStore
) -> None:
    silent = Troubled(store, fails=10**9)
    exchanges = keeper(memory, cast("Store", silent))
    exchanges.keep(ACME, ASKED)
    for _ in range(MOST_WAITING):
        exchanges.keep(ACME, replace(ASKED, answer=b"", whole=False))
    async with asyncio.timeout(20):
        await exchanges.room()
    for _ in range(MOST_KEPT - MOST_WAITING):
        exchanges.keep(ACME, replace(ASKED, answer=b"", whole=False))
    assert memory.telemetry.exchanges == [Keeping.LOST]

    silent.fails = 0
    await exchanges.drain()
    assert await said_in(memory) == ["tea?", "Understood."]
    assert memory.telemetry.exchanges == [Keeping.LOST, *[Keeping.KEPT] * MOST_KEPT]


async def test_while_many_that_came_too_late_go_on_none_is_begun(memory: Memory) -> None:
    """Else each request of a bad hour would leave one behind, and the hour would last."""
    gate = memory.embedder.gate
    gate.close()
    late = prompter(memory, deadline=0.0)
    for _ in range(MOST_LATE + 3):
        assert (await late.recollect(ACME, asking())).outcome is Outcome.LATE
    gate.opened.set()
    await late.drain()
    assert memory.telemetry.bundles == MOST_LATE
    assert memory.telemetry.outcomes == [Outcome.LATE] * (MOST_LATE + 3)
    in_time = replace(late, deadline=30.0)
    assert (await in_time.recollect(ACME, asking())).outcome is Outcome.USED


async def test_what_was_begun_for_a_caller_that_goes_is_waited_for_at_the_end(
    memory: Memory,
) -> None:
    memory.embedder.gate.close()
    asked = prompter(memory)
    calling = asyncio.create_task(asked.recollect(ACME, asking()))
    await memory.embedder.gate.reached.wait()
    calling.cancel()
    await asyncio.gather(calling, return_exceptions=True)
    memory.embedder.gate.opened.set()
    await asked.drain()
    assert memory.telemetry.bundles == 1


async def test_behind_the_last_try_nothing_is_waited_for(
    memory: Memory, store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    trouble, pauses = Troubled(store, fails=1_000), list[float]()

    async def rest(seconds: float) -> None:
        pauses.append(seconds)

    exchanges = keeper(memory, cast("Store", trouble))
    with monkeypatch.context() as hasty:
        hasty.setattr(asyncio, "sleep", rest)
        exchanges.keep(ACME, replace(ASKED, party=replace(ALICE, conversation=None)))
        await exchanges.drain()
    assert memory.telemetry.exchanges == [Keeping.LOST]
    assert len(pauses) == 1_000 - trouble.fails - 1
