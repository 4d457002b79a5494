"""What users agreed to, and what is known of them."""

from datetime import datetime
from typing import Any, Self
from uuid import UUID

from pydantic import Field, StrictBool

from app.api.schemas.conversations import ErasureOut, PageQuery
from app.api.schemas.fields import Answer, Body, JsonObject, Label, Moment, Text
from app.domain.conversation import User
from app.domain.profile import Consent, ConsentChanges, Profile, ProfileChanges, Purpose, Section
from app.services.erasing.erasure import Forgotten

MAX_NOTES = 20_000
"""Characters."""

_CURSOR = 2_100
"""Characters that hold the longest id, each of its characters spelled by six."""


class UserQuery(PageQuery):
    cursor: str | None = Field(default=None, max_length=_CURSOR)
    begins: Text = Field(
        default="", max_length=255, description="How the id begins, to the letter."
    )


class UserOut(Answer):
    user_id: str
    created_at: datetime = Field(description="When something of theirs was stored first.")
    last_message_at: datetime | None = Field(description="When the last message was said.")

    @classmethod
    def of(cls, user: User) -> Self:
        return cls.model_validate(user, from_attributes=True)


class UserPage(Answer):
    items: list[UserOut]
    next_cursor: str | None


DERIVED = (
    "Which entries facts say, by section and name, with the facts (GET /memories/{id}) that say "
    "their values; the others somebody wrote."
)
Derived = dict[Section, dict[str, list[UUID]]]


def derived_out(profile: Profile) -> Derived:
    return {
        section: {name: list(facts) for name, facts in sources.items()}
        for section in Section
        if (sources := profile.sources(section))
    }


class ConsentIn(Body):
    purposes: dict[Purpose, StrictBool] = Field(
        min_length=1, description="What is not named stays as it is; false revokes and erases."
    )
    source: Label | None = Field(default=None, description="How it was given, in your words.")
    expires_at: Moment | None = Field(default=None, description="Of what is granted here.")

    def to_changes(self) -> ConsentChanges:
        return ConsentChanges(
            purposes=self.purposes, source=self.source, expires_at=self.expires_at
        )


class GrantOut(Answer):
    granted_at: datetime
    expires_at: datetime | None
    source: str | None


class ConsentOut(Answer):
    user_id: str
    purposes: dict[Purpose, bool] = Field(description="What holds now.")
    grants: dict[Purpose, GrantOut] = Field(description="What was granted, expired or not.")
    has_profile: bool = Field(description="Whether there is a profile that may be read.")
    erasure: ErasureOut | None = Field(
        default=None, description="Of what a purpose covered that was revoked just now."
    )

    @classmethod
    def of(cls, user_id: str, consent: Consent, *, now: datetime, has_profile: bool) -> Self:
        return cls(
            user_id=user_id,
            purposes={
                purpose: purpose in consent and consent[purpose].holds(now) for purpose in Purpose
            },
            grants={
                purpose: GrantOut(
                    granted_at=grant.granted_at, expires_at=grant.expires_at, source=grant.source
                )
                for purpose, grant in sorted(consent.items())
            },
            has_profile=has_profile,
        )

    def with_erasure(self, forgotten: Forgotten) -> Self:
        """The same, with what was erased, if that was anything."""
        if not (forgotten.erased.consents or forgotten.erased.profiles):
            return self
        return self.model_copy(update={"erasure": ErasureOut.of(forgotten)})


class ProfileIn(Body):
    preferences: JsonObject = Field(
        default_factory=dict, description="Merged in by key; null takes a key out."
    )
    context: JsonObject = Field(
        default_factory=dict, description="Merged in by key; null takes a key out."
    )
    notes: Text | None = Field(
        default=None,
        max_length=MAX_NOTES,
        description="Takes the place of what is there; null takes it out.",
    )

    def to_changes(self) -> ProfileChanges:
        notes = self.notes or "" if "notes" in self.model_fields_set else None
        return ProfileChanges(preferences=self.preferences, context=self.context, notes=notes)


class ProfileOut(Answer):
    user_id: str
    preferences: dict[str, Any]
    context: dict[str, Any]
    notes: str
    derived: Derived = Field(description=DERIVED)
    updated_at: datetime

    @classmethod
    def of(cls, user_id: str, profile: Profile) -> Self:
        return cls(
            user_id=user_id,
            preferences=dict(profile.told(Section.PREFERENCES)),
            context=dict(profile.told(Section.CONTEXT)),
            notes=profile.notes,
            derived=derived_out(profile),
            updated_at=profile.updated_at,
        )
