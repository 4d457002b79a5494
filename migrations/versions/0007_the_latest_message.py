"""
The latest message of a conversation

Told with it: to list conversations, the messages of each were looked through.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0007"
down_revision: str | None = "0006"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("conversation", sa.Column("last_message_at", sa.BigInteger(), nullable=True))
    op.execute(
        "UPDATE conversation SET last_message_at = (SELECT max(message.created_at) FROM message"
        " WHERE message.conversation_key = conversation.key)"
    )


def downgrade() -> None:
    op.drop_column("conversation", "last_message_at")
