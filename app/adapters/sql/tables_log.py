"""What was done to the truth, and what is being erased of it."""

from sqlalchemy import Column, Index, String, Table, Uuid

from app.adapters.sql.schema import metadata, own_key
from app.adapters.sql.types import Instant, Json, Key

# What was put out of reach, and is erased in portions: until the audit log has its end. `counts` is
# what was erased so far; the scope goes with the last portion.
erasure = Table(
    "erasure",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("tenant", String(64), nullable=False),
    Column("subject", String(255), nullable=False),
    Column("scope_key", Key, nullable=False, unique=True),
    Column("counts", Json, nullable=False),
    Column("worked_on_at", Instant, nullable=False),
)

# Append-only: triggers refuse every UPDATE and DELETE (see the migration).
audit_log = Table(
    "audit_log",
    metadata,
    own_key(),
    Column("tenant", String(64), nullable=False),
    Column("at", Instant, nullable=False),
    Column("actor", String(16), nullable=False),
    Column("key_id", Uuid),
    Column("action", String(64), nullable=False),
    Column("subject", String(255), nullable=False),
    Column("facts", Json, nullable=False),
    Index(None, "tenant", "key"),
    Index(None, "tenant", "subject"),
    sqlite_autoincrement=True,
)
