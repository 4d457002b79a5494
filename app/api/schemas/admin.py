from datetime import UTC, datetime
from typing import Annotated, Any, Self
from uuid import UUID

from pydantic import AfterValidator, Field

from app.api.limits import AtMost
from app.api.schemas.conversations import PageQuery
from app.api.schemas.fields import Answer, Body, Moment, Name
from app.domain.audit import Action, Entry
from app.domain.keys import USUAL, ApiKey, Permission, in_order


def _in_the_future(moment: datetime) -> datetime:
    if moment <= datetime.now(UTC):
        raise ValueError("must lie in the future")
    return moment


class KeyIn(Body):
    name: Name
    scopes: Annotated[list[Permission], AtMost("list_items")] = Field(
        default_factory=lambda: list(in_order(USUAL)), min_length=1
    )
    expires_at: Annotated[Moment, AfterValidator(_in_the_future)] | None = None


class KeyOut(Answer):
    id: UUID
    name: str
    scopes: list[Permission]
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None = Field(description="As of some seconds ago.")
    revoked_at: datetime | None

    @classmethod
    def of(cls, key: ApiKey) -> Self:
        return cls(
            id=key.id,
            name=key.name,
            scopes=in_order(key.permissions),
            created_at=key.created_at,
            expires_at=key.expires_at,
            last_used_at=key.last_used_at,
            revoked_at=key.revoked_at,
        )


class NewKeyOut(KeyOut):
    key: str = Field(description="Shown this once: only its hash is kept.")


class KeyPage(Answer):
    items: list[KeyOut]
    next_cursor: str | None


class AuditQuery(PageQuery):
    action: Action | None = None
    subject: Name | None = Field(default=None, description="As an entry names it.")
    user_id: Name | None = Field(default=None, description="What was done to this user.")


class EntryOut(Answer):
    at: datetime
    actor: str = Field(description="key, anyone here, command or service.")
    key_id: UUID | None
    action: Action
    subject: str = Field(description="What it was done to; a user by a hash.")
    facts: dict[str, Any]

    @classmethod
    def of(cls, entry: Entry) -> Self:
        return cls(
            at=entry.at,
            actor=entry.actor.kind,
            key_id=entry.actor.key,
            action=entry.deed.action,
            subject=entry.deed.subject,
            facts=dict(entry.deed.facts),
        )


class AuditPage(Answer):
    items: list[EntryOut]
    next_cursor: str | None
