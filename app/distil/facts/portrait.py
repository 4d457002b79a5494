"""What facts say of a user themself, as entries of a profile."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime

from app.distil.facts.fact import Fact, Tense, is_single, kind_in
from app.distil.facts.told import speakers_of, told_fact
from app.distil.language.lexicon import MEASURES, TOOL_KINDS
from app.domain.ids import ItemKey
from app.domain.memories import Memory
from app.domain.private import is_private
from app.domain.profile import HEALTH, Entry, Section

_LONGEST = 255
_RULE = "rule"
_FAVOURITE = "favourite "
_PREFERENCES = frozenset({"likes", "dislikes", "prefers", "diet", "called", "pronouns", _RULE})
_AS_SAID = frozenset({"likes", "dislikes", "prefers"})
"""What often goes on behind its value: "emails in the morning", "meetings on Tuesdays"."""

_NOT_TOLD_OF = frozenset({"address", "status"})
"""Nor what ends so: a "billing address"."""

_NOT_TOLD = MEASURES | {
    *("decision", "visited", "plans", "goal", "fears", "email", "phone"),
    *HEALTH,
}
"""What passes, and what not every prompt has to know: it is recalled where it matters."""


def entries_of(several: Iterable[Memory]) -> Mapping[ItemKey, Entry]:
    """Of the items of a user those that are facts about them, as entries of their profile."""
    return {
        each.key: entry
        for each in several
        if (entry := entry_told(each.content, each.metadata, each.valid_from, user_id=each.user_id))
    }


def entry_told(
    content: str, metadata: Mapping[str, object], since: datetime, *, user_id: str | None
) -> Entry | None:
    """The entry that a fact is of the profile of `user_id`, if it is any."""
    speakers = speakers_of(user_id)
    fact = told_fact(content, metadata, since, speakers)
    return None if fact is None else entry_of(fact, speakers)


def entry_of(fact: Fact, speakers: Collection[str]) -> Entry | None:
    """
    The entry that a fact is of the profile of a user whom facts call one of `speakers`.

    None for what is about somebody else, was, may be, is denied, or private; but not to do
    something is a preference, too.
    """
    kind = kind_in(fact.attribute)
    about_them = fact.subject.casefold() in speakers and fact.tense is Tense.NOW
    if not about_them or kind in _NOT_TOLD or not (fact.positive or kind == _RULE):
        return None
    value = _told(fact)
    if not value or max(len(fact.attribute), len(value)) > _LONGEST:
        return None
    if is_private(fact.attribute, value) or kind.rpartition(" ")[2] in _NOT_TOLD_OF:
        return None
    return Entry(
        section=Section.PREFERENCES if _is_preference(kind) else Section.CONTEXT,
        name=fact.attribute,
        value=value if fact.positive else f"never {value}",
        single=is_single(fact.attribute) and kind not in TOOL_KINDS,
    )


def _told(fact: Fact) -> str:
    """The value, or of what somebody likes all that stands behind the verb, or who they are."""
    who = f"{fact.subject} "
    if fact.attribute == "prefers" and "prefer" not in fact.text and fact.text.startswith(who):
        return fact.text.removeprefix(who)
    verb = f"{fact.subject} {fact.attribute} "
    whole = fact.attribute in _AS_SAID and fact.text.startswith(verb)
    return fact.text.removeprefix(verb) if whole else fact.value


def _is_preference(kind: str) -> bool:
    return kind in _PREFERENCES or kind.startswith(_FAVOURITE)
