"""Facts become memory items: the last word holds, each cites who said it, none outlives that."""

from datetime import timedelta

import pytest

from app.adapters.sql.store import SqlStore
from app.domain.conversation import NewConversation, NewMessage, Role
from app.domain.ids import ConversationKey
from app.domain.memories import Memory as Item
from app.domain.memories import MemoryChanges, NewMemory
from app.domain.memory import ItemType, LineageEdge
from app.services.writing.ingest import Stored
from tests.factories import ACME, NOON
from tests.fakes import Memory
from tests.stored import items_of

DAY = timedelta(days=1)


@pytest.fixture
def memory(store: SqlStore) -> Memory:
    return Memory(store)


async def tell(
    memory: Memory,
    *texts: str,
    day: int = 0,
    chat: str = "chat",
    role: Role = Role.USER,
    name: str | None = "Alice",
) -> Stored:
    """Alice says something; it is distilled."""
    messages = [
        NewMessage(role=role, content=text, name=name, created_at=NOON + day * DAY)
        for text in texts
    ]
    new = NewConversation(user_id="alice", external_id=chat, messages=messages)
    stored = await memory.ingestor.ingest(ACME, new)
    await memory.distil()
    return stored


async def facts(memory: Memory, day: int | None = None) -> list[Item]:
    at = NOON + (365 if day is None else day) * DAY
    found = await items_of(memory.store, at=at, now=NOON, type=ItemType.FACT)
    return sorted(found, key=lambda each: (each.valid_from, each.content))


async def texts(memory: Memory, day: int | None = None) -> list[str]:
    return [each.content for each in await facts(memory, day)]


async def lineage(memory: Memory, item: Item) -> list[LineageEdge]:
    async with memory.store.read(ACME) as snapshot:
        return list(await snapshot.memories.lineage(item))


async def test_a_fact_is_an_item_that_cites_its_message(memory: Memory) -> None:
    stored = await tell(memory, "Hello there!", "I live in Lisbon.")
    (fact,) = await facts(memory)
    assert fact.content == "Alice lives in Lisbon"
    assert fact.valid_from == NOON
    assert fact.conversation_id == stored.conversation_id
    assert fact.metadata["attribute"] == "lives_in"
    assert [each.id for each in await lineage(memory, fact)] == [str(stored.message_ids[1])]


@pytest.mark.parametrize(
    ("of_chat", "of_message", "expected"),
    [(5, None, [6, 8]), (9, None, [9, 9]), (2, None, [2, 2]), (10, None, [9, 9]), (9, 3, [3, 3])],
)
async def test_a_fact_is_as_important_as_its_caller_says_of_what_tells_it(
    memory: Memory, of_chat: int, of_message: int | None, expected: list[int]
) -> None:
    said = [
        NewMessage(role=Role.USER, content=text, created_at=NOON, importance=of_message)
        for text in ("I live in Lisbon.", "We decided on option B.")
    ]
    await memory.ingestor.ingest(
        ACME, NewConversation(user_id="alice", importance=of_chat, messages=said)
    )
    await memory.distil()
    told = {each.metadata["attribute"]: each.importance for each in await facts(memory)}
    assert [told["lives_in"], told["decision"]] == expected


async def test_what_is_private_is_no_fact(memory: Memory) -> None:
    await tell(memory, "My credit card number is 4111 1111 1111 1111.", "I live in Lisbon.")
    await tell(memory, "My passport number is C01X00T47, and my PIN code is 1234.", chat="2")
    assert await texts(memory) == ["Alice lives in Lisbon"]


async def test_two_facts_of_one_sentence_tell_their_own_parts(memory: Memory) -> None:
    stored = await tell(memory, "I'm vegetarian and allergic to peanuts.", "I speak French.")
    both = await facts(memory)
    assert [each.content for each in both] == [
        "Alice is allergic to peanuts",
        "Alice is vegetarian",
        "Alice speaks French",
    ]
    for each in both[:2]:
        assert [edge.id for edge in await lineage(memory, each)] == [str(stored.message_ids[0])]
    await tell(memory, "I'm vegetarian and allergic to peanuts.", day=1)
    assert [each.id for each in await facts(memory)] == [each.id for each in both]


async def test_the_last_word_holds_and_what_held_then_is_known(memory: Memory) -> None:
    await tell(memory, "I live in Berlin.")
    await tell(memory, "I moved to Lisbon.", day=10)
    assert await texts(memory) == ["Alice lives in Lisbon (moved there)"]
    assert await texts(memory, day=5) == ["Alice lives in Berlin"]


async def test_an_older_word_that_comes_late_does_not_hold(memory: Memory) -> None:
    await tell(memory, "I moved to Lisbon.", day=10)
    await tell(memory, "I live in Berlin.", chat="imported")
    assert await texts(memory) == ["Alice lives in Lisbon (moved there)"]
    assert await texts(memory, day=5) == ["Alice lives in Berlin"]


