from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import text

from app.adapters.sql.database import open_database
from app.adapters.sql.store import SqlStore, SqlSystem
from app.domain.audit import user_subject
from app.domain.context import ContextBundle, ContextRequest, Degraded, Dropped, Source
from app.domain.conversation import Scope
from app.domain.errors import BundleNotFound, StoreUnavailable
from app.domain.ids import BundleId, ItemId, MessageId, ScopeKey, TenantId
from app.domain.memories import NewMemory
from app.domain.memory import ItemType
from app.ports.stored import Receipt
from app.services.answering import recording
from app.services.answering.receipt import receipt_of
from app.services.answering.recording import Recorder
from app.services.answering.replaying import Replayer
from app.text.echo import fingerprints
from tests.factories import ACME, a_bundle, a_candidate, a_message, an_item, uuid_of
from tests.fakes import Memory

REQUEST = ContextRequest(query="Which tea?", user_id="alice")
SECRETS = ["SECRET-content", "SECRET-name", "SECRET-label", "SECRET-history", "SECRET-text"]


def test_a_receipt_holds_no_word_of_memory() -> None:
    item = an_item(1, "SECRET-content", name="SECRET-name", label="SECRET-label")
    bundle = a_bundle(
        retrieved=[a_candidate(item, 0.75)],
        query="Which tea?",
        history=[a_message(7, "SECRET-history", name="SECRET-name")],
        text="SECRET-text",
        degraded=[Degraded(source=Source.SEMANTIC, reason="deadline")],
        dropped=[Dropped(id=ItemId(uuid_of(9)), type=ItemType.MESSAGE, reason="duplicate")],
    )
    scope = Scope(key=ScopeKey(3), user_id="alice", version=8, messages=1, terms=1)
    receipt = receipt_of(ACME, REQUEST, scope, bundle)

    assert not [each for each in SECRETS if each in repr(receipt)]
    assert receipt.request == {
        "query": "Which tea?",
        "format": "json",
        "as_of": None,
        "grouped": False,
        "explain": False,
    }
    assert receipt.answer["history"] == [7]
    assert receipt.answer["degraded"] == [["semantic", "deadline"]]
    assert receipt.answer["dropped"] == [[str(uuid_of(9)), "message", "duplicate"]]
    assert receipt.facts["top_scores"] == [0.75]
    assert receipt.facts["degraded"] == ["semantic"]
    assert (receipt.total_ms, receipt.scope, receipt.version) == (250.0, 3, 8)


def test_the_recorder_gives_up_the_oldest_beyond_its_bound(store: SqlStore) -> None:
    recorder = Recorder(store=store)
    most = recording._MOST_WAITING
    for number in range(most + 3):
        recorder.built(ACME, REQUEST, None, a_bundle(number))
    held = [n for n in range(most + 3) if recorder.find(BundleId(uuid_of(n))) is not None]
    assert held == list(range(3, most + 3))


@pytest.fixture
async def memory(store: SqlStore) -> Memory:
    memory = Memory(store)
    await memory.say("green tea", "black tea")
    await memory.index()
    return memory


async def built(memory: Memory, request: ContextRequest) -> ContextBundle:
    situation = await memory.surveyor.survey(ACME, request)
    bundle = await memory.forge.build(request, situation)
    memory.recorder.built(ACME, request, situation, bundle)
    return bundle


def replayer(memory: Memory) -> Replayer:
    return memory.replayer


@pytest.mark.parametrize("written", [False, True])
async def test_a_bundle_is_replayed_as_it_was_answered(memory: Memory, *, written: bool) -> None:
    request = ContextRequest(query="green tea?", user_id="alice", conversation_external_id="chat")
    bundle = await built(memory, request)
    if written:
        await memory.recorder.flush()
        assert memory.recorder.find(bundle.id) is None

    replayed = await replayer(memory).replay(ACME, bundle.id)

    assert [each.content for each in replayed.recent_history] == ["green tea", "black tea"]
    assert [each.item.id for each in replayed.retrieved] == [
        each.item.id for each in bundle.retrieved
    ]
    assert [each.score for each in replayed.retrieved] == [each.score for each in bundle.retrieved]
    assert (replayed.query, replayed.intent) == (bundle.query, bundle.intent)
    assert (replayed.total_tokens, replayed.created_at) == (bundle.total_tokens, bundle.created_at)
    assert replayed.timings == bundle.timings
    assert replayed.starts == bundle.starts
    assert bundle.starts


async def test_what_was_erased_since_is_marked_in_a_replay(memory: Memory) -> None:
    request = ContextRequest(query="tea?", user_id="alice")
    bundle = await built(memory, request)
    gone = bundle.retrieved[0].item
    await memory.forgetter.message(ACME, MessageId(gone.id))

    replayed = await replayer(memory).replay(ACME, bundle.id)

    erased = {each.item.id: (each.erased, each.item.content) for each in replayed.retrieved}
    assert erased.pop(gone.id) == (True, "")
    assert set(erased.values()) <= {(False, "green tea"), (False, "black tea")}
    assert len(erased) == len(bundle.retrieved) - 1


