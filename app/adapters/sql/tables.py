"""
The truth: what was said, what was told, and by whose leave. `migrations/` builds the same schema.

What is derived from it lies in `tables_derived.py`, full text in `full_text_*.py`, what was done to
it in `tables_log.py`.
"""

from sqlalchemy import (
    Boolean,
    Column,
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
    text,
)

from app.adapters.sql.schema import belongs_to, metadata, own_key
from app.adapters.sql.types import Instant, Json, Key, Ordered
from app.domain.conversation import KEPT

tenant = Table(
    "tenant",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("created_at", Instant, nullable=False),
    Column("flags_version", Integer, nullable=False, server_default="0"),
)

api_key = Table(
    "api_key",
    metadata,
    own_key(),
    Column("id", Uuid, nullable=False, unique=True),
    Column("tenant", String(64), ForeignKey("tenant.id", ondelete="CASCADE"), nullable=False),
    Column("name", String(255), nullable=False),
    Column("hash", LargeBinary(32), nullable=False, unique=True),
    Column("scopes", Json, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("expires_at", Instant),
    Column("last_used_at", Instant),
    Column("revoked_at", Instant),
    sqlite_autoincrement=True,
)

# A user of a tenant; user_id '' is "no user". What is shared, which is one scope of user_id '', is
# the tenant's documents, that every user reads. The counters are those of full text.
scope = Table(
    "scope",
    metadata,
    own_key(),
    Column("tenant", String(64), ForeignKey("tenant.id", ondelete="CASCADE"), nullable=False),
    Column("user_id", Ordered, nullable=False),
    Column("shared", Boolean, nullable=False, server_default="0"),
    Column("version", Key, nullable=False, server_default="0"),
    Column("messages", Key, nullable=False, server_default="0"),
    Column("terms", Key, nullable=False, server_default="0"),
    # The version that the last erasure made: what was answered before is not told again.
    Column("erased_version", Key, nullable=False, server_default="0"),
    Column("created_at", Instant, nullable=False),
    UniqueConstraint("tenant", "user_id", "shared"),
    sqlite_autoincrement=True,
)

conversation = Table(
    "conversation",
    metadata,
    own_key(),
    Column("id", Uuid, nullable=False, unique=True),
    belongs_to("scope_key", "scope.key"),
    Column("external_id", String(255)),
    Column("label", Text),
    Column("folder", Text),
    Column("importance", SmallInteger, nullable=False),
    Column("metadata", Json, nullable=False),
    Column("system_prompt", Text),
    Column("archived", Boolean, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("updated_at", Instant, nullable=False),
    # When somebody last wrote to it here, whatever an import says of `updated_at`.
    Column("written_at", Instant, nullable=False),
    Column("message_count", Integer, nullable=False),
    Column("token_count", Key, nullable=False),
    # The latest moment of its messages, which may have come in another order.
    Column("last_message_at", Instant),
    UniqueConstraint("scope_key", "external_id"),
    Index(None, "scope_key", "created_at", "key"),
    Index(None, "scope_key", "importance"),
    sqlite_autoincrement=True,
)

conversation_tag = Table(
    "conversation_tag",
    metadata,
    Column(
        "conversation_key",
        Key,
        ForeignKey("conversation.key", ondelete="CASCADE"),
        primary_key=True,
    ),
    Column("position", SmallInteger, primary_key=True),
    Column("tag", String(255), nullable=False),
    Index(None, "tag", "conversation_key"),
)

KEPT_ONLY = text(f"role = 'system' OR coalesce(importance, rated) >= {KEPT}")
"""What stays in the history of its conversation, which is little of it."""

# `terms` is the bag of words as ranking reads it (app/text/terms.py); NULL: in no index. Full text
# holds the smallest pieces: a message, or its chunks where it has any. `echo` are the stretches
# that a bundle of ours put there; the indexes hold the rest only, as chunks. `rated` is the
# importance by rules, which ranking does not count. `unwanted` marks what was derived from it and
# deleted, by hashes (app/distil/facts/filing.py). `aside` is what a branch holds that was left.
message = Table(
    "message",
    metadata,
    own_key(),
    Column("id", Uuid, nullable=False, unique=True),
    belongs_to("conversation_key", "conversation.key"),
    belongs_to("scope_key", "scope.key"),
    Column("position", Integer, nullable=False),
    Column("external_id", String(255)),
    Column("role", String(16), nullable=False),
    Column("name", String(255)),
    Column("content", Text),
    Column("tool_calls", Json),
    Column("tool_call_id", Text),
    Column("importance", SmallInteger),
    Column("metadata", Json, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("tokens", Integer, nullable=False),
    Column("content_hash", LargeBinary(16), nullable=False),
    Column("terms", LargeBinary),
    Column("chunks", Integer, nullable=False, server_default="0"),
    Column("echo", Json),
    Column("unwanted", Json),
    Column("rated", SmallInteger),
    Column("tags", Json),
    Column("aside", Boolean, nullable=False, server_default="0"),
    UniqueConstraint("conversation_key", "position"),
    UniqueConstraint("conversation_key", "external_id"),
    Index(None, "scope_key", "importance"),
    Index(None, "scope_key", "created_at"),
    Index(None, "conversation_key", "position", sqlite_where=KEPT_ONLY, postgresql_where=KEPT_ONLY),
    sqlite_autoincrement=True,
)

# content[start:stop] of a message, kept here too: a long one is not read to show a part of it.
chunk = Table(
    "chunk",
    metadata,
    own_key(),
    Column("id", Uuid, nullable=False, unique=True),
    belongs_to("message_key", "message.key"),
    belongs_to("scope_key", "scope.key", index=True),
    Column("position", Integer, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("language", String(32)),
    Column("start", Integer, nullable=False),
    Column("stop", Integer, nullable=False),
    Column("content", Text, nullable=False),
    Column("tokens", Integer, nullable=False),
    Column("content_hash", LargeBinary(16), nullable=False),
    Column("terms", LargeBinary, nullable=False),
    UniqueConstraint("message_key", "position"),
    sqlite_autoincrement=True,
)

PARTS_ONLY = text("parent_key IS NOT NULL")
"""
The parts of long documents. Where an index has whole items as well, SQLite, which keeps no
statistics here, goes through those of every tenant for "parent_key IS NULL".
"""

# At most one item of a type holds about a `subject` at a time. `valid_to` is when it ended: at
# `ends_at`, which is what was told, or when what superseded it began, if that is earlier. A long
# document is found by its parts, content[start:stop], which are rows that have it as `parent_key`.
# `derived` is what a worker made of messages, and nobody changed.
memory_item = Table(
    "memory_item",
    metadata,
    own_key(),
    Column("id", Uuid, nullable=False, unique=True),
    belongs_to("scope_key", "scope.key"),
    Column("conversation_key", Key, ForeignKey("conversation.key", ondelete="CASCADE")),
    Column("parent_key", Key, ForeignKey("memory_item.key", ondelete="CASCADE")),
    Column("position", Integer, nullable=False, server_default="0"),
    Column("start", Integer),
    Column("stop", Integer),
    Column("parts", Integer, nullable=False, server_default="0"),
    Column("type", String(16), nullable=False),
    Column("subject", Ordered),
    Column("content", Text, nullable=False),
    Column("source", Text),
    Column("importance", SmallInteger, nullable=False),
    Column("metadata", Json, nullable=False),
    Column("tokens", Integer, nullable=False),
    Column("content_hash", LargeBinary(16), nullable=False),
    Column("terms", LargeBinary),
    Column("created_at", Instant, nullable=False),
    Column("updated_at", Instant, nullable=False),
    Column("valid_from", Instant, nullable=False),
    Column("ends_at", Instant),
    Column("valid_to", Instant),
    Column("expires_at", Instant),
    Column("superseded_by", Key, ForeignKey("memory_item.key", ondelete="SET NULL"), index=True),
    Column("last_accessed_at", Instant),
    Column("access_count", Integer, nullable=False, server_default="0"),
    Column("derived", Boolean, nullable=False, server_default="0"),
    Index(None, "parent_key", sqlite_where=PARTS_ONLY, postgresql_where=PARTS_ONLY),
    Index(None, "scope_key", "type", "subject"),
    Index(None, "scope_key", "created_at", "key"),
    Index(None, "scope_key", "importance"),
    Index(None, "scope_key", "content_hash"),
    Index(None, "conversation_key", "type", "valid_from", "key"),
    Index(None, "scope_key", "valid_from"),
    Index(None, "scope_key", "valid_to"),
    Index(None, "scope_key", "expires_at"),
    Index(None, "expires_at", "scope_key"),
    sqlite_autoincrement=True,
)

# `reworded`: the message says it, but in other words than the item. `found_at`: when that was last
# seen; of what a caller says, never.
lineage = Table(
    "lineage",
    metadata,
    Column("item_key", Key, ForeignKey("memory_item.key", ondelete="CASCADE"), primary_key=True),
    Column("message_key", Key, ForeignKey("message.key", ondelete="CASCADE"), primary_key=True),
    Column("reworded", Boolean, nullable=False, server_default="0"),
    Column("found_at", Instant),
    Index(None, "message_key"),
)

profile = Table(
    "profile",
    metadata,
    Column("scope_key", Key, ForeignKey("scope.key", ondelete="CASCADE"), primary_key=True),
    Column("preferences", Json, nullable=False),
    Column("context", Json, nullable=False),
    Column("notes", Text, nullable=False),
    Column("updated_at", Instant, nullable=False),
)

# What a fact says of a user who agreed that it is told with the profile. It goes with the fact, and
# is told while that holds.
profile_entry = Table(
    "profile_entry",
    metadata,
    Column(
        "item_key",
        Key,
        ForeignKey("memory_item.key", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    belongs_to("scope_key", "scope.key", index=True),
    Column("section", String(16), nullable=False),
    Column("name", String(255), nullable=False),
    Column("value", Text, nullable=False),
    Column("single", Boolean, nullable=False),
    Column("derived_at", Instant, nullable=False),
    sqlite_with_rowid=False,
)

consent = Table(
    "consent",
    metadata,
    Column("scope_key", Key, ForeignKey("scope.key", ondelete="CASCADE"), primary_key=True),
    Column("purpose", String(32), primary_key=True),
    Column("source", Text),
    Column("granted_at", Instant, nullable=False),
    Column("expires_at", Instant),
)

flag = Table(
    "flag",
    metadata,
    Column("tenant", String(64), ForeignKey("tenant.id", ondelete="CASCADE"), primary_key=True),
    Column("name", String(64), primary_key=True),
    Column("value", Json, nullable=False),
    Column("updated_at", Instant, nullable=False),
)
