"""
Branches that were left

Which messages an import of before left behind, nobody knows: all are current until the next one.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0003"
down_revision: str | None = "0002"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("message", sa.Column("aside", sa.Boolean(), server_default="0", nullable=False))


def downgrade() -> None:
    op.drop_column("message", "aside")
