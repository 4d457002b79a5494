"""
What was shown, by item

Of what was shown before, nobody knows which item it was of: it is forgotten.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0002"
down_revision: str | None = "0001"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.drop_table("issued")
    _make(sa.Column("item_key", sa.BigInteger(), nullable=False))
    op.create_index(op.f("ix_issued_item_key"), "issued", ["item_key"], unique=False)


def downgrade() -> None:
    op.drop_table("issued")
    _make()


def _make(*of: sa.Column[int]) -> None:
    op.create_table(
        "issued",
        sa.Column("scope_key", KEY, nullable=False),
        sa.Column("fingerprint", sa.BigInteger(), nullable=False),
        *of,
        sa.Column("first_at", sa.BigInteger(), nullable=False),
        sa.Column("last_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["scope_key"], ["scope.key"], name=op.f("fk_issued_scope_key"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint(
            "scope_key", "fingerprint", *(each.name for each in of), name=op.f("pk_issued")
        ),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_issued_last_at"), "issued", ["last_at"], unique=False)