async def test_the_same_again_is_one_fact_with_more_lineage(memory: Memory) -> None:
    await tell(memory, "I live in Lisbon.")
    await tell(memory, "I live in Lisbon.", day=3, chat="another")
    (fact,) = await facts(memory)
    assert len(await lineage(memory, fact)) == 2


async def test_likes_stand_beside_each_other_until_they_are_taken_back(memory: Memory) -> None:
    await tell(memory, "I love jazz.", "I love techno.")
    await tell(memory, "I hate techno.", day=2)
    assert await texts(memory) == ["Alice loves jazz", "Alice hates techno"]


async def test_what_is_no_more_ends_what_was(memory: Memory) -> None:
    await tell(memory, "We use MySQL.")
    await tell(memory, "We no longer use MySQL.", day=2)
    held = await facts(memory)
    assert [each.metadata["positive"] for each in held] == [False]


@pytest.mark.parametrize("role", [Role.SYSTEM, Role.TOOL])
async def test_only_people_and_assistants_state_facts(memory: Memory, role: Role) -> None:
    await tell(memory, "I live in Lisbon.", role=role)
    assert await facts(memory) == []


async def test_what_is_quoted_is_no_fact(memory: Memory) -> None:
    await tell(memory, "> I live in Lisbon.", 'He wrote: "I live in Porto."')
    assert await facts(memory) == []


async def test_an_erased_message_takes_its_fact_and_what_that_ended_holds_again(
    memory: Memory,
) -> None:
    await tell(memory, "I live in Berlin.")
    stored = await tell(memory, "I moved to Lisbon.", day=10)
    await memory.forgetter.message(ACME, stored.message_ids[0])
    await memory.distil()
    assert await texts(memory) == ["Alice lives in Berlin"]


async def test_a_fact_stays_while_another_message_says_it(memory: Memory) -> None:
    first = await tell(memory, "I live in Lisbon.")
    second = await tell(memory, "I live in Lisbon.", day=3, chat="another")
    await memory.forgetter.message(ACME, first.message_ids[0])
    await memory.distil()
    (fact,) = await facts(memory)
    assert [each.id for each in await lineage(memory, fact)] == [str(second.message_ids[0])]


async def test_a_fact_is_told_in_the_words_of_what_is_left(memory: Memory) -> None:
    first = await tell(memory, "I moved to Lisbon with all my books.")
    second = await tell(memory, "I live in Lisbon.", day=3, chat="another")
    (fact,) = await facts(memory)
    assert len(await lineage(memory, fact)) == 2
    await memory.forgetter.message(ACME, first.message_ids[0])
    await memory.distil()
    (fact,) = await facts(memory)
    assert fact.content == "Alice lives in Lisbon"
    assert [each.id for each in await lineage(memory, fact)] == [str(second.message_ids[0])]


async def test_a_fact_outlives_a_conversation_that_another_repeats(memory: Memory) -> None:
    first = await tell(memory, "I live in Lisbon.")
    second = await tell(memory, "I live in Lisbon.", day=3, chat="another")
    await memory.forgetter.conversation(ACME, first.conversation_id)
    await memory.distil()
    (fact,) = await facts(memory)
    assert fact.conversation_id == second.conversation_id


async def test_doing_it_again_changes_nothing(memory: Memory) -> None:
    await tell(memory, "I live in Berlin.", "I love jazz.", "We decided on PostgreSQL.")
    await tell(memory, "I moved to Lisbon.", "I live in Lisbon now.", day=10)
    before = [(each.id, each.valid_from, each.valid_to) for each in await facts(memory)]
    await memory.consolidator.anew(ConversationKey(0))
    await memory.distil()
    after = [(each.id, each.valid_from, each.valid_to) for each in await facts(memory)]
    assert after == before
    assert len(await texts(memory, day=5)) == 3


async def forget(memory: Memory, item: Item) -> None:
    assert (await memory.forgetter.memory(ACME, item.id)).remaining == 0


async def anew(memory: Memory) -> list[str]:
    await memory.consolidator.anew(ConversationKey(0))
    await memory.distil()
    return await texts(memory)


async def test_what_was_deleted_is_not_drawn_again_until_somebody_says_it_again(
    memory: Memory,
) -> None:
    await tell(memory, "I live in Lisbon. I love jazz.", "Yes, I live in Lisbon.")
    (lisbon,) = [each for each in await facts(memory) if "Lisbon" in each.content]
    await forget(memory, lisbon)
    assert await anew(memory) == ["Alice loves jazz"]
    said = await tell(memory, "I live in Lisbon.", day=1, chat="another")
    for told in (await texts(memory), await anew(memory)):
        assert told == ["Alice loves jazz", "Alice lives in Lisbon"]
    (lisbon,) = [each for each in await facts(memory) if "Lisbon" in each.content]
    assert [each.id for each in await lineage(memory, lisbon)] == [str(said.message_ids[0])]


