"""What a fact finds of its kind where it is stored: what it repeats, what it ends, what ends it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from app.distil.facts.fact import Bearing, Fact, bearing, has_last_word
from app.distil.facts.filing import AGAINST, beginnings_of, groups_of, subjects_beside
from app.distil.facts.told import told_fact
from app.domain.ids import ItemId, ScopeKey
from app.domain.memories import Memory
from app.domain.memory import ItemType
from app.ports.memories import MemoryReader, MemoryWriter
from app.services.memories.namesakes import had_by_name, is_about, other_names

Known = Sequence[tuple[Memory, Fact]]
"""Items that a fact may bear on, or that may bear on it, with what they say."""


@dataclass(frozen=True, slots=True)
class Bearings:
    """
    Items that say what a fact says, that said it and were over as soon as they began, that end
    where it begins, and that end it, in time.
    """

    repeated: Sequence[Memory]
    over_at_once: Sequence[Memory]
    ended: Sequence[Memory]
    heirs: Sequence[Memory]


async def bearings_of(
    memories: MemoryWriter,
    scope: ScopeKey,
    fact: Fact,
    *,
    begins: datetime,
    speakers: Collection[str],
    now: datetime,
) -> Bearings:
    """What `fact`, which begins to hold at `begins`, has to do with the items of a scope."""
    return bearings_among(await known_beside(memories, scope, fact, speakers), fact, begins, now)


async def known_beside(
    memories: MemoryWriter, scope: ScopeKey, fact: Fact, speakers: Collection[str]
) -> Known:
    """
    The items of a scope that `fact` may have to do with, as they began to hold.

    Whatever facts call the user, one of `speakers`, it is the same subject; so is who is known to
    be called so.
    """
    others = await other_names(memories, scope, fact, speakers)
    several = [_called(fact, each) for each in sorted(_names(fact, speakers) | others)]
    beside = [
        (item, _called(known, fact.subject) if _are_one(known, fact, speakers, others) else known)
        for item in await _kept_beside(memories, scope, several)
        if (known := told_fact(item.content, item.metadata, item.valid_from, speakers))
    ]
    return [*beside, *await had_by_name(memories, scope, fact, speakers)]


async def _kept_beside(
    memories: MemoryWriter, scope: ScopeKey, several: Sequence[Fact]
) -> Sequence[Memory]:
    """
    What lies beside any of `several`, which are one fact under the names of its subject.

    Of attributes with many values only what has the same one: of ten thousand decisions few bear on
    another, and all are looked through while nothing else can be written.
    """
    groups = [group for each in several for group in groups_of(each)]
    subjects = [subjects_beside(each) for each in several]
    if None in subjects:
        wider = [each for one in several for each in beginnings_of(one)]
        return await memories.under(scope, ItemType.FACT, groups, beginnings=wider)
    same = [each for one in subjects for each in one or ()]
    return await memories.alike(scope, ItemType.FACT, same, groups=groups, telling=AGAINST)


def bearings_among(told: Known, fact: Fact, begins: datetime, now: datetime) -> Bearings:
    """What `fact`, which begins to hold at `begins`, has to do with what is known beside it."""
    after = [(item, newer) for item, newer in told if item.valid_from > begins]
    before = [
        (item, older)
        for item, older in told
        if item.valid_from <= begins and not item.is_over(begins, now=now)
    ]
    return Bearings(
        repeated=[item for item, older in before if bearing(fact, older) is Bearing.REPEATS],
        over_at_once=[
            item
            for item, older in told
            if item.valid_from == begins
            and item.is_over(begins, now=now)
            and bearing(fact, older) is Bearing.REPEATS
        ],
        ended=[item for item, older in before if bearing(fact, older) is Bearing.SUPERSEDES],
        heirs=[item for item, newer in after if bearing(newer, fact) is Bearing.SUPERSEDES],
    )


def begins_beside(fact: Fact, known: Known) -> datetime:
    """When a drawn fact begins to hold: as it tells, or when it had the last word."""
    said_then = any(
        item.derived and item.valid_from == fact.said_at and bearing(fact, one) is Bearing.REPEATS
        for item, one in known
    )
    last = said_then or any(has_last_word(fact, earlier) for _, earlier in known)
    return fact.said_at if last else fact.begins


def _names(fact: Fact, speakers: Collection[str]) -> set[str]:
    """What the subject of a fact is called: whose wife "Alice's wife" is, is called in each way."""
    owner, of = _owner_and_rest(fact)
    return {f"{each}{of}" for each in {*speakers, owner}} if owner in speakers else {fact.subject}


def _are_one(known: Fact, fact: Fact, speakers: Collection[str], others: Collection[str]) -> bool:
    """Whether both are about the user, or the same one of theirs, whatever they are called."""
    if is_about(known, fact, others):
        return True
    (one, of), (other, of_other) = _owner_and_rest(known), _owner_and_rest(fact)
    return one in speakers and other in speakers and of == of_other


def _owner_and_rest(fact: Fact) -> tuple[str, str]:
    """Whose a subject is, "alice", and what of theirs, "'s wife"; empty where it is themself."""
    owner, of, rest = fact.subject.casefold().partition("'s ")
    return owner, of + rest


def _called(fact: Fact, name: str) -> Fact:
    return replace(fact, subject=name)


async def is_told_only(memories: MemoryReader, item: Memory) -> bool:
    """Whether a caller told it, and no message is known to say it."""
    if item.derived:
        return False
    return all(each.kind != "message" for each in await memories.lineage(item))


async def end_by(
    memories: MemoryWriter, item_id: ItemId, heirs: Sequence[Memory], *, now: datetime
) -> None:
    """End an item where the first of its `heirs` begins that is about another subject."""
    own = await memories.get(item_id, now=None)
    others = [each for each in heirs if each.subject != own.subject]
    if others and (own.valid_to is None or others[0].valid_from < own.valid_to):
        await memories.supersede(own, by=others[0].key, now=now)
