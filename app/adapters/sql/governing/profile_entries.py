"""What facts say of users who agreed that it is told with their profiles."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, delete, exists, func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql.dialect import insert_or_replace, numbers
from app.adapters.sql.narrowing.items import unexpired
from app.domain.ids import ConversationKey, ItemId, ItemKey, ScopeKey
from app.domain.memory import table_and_row
from app.domain.profile import MOST_ENTRIES, DerivedEntry, Entry, Purpose, Section

_NEEDED = (Purpose.PROFILE, Purpose.FACTS)


def agreed(scope: ScopeKey, *, now: datetime) -> ColumnElement[bool]:
    """Whether a user agrees `now` to a profile, and that facts tell more of it."""
    c = t.consent.c
    holds = or_(c.expires_at.is_(None), c.expires_at > now)
    return and_(
        *(
            exists().where(c.scope_key == scope, c.purpose == purpose.value, holds)
            for purpose in _NEEDED
        )
    )


async def entries_of(
    connection: AsyncConnection,
    scope: ScopeKey,
    condition: ColumnElement[bool],
    *,
    now: datetime,
    at: datetime,
    apart_from: Collection[ConversationKey],
) -> Sequence[DerivedEntry]:
    """The newest of what holds `at` a moment, and has not expired by now."""
    e, i, c = t.profile_entry.c, t.memory_item.c, t.conversation.c
    readable = or_(
        i.conversation_key.is_(None),
        and_(
            c.scope_key == scope,
            c.archived.is_(False),
            i.conversation_key.not_in(numbers(apart_from)),
        ),
    )
    wanted = (
        select(e.section, e.name, e.value, e.single, e.derived_at, i.id)
        .join(t.memory_item, i.key == e.item_key)
        .outerjoin(t.conversation, c.key == i.conversation_key)
        .where(
            condition,
            i.valid_from <= at,
            or_(i.valid_to.is_(None), i.valid_to > at),
            unexpired(max(at, now)),
            readable,
            agreed(scope, now=now),
        )
        .order_by(i.valid_from.desc(), i.key.desc())
        .limit(MOST_ENTRIES)
    )
    return [_derived(row) for row in await connection.execute(wanted)]


async def keep_entries(
    connection: AsyncConnection,
    scope: ScopeKey,
    entries: Mapping[ItemKey, Entry],
    *,
    now: datetime,
) -> None:
    """Nothing without consent."""
    if not entries or not (await connection.execute(select(agreed(scope, now=now)))).scalar_one():
        return
    values = ["section", "name", "value", "single", "derived_at"]
    put = insert_or_replace(connection, t.profile_entry, key=["item_key"], values=values)
    rows = [
        {
            "item_key": table_and_row(key)[1],
            "scope_key": scope,
            "section": entry.section.value,
            "name": entry.name,
            "value": entry.value,
            "single": entry.single,
            "derived_at": now,
        }
        for key, entry in entries.items()
    ]
    await connection.execute(put, rows)


async def forget_entry(connection: AsyncConnection, fact: ItemKey) -> None:
    own = t.profile_entry.c.item_key == table_and_row(fact)[1]
    await connection.execute(delete(t.profile_entry).where(own))


async def erase_entries(connection: AsyncConnection, condition: ColumnElement[bool]) -> int:
    return (await connection.execute(delete(t.profile_entry).where(condition))).rowcount


async def count_entries(connection: AsyncConnection, condition: ColumnElement[bool]) -> int:
    held = select(func.count()).select_from(t.profile_entry).where(condition)
    return int((await connection.execute(held)).scalar_one())


def _derived(row: Any) -> DerivedEntry:  # noqa: ANN401  (a row)
    entry = Entry(section=Section(row.section), name=row.name, value=row.value, single=row.single)
    return DerivedEntry(entry=entry, fact=ItemId(row.id), derived_at=row.derived_at)
