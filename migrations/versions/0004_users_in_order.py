"""
Users in order

Ids of users are in order of their code points on PostgreSQL too, by whose index they are listed.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0004"
down_revision: str | None = "0003"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    _collate("C")


def downgrade() -> None:
    _collate("default")


def _collate(order: str) -> None:
    if op.get_context().dialect.name == "postgresql":
        op.alter_column("scope", "user_id", type_=sa.String(255, collation=order))
