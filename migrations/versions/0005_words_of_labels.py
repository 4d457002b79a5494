"""
Words of labels

Which conversation has which words in its label. A service that starts fills it, while it serves.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0005"
down_revision: str | None = "0004"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "label_term",
        sa.Column("scope_key", KEY, nullable=False),
        sa.Column("term", sa.String(64), nullable=False),
        sa.Column("conversation_key", KEY, nullable=False),
        sa.ForeignKeyConstraint(
            ["scope_key"], ["scope.key"], name=op.f("fk_label_term_scope_key"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["conversation_key"],
            ["conversation.key"],
            name=op.f("fk_label_term_conversation_key"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint(
            "scope_key", "term", "conversation_key", name=op.f("pk_label_term")
        ),
        sqlite_with_rowid=False,
    )
    op.create_index(
        op.f("ix_label_term_conversation_key"), "label_term", ["conversation_key"], unique=False
    )


def downgrade() -> None:
    op.drop_table("label_term")
    op.execute("DELETE FROM projection WHERE name = 'label_terms'")