async def test_what_waits_while_something_is_erased_loses_what_could_repeat_it(
    memory: Memory, store: SqlStore
) -> None:
    """Of its user, whatever it showed; others' receipts, and those of later, stay as they are."""
    await memory.say("green tea", user_id="bob")
    await memory.index()
    request = ContextRequest(query="green tea?", user_id="alice")
    several = [await built(memory, each) for each in (request, replace(request, user_id="bob"))]
    scopes = [receipt_of_waiting(memory, each).scope for each in several]
    alice = scopes[0]
    assert alice is not None

    assert [memory.recorder.blank(alice), memory.recorder.blank(alice)] == [1, 0]

    several.append(await built(memory, replace(request, query="black tea?")))
    told = [(await replayer(memory).replay(ACME, each.id)).query for each in several]
    assert told == ["", "green tea?", "black tea?"]
    del memory.recorder._waiting[several.pop().id]
    await memory.recorder.flush()
    known = fingerprints("green tea")
    async with store.read(ACME) as snapshot:
        shown = [set(await snapshot.bundles.shown(each or ScopeKey(0), known)) for each in scopes]
        kept = [(await snapshot.bundles.get(each.id)).request["query"] for each in several]
    assert (shown, kept) == ([set(), known], ["", "green tea?"])


def receipt_of_waiting(memory: Memory, bundle: ContextBundle) -> Receipt:
    found = memory.recorder.find(bundle.id)
    assert found is not None
    return found


async def test_what_expired_since_is_empty_in_a_replay(memory: Memory) -> None:
    tells = NewMemory(
        type=ItemType.FACT,
        content="Alice drinks oolong tea.",
        user_id="alice",
        expires_at=memory.clock() + timedelta(days=1),
    )
    await memory.keeper.keep(ACME, [tells])
    await memory.index()
    bundle = await built(memory, ContextRequest(query="oolong tea?", user_id="alice"))
    assert tells.content in [each.item.content for each in bundle.retrieved]

    memory.clock.now += timedelta(days=2)

    replayed = await replayer(memory).replay(ACME, bundle.id)
    assert tells.content not in [each.item.content for each in replayed.retrieved]
    assert len(replayed.retrieved) == len(bundle.retrieved)


async def test_who_waits_for_receipts_holds_no_connection(
    memory: Memory, store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Writing them takes one: if all were held by those who wait, nobody would go on."""
    await built(memory, ContextRequest(query="green tea?", user_id="alice"))
    kept = store.database.kept
    assert kept is not None
    held: list[int] = []
    flush = Recorder.flush

    async def watched(recorder: Recorder) -> None:
        held.append(kept.in_use)
        await flush(recorder)

    monkeypatch.setattr(Recorder, "flush", watched)
    await memory.say("> green tea, and more about it", external_id="another")

    assert held == [0]


@pytest.mark.parametrize("written", [False, True])
async def test_a_bundle_of_another_tenant_is_not_found(memory: Memory, *, written: bool) -> None:
    bundle = await built(memory, REQUEST)
    if written:
        await memory.recorder.flush()
    with pytest.raises(BundleNotFound):
        await replayer(memory).replay(TenantId("other"), bundle.id)
    with pytest.raises(BundleNotFound):
        await replayer(memory).replay(ACME, BundleId(uuid4()))


async def test_a_later_bundle_is_compared_with_an_earlier_one(memory: Memory) -> None:
    request = ContextRequest(query="tea?", user_id="alice")
    before = await built(memory, request)
    await memory.forgetter.message(ACME, MessageId(before.retrieved[0].item.id))
    stored = await memory.say("white tea", external_id="another")
    after = await built(memory, request)

    alice = user_subject(ACME, "alice")
    difference = await replayer(memory).compare(ACME, before.id, after, subject=alice)

    assert difference.since == before.id
    assert list(difference.added) == list(stored.message_ids)
    assert list(difference.removed) == [before.retrieved[0].item.id]


async def test_receipts_wait_while_the_database_does_not_answer(tmp_path: Path) -> None:
    database = open_database(f"sqlite+aiosqlite:///{tmp_path / 'nowhere' / 'x.db'}")
    recorder = Recorder(store=SqlStore(database))
    recorder.built(ACME, REQUEST, None, a_bundle(1))
    with pytest.raises(StoreUnavailable):
        await recorder.flush()
    await recorder.tick()
    assert recorder.find(BundleId(uuid_of(1))) is not None
    await database.dispose()


@dataclass(frozen=True, slots=True)
class OftenAway(SqlStore):
    """Answers only so many transactions of the workers, by `answering`."""

    answering: list[None] = field(default_factory=list)

    @asynccontextmanager
    async def project(self) -> AsyncIterator[SqlSystem]:
        if not self.answering:
            raise StoreUnavailable("away")
        self.answering.pop()
        # `super()` knows no class that was made anew with slots.
        async with SqlStore.project(self) as projections:
            yield projections


async def test_many_receipts_are_written_some_at_a_time_and_none_of_them_twice(
    store: SqlStore,
) -> None:
    often = OftenAway(store.database, answering=[None])
    recorder, some = Recorder(store=often), recording._AT_ONCE
    most = 2 * some + 1
    for number in range(most):
        recorder.built(ACME, REQUEST, None, a_bundle(number))

    with pytest.raises(StoreUnavailable):
        await recorder.flush()

    held = [n for n in range(most) if recorder.find(BundleId(uuid_of(n))) is not None]
    assert (held, await kept(store)) == (list(range(some, most)), (some, some))
    often.answering.extend([None] * 2)
    await recorder.flush()
    assert await kept(store) == (most, most)


async def kept(store: SqlStore) -> tuple[int, int]:
    """How many receipts, and how many metrics."""
    async with store.database.read() as connection:
        counted = text("SELECT (SELECT count(*) FROM bundle), count(*) FROM retrieval_metric")
        receipts, metrics = (await connection.execute(counted)).one()
    return receipts, metrics


async def test_without_receipts_nothing_is_written(tmp_path: Path) -> None:
    database = open_database(f"sqlite+aiosqlite:///{tmp_path / 'nowhere' / 'x.db'}")
    await Recorder(store=SqlStore(database)).flush()
    await database.dispose()
