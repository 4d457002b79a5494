"""What memory items of one scope say in the same words is embedded once."""

import numpy as np
import pytest

from app.adapters.sql.store import SqlStore
from app.domain.memories import NewMemory
from app.domain.memory import ItemType
from tests.factories import ACME
from tests.fakes import Memory


@pytest.fixture
def memory(store: SqlStore) -> Memory:
    return Memory(store)


async def summed_up(memory: Memory, content: str, *, user_id: str = "alice") -> None:
    new = NewMemory(type=ItemType.SUMMARY, content=content, user_id=user_id)
    await memory.keeper.keep(ACME, [new])
    await memory.index()


async def test_a_summary_that_says_the_same_as_another_is_not_embedded_again(
    memory: Memory,
) -> None:
    await summed_up(memory, "- Ann: We use Redis.")
    await summed_up(memory, "- Ann: We use Redis.")
    assert memory.embedder.embedded == ["- Ann: We use Redis."]
    first, second = await memory.vectors.all()
    vectors = await memory.vectors.known([first, second])
    assert len(vectors) == 2
    async with memory.store.observe() as observations:
        items = await observations.to_index([first, second], model=memory.embedder.model)
    one, other = (item.vector for item in items)
    assert one == other
    assert np.any(np.frombuffer(one or b"", dtype=np.float16))


async def test_what_another_user_is_told_is_no_reason_not_to_embed(memory: Memory) -> None:
    await summed_up(memory, "- Ann: We use Redis.")
    await summed_up(memory, "- Ann: We use Redis.", user_id="bob")
    assert memory.embedder.embedded == ["- Ann: We use Redis."] * 2
