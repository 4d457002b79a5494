"""Who a user is, as far as they agreed that it may be known."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from app.domain.ids import ItemId
from app.domain.private import is_private
from app.domain.storable import same_json

MOST_ENTRIES = 200
"""Of a profile, preferences and context together."""

HEALTH = frozenset({"condition", "allergic_to"})
"""What facts tell of it: no profile does, unless somebody writes it there."""

_SPELLING = re.compile(r"[\W_]+")


class Purpose(StrEnum):
    """What a user can agree to. None holds another."""

    PROFILE = "profile"
    FACTS = "facts"
    LEARNING = "learning"


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """A consent as it was given; `source` says how, in the caller's words."""

    source: str | None
    granted_at: datetime
    expires_at: datetime | None

    def holds(self, now: datetime) -> bool:
        return self.expires_at is None or now < self.expires_at


Consent = Mapping[Purpose, Grant]
"""What a user agreed to and did not revoke; what is not in it was never agreed to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsentChanges:
    """What a caller says about some purposes; about the others nothing is said."""

    purposes: Mapping[Purpose, bool]
    source: str | None = None
    expires_at: datetime | None = None


class Section(StrEnum):
    """The parts of a profile that have entries, in the order in which they are told."""

    PREFERENCES = "preferences"
    CONTEXT = "context"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What a fact says of a user. Of a name that is `single` one value is told, else all are."""

    section: Section
    name: str
    value: str
    single: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivedEntry:
    """An entry of a profile, with the fact that says it and since when it is an entry."""

    entry: Entry
    fact: ItemId
    derived_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """
    What is known of a user: what was written, the keys of every object in order, and what is
    derived from facts. `updated_at` is when any of it last changed.
    """

    preferences: Mapping[str, object] = field(default_factory=dict)
    context: Mapping[str, object] = field(default_factory=dict)
    notes: str = ""
    derived: Sequence[DerivedEntry] = ()
    updated_at: datetime

    @property
    def is_empty(self) -> bool:
        return not (self.preferences or self.context or self.notes or self.derived)

    @property
    def facts(self) -> Sequence[ItemId]:
        """The facts that say what is derived."""
        return [each.fact for each in self.derived]

    def written(self, section: Section) -> Mapping[str, object]:
        """The entries of a section that somebody wrote."""
        return self.preferences if section is Section.PREFERENCES else self.context

    def told(self, section: Section) -> Mapping[str, object]:
        """All entries of a section: those that were written, then those that are derived."""
        told = dict(self.written(section))
        for each in self._derived_in(section):
            if each.entry.single:
                told[each.entry.name] = each.entry.value
            else:
                told[each.entry.name] = [*_listed(told.get(each.entry.name)), each.entry.value]
        return told

    def sources(self, section: Section) -> Mapping[str, Sequence[ItemId]]:
        """Of the derived entries of a section the facts that say them, value by value."""
        found: dict[str, list[ItemId]] = {}
        for each in self._derived_in(section):
            found.setdefault(each.entry.name, []).append(each.fact)
        return found

    def with_derived(self, newest_first: Iterable[DerivedEntry]) -> "Profile":
        """
        The same with what facts say, but for what somebody wrote something about, under whatever
        spelling and in whichever section; nothing of it is told twice, and nothing private at all,
        nor of health.
        """
        written = {_spelled(name) for section in Section for name in self.written(section)}
        taken: dict[tuple[str, ...], DerivedEntry] = {}
        for each in newest_first:
            entry = each.entry
            hidden = entry.name in HEALTH or is_private(entry.name, entry.value)
            if _spelled(entry.name) not in written and not hidden:
                value = () if entry.single else (entry.value.casefold(),)
                taken.setdefault((entry.section, entry.name, *value), each)
        room = max(MOST_ENTRIES - len(self.preferences) - len(self.context), 0)
        kept = tuple(sorted(list(taken.values())[:room], key=_place))
        changes = [self.updated_at, *(each.derived_at for each in kept)]
        return replace(self, derived=kept, updated_at=max(changes))

    def _derived_in(self, section: Section) -> Sequence[DerivedEntry]:
        return [each for each in self.derived if each.entry.section is section]


def _listed(told: object) -> Sequence[object]:
    return told if isinstance(told, list) else []


def _spelled(name: str) -> str:
    """A name as it is the same in "livesIn", "lives_in" and "Lives in"."""
    return _SPELLING.sub("", name).casefold()


def _place(derived: DerivedEntry) -> tuple[bool, str, str]:
    entry = derived.entry
    return entry.section is not Section.PREFERENCES, entry.name, entry.value


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileChanges:
    """
    What a caller says about a profile.

    What is not named stays; an entry of None goes, and so do notes of the empty string.
    """

    preferences: Mapping[str, object] = field(default_factory=dict)
    context: Mapping[str, object] = field(default_factory=dict)
    notes: str | None = None

    def applied_to(self, profile: Profile | None, *, now: datetime) -> Profile:
        """The profile with them; itself, where nothing of it would be other than it is."""
        before = profile or Profile(updated_at=now)
        preferences = _merged(before.preferences, self.preferences)
        context = _merged(before.context, self.context)
        notes = before.notes if self.notes is None else self.notes
        held = [before.preferences, before.context, before.notes]
        if profile is not None and same_json(held, [preferences, context, notes]):
            return profile
        return Profile(preferences=preferences, context=context, notes=notes, updated_at=now)


def _merged(before: Mapping[str, object], changes: Mapping[str, object]) -> Mapping[str, object]:
    merged = {**before, **changes}
    return {key: merged[key] for key in sorted(merged) if merged[key] is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownProfile:
    """
    As much of a profile as there was room for, with its tokens as it is handed over.

    `room` tells, with the profile of then, what was shown.
    """

    profile: Profile
    tokens: int
    room: int
    complete: bool
