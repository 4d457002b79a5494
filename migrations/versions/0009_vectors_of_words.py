"""
Vectors of words

What is embedded from now on has those of its words besides. What is embedded already has none, and
is found as before, until `foreword doctor --fix`. On SQLite rows are so long by now that they are
kept apart from their index: inside of one, what is beyond a quarter of a page took a page of its
own.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0009"
down_revision: str | None = "0008"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

OF_BEFORE = ("model_key", "item_key", "vector", "in_context")


def upgrade() -> None:
    if op.get_context().dialect.name == "postgresql":
        op.add_column("embedding", sa.Column("words", sa.LargeBinary(), nullable=True))
    else:
        _make_anew(sa.Column("words", sa.LargeBinary()), with_rowid=True)


def downgrade() -> None:
    if op.get_context().dialect.name == "postgresql":
        op.drop_column("embedding", "words")
    else:
        _make_anew(with_rowid=False)


def _make_anew(*more: sa.Column[bytes], with_rowid: bool) -> None:
    """The table of SQLite with `more` columns, in the order of its key."""
    op.create_table(
        "embedding_anew",
        sa.Column("model_key", sa.SmallInteger(), nullable=False),
        sa.Column("item_key", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
        sa.Column("in_context", sa.LargeBinary()),
        *more,
        sa.ForeignKeyConstraint(
            ["model_key"],
            ["embedding_model.key"],
            name=op.f("fk_embedding_model_key"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("model_key", "item_key", name=op.f("pk_embedding")),
        sqlite_with_rowid=with_rowid,
    )
    columns = ", ".join(OF_BEFORE)
    op.execute(
        f"INSERT INTO embedding_anew ({columns}) SELECT {columns} FROM embedding"  # noqa: S608  (ours)
        " ORDER BY model_key, item_key"
    )
    op.drop_table("embedding")
    op.rename_table("embedding_anew", "embedding")
