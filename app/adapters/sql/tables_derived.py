"""What is derived from the truth, or watches over it. All of it can be lost without harm."""

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    SmallInteger,
    String,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
)

from app.adapters.sql.schema import belongs_to, metadata, own_key
from app.adapters.sql.types import Instant, Json, Key

entity = Table(
    "entity",
    metadata,
    own_key(),
    Column("id", Uuid, nullable=False, unique=True),
    belongs_to("scope_key", "scope.key"),
    Column("type", String(32), nullable=False),
    Column("name", Text, nullable=False),
    Column("normal_name", Text, nullable=False),
    Column("first_seen_at", Instant, nullable=False),
    Column("last_seen_at", Instant, nullable=False),
    Column("mentions", Integer, nullable=False),
    UniqueConstraint("scope_key", "type", "normal_name"),
    sqlite_autoincrement=True,
)

entity_alias = Table(
    "entity_alias",
    metadata,
    Column("entity_key", Key, ForeignKey("entity.key", ondelete="CASCADE"), primary_key=True),
    Column("normal_name", String(255), primary_key=True),
    Index(None, "normal_name"),
)

mention = Table(
    "mention",
    metadata,
    Column("entity_key", Key, ForeignKey("entity.key", ondelete="CASCADE"), primary_key=True),
    Column("message_key", Key, ForeignKey("message.key", ondelete="CASCADE"), primary_key=True),
    Column("start", Integer, primary_key=True),
    Column("stop", Integer, nullable=False),
    Index(None, "message_key"),
)

edge = Table(
    "edge",
    metadata,
    Column("source_key", Key, ForeignKey("entity.key", ondelete="CASCADE"), primary_key=True),
    Column("relation", String(64), primary_key=True),
    Column("target_key", Key, ForeignKey("entity.key", ondelete="CASCADE"), primary_key=True),
    Column("weight", Float, nullable=False),
    Column("last_seen_at", Instant, nullable=False),
    Index(None, "target_key"),
)

# Vectors are kept here too (float16, little endian), so that an index is rebuilt without embedding.
embedding_model = Table(
    "embedding_model",
    metadata,
    Column("key", SmallInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("name", String(255), nullable=False, unique=True),
    Column("dimension", Integer, nullable=False),
    Column("created_at", Instant, nullable=False),
)

embedding = Table(
    "embedding",
    metadata,
    Column(
        "model_key",
        SmallInteger,
        ForeignKey("embedding_model.key", ondelete="CASCADE"),
        primary_key=True,
    ),
    Column("item_key", Key, primary_key=True, autoincrement=False),
    Column("vector", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

# "The projections of this item may differ from the truth." A row is gone once they agree again.
outbox = Table(
    "outbox",
    metadata,
    own_key(),
    Column("tenant", String(64), nullable=False),
    Column("scope_key", Key, nullable=False),
    Column("item_key", Key, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("due_at", Instant, nullable=False),
    Column("attempts", SmallInteger, nullable=False, server_default="0"),
    Column("dead", Boolean, nullable=False, server_default="0"),
    Column("error", Text),
    Index(None, "dead", "due_at"),
    Index(None, "tenant", "key"),
    sqlite_autoincrement=True,
)

bundle = Table(
    "bundle",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("tenant", String(64), nullable=False),
    Column("scope_key", Key),
    Column("created_at", Instant, nullable=False, index=True),
    Column("request", Json, nullable=False),
    Column("answer", Json, nullable=False),
    Index(None, "scope_key"),
)

retrieval_metric = Table(
    "retrieval_metric",
    metadata,
    own_key(),
    Column("tenant", String(64), nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("total_ms", Float, nullable=False),
    Column("facts", Json, nullable=False),
    Index(None, "tenant", "created_at"),
    sqlite_autoincrement=True,
)

idempotency = Table(
    "idempotency",
    metadata,
    Column("tenant", String(64), primary_key=True),
    Column("path", String(255), primary_key=True),
    Column("key", String(255), primary_key=True),
    Column("body_hash", LargeBinary(32), nullable=False),
    Column("answer", Json, nullable=False),
    Column("created_at", Instant, nullable=False, index=True),
)

# Facts about the projections themselves, such as the version of the analysis in full text.
projection = Table(
    "projection",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("version", String(255), nullable=False),
)
