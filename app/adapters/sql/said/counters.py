"""The counters of scopes and conversations, moved or made anew in the database."""

from collections.abc import Collection, Sequence

from sqlalchemy import ColumnElement, Update, bindparam, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.sql import tables as t
from app.adapters.sql.dialect import numbers
from app.adapters.sql.full_text.entries import Entry
from app.adapters.sql.one_hop import UNREAD
from app.domain.ids import ConversationKey, ScopeKey


def moved(*conditions: ColumnElement[bool]) -> Update:
    """
    A scope (`of_scope`) of which full text gained or lost so many documents and terms (`documents`,
    `words`): another version.
    """
    s = t.scope.c
    return (
        update(t.scope)
        .where(s.key == bindparam("of_scope"), *conditions)
        .values(
            version=s.version + 1,
            messages=s.messages + bindparam("documents"),
            terms=s.terms + bindparam("words"),
        )
    )


_MOVED = moved()


def terms_in(entries: Sequence[Entry]) -> int:
    return sum(len(each.terms) for each in entries)


async def count(
    connection: AsyncConnection,
    entries: Sequence[Entry],
    *,
    sign: int = 1,
    touched: Collection[ScopeKey] = (),
) -> None:
    """
    Move the counters of the scopes that the entries are of; those `touched` without any are, too,
    another version.

    For workers and whoever erases: a scope may have left its tenant.
    """
    by_scope = {scope: list[Entry]() for scope in touched}
    for each in entries:
        by_scope.setdefault(each.scope, []).append(each)
    for scope, several in sorted(by_scope.items()):
        documents, words = sign * len(several), sign * terms_in(several)
        asked = {"of_scope": scope, "documents": documents, "words": words}
        await connection.execute(_MOVED, asked, execution_options=UNREAD)


async def recount(connection: AsyncConnection, conversations: Sequence[ConversationKey]) -> None:
    """Count the messages of conversations and their tokens anew, and find the latest."""
    m, c = t.message.c, t.conversation.c
    said = select(func.count()).where(m.conversation_key == c.key)
    tokens = select(func.coalesce(func.sum(m.tokens), 0)).where(m.conversation_key == c.key)
    latest = select(func.max(m.created_at)).where(m.conversation_key == c.key)
    await connection.execute(
        update(t.conversation)
        .where(c.key.in_(numbers(conversations)))
        .values(
            message_count=said.scalar_subquery(),
            token_count=tokens.scalar_subquery(),
            last_message_at=latest.scalar_subquery(),
        )
    )