async def test_another_value_of_the_same_message_is_drawn_again(memory: Memory) -> None:
    await tell(memory, "I live in Berlin. No, I live in Lisbon.")
    (lisbon,) = await facts(memory)
    assert lisbon.metadata["value"] == "Lisbon"
    await forget(memory, lisbon)
    assert await texts(memory) == await anew(memory) == ["Alice lives in Berlin"]


async def test_what_somebody_changed_and_then_deleted_is_not_drawn_again(memory: Memory) -> None:
    await tell(memory, "I live in Lisbon.")
    (fact,) = await facts(memory)
    changes = MemoryChanges(
        given=frozenset({"content", "metadata"}), content="Alice lives in Porto", metadata={}
    )
    await forget(memory, await memory.keeper.change(ACME, fact.id, changes))
    assert await anew(memory) == []


async def test_what_a_caller_told_and_deleted_marks_no_message(memory: Memory) -> None:
    stored = await tell(memory, "I live in Lisbon.")
    told = NewMemory(
        type=ItemType.FACT,
        content="Alice has moved",
        user_id="alice",
        subject="moves",
        derived_from=stored.message_ids,
    )
    (kept,) = (await memory.keeper.keep(ACME, [told])).memories
    assert not (await memory.forgetter.memory(ACME, kept.id)).remaining
    async with memory.store.read(ACME) as snapshot:
        assert not (await snapshot.messages.one(stored.message_ids[0])).unwanted
    assert await anew(memory) == ["Alice lives in Lisbon"]


async def test_with_the_flag_off_nothing_is_drawn(memory: Memory) -> None:
    await memory.flags.change(ACME, {"facts": False}, reset=[])
    await tell(memory, "I live in Lisbon.")
    assert await facts(memory) == []


async def test_a_fact_is_found_by_meaning(memory: Memory) -> None:
    await tell(memory, "I live in Lisbon.")
    await memory.index()
    assert "Alice lives in Lisbon" in memory.embedder.embedded


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("We decided on MongoDB for the backend.", "We no longer use MongoDB."),
        ("We decided on MongoDB for the backend.", "We no longer use MongoDB for the backend."),
        ("We decided on MongoDB for the backend.", "We switched from MongoDB to PostgreSQL."),
        ("We no longer use MongoDB for tests.", "We use MongoDB for tests."),
        ("We no longer use MongoDB.", "We use MongoDB for tests."),
    ],
)
@pytest.mark.parametrize("late", [False, True])
async def test_what_is_over_for_all_is_over_for_each(
    memory: Memory, before: str, after: str, *, late: bool
) -> None:
    told = [(before, 0), (after, 2)]
    for text, day in reversed(told) if late else told:
        await tell(memory, text, day=day, chat=text)
    assert await texts(memory, day=1) == [f"Alice: {before.rstrip('.')}"]
    assert await texts(memory) == [f"Alice: {after.rstrip('.')}"]


async def test_what_is_over_for_one_purpose_goes_on_for_others(memory: Memory) -> None:
    await tell(memory, "We use MongoDB for the backend.", "We use MongoDB.")
    await tell(memory, "We no longer use MongoDB for tests.", day=2, chat="later")
    assert len(await facts(memory)) == 3


@pytest.mark.parametrize("names", [("Alice", None), (None, "Alice")])
async def test_a_wife_is_one_however_the_user_is_called(
    memory: Memory, names: tuple[str | None, str | None]
) -> None:
    await tell(memory, "My wife works at Acme.", "My son is called Max.", name=names[0])
    await tell(memory, "My wife works at Bosch.", "My son is called Max.", day=2, name=names[1])
    before, after = (name or "User" for name in names)
    assert await texts(memory, day=1) == [
        f"{before}'s son is called Max",
        f"{before}'s wife works at Acme",
    ]
    assert await texts(memory) == [
        f"{before}'s son is called Max",
        f"{after}'s wife works at Bosch",
    ]


async def test_the_wife_of_somebody_else_is_another(memory: Memory) -> None:
    await tell(memory, "My wife works at Acme.")
    await tell(memory, "My wife works at Bosch.", day=2, name="Bob")
    assert len(await texts(memory)) == 2


async def test_what_came_instead_of_another_ends_that_though_it_comes_late(memory: Memory) -> None:
    await tell(memory, "We decided on Alpha instead of Beta.", day=5, chat="new")
    await tell(memory, "We decided on Beta.", day=1, chat="old")

    assert await texts(memory, day=6) == ["Alice: We decided on Alpha instead of Beta"]
    assert await texts(memory, day=2) == ["Alice: We decided on Beta"]


async def test_of_many_that_lie_side_by_side_each_is_found_again(memory: Memory) -> None:
    likes = ["chess", "opera", "tulips", "trains", "maps"]
    await tell(memory, *(f"I like {each}." for each in likes))
    await tell(memory, "I like opera.", "I hate trains.", day=1, chat="other")

    held = await texts(memory)
    assert held == [
        *(f"Alice likes {each}" for each in ("chess", "maps", "opera", "tulips")),
        "Alice hates trains",
    ]
