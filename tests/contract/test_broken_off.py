"""What is distilled in several transactions is whole once it is done, wherever it broke off."""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from app.adapters.sql.store import SqlStore
from app.domain.errors import StoreUnavailable
from app.ports.store import Transaction
from app.services.distilling import turns
from app.services.distilling.consolidating import Consolidator
from app.services.distilling.facts import FactStep
from app.services.distilling.step import Portion, Write
from tests.fakes import Memory
from tests.stored import items_of

SAID = (
    "I live in Porto and work as a nurse.",
    "My daughter is called Mia. I am allergic to peanuts.",
    "We moved to Lisbon last week! I quit my job as a nurse.",
    "My phone number is 0170 8834512. My favourite colour is green.",
    "I work at Siemens now. Actually my favourite colour is blue.",
    "I am not allergic to peanuts any more, and I live in Oslo now.",
)


@dataclass
class Broken:
    """Facts, of which the writing breaks off once, after some of them."""

    facts: FactStep
    after: int | None
    by_message: bool = True

    async def distil(self, portion: Portion) -> Sequence[Write] | None:
        writes = await self.facts.distil(portion)
        if writes is None or self.after is None:
            return writes
        at, self.after = self.after, None
        return [*writes[:at], _break_off, *writes[at:]]


async def _break_off(_: Transaction) -> None:
    raise StoreUnavailable("the disk is away")


async def told(memory: Memory, user: str, *, after: int | None) -> list[tuple[str, bool]]:
    await memory.say(*SAID, user_id=user)
    broken = Broken(FactStep(keeper=memory.keeper), after)
    worker = Consolidator(
        store=memory.store,
        flags=memory.flags,
        telemetry=memory.telemetry,
        clock=memory.clock,
        steps=[broken],
    )
    while await worker.work_once():
        memory.clock.forward(600)
    assert broken.after is None
    items = await items_of(memory.store, user_id=user, at=None)
    return sorted((each.content, each.superseded_by is None) for each in items)


@pytest.mark.parametrize("after", [1, 4, 7, 99])
async def test_facts_are_told_once_and_what_held_last_holds(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    defaults = turns.write_in_turns.__kwdefaults__
    assert defaults is not None
    monkeypatch.setitem(defaults, "longest", 0.0)
    memory = Memory(store)
    whole = await told(memory, "alice", after=None)
    assert [content for content, holds in whole if not holds]
    assert await told(memory, "bob", after=after) == whole
