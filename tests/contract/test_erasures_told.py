"""The audit log has every erasure by the id of its receipt, and the end of each that took long."""

import asyncio

import pytest

from app.domain.audit import Action, Entry
from app.domain.context import ContextRequest
from app.domain.ids import ERASED
from app.domain.memories import NewMemory
from app.domain.memory import ItemType
from app.domain.profile import ConsentChanges, Purpose
from app.ports.store import Store
from tests.factories import ACME
from tests.fakes import Memory
from tests.stored import erase_the_rest

HOUR = 3_600.0
FACT = NewMemory(type=ItemType.FACT, content="Alice drinks tea.", user_id="alice")
AGREED = ConsentChanges(purposes={Purpose.FACTS: True, Purpose.PROFILE: True})
REVOKED = ConsentChanges(purposes={Purpose.FACTS: False})
COUNTED: list[tuple[str, dict[str, object]]] = [
    ("message.erased", {"messages": 1, "full_text": 1}),
    ("memory.erased", {"memory_items": 1, "full_text": 1}),
    ("consent.changed", {"granted": [], "revoked": ["facts"], "consents": 1}),
    ("profile.erased", {}),
    ("consent.revoked", {"consents": 1}),
]


@pytest.fixture
async def memory(store: Store) -> Memory:
    return Memory(store)


async def erasures(memory: Memory) -> list[Entry]:
    """What the log tells of them, oldest first."""
    async with memory.store.read(ACME) as snapshot:
        page = await snapshot.audit.page(action=None, subject=None, cursor=None, limit=100)
    return [each for each in reversed(page.items) if "erasure_id" in each.deed.facts]


def told(entry: Entry) -> tuple[str, dict[str, object]]:
    return entry.deed.action.value, dict(entry.deed.facts)


async def test_a_large_erasure_ends_in_the_log_with_what_its_receipt_counts(
    memory: Memory,
) -> None:
    for number in range(2):
        texts = [f"tea number {number} {n}" for n in range(150)]
        await memory.say(*texts, external_id=f"chat {number}")
    await memory.index()

    receipt = await memory.forgetter.user(ACME, "alice")

    begun, ended = await erasures(memory)
    counts = {"messages": 300, "embeddings": 300, "full_text": 300, "vectors": 300}
    assert told(begun) == ("user.erased", {"erasure_id": receipt.erasure_id})
    assert told(ended) == (
        "erasure.ended",
        {"erasure_id": receipt.erasure_id, **counts, "remaining": 0, "resumed": False},
    )
    assert begun.deed.subject == ended.deed.subject
    assert receipt.erased.messages == 300


async def test_what_this_process_held_of_it_is_counted_too(memory: Memory) -> None:
    await memory.say("green tea")
    await memory.index()
    await memory.cached.answer(ACME, ContextRequest(query="green tea?", user_id="alice"))
    receipt = await memory.forgetter.user(ACME, "alice")
    _, ended = await erasures(memory)
    assert ended.deed.facts["bundles"] == receipt.erased.bundles == 1


async def test_what_is_erased_at_once_is_told_once(memory: Memory) -> None:
    stored = await memory.say("green tea", "black tea")
    (kept,) = (await memory.keeper.keep(ACME, [FACT])).memories
    await memory.steward.change_consent(ACME, "alice", AGREED)
    receipts = [
        await memory.forgetter.message(ACME, stored.message_ids[0]),
        await memory.forgetter.memory(ACME, kept.id),
        (await memory.steward.change_consent(ACME, "alice", REVOKED))[1],
        await memory.steward.erase_profile(ACME, "alice"),
        await memory.steward.revoke(ACME, "alice"),
    ]
    assert [told(each) for each in await erasures(memory)] == [
        (action, {"erasure_id": receipt.erasure_id, **counts})
        for receipt, (action, counts) in zip(
            receipts,
            COUNTED,
            strict=True,
        )
    ]


async def test_what_is_pruned_is_told_as_what_is_erased(memory: Memory) -> None:
    stored = await memory.say("green tea")
    memory.clock.forward(1)
    receipt = await memory.forgetter.idle_conversation(
        ACME, stored.conversation_id, since=memory.clock()
    )
    assert receipt is not None
    assert [
        (each.deed.action, each.deed.facts["erasure_id"]) for each in await erasures(memory)
    ] == [
        ("conversation.pruned", receipt.erasure_id),
        ("erasure.ended", receipt.erasure_id),
    ]


async def broken_off(memory: Memory) -> None:
    """An erasure of 1,200 messages, of which some are left."""
    for number in range(3):
        texts = [f"tea number {n}" for n in range(400)]
        await memory.say(*texts, external_id=f"chat {number}")
    await memory.index()
    erasing = asyncio.create_task(memory.forgetter.user(ACME, "alice"))
    while await left_to_erase(memory) in {0, 1_200}:
        pass
    erasing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await erasing
    assert await left_to_erase(memory) > 0


async def left_to_erase(memory: Memory) -> int:
    async with memory.store.read(ERASED) as snapshot:
        return (await snapshot.counts()).messages


async def test_an_erasure_that_was_broken_off_ends_in_the_log_when_it_is_over(
    memory: Memory,
) -> None:
    await broken_off(memory)
    (begun,) = await erasures(memory)
    memory.clock.forward(HOUR)

    await memory.forgetter.resume()
    await memory.forgetter.resume()

    _, ended = await erasures(memory)
    assert ended.deed.subject == begun.deed.subject
    facts = dict(ended.deed.facts)
    assert facts.pop("vectors") in range(1_200)  # those of the first portions went before
    assert facts == {
        "erasure_id": begun.deed.facts["erasure_id"],
        "messages": 1_200,
        "embeddings": 1_200,
        "full_text": 1_200,
        "remaining": 0,
        "resumed": True,
    }


async def test_an_end_that_could_not_be_told_is_told_later(memory: Memory) -> None:
    """Everything was erased, but the process ended before it could say so."""
    stored = await memory.say("green tea", "black tea")
    now = memory.clock()
    async with memory.forgetter.desk.erasing(ACME) as erasing:
        doomed = await erasing.transaction.erase.conversation(stored.conversation_id, now=now)
        await erasing.note(Action.CONVERSATION_ERASED, "conversation:1", doomed, now=now)
    await erase_the_rest(memory.store, doomed)
    memory.clock.forward(HOUR)

    await memory.forgetter.resume()

    _, ended = await erasures(memory)
    assert ended.deed.facts == {
        "erasure_id": str(erasing.id),
        "messages": 2,
        "full_text": 2,
        "vectors": 0,
        "remaining": 0,
        "resumed": True,
    }


async def test_an_index_that_did_not_answer_is_told_as_not_asked(memory: Memory) -> None:
    await memory.say("green tea", "black tea")
    await memory.index()
    memory.vectors.down = True
    receipt = await memory.forgetter.user(ACME, "alice")
    _, ended = await erasures(memory)
    assert (receipt.remaining, sorted(receipt.left.unasked)) == (2, ["vectors"])
    assert (ended.deed.facts["remaining"], ended.deed.facts["unasked"]) == (2, ["vectors"])
