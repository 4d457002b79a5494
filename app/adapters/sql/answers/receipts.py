"""Receipts of bundles and retrieval metrics: what was answered, without a word of memory."""

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Delete,
    Select,
    and_,
    bindparam,
    delete,
    func,
    insert,
    or_,
    select,
    tuple_,
    type_coerce,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.dialect import insert_or_replace, is_postgres, numbers, with_text
from app.adapters.sql.fetch import Constant, one_of, visited
from app.adapters.sql.one_hop import UNREAD
from app.adapters.sql.types import from_micros, to_micros
from app.domain.errors import BundleNotFound
from app.domain.ids import ERASED, BundleId, ItemKey, ScopeKey, TenantId
from app.domain.memory import PROFILE
from app.ports.stored import Receipt

BUNDLES_KEPT = timedelta(days=7)
METRICS_KEPT = timedelta(days=30)
ANSWERS_KEPT = timedelta(hours=24)
_AT_ONCE = 1_000
"""Fingerprints that one statement looks up."""


@dataclass(frozen=True, slots=True)
class SqlBundles:
    connection: AsyncConnection
    tenant: TenantId

    async def get(self, bundle_id: BundleId) -> Receipt:
        b = d.bundle.c
        wanted = select(b.scope_key, b.subject, b.created_at, b.request, b.answer).where(
            b.id == bundle_id, b.tenant == self.tenant
        )
        row = (await self.connection.execute(wanted)).one_or_none()
        if row is None:
            raise BundleNotFound(bundle_id=str(bundle_id))
        return Receipt(
            bundle_id=bundle_id,
            tenant=self.tenant,
            scope=row.scope_key,
            subject=row.subject,
            version=0,
            created_at=row.created_at,
            request=row.request,
            answer=row.answer,
            total_ms=row.answer["timings"]["total"] * 1000,
            facts={},
        )

    async def shown(self, scope: ScopeKey, fingerprints: Collection[int]) -> Mapping[int, datetime]:
        asked = {"of_scope": scope, "of_tenant": self.tenant}
        wanted, found = sorted(fingerprints), dict[int, datetime]()
        for start in range(0, len(wanted), _AT_ONCE):
            some = wanted[start : start + _AT_ONCE]
            rows = await _SHOWN.fetch(self.connection, some=some, **asked)
            found |= {fingerprint: from_micros(micros) for fingerprint, micros in rows}
        return found


def _shown(*, on_postgres: bool) -> Select[Any]:
    """When the first of `some` fingerprints were shown in a scope."""
    i = d.issued.c
    return (
        select(i.fingerprint, func.min(type_coerce(i.first_at, BigInteger)))
        .join(t.scope, t.scope.c.key == i.scope_key)
        .where(
            i.scope_key == bindparam("of_scope"),
            t.scope.c.tenant == bindparam("of_tenant"),
            one_of(i.fingerprint, "some", on_postgres=on_postgres),
        )
        .group_by(i.fingerprint)
    )


_SHOWN = Constant.of_both(lambda on_postgres: _shown(on_postgres=on_postgres))
"""Belongs to every turn."""


async def keep_receipts(connection: AsyncConnection, receipts: Sequence[Receipt]) -> None:
    """
    Keep what may be kept of them: another process may have erased what they tell of.

    Of a scope that is gone nothing is. What was asked before the last erasure of a scope is kept
    wordless, since nobody knows what that was.
    """
    receipts = await _of_what_is_there(connection, receipts)
    bundles = [
        {
            "id": each.bundle_id,
            "tenant": each.tenant,
            "scope_key": each.scope,
            "subject": each.subject,
            "created_at": each.created_at,
            "request": each.request,
            "answer": each.answer,
        }
        for each in receipts
    ]
    metrics = [
        {
            "tenant": each.tenant,
            "created_at": each.created_at,
            "total_ms": each.total_ms,
            "facts": each.facts,
        }
        for each in receipts
    ]
    if receipts:
        await connection.execute(_BUNDLES, bundles, execution_options=UNREAD)
        await connection.execute(_METRICS, metrics, execution_options=UNREAD)
        await _keep_issued(connection, receipts)


_BUNDLES = insert(d.bundle)
_METRICS = insert(d.retrieval_metric)

_ISSUED = ("scope_key", "fingerprint", "item_key", "first_at", "last_at")
_NOTE = (
    f"INSERT INTO issued ({', '.join(_ISSUED)}) VALUES (?, ?, ?, ?, ?)"  # noqa: S608  (our own names)
    " ON CONFLICT (scope_key, fingerprint, item_key) DO UPDATE SET last_at = excluded.last_at"
)


async def _keep_issued(connection: AsyncConnection, receipts: Sequence[Receipt]) -> None:
    """
    Note what was shown, of scopes that are there.

    On SQLite by its driver, in its thread: an answer shows some sixty sentences, and what
    SQLAlchemy does for each row took more than a millisecond of the event loop for each answer.
    """
    if not is_postgres(connection):
        await visited(connection, lambda raw: _note(raw, receipts))
    elif shown := _issued(receipts):
        note = insert_or_replace(connection, d.issued, key=_ISSUED[:3], values=["last_at"])
        rows = [dict(zip(_ISSUED, (*each, at, at), strict=True)) for each, at in shown]
        await connection.execute(note, rows)


