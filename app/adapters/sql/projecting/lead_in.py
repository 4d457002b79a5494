"""What leads in to brief messages, and to which it does: they are embedded with it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, bindparam, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql import tables_derived as d
from app.adapters.sql.dialect import numbers
from app.adapters.sql.narrowing.recallable import of_any_model, recallable
from app.adapters.sql.one_hop import UNREAD
from app.adapters.sql.portioned import portions
from app.adapters.sql.projecting.embeddings import forget_embeddings
from app.adapters.sql.projecting.outbox import enqueue
from app.adapters.sql.said.scopes import hold_scopes
from app.domain.conversation import Role
from app.domain.ids import ItemKey, ScopeKey, TenantId
from app.domain.memory import Table, item_key
from app.text.echo import own_words
from app.text.lead_in import BRIEF, MESSAGES, leading_in
from app.text.terms import indexed_text

_SAID = (Role.USER.value, Role.ASSISTANT.value)
_prior = t.message.alias("prior")


async def lead_ins(connection: AsyncConnection, keys: Sequence[int]) -> Mapping[int, Sequence[str]]:
    """What leads in to those of the messages that are brief, by their keys; nothing to some."""
    before = defaultdict[int, list[tuple[str, int]]](list)
    for some in portions(keys):
        for row in await connection.execute(_before(), {"the_rows": some}):
            said = own_words(row.content, row.echo or ())
            before[row.key].append((indexed_text(said, row.name), row.tokens))
    return {key: leading_in(told) for key, told in before.items()}


async def hold_led_by(connection: AsyncConnection, doomed: Sequence[int]) -> Sequence[int]:
    """
    The messages to which any of the `doomed` leads in, and which stay: their vectors tell of it.

    All of these are held, in order and behind their scopes: who embeds one of them is waited for,
    or waits.
    """
    m = t.message.c
    scopes = select(m.scope_key).where(m.key.in_(numbers(doomed)))
    await hold_scopes(connection, scopes)
    after = set((await connection.execute(_after(doomed))).scalars())
    held = select(m.key).where(m.key.in_(numbers(after.union(doomed)))).order_by(m.key)
    there = (await connection.execute(held.with_for_update())).scalars()
    return [key for key in there if key in after]


async def embed_again(
    connection: AsyncConnection,
    tenant: TenantId,
    scope: ScopeKey,
    messages: Sequence[int],
    *,
    now: datetime,
) -> None:
    """Forget the vectors of these messages, and note that they are to have others."""
    items = [item_key(Table.MESSAGE, key) for key in messages]
    await forget_embeddings(connection, items)
    await enqueue(connection, tenant, scope, items, now=now)


async def hold_near(
    connection: AsyncConnection, turned: Sequence[int]
) -> Sequence[tuple[ScopeKey, int]]:
    """
    The brief messages at or right behind any of the `turned`, by their keys, with their scopes.

    All are held with the `turned`, in order: who embeds one of them is waited for, or waits.
    """
    m = t.message.c
    rows = await connection.execute(_near(turned))
    near = {int(row.key): ScopeKey(row.scope_key) for row in rows}
    held = select(m.key).where(m.key.in_(numbers({*near, *turned}))).order_by(m.key)
    await connection.execute(held.with_for_update())
    return [(near[key], key) for key in sorted(near)]


async def lead_in_again(
    connection: AsyncConnection,
    tenant: TenantId,
    several: Sequence[tuple[ScopeKey, int]],
    *,
    now: datetime,
) -> None:
    """Forget these messages' vectors in context, and note that they are to have others."""
    items = [item_key(Table.MESSAGE, key) for _, key in several]
    e = d.embedding.c
    alone = update(d.embedding).where(of_any_model(), e.item_key.in_(numbers(items)))
    await connection.execute(alone.values(in_context=None), execution_options=UNREAD)
    by_scope = defaultdict[ScopeKey, list[ItemKey]](list)
    for (scope, _), item in zip(several, items, strict=True):
        by_scope[scope].append(item)
    for scope, own in by_scope.items():
        await enqueue(connection, tenant, scope, own, now=now)


def _near(turned: Sequence[int]) -> Select[Any]:
    m, p = t.message.c, _prior.c
    return (
        select(m.key, m.scope_key)
        .distinct()
        .join(
            _prior,
            and_(
                p.conversation_key == m.conversation_key,
                p.position.between(m.position - MESSAGES, m.position),
                m.position.between(p.position, p.position + MESSAGES),
            ),
        )
        .where(p.key.in_(numbers(turned)), m.tokens <= BRIEF, m.terms.is_not(None))
    )


@cache
def _before() -> Select[Any]:
    """What stands right before brief messages, the nearest first."""
    m, p = t.message.c, _prior.c
    return (
        select(m.key, p.name, p.content, p.echo, p.tokens)
        .join(_prior, _leads_in())
        .where(m.key.in_(bindparam("the_rows", expanding=True)))
        .order_by(m.key, p.position.desc())
    )


def _after(doomed: Sequence[int]) -> Select[Any]:
    """The messages in the index to which any of these leads in, and that are none of them."""
    m, p = t.message.c, _prior.c
    return (
        select(m.key)
        .join(_prior, _leads_in())
        .join(t.conversation, t.conversation.c.key == m.conversation_key)
        .where(p.key.in_(numbers(doomed)), m.key.not_in(numbers(doomed)), *recallable())
    )


def _leads_in() -> ColumnElement[bool]:
    """
    Of a message and a `prior` one; what a branch holds that was left leads in to itself only.

    Places are bounded from both sides, for an index to find either by the other.
    """
    m, p = t.message.c, _prior.c
    return and_(
        m.tokens <= BRIEF,
        p.conversation_key == m.conversation_key,
        p.position.between(m.position - MESSAGES, m.position - 1),
        m.position.between(p.position + 1, p.position + MESSAGES),
        p.role.in_(_SAID),
        p.content.is_not(None),
        or_(p.aside.is_(False), m.aside),
    )
