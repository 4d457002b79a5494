"""The schema from the start"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from app.adapters.sql.tables_full_text import (
    CREATE_POSTGRES,
    CREATE_SQLITE,
    DROP_POSTGRES,
    DROP_SQLITE,
)

revision: str = "0001"
down_revision: str | None = None
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
JSON = sa.JSON(none_as_null=True).with_variant(postgresql.JSONB(none_as_null=True), "postgresql")
TABLES = (
    "audit_log",
    "bundle",
    "embedding_model",
    "erasure",
    "outbox",
    "projection",
    "pulse",
    "retrieval_metric",
    "tenant",
    "api_key",
    "embedding",
    "flag",
    "scope",
    "consent",
    "conversation",
    "entity",
    "issued",
    "period_note",
    "profile",
    "conversation_tag",
    "distillation",
    "idempotency",
    "edge",
    "entity_alias",
    "memory_item",
    "message",
    "chunk",
    "lineage",
    "profile_entry",
    "mention",
    "edge_evidence",
    "omission",
)

# Nobody changes or takes away what the audit log says: not even this service.
# What `INSERT OR REPLACE` takes away is no DELETE to SQLite's triggers.
APPEND_ONLY_SQLITE = tuple(
    f"CREATE TRIGGER audit_log_refuses_{verb.lower()} BEFORE {verb} ON audit_log {when}"
    "BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END"
    for verb, when in (
        ("UPDATE", ""),
        ("DELETE", ""),
        ("INSERT", "WHEN EXISTS (SELECT * FROM audit_log WHERE key = NEW.key) "),
    )
)
APPEND_ONLY_POSTGRES = (
    """CREATE FUNCTION audit_log_is_append_only() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'the audit log is append-only'; END $$""",
    """CREATE TRIGGER audit_log_refuses BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION audit_log_is_append_only()""",
)


def upgrade() -> None:
    _create_log()

    op.create_table(
        "bundle",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("tenant", sa.String(length=64), nullable=False),
        sa.Column("scope_key", KEY, nullable=True),
        sa.Column("subject", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("request", JSON, nullable=False),
        sa.Column("answer", JSON, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_bundle")),
    )
    op.create_index(op.f("ix_bundle_created_at"), "bundle", ["created_at"], unique=False)
    op.create_index(op.f("ix_bundle_scope_key"), "bundle", ["scope_key"], unique=False)
    op.create_index(op.f("ix_bundle_subject"), "bundle", ["subject"], unique=False)

    op.create_table(
        "embedding_model",
        sa.Column("key", sa.SmallInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("dimension", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("opened_as", JSON, nullable=True),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_embedding_model")),
        sa.UniqueConstraint("name", name=op.f("uq_embedding_model_name")),
    )
    op.create_table(
        "outbox",
        sa.Column("key", KEY, autoincrement=True, nullable=False),
        sa.Column("tenant", sa.String(length=64), nullable=False),
        sa.Column("scope_key", KEY, nullable=False),
        sa.Column("item_key", KEY, nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("attempts", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("dead", sa.Boolean(), server_default="0", nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_outbox")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_outbox_dead_due_at"), "outbox", ["dead", "due_at"], unique=False)
    op.create_index(op.f("ix_outbox_tenant_key"), "outbox", ["tenant", "key"], unique=False)

    op.create_table(
        "projection",
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("version", sa.String(length=255), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_projection")),
    )
    op.create_table(
        "pulse",
        sa.Column("tenant", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("cached", sa.Integer(), nullable=False),
        sa.Column("cached_ms", sa.Float(), nullable=False),
        sa.Column("waiting", sa.Integer(), nullable=False),
        sa.Column("oldest_s", sa.Float(), nullable=False),
        sa.Column("dead", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "created_at", name=op.f("pk_pulse")),
    )
    op.create_index(op.f("ix_pulse_created_at"), "pulse", ["created_at"], unique=False)

    op.create_table(
        "retrieval_metric",
        sa.Column("key", KEY, autoincrement=True, nullable=False),
        sa.Column("tenant", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("total_ms", sa.Float(), nullable=False),
        sa.Column("facts", JSON, nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_retrieval_metric")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        op.f("ix_retrieval_metric_tenant_created_at"),
        "retrieval_metric",
        ["tenant", "created_at"],
        unique=False,
    )

    op.create_table(
        "tenant",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("flags_version", sa.Integer(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tenant")),
    )
    op.create_table(
        "api_key",
        sa.Column("key", KEY, autoincrement=True, nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("tenant", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("hash", sa.LargeBinary(length=32), nullable=False),
        sa.Column("scopes", JSON, nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("last_used_at", sa.BigInteger(), nullable=True),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["tenant"], ["tenant.id"], name=op.f("fk_api_key_tenant"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_api_key")),
        sa.UniqueConstraint("hash", name=op.f("uq_api_key_hash")),
        sa.UniqueConstraint("id", name=op.f("uq_api_key_id")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "embedding",
        sa.Column("model_key", sa.SmallInteger(), nullable=False),
        sa.Column("item_key", KEY, autoincrement=False, nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["model_key"],
            ["embedding_model.key"],
            name=op.f("fk_embedding_model_key"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("model_key", "item_key", name=op.f("pk_embedding")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "flag",
        sa.Column("tenant", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("value", JSON, nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant"], ["tenant.id"], name=op.f("fk_flag_tenant"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("tenant", "name", name=op.f("pk_flag")),
    )
    op.create_table(
        "scope",
        sa.Column("key", KEY, autoincrement=True, nullable=False),
        sa.Column("tenant", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=255), nullable=False),
        sa.Column("shared", sa.Boolean(), server_default="0", nullable=False),
        sa.Column("version", KEY, server_default="0", nullable=False),
        sa.Column("messages", KEY, server_default="0", nullable=False),
        sa.Column("terms", KEY, server_default="0", nullable=False),
        sa.Column("erased_version", KEY, server_default="0", nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant"], ["tenant.id"], name=op.f("fk_scope_tenant"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_scope")),
        sa.UniqueConstraint(
            "tenant", "user_id", "shared", name=op.f("uq_scope_tenant_user_id_shared")
        ),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "consent",
        sa.Column("scope_key", KEY, nullable=False),
        sa.Column("purpose", sa.String(length=32), nullable=False),
        sa.Column("source", sa.Text(), nullable=True),
        sa.Column("granted_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["scope_key"], ["scope.key"], name=op.f("fk_consent_scope_key"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("scope_key", "purpose", name=op.f("pk_consent")),
    )
    op.create_table(
        "conversation",
        sa.Column("key", KEY, autoincrement=True, nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("scope_key", KEY, nullable=False),
        sa.Column("external_id", sa.String(length=255), nullable=True),
        sa.Column("label", sa.Text(), nullable=True),
        sa.Column("folder", sa.Text(), nullable=True),
        sa.Column("importance", sa.SmallInteger(), nullable=False),
        sa.Column("metadata", JSON, nullable=False),
        sa.Column("system_prompt", sa.Text(), nullable=True),
        sa.Column("archived", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("written_at", sa.BigInteger(), nullable=False),
        sa.Column("message_count", sa.Integer(), nullable=False),
        sa.Column("token_count", KEY, nullable=False),
        sa.ForeignKeyConstraint(
            ["scope_key"], ["scope.key"], name=op.f("fk_conversation_scope_key"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_conversation")),
        sa.UniqueConstraint("id", name=op.f("uq_conversation_id")),
        sa.UniqueConstraint(
            "scope_key", "external_id", name=op.f("uq_conversation_scope_key_external_id")
        ),
        sqlite_autoincrement=True,
    )
    op.create_index(
        op.f("ix_conversation_scope_key_importance"),
        "conversation",
        ["scope_key", "importance"],
        unique=False,
    )
    op.create_index(
        op.f("ix_conversation_scope_key_created_at_key"),
        "conversation",
        ["scope_key", "created_at", "key"],
        unique=False,
    )

    op.create_table(
        "issued",
        sa.Column("scope_key", KEY, nullable=False),
        sa.Column("fingerprint", sa.BigInteger(), nullable=False),
        sa.Column("first_at", sa.BigInteger(), nullable=False),
        sa.Column("last_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["scope_key"], ["scope.key"], name=op.f("fk_issued_scope_key"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("scope_key", "fingerprint", name=op.f("pk_issued")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_issued_last_at"), "issued", ["last_at"], unique=False)

    op.create_table(
        "period_note",
        sa.Column("scope_key", KEY, nullable=False),
        sa.Column("level", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("begins", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("until", sa.BigInteger(), nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("revision", KEY, server_default="0", nullable=False),
        sa.Column("noted_at", sa.BigInteger(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("leased_until", sa.BigInteger(), nullable=True),
        sa.Column("attempts", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("dead", sa.Boolean(), server_default="0", nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["scope_key"], ["scope.key"], name=op.f("fk_period_note_scope_key"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("scope_key", "level", "begins", name=op.f("pk_period_note")),
        sa.UniqueConstraint("id", name=op.f("uq_period_note_id")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        op.f("ix_period_note_dead_due_at"), "period_note", ["dead", "due_at"], unique=False
    )

    op.create_table(
        "conversation_tag",
        sa.Column("conversation_key", KEY, nullable=False),
        sa.Column("position", sa.SmallInteger(), nullable=False),
        sa.Column("tag", sa.String(length=255), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation_key"],
            ["conversation.key"],
            name=op.f("fk_conversation_tag_conversation_key"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("conversation_key", "position", name=op.f("pk_conversation_tag")),
    )
    op.create_index(
        op.f("ix_conversation_tag_tag_conversation_key"),
        "conversation_tag",
        ["tag", "conversation_key"],
        unique=False,
    )

    op.create_table(
        "distillation",
        sa.Column("conversation_key", KEY, autoincrement=False, nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("revision", KEY, server_default="0", nullable=False),
        sa.Column("until_key", KEY, server_default="0", nullable=False),
        sa.Column("noted_at", sa.BigInteger(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=True),
        sa.Column("leased_until", sa.BigInteger(), nullable=True),
        sa.Column("resummarise", sa.Boolean(), server_default="0", nullable=False),
        sa.Column("anew_at", sa.BigInteger(), nullable=True),
        sa.Column("attempts", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("dead", sa.Boolean(), server_default="0", nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["conversation_key"],
            ["conversation.key"],
            name=op.f("fk_distillation_conversation_key"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("conversation_key", name=op.f("pk_distillation")),
        sa.UniqueConstraint("id", name=op.f("uq_distillation_id")),
    )
    op.create_index(
        op.f("ix_distillation_dead_due_at"), "distillation", ["dead", "due_at"], unique=False
    )

    op.create_table(
        "memory_item",
        sa.Column("key", KEY, autoincrement=True, nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("scope_key", KEY, nullable=False),
        sa.Column("conversation_key", KEY, nullable=True),
        sa.Column("parent_key", KEY, nullable=True),
        sa.Column("position", sa.Integer(), server_default="0", nullable=False),
        sa.Column("start", sa.Integer(), nullable=True),
        sa.Column("stop", sa.Integer(), nullable=True),
        sa.Column("parts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("type", sa.String(length=16), nullable=False),
        sa.Column("subject", sa.String(length=255), nullable=True),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=True),
        sa.Column("importance", sa.SmallInteger(), nullable=False),
        sa.Column("metadata", JSON, nullable=False),
        sa.Column("tokens", sa.Integer(), nullable=False),
        sa.Column("content_hash", sa.LargeBinary(length=16), nullable=False),
        sa.Column("terms", sa.LargeBinary(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("valid_from", sa.BigInteger(), nullable=False),
        sa.Column("ends_at", sa.BigInteger(), nullable=True),
        sa.Column("valid_to", sa.BigInteger(), nullable=True),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("superseded_by", KEY, nullable=True),
        sa.Column("last_accessed_at", sa.BigInteger(), nullable=True),
        sa.Column("access_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("derived", sa.Boolean(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation_key"],
            ["conversation.key"],
            name=op.f("fk_memory_item_conversation_key"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["parent_key"],
            ["memory_item.key"],
            name=op.f("fk_memory_item_parent_key"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["scope_key"], ["scope.key"], name=op.f("fk_memory_item_scope_key"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["superseded_by"],
            ["memory_item.key"],
            name=op.f("fk_memory_item_superseded_by"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_memory_item")),
        sa.UniqueConstraint("id", name=op.f("uq_memory_item_id")),
        sqlite_autoincrement=True,
    )
    for columns in (
        ["conversation_key", "type", "valid_from", "key"],
        ["parent_key"],
        ["superseded_by"],
        ["scope_key", "type", "subject"],
        ["scope_key", "created_at", "key"],
        ["scope_key", "importance"],
        ["scope_key", "content_hash"],
        ["scope_key", "valid_from"],
        ["scope_key", "valid_to"],
        ["scope_key", "expires_at"],
        ["expires_at", "scope_key"],
    ):
        name = op.f(f"ix_memory_item_{'_'.join(columns)}")
        op.create_index(name, "memory_item", columns, unique=False)

    op.create_table(
        "message",
        sa.Column("key", KEY, autoincrement=True, nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("conversation_key", KEY, nullable=False),
        sa.Column("scope_key", KEY, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("external_id", sa.String(length=255), nullable=True),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=True),
        sa.Column("content", sa.Text(), nullable=True),
        sa.Column("tool_calls", JSON, nullable=True),
        sa.Column("tool_call_id", sa.Text(), nullable=True),
        sa.Column("importance", sa.SmallInteger(), nullable=True),
        sa.Column("metadata", JSON, nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("tokens", sa.Integer(), nullable=False),
        sa.Column("content_hash", sa.LargeBinary(length=16), nullable=False),
        sa.Column("terms", sa.LargeBinary(), nullable=True),
        sa.Column("chunks", sa.Integer(), server_default="0", nullable=False),
        sa.Column("echo", JSON, nullable=True),
        sa.Column("unwanted", JSON, nullable=True),
        sa.Column("rated", sa.SmallInteger(), nullable=True),
        sa.Column("tags", JSON, nullable=True),
        sa.ForeignKeyConstraint(
            ["conversation_key"],
            ["conversation.key"],
            name=op.f("fk_message_conversation_key"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["scope_key"], ["scope.key"], name=op.f("fk_message_scope_key"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_message")),
        sa.UniqueConstraint(
            "conversation_key", "external_id", name=op.f("uq_message_conversation_key_external_id")
        ),
        sa.UniqueConstraint(
            "conversation_key", "position", name=op.f("uq_message_conversation_key_position")
        ),
        sa.UniqueConstraint("id", name=op.f("uq_message_id")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        op.f("ix_message_scope_key_importance"),
        "message",
        ["scope_key", "importance"],
        unique=False,
    )
    op.create_index(
        op.f("ix_message_scope_key_created_at"),
        "message",
        ["scope_key", "created_at"],
        unique=False,
    )
    kept = sa.text("role = 'system' OR coalesce(importance, rated) >= 8")
    op.create_index(
        op.f("ix_message_conversation_key_position"),
        "message",
        ["conversation_key", "position"],
        unique=False,
        sqlite_where=kept,
        postgresql_where=kept,
    )

    op.create_table(
        "chunk",
        sa.Column("key", KEY, autoincrement=True, nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("message_key", KEY, nullable=False),
        sa.Column("scope_key", KEY, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("language", sa.String(length=32), nullable=True),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("stop", sa.Integer(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("tokens", sa.Integer(), nullable=False),
        sa.Column("content_hash", sa.LargeBinary(length=16), nullable=False),
        sa.Column("terms", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["message_key"], ["message.key"], name=op.f("fk_chunk_message_key"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["scope_key"], ["scope.key"], name=op.f("fk_chunk_scope_key"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_chunk")),
        sa.UniqueConstraint("id", name=op.f("uq_chunk_id")),
        sa.UniqueConstraint("message_key", "position", name=op.f("uq_chunk_message_key_position")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_chunk_scope_key"), "chunk", ["scope_key"], unique=False)

    op.create_table(
        "lineage",
        sa.Column("item_key", KEY, nullable=False),
        sa.Column("message_key", KEY, nullable=False),
        sa.Column("reworded", sa.Boolean(), server_default="0", nullable=False),
        sa.Column("found_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["item_key"], ["memory_item.key"], name=op.f("fk_lineage_item_key"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["message_key"],
            ["message.key"],
            name=op.f("fk_lineage_message_key"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("item_key", "message_key", name=op.f("pk_lineage")),
    )
    op.create_index(op.f("ix_lineage_message_key"), "lineage", ["message_key"], unique=False)

    _create_profiles()
    _create_answers()
    _create_graph()
    sqlite = op.get_bind().dialect.name == "sqlite"
    for statement in CREATE_SQLITE if sqlite else CREATE_POSTGRES:
        op.execute(statement)
    for statement in APPEND_ONLY_SQLITE if sqlite else APPEND_ONLY_POSTGRES:
        op.execute(statement)


def _create_profiles() -> None:
    op.create_table(
        "profile",
        sa.Column("scope_key", KEY, nullable=False),
        sa.Column("preferences", JSON, nullable=False),
        sa.Column("context", JSON, nullable=False),
        sa.Column("notes", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["scope_key"], ["scope.key"], name=op.f("fk_profile_scope_key"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("scope_key", name=op.f("pk_profile")),
    )
    op.create_table(
        "profile_entry",
        sa.Column("item_key", KEY, autoincrement=False, nullable=False),
        sa.Column("scope_key", KEY, nullable=False),
        sa.Column("section", sa.String(length=16), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("single", sa.Boolean(), nullable=False),
        sa.Column("derived_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["item_key"],
            ["memory_item.key"],
            name=op.f("fk_profile_entry_item_key"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["scope_key"],
            ["scope.key"],
            name=op.f("fk_profile_entry_scope_key"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("item_key", name=op.f("pk_profile_entry")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        op.f("ix_profile_entry_scope_key"), "profile_entry", ["scope_key"], unique=False
    )


def _create_answers() -> None:
    op.create_table(
        "idempotency",
        sa.Column("tenant", sa.String(length=64), nullable=False),
        sa.Column("path", sa.String(length=255), nullable=False),
        sa.Column("key", sa.String(length=255), nullable=False),
        sa.Column("body_hash", sa.LargeBinary(length=32), nullable=False),
        sa.Column("answer", JSON, nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("scope_key", KEY, nullable=True),
        sa.Column("conversation_key", KEY, nullable=True),
        sa.ForeignKeyConstraint(
            ["scope_key"], ["scope.key"], name=op.f("fk_idempotency_scope_key"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["conversation_key"],
            ["conversation.key"],
            name=op.f("fk_idempotency_conversation_key"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("tenant", "path", "key", name=op.f("pk_idempotency")),
    )
    for column in ("created_at", "scope_key", "conversation_key"):
        op.create_index(op.f(f"ix_idempotency_{column}"), "idempotency", [column], unique=False)


def _create_log() -> None:
    op.create_table(
        "audit_log",
        sa.Column("key", KEY, autoincrement=True, nullable=False),
        sa.Column("tenant", sa.String(length=64), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("actor", sa.String(length=16), nullable=False),
        sa.Column("key_id", sa.Uuid(), nullable=True),
        sa.Column("action", sa.String(length=64), nullable=False),
        sa.Column("subject", sa.String(length=255), nullable=False),
        sa.Column("facts", JSON, nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_audit_log")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_audit_log_tenant_key"), "audit_log", ["tenant", "key"], unique=False)
    op.create_index(
        op.f("ix_audit_log_tenant_subject"), "audit_log", ["tenant", "subject"], unique=False
    )

    op.create_table(
        "erasure",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("tenant", sa.String(length=64), nullable=False),
        sa.Column("subject", sa.String(length=255), nullable=False),
        sa.Column("scope_key", KEY, nullable=False),
        sa.Column("counts", JSON, nullable=False),
        sa.Column("worked_on_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_erasure")),
        sa.UniqueConstraint("scope_key", name=op.f("uq_erasure_scope_key")),
    )


def _create_graph() -> None:
    op.create_table(
        "entity",
        sa.Column("key", KEY, autoincrement=True, nullable=False),
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("scope_key", KEY, nullable=False),
        sa.Column("type", sa.String(length=32), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("normal_name", sa.String(length=255), nullable=False),
        sa.Column("first_seen_at", sa.BigInteger(), nullable=False),
        sa.Column("last_seen_at", sa.BigInteger(), nullable=False),
        sa.Column("mentions", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["scope_key"], ["scope.key"], name=op.f("fk_entity_scope_key"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_entity")),
        sa.UniqueConstraint("id", name=op.f("uq_entity_id")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        op.f("ix_entity_scope_key_mentions_key"),
        "entity",
        ["scope_key", "mentions", "key"],
        unique=False,
    )
    op.create_table(
        "entity_alias",
        sa.Column("key", KEY, autoincrement=True, nullable=False),
        sa.Column("entity_key", KEY, nullable=False),
        sa.Column("scope_key", KEY, nullable=False),
        sa.Column("normal_name", sa.String(length=255), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("said", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["entity_key"],
            ["entity.key"],
            name=op.f("fk_entity_alias_entity_key"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["scope_key"],
            ["scope.key"],
            name=op.f("fk_entity_alias_scope_key"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_entity_alias")),
        sa.UniqueConstraint(
            "entity_key", "normal_name", name=op.f("uq_entity_alias_entity_key_normal_name")
        ),
        sqlite_autoincrement=True,
    )
    op.create_index(
        op.f("ix_entity_alias_scope_key_normal_name"),
        "entity_alias",
        ["scope_key", "normal_name"],
        unique=False,
    )
    op.create_table(
        "mention",
        sa.Column("entity_key", KEY, nullable=False),
        sa.Column("message_key", KEY, nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("stop", sa.Integer(), nullable=False),
        sa.Column("alias_key", KEY, nullable=False),
        sa.Column("said_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["alias_key"],
            ["entity_alias.key"],
            name=op.f("fk_mention_alias_key"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["entity_key"], ["entity.key"], name=op.f("fk_mention_entity_key"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["message_key"],
            ["message.key"],
            name=op.f("fk_mention_message_key"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("entity_key", "message_key", "start", name=op.f("pk_mention")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_mention_message_key"), "mention", ["message_key"], unique=False)
    op.create_index(op.f("ix_mention_alias_key"), "mention", ["alias_key"], unique=False)
    op.create_table(
        "edge",
        sa.Column("key", KEY, autoincrement=True, nullable=False),
        sa.Column("source_key", KEY, nullable=False),
        sa.Column("relation", sa.String(length=64), nullable=False),
        sa.Column("target_key", KEY, nullable=False),
        sa.Column("same", sa.Boolean(), nullable=False),
        sa.Column("weight", sa.Float(), nullable=False),
        sa.Column("first_seen_at", sa.BigInteger(), nullable=False),
        sa.Column("last_seen_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["source_key"], ["entity.key"], name=op.f("fk_edge_source_key"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["target_key"], ["entity.key"], name=op.f("fk_edge_target_key"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_edge")),
        sa.UniqueConstraint(
            "source_key",
            "target_key",
            "relation",
            name=op.f("uq_edge_source_key_target_key_relation"),
        ),
        sqlite_autoincrement=True,
    )
    for end in ("source_key", "target_key"):
        op.create_index(
            op.f(f"ix_edge_{end}_same_weight_key"),
            "edge",
            [end, "same", "weight", "key"],
            unique=False,
        )
    op.create_table(
        "edge_evidence",
        sa.Column("edge_key", KEY, nullable=False),
        sa.Column("message_key", KEY, nullable=False),
        sa.Column("weight", sa.Float(), nullable=False),
        sa.Column("said_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["edge_key"], ["edge.key"], name=op.f("fk_edge_evidence_edge_key"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["message_key"],
            ["message.key"],
            name=op.f("fk_edge_evidence_message_key"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("edge_key", "message_key", name=op.f("pk_edge_evidence")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        op.f("ix_edge_evidence_message_key"), "edge_evidence", ["message_key"], unique=False
    )

    op.create_table(
        "omission",
        sa.Column("conversation_key", KEY, autoincrement=False, nullable=False),
        sa.Column("message_key", KEY, autoincrement=False, nullable=False),
        sa.Column("revision", KEY, nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation_key"],
            ["conversation.key"],
            name=op.f("fk_omission_conversation_key"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["message_key"],
            ["message.key"],
            name=op.f("fk_omission_message_key"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("conversation_key", "message_key", name=op.f("pk_omission")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_omission_message_key"), "omission", ["message_key"], unique=False)


def downgrade() -> None:
    sqlite = op.get_bind().dialect.name == "sqlite"
    for statement in DROP_SQLITE if sqlite else DROP_POSTGRES:
        op.execute(statement)
    for table in reversed(TABLES):
        op.drop_table(table)
    if not sqlite:
        op.execute("DROP FUNCTION audit_log_is_append_only")
