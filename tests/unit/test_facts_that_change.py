"""What is told as a change ends what was kept, by whatever name it is told."""

import pytest

from app.adapters.sql.store import SqlStore
from tests.fakes import Memory
from tests.unit.test_distilling_facts import tell, texts


@pytest.fixture
def memory(store: SqlStore) -> Memory:
    return Memory(store)


@pytest.mark.parametrize(
    ("before", "after", "held"),
    [
        (
            "My husband Marcus is a vegan.",
            "Marcus is vegetarian now.",
            ["Alice's husband is Marcus", "Marcus is vegetarian now"],
        ),
        (
            "My husband Marcus is a vegan.",
            "Marcus eats meat again.",
            ["Alice's husband is Marcus", "Marcus eats meat again"],
        ),
        (
            "My son Toby is 6.",
            "Toby is 7 now.",
            ["Alice's son is Toby", "Toby is 7 now"],
        ),
        ("Our dog is called Pixel.", "Pixel died yesterday.", ["Alice: Pixel died yesterday"]),
        ("I have a dog called Rex.", "Rex died yesterday.", ["Alice: Rex died yesterday"]),
        (
            "I have two dogs, Rex and Max.",
            "Rex died yesterday.",
            ["Alice has two dogs, Rex and Max"],
        ),
        ("Hello.", "Pixel died yesterday.", []),
        (
            "We decided to use Stripe.",
            "We switched from Stripe to Adyen.",
            ["Alice: We switched from Stripe to Adyen"],
        ),
        (
            "We use Stripe.",
            "We decided to replace Stripe with Adyen.",
            ["Alice: We decided to replace Stripe with Adyen"],
        ),
        (
            "We use Postgres 15.",
            "We upgraded Postgres to 17.",
            ["Alice: We upgraded Postgres to 17"],
        ),
        ("I'm vegan.", "I eat fish again.", ["Alice eats fish again"]),
    ],
)
async def test_a_change_ends_what_was(
    memory: Memory, before: str, after: str, held: list[str]
) -> None:
    await tell(memory, before)
    await tell(memory, after, day=2)
    assert sorted(await texts(memory)) == sorted(held)


async def test_a_change_that_is_told_first_ends_what_comes_late(memory: Memory) -> None:
    await tell(memory, "We switched from Stripe to Adyen.", day=5)
    await tell(memory, "We decided to use Stripe.", chat="imported")
    assert await texts(memory) == ["Alice: We switched from Stripe to Adyen"]


async def test_a_name_changes_nothing_of_another_of_ones_kin(memory: Memory) -> None:
    await tell(memory, "My son Toby is 6.", "My son Max is 9.")
    await tell(memory, "Toby is 7 now.", day=2)
    held = await texts(memory)
    assert "Alice's son Max is 9" in held
    assert "Alice's son Toby is 6" not in held


async def test_of_whom_a_name_tells_what_is_told_of_them_later_without_it_ends(
    memory: Memory,
) -> None:
    await tell(memory, "My husband Marcus is a vegan.")
    await tell(memory, "Marcus is vegetarian now.", day=2)
    await tell(memory, "My husband is a vegan.", day=4)
    assert sorted(await texts(memory)) == [
        "Alice's husband is Marcus",
        "Alice's husband is a vegan",
    ]
