"""An item that says something else, or begins at another time, between those about the same."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from app.distil.facts.fact import Fact, Tense
from app.distil.facts.told import speakers_of
from app.domain.ids import ItemId
from app.domain.memories import Memory
from app.ports.memories import MemoryWriter
from app.services.memories.bearings import bearings_of
from app.services.memories.correcting import fact_in


@dataclass(frozen=True, slots=True)
class _Beside:
    """What ends where an item begins, and what may end it."""

    ended: Sequence[Memory]
    heirs: Sequence[Memory]


async def settle(
    memories: MemoryWriter, was: Memory, changed: Memory, freed: Sequence[ItemId], *, now: datetime
) -> None:
    """
    Have a released item end what it ends and be ended by what ends it, as if it were told now.

    What it superseded before, `freed`, holds again, or is ended by what else ends that. An item
    whose words are not understood may be about what it `was` about: in so far it stays between the
    same ones.
    """
    vague = fact_in(changed) is None
    for item_id in freed:
        item = await memories.get(item_id, now=None)
        beside = await _beside(memories, item, now=now)
        await _end(memories, item, [*beside.heirs, *([changed] if vague else [])], now=now)
    if changed.is_over(changed.valid_from, now=now):
        return
    beside = await _beside(memories, changed, now=now)
    heirs = list(beside.heirs)
    if vague and was.superseded_by is not None:
        heirs.append(await memories.get(was.superseded_by, now=None))
    await _end(memories, changed, heirs, now=now)
    for each in beside.ended:
        await memories.supersede(each, by=changed.key, now=now)


async def _end(
    memories: MemoryWriter, item: Memory, heirs: Sequence[Memory], *, now: datetime
) -> None:
    """End an item where the first of its heirs begins that begins later."""
    later = [each for each in heirs if each.valid_from > item.valid_from]
    if later:
        first = min(later, key=lambda each: (each.valid_from, each.key))
        await memories.supersede(item, by=first.key, now=now)


async def _beside(memories: MemoryWriter, item: Memory, *, now: datetime) -> _Beside:
    """
    What lies about an item of the same subject, and what its fact bears on, and is borne on by.

    Of what was over before it was told, only the latter: it ends nothing that holds.
    """
    begins, fact = item.valid_from, fact_in(item)
    same: Sequence[Memory] = ()
    if fact is not None and item.ends_at is not None and item.ends_at <= now:
        fact = replace(fact, tense=Tense.PAST)
    elif item.subject is not None:
        same = await memories.about(item.scope, item.type, item.subject)
    ended = [each for each in same if each.valid_from <= begins]
    heirs = [each for each in same if each.valid_from > begins]
    if fact is not None:
        before, after = await _borne_on(memories, item, fact, now=now)
        ended += before
        heirs += after
    held = {each.key: each for each in ended if not each.is_over(begins, now=now)}
    held.pop(item.key, None)
    return _Beside(ended=list(held.values()), heirs=heirs)


async def _borne_on(
    memories: MemoryWriter, item: Memory, fact: Fact, *, now: datetime
) -> tuple[Sequence[Memory], Sequence[Memory]]:
    """What a fact ends, and what ends it before it ends by itself."""
    speakers, begins = speakers_of(item.user_id), item.valid_from
    found = await bearings_of(memories, item.scope, fact, begins=begins, speakers=speakers, now=now)
    before = [*found.ended, *found.repeated]
    ends = item.ends_at
    return before, [each for each in found.heirs if ends is None or each.valid_from < ends]
