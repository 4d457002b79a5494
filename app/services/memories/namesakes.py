"""By what other name a fact knows whom it is about: "Marcus" is the husband who is called so."""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from app.distil.facts.clauses import WE
from app.distil.facts.counting import counted
from app.distil.facts.fact import Fact, Tense, is_farewell
from app.distil.facts.filing import group_of
from app.distil.facts.told import told_fact
from app.distil.language.lexicon import ONE_OF_A_KIND
from app.domain.ids import ScopeKey
from app.domain.memories import Memory
from app.domain.memory import ItemType
from app.ports.memories import MemoryWriter

_NAME = "name"


async def other_names(
    memories: MemoryWriter, scope: ScopeKey, fact: Fact, speakers: Collection[str]
) -> frozenset[str]:
    """
    What else facts call the one whom `fact` is about, folded, by what tells their name.

    One of the user's kin may be called by a name, and a name may be that of one of their kin. None
    where that is not clear: of two who have one name, or of a sister who is not named here.
    """
    subject = fact.subject.casefold()
    owner, of, kin = subject.partition("'s ")
    if of and owner in speakers:
        groups = [group_of(f"{each}'s {kin}", _NAME) for each in sorted(speakers)]
        named = _names_in(await memories.under(scope, ItemType.FACT, groups), speakers)
        known = {name for _, name in named if _is_clear(kin, name, fact.text)}
        return frozenset(known) if len(known) == 1 else frozenset()
    if of or " " in subject or subject in speakers or subject == WE:
        return frozenset()
    begun = [f"{each}'s " for each in sorted(speakers)]
    named = _names_in(await memories.under(scope, ItemType.FACT, [], beginnings=begun), speakers)
    whose = {who for who, name in named if name == subject}
    kinds = {who.partition("'s ")[2] for who in whose}
    return frozenset(whose) if len(kinds) == 1 else frozenset()


async def had_by_name(
    memories: MemoryWriter, scope: ScopeKey, fact: Fact, speakers: Collection[str]
) -> Sequence[tuple[Memory, Fact]]:
    """
    Where a fact only says that somebody is gone: what tells that the user has them, by their name.

    Each as if it told the name, which ends: "I have a dog called Rex". Of several others are left.
    """
    if not is_farewell(fact):
        return []
    groups = [group_of(each, "has") for each in sorted({*speakers, WE})]
    told = [
        (each, told_fact(each.content, each.metadata, each.valid_from, speakers))
        for each in await memories.under(scope, ItemType.FACT, groups)
    ]
    return [
        (item, replace(fact, tense=known.tense, positive=known.positive, said_at=known.said_at))
        for item, known in told
        if known and (counted(known.value) or (2, ""))[0] == 1 and _is_named(fact.value, known.text)
    ]


def is_about(known: Fact, fact: Fact, others: Collection[str]) -> bool:
    """Whether `known` is about the same one as `fact`, of whom `others` are other names."""
    if known.subject.casefold() not in others:
        return False
    if "'s " not in known.subject:
        return True
    kin = known.subject.casefold().partition("'s ")[2]
    return _is_clear(kin, fact.subject, known.text)


def _names_in(items: Sequence[Memory], speakers: Collection[str]) -> Sequence[tuple[str, str]]:
    """Who is called so by now, and their name, folded."""
    told = [
        told_fact(each.content, each.metadata, each.valid_from, speakers)
        for each in items
        if each.valid_to is None
    ]
    return [
        (each.subject.casefold(), each.value.casefold())
        for each in told
        if each and each.attribute == _NAME and each.positive and each.tense is Tense.NOW
    ]


def _is_clear(kin: str, name: str, text: str) -> bool:
    """Whether there is but one such, or the words name who it is."""
    return kin in ONE_OF_A_KIND or _is_named(name, text)


def _is_named(name: str, text: str) -> bool:
    return bool(re.search(rf"(?<!\w){re.escape(name.casefold())}(?!\w)", text.casefold()))
