"""
Indexes of what is asked

Whole memory items are in no index of parents: SQLite went through all of them, whoever's they are.
Metrics are found by their time alone, too: to forget the old ones, all were read.
Subjects are in order of their code points on PostgreSQL too, by whose index their beginnings are
found.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0008"
down_revision: str | None = "0007"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

PARTS_ONLY = sa.text("parent_key IS NOT NULL")


def upgrade() -> None:
    _collate("C")
    op.drop_index(op.f("ix_memory_item_parent_key"), table_name="memory_item")
    op.create_index(
        op.f("ix_memory_item_parent_key"),
        "memory_item",
        ["parent_key"],
        unique=False,
        sqlite_where=PARTS_ONLY,
        postgresql_where=PARTS_ONLY,
    )
    op.create_index(
        op.f("ix_retrieval_metric_created_at"), "retrieval_metric", ["created_at"], unique=False
    )


def downgrade() -> None:
    _collate("default")
    op.drop_index(op.f("ix_retrieval_metric_created_at"), table_name="retrieval_metric")
    op.drop_index(op.f("ix_memory_item_parent_key"), table_name="memory_item")
    op.create_index(op.f("ix_memory_item_parent_key"), "memory_item", ["parent_key"], unique=False)


def _collate(order: str) -> None:
    if op.get_context().dialect.name == "postgresql":
        op.alter_column("memory_item", "subject", type_=sa.String(255, collation=order))
