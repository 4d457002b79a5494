"""What is known of a user is read for whoever asks for all of it: the facts that hold."""

from typing import Any

import pytest

from app.domain.conversation import Role
from app.domain.memory import ItemType
from app.ports.store import Store
from app.ranking.query import About, Unsought
from tests.stored import ACME, NOON, OTHER, SECOND, keep, tell
from tests.stored_items import MODEL, archive, within

LATER = NOON + 100 * SECOND


async def known(store: Store, *names: str, **narrowed: Any) -> list[str]:
    return await facts(store, About(names=frozenset(names or {"user"})), **narrowed)


async def facts(store: Store, about: About, **narrowed: Any) -> list[str]:
    asked = await within(store, **{"now": LATER, **narrowed})
    wanted = Unsought(facts=about)
    async with store.read(ACME) as snapshot:
        read = await snapshot.recall.surrounded([], within=asked, model=MODEL, unsought=wanted)
    return sorted(read.recalled.contents)


async def test_facts_about_the_user_and_what_is_theirs_are_read(store: Store) -> None:
    await tell(store, "User lives in Lisbon", subject="user|lives_in")
    await tell(store, "User's dog is called Rex", subject="user's dog|name|rex")
    await tell(store, "Bob lives in Rome", subject="bob|lives_in")
    await tell(store, "Users write tickets", subject="users|rule|tickets")
    await tell(store, "A note of no subject")
    await tell(store, "User called an API", type=ItemType.TOOL, subject="user|tool")
    await tell(store, "User likes owls", subject="user|likes|owls", user_id="bob")
    await tell(store, "User likes tea", subject="user|likes|tea", tenant=OTHER)
    assert await known(store) == ["User lives in Lisbon", "User's dog is called Rex"]
    assert await known(store, "bob", "eve") == ["Bob lives in Rome"]


async def test_facts_of_one_attribute_are_read_as_they_hold(store: Store) -> None:
    await tell(store, "User lives in Lisbon", subject="user|lives_in")
    await tell(store, "User will live in Porto", subject="user|lives_in|planned|porto")
    await tell(store, "User lived in Rome", subject="user|lives_in|past|rome")
    await tell(store, "User likes owls", subject="user|likes|owls")
    await tell(store, "We use Redis for tests", subject="we|database for tests|redis")
    groups = frozenset({"user|lives_in", "we|database"})
    there = ["User lives in Lisbon", "We use Redis for tests"]
    assert await facts(store, About(groups=groups)) == there
    assert await facts(store, About(groups=frozenset({"user|live"}))) == []


async def test_only_what_holds_is_read_of_the_user(store: Store) -> None:
    about: Any = {"subject": "user|lives_in"}
    await tell(store, "User lives in Berlin", valid_to=NOON + SECOND, **about)
    await tell(store, "User lives in Lisbon", valid_from=NOON + SECOND, **about)
    await tell(store, "User likes owls", subject="user|likes|owls", expires_at=NOON + SECOND)
    assert await known(store) == ["User lives in Lisbon"]
    assert await known(store, as_of=NOON) == ["User lives in Berlin"]


@pytest.mark.parametrize(
    "narrowed",
    [
        {"types": frozenset({ItemType.MESSAGE})},
        {"types": frozenset({ItemType.SUMMARY})},
        {"now": None},
        {"after": LATER},
        {"before": NOON - SECOND},
        {"roles": frozenset({Role.USER})},
        {"conversations": frozenset()},
    ],
)
async def test_filters_keep_out_what_is_known_of_the_user(store: Store, narrowed: Any) -> None:
    await tell(store, "User lives in Lisbon", subject="user|lives_in")
    assert await known(store, types=frozenset({ItemType.FACT})) == ["User lives in Lisbon"]
    assert await known(store, **narrowed) == []


async def test_facts_of_an_archived_conversation_are_not_read(store: Store) -> None:
    kept = await keep(store, "I live in Lisbon.")
    await tell(
        store,
        "User lives in Lisbon",
        subject="user|lives_in",
        conversation_id=kept.conversation.id,
    )
    assert await known(store) == ["User lives in Lisbon"]
    await archive(store, kept, archived=True)
    assert await known(store) == []


async def test_of_many_facts_the_most_important_ones_are_read(store: Store) -> None:
    for at in range(50):
        subject = f"user|likes|{at}"
        await tell(store, f"User likes {at:02}", subject=subject, importance=1 + (at >= 10))
    assert await known(store) == [f"User likes {at:02}" for at in range(10, 50)]
