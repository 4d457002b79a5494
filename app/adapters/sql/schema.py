"""
What all tables share.

Rows have a small integer `key` inside the service and a UUIDv7 `id` outside. A key is never given
out twice, not even after a delete (`sqlite_autoincrement`), so stale index entries stay harmless.
"""

from sqlalchemy import Column, ForeignKey, MetaData

from app.adapters.sql.types import Key

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    }
)


def own_key() -> Column[int]:
    return Column("key", Key, primary_key=True, autoincrement=True)


def belongs_to(column: str, target: str, *, index: bool = False) -> Column[int]:
    """A reference to the owner, with which the row goes."""
    return Column(column, Key, ForeignKey(target, ondelete="CASCADE"), nullable=False, index=index)


def key_of_owner(column: str, target: str) -> Column[int]:
    """The same where it is the key of the row, or part of it."""
    owner = ForeignKey(target, ondelete="CASCADE")
    return Column(column, Key, owner, primary_key=True, autoincrement=False)
