"""Consent and profiles of one tenant's users."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    ScalarSelect,
    Table,
    delete,
    exists,
    func,
    or_,
    select,
    type_coerce,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql.answers.receipts import erase_bundles
from app.adapters.sql.dialect import insert_or_replace
from app.adapters.sql.governing.profile_entries import (
    count_entries,
    entries_of,
    erase_entries,
    forget_entry,
    keep_entries,
)
from app.adapters.sql.types import to_micros
from app.domain.ids import ConversationKey, ItemKey, ScopeKey, TenantId
from app.domain.profile import Consent, DerivedEntry, Entry, Grant, Profile, Purpose
from app.ports.stored import Erased

_FOREVER = to_micros(datetime.max.replace(tzinfo=UTC))


def profile_until(scope: Column[int]) -> ScalarSelect[int]:
    """Until when a profile may be read, in microseconds; to be read along with its scope."""
    tables = (t.profile, t.profile_entry)
    # By itself SQLAlchemy takes the scope from the next statement around, not from the one beyond.
    there = [exists().where(each.c.scope_key == scope).correlate(scope.table) for each in tables]
    return _agreed_until(scope, Purpose.PROFILE, or_(*there))


def derived_until(scope: Column[int]) -> ScalarSelect[int]:
    """The same of what facts add to it."""
    return _agreed_until(scope, Purpose.FACTS)


def _agreed_until(
    scope: Column[int], purpose: Purpose, *conditions: ColumnElement[bool]
) -> ScalarSelect[int]:
    c = t.consent.c
    return (
        select(func.coalesce(type_coerce(c.expires_at, BigInteger), _FOREVER))
        .where(c.scope_key == scope, c.purpose == purpose.value, *conditions)
        .scalar_subquery()
    )


@dataclass(frozen=True, slots=True)
class SqlPersonal:
    connection: AsyncConnection
    tenant: TenantId

    async def consent(self, scope: ScopeKey) -> Consent:
        c = t.consent.c
        given = select(c.purpose, c.source, c.granted_at, c.expires_at).where(
            self._of(t.consent, scope)
        )
        return {
            Purpose(row.purpose): Grant(
                source=row.source, granted_at=row.granted_at, expires_at=row.expires_at
            )
            for row in await self.connection.execute(given)
        }

    async def find_profile(self, scope: ScopeKey, *, now: datetime) -> Profile | None:
        c, p = t.consent.c, t.profile.c
        wanted = (
            select(p.preferences, p.context, p.notes, p.updated_at)
            .join(t.consent, c.scope_key == p.scope_key)
            .where(
                self._of(t.profile, scope),
                c.purpose == Purpose.PROFILE.value,
                or_(c.expires_at.is_(None), c.expires_at > now),
            )
        )
        row = (await self.connection.execute(wanted)).one_or_none()
        return None if row is None else _profile(row)

    async def derived(
        self,
        scope: ScopeKey,
        *,
        now: datetime,
        at: datetime,
        apart_from: Collection[ConversationKey] = (),
    ) -> Sequence[DerivedEntry]:
        return await entries_of(
            self.connection,
            scope,
            self._of(t.profile_entry, scope),
            now=now,
            at=at,
            apart_from=apart_from,
        )

    async def consents(self, *, now: datetime) -> Mapping[Purpose, int]:
        c = t.consent.c
        counted = (
            select(c.purpose, func.count().label("users"))
            .join(t.scope, t.scope.c.key == c.scope_key)
            .where(
                t.scope.c.tenant == self.tenant,
                or_(c.expires_at.is_(None), c.expires_at > now),
            )
            .group_by(c.purpose)
        )
        found = {row.purpose: row.users for row in await self.connection.execute(counted)}
        return {purpose: found.get(purpose.value, 0) for purpose in Purpose}

    async def remaining(self, scope: ScopeKey) -> tuple[int, int]:
        held = select(func.count()).select_from(t.profile).where(self._of(t.profile, scope))
        profiles = int((await self.connection.execute(held)).scalar_one())
        return profiles, await count_entries(self.connection, self._of(t.profile_entry, scope))

    async def grant(self, scope: ScopeKey, purposes: Collection[Purpose], grant: Grant) -> None:
        values = ["source", "granted_at", "expires_at"]
        put = insert_or_replace(
            self.connection, t.consent, key=["scope_key", "purpose"], values=values
        )
        row = {name: getattr(grant, name) for name in values} | {"scope_key": scope}
        if purposes:
            rows = [{**row, "purpose": purpose.value} for purpose in sorted(purposes)]
            await self.connection.execute(put, rows)

    async def revoke(self, scope: ScopeKey, purposes: Collection[Purpose]) -> Erased:
        c = t.consent.c
        revoked = await self.connection.execute(
            delete(t.consent).where(
                self._of(t.consent, scope), c.purpose.in_([each.value for each in purposes])
            )
        )
        return Erased(scope=scope, consents=revoked.rowcount)

    async def put_profile(self, scope: ScopeKey, profile: Profile) -> None:
        values = ["preferences", "context", "notes", "updated_at"]
        put = insert_or_replace(self.connection, t.profile, key=["scope_key"], values=values)
        row = {name: getattr(profile, name) for name in values}
        await self.connection.execute(put, {**row, "scope_key": scope})

    async def erase_profile(self, scope: ScopeKey) -> Erased:
        derived = await self.erase_derived(scope)
        erased = await self.connection.execute(delete(t.profile).where(self._of(t.profile, scope)))
        if not erased.rowcount:
            return derived
        bundles = await erase_bundles(self.connection, scope)
        return derived + Erased(profiles=erased.rowcount, bundles=bundles)

    async def derive(
        self, scope: ScopeKey, entries: Mapping[ItemKey, Entry], *, now: datetime
    ) -> None:
        await keep_entries(self.connection, scope, entries, now=now)

    async def forget_derived(self, fact: ItemKey) -> None:
        await forget_entry(self.connection, fact)

    async def erase_derived(self, scope: ScopeKey) -> Erased:
        entries = await erase_entries(self.connection, self._of(t.profile_entry, scope))
        if not entries:
            return Erased(scope=scope)
        bundles = await erase_bundles(self.connection, scope)
        return Erased(scope=scope, profile_entries=entries, bundles=bundles)

    def _of(self, table: Table, scope: ScopeKey) -> ColumnElement[bool]:
        s = t.scope.c
        owned = select(s.key).where(s.key == scope, s.tenant == self.tenant)
        return table.c.scope_key.in_(owned)


def _profile(row: Any) -> Profile:  # noqa: ANN401  (a row)
    return Profile(
        preferences=_in_order(row.preferences),
        context=_in_order(row.context),
        notes=row.notes,
        updated_at=row.updated_at,
    )


def _in_order(stored: Mapping[str, Any]) -> Mapping[str, Any]:
    """With its keys in order at every depth: PostgreSQL keeps them in another one."""
    ordered: Mapping[str, Any] = json.loads(json.dumps(stored, sort_keys=True))
    return ordered
