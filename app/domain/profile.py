"""Who a user is, as far as they agreed that it may be known."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What is known of a user; the keys of every object are in order."""

    preferences: Mapping[str, object] = field(default_factory=dict)
    context: Mapping[str, object] = field(default_factory=dict)
    notes: str = ""
    updated_at: datetime

    @property
    def is_empty(self) -> bool:
        return not (self.preferences or self.context or self.notes)


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
        before = profile or Profile(updated_at=now)
        return Profile(
            preferences=_merged(before.preferences, self.preferences),
            context=_merged(before.context, self.context),
            notes=before.notes if self.notes is None else self.notes,
            updated_at=now,
        )


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