def _note(raw: sqlite3.Connection, receipts: Sequence[Receipt]) -> None:
    rows = ((*each, to_micros(at), to_micros(at)) for each, at in _issued(receipts))
    raw.executemany(_NOTE, rows)


def _issued(
    receipts: Sequence[Receipt],
) -> Sequence[tuple[tuple[ScopeKey, int, ItemKey], datetime]]:
    """Each sentence of each item once, in order, with when it was shown."""
    shown = {
        (each.scope, fingerprint, item): each.created_at
        for each in receipts
        if each.scope is not None
        for item, fingerprints in each.issued.items()
        for fingerprint in fingerprints
    }
    return sorted(shown.items())


async def _of_what_is_there(
    connection: AsyncConnection, receipts: Sequence[Receipt]
) -> Sequence[Receipt]:
    """On PostgreSQL the scopes are held, so that no erasure comes between this and the commit."""
    scopes = sorted({each.scope for each in receipts if each.scope is not None})
    rows = await connection.execute(_THERE, {"scopes": scopes})
    erased: dict[ScopeKey | None, int] = {None: 0}
    erased |= {ScopeKey(row.key): row.erased_version for row in rows}
    return [
        each.wordless() if each.version < erased[each.scope] else each
        for each in receipts
        if each.scope in erased
    ]


def _there() -> Select[tuple[int, int]]:
    s = t.scope.c
    there = (s.key.in_(bindparam("scopes", expanding=True)), s.tenant != ERASED)
    wanted = select(s.key, s.erased_version).where(*there).order_by(s.key)
    return wanted.with_for_update(read=True)


_THERE = _there()
"""Made once: this is done behind every few answers."""


async def forget_shown(
    connection: AsyncConnection, keys: Collection[ItemKey], *, scopes: Collection[ScopeKey]
) -> None:
    """
    Forget the fingerprints of these items, whomever they were shown, and of the profiles of these
    scopes, which may have told of them.

    Nothing is left then of what is gone, and whoever says it again is heard.
    """
    i = d.issued.c
    profiles = and_(i.scope_key.in_(numbers(scopes)), i.item_key == PROFILE)
    await _forget(connection, or_(i.item_key.in_(numbers(keys)), profiles))


async def forget_all_shown(connection: AsyncConnection, scope: ScopeKey) -> None:
    """Forget the fingerprints of all that a scope was shown."""
    await _forget(connection, d.issued.c.scope_key == scope)


async def _forget(connection: AsyncConnection, shown: ColumnElement[bool]) -> None:
    """Rows are locked in the order in which they are written."""
    key = tuple(d.issued.primary_key)
    doomed = select(*key).where(shown).order_by(*key).with_for_update()
    await connection.execute(delete(d.issued).where(tuple_(*key).in_(doomed)))


async def erase_bundles(connection: AsyncConnection, scope: ScopeKey) -> int:
    """Erase the receipts of what a scope was answered; how many."""
    await forget_shown(connection, (), scopes=[scope])
    told = delete(d.bundle).where(d.bundle.c.scope_key == scope)
    return (await connection.execute(told)).rowcount


async def blank_queries(
    connection: AsyncConnection, scope: ScopeKey, *, gone: Collection[ItemKey]
) -> int:
    """
    Erase what a scope asked, which may repeat what is `gone`, and the fingerprints of that.

    The receipts stay, without a query; how many had one.
    """
    await forget_shown(connection, gone, scopes=[scope])
    asked = d.bundle.c.request
    told = update(d.bundle).where(d.bundle.c.scope_key == scope, asked["query"].as_string() != "")
    blank = told.values(request=with_text(connection, asked, "query", ""))
    return (await connection.execute(blank)).rowcount


async def forget_old(connection: AsyncConnection, *, now: datetime, limit: int) -> bool:
    """
    Drop receipts, metrics and idempotency keys past their time, up to `limit` rows of each, the
    oldest first. Whether there may be more.

    On PostgreSQL what somebody writes to at the moment is left for another time.
    """
    gone = [
        (await connection.execute(_oldest_gone(since, before=now - kept, limit=limit))).rowcount
        for since, kept in (
            (d.bundle.c.created_at, BUNDLES_KEPT),
            (d.issued.c.last_at, BUNDLES_KEPT),
            (d.retrieval_metric.c.created_at, METRICS_KEPT),
            (d.pulse.c.created_at, METRICS_KEPT),
            (d.idempotency.c.created_at, ANSWERS_KEPT),
        )
    ]
    return max(gone) >= limit


def _oldest_gone(since: Column[datetime], *, before: datetime, limit: int) -> Delete:
    key = tuple(since.table.primary_key)
    oldest = select(*key).where(since < before).order_by(since).limit(limit)
    doomed = oldest.with_for_update(skip_locked=True)
    return delete(since.table).where(tuple_(*key).in_(doomed))
