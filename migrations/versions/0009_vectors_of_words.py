"""
Vectors of words

What is embedded from now on has those of its words besides. The model that is shipped is a new one
to the store, so all that is there is embedded anew while the vectors of before answer.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0009"
down_revision: str | None = "0008"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("embedding", sa.Column("words", sa.LargeBinary(), nullable=True))


def downgrade() -> None:
    op.drop_column("embedding", "words")
