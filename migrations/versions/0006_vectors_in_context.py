"""
Vectors in context

A brief message has a vector of what it says with what leads in to it besides. What is embedded
already has none, and is found by itself as before, until `foreword reindex`.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0006"
down_revision: str | None = "0005"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("embedding", sa.Column("in_context", sa.LargeBinary(), nullable=True))


def downgrade() -> None:
    op.drop_column("embedding", "in_context")
