"""What is derived from the truth, or watches over it. All of it can be lost without harm."""

from sqlalchemy import (
    BigInteger,
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

from app.adapters.sql.schema import belongs_to, key_of_owner, metadata, own_key
from app.adapters.sql.types import Instant, Json, Key
from app.text.terms import MAX_TERM_CHARACTERS

# Who and what messages of one scope speak of. `name` is the fullest of its names.
entity = Table(
    "entity",
    metadata,
    own_key(),
    Column("id", Uuid, nullable=False, unique=True),
    belongs_to("scope_key", "scope.key"),
    Column("type", String(32), nullable=False),
    Column("name", String(255), nullable=False),
    Column("normal_name", String(255), nullable=False),
    Column("first_seen_at", Instant, nullable=False),
    Column("last_seen_at", Instant, nullable=False),
    Column("mentions", Integer, nullable=False),
    Index(None, "scope_key", "mentions", "key"),
    sqlite_autoincrement=True,
)

# What an entity is called. What is not `said` is a part of such a name: by "smith" may be meant
# whom "bob smith" names, as long as nobody else is called so.
entity_alias = Table(
    "entity_alias",
    metadata,
    own_key(),
    belongs_to("entity_key", "entity.key"),
    belongs_to("scope_key", "scope.key"),
    Column("normal_name", String(255), nullable=False),
    Column("name", String(255), nullable=False),
    Column("said", Boolean, nullable=False),
    UniqueConstraint("entity_key", "normal_name"),
    Index(None, "scope_key", "normal_name"),
    sqlite_autoincrement=True,
)

# content[start:stop] of a message; of a speaker who tells of themselves, both are -1. `said_at` is
# the time of the message, as below.
mention = Table(
    "mention",
    metadata,
    Column("entity_key", Key, ForeignKey("entity.key", ondelete="CASCADE"), primary_key=True),
    Column("message_key", Key, ForeignKey("message.key", ondelete="CASCADE"), primary_key=True),
    Column("start", Integer, primary_key=True),
    Column("stop", Integer, nullable=False),
    Column("alias_key", Key, ForeignKey("entity_alias.key", ondelete="CASCADE"), nullable=False),
    Column("said_at", Instant, nullable=False),
    Index(None, "message_key"),
    Index(None, "alias_key"),
    sqlite_with_rowid=False,
)

# The sum of its evidence. What has no direction is stored once, from the smaller key to the larger.
# `same` tells that both ends are one thing: such an edge comes first, however light it is.
edge = Table(
    "edge",
    metadata,
    own_key(),
    belongs_to("source_key", "entity.key"),
    Column("relation", String(64), nullable=False),
    belongs_to("target_key", "entity.key"),
    Column("same", Boolean, nullable=False),
    Column("weight", Float, nullable=False),
    Column("first_seen_at", Instant, nullable=False),
    Column("last_seen_at", Instant, nullable=False),
    UniqueConstraint("source_key", "target_key", "relation"),
    Index(None, "source_key", "same", "weight", "key"),
    Index(None, "target_key", "same", "weight", "key"),
    sqlite_autoincrement=True,
)

edge_evidence = Table(
    "edge_evidence",
    metadata,
    Column("edge_key", Key, ForeignKey("edge.key", ondelete="CASCADE"), primary_key=True),
    Column("message_key", Key, ForeignKey("message.key", ondelete="CASCADE"), primary_key=True),
    Column("weight", Float, nullable=False),
    Column("said_at", Instant, nullable=False),
    Index(None, "message_key"),
    sqlite_with_rowid=False,
)

# By which words and numbers of its label (app/text/labels.py) a conversation is found that is not
# archived; in its scope.
label_term = Table(
    "label_term",
    metadata,
    key_of_owner("scope_key", "scope.key"),
    Column("term", String(MAX_TERM_CHARACTERS), primary_key=True),
    key_of_owner("conversation_key", "conversation.key"),
    Index(None, "conversation_key"),
    sqlite_with_rowid=False,
)

# Vectors are kept here too (float16, little endian), so that an index is rebuilt without embedding.
# `opened_as` are the settings of a model, by which it is found again once others are set. Inside of
# an index, what of a row is beyond a quarter of a page takes a page of its own: these have rowids.
embedding_model = Table(
    "embedding_model",
    metadata,
    Column("key", SmallInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("name", String(255), nullable=False, unique=True),
    Column("dimension", Integer, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("opened_as", Json),
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
    # Of a brief message: midway to that of what it says with what leads in to it.
    Column("in_context", LargeBinary),
    # Those of its word pieces, int8, one behind the other; of what it says by itself.
    Column("words", LargeBinary),
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

# "Something was said in this conversation, or unsaid, that no worker has distilled yet", while
# `due_at` is set. `revision` rises with each such note; messages up to `until_key` are distilled.
# `resummarise`: a summary was erased with what it told. `anew_at`: since when all of it is gone
# through once more; what is not found again goes at the end.
distillation = Table(
    "distillation",
    metadata,
    key_of_owner("conversation_key", "conversation.key"),
    Column("id", Uuid, nullable=False, unique=True),
    Column("revision", Key, nullable=False, server_default="0"),
    Column("until_key", Key, nullable=False, server_default="0"),
    Column("noted_at", Instant, nullable=False),
    Column("due_at", Instant),
    Column("leased_until", Instant),
    Column("resummarise", Boolean, nullable=False, server_default="0"),
    Column("anew_at", Instant),
    Column("attempts", SmallInteger, nullable=False, server_default="0"),
    Column("dead", Boolean, nullable=False, server_default="0"),
    Column("error", Text),
    Index(None, "dead", "due_at"),
)

# What distilling goes on without: a message that a step stumbled over to the last, and why. It gets
# another try once its conversation has a `revision` above this one.
omission = Table(
    "omission",
    metadata,
    key_of_owner("conversation_key", "conversation.key"),
    key_of_owner("message_key", "message.key"),
    Column("revision", Key, nullable=False),
    Column("error", Text, nullable=False),
    Index(None, "message_key"),
    sqlite_with_rowid=False,
)

# "Of what was said in [begins, until), a day (level 1), week, month or year, the summary may be
# missing, or another one." A row is gone once it is made, which is not before the period is over;
# `noted_at` is since when it could be.
period_note = Table(
    "period_note",
    metadata,
    Column("scope_key", Key, ForeignKey("scope.key", ondelete="CASCADE"), primary_key=True),
    Column("level", SmallInteger, primary_key=True, autoincrement=False),
    Column("begins", Instant, primary_key=True, autoincrement=False),
    Column("until", Instant, nullable=False),
    Column("id", Uuid, nullable=False, unique=True),
    Column("revision", Key, nullable=False, server_default="0"),
    Column("noted_at", Instant, nullable=False),
    Column("due_at", Instant, nullable=False),
    Column("leased_until", Instant),
    Column("attempts", SmallInteger, nullable=False, server_default="0"),
    Column("dead", Boolean, nullable=False, server_default="0"),
    Column("error", Text),
    Index(None, "dead", "due_at"),
    sqlite_with_rowid=False,
)

# `subject` is who asked (app/domain/audit.py), who may have had no scope yet.
bundle = Table(
    "bundle",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("tenant", String(64), nullable=False),
    Column("scope_key", Key),
    Column("subject", String(64), nullable=False, index=True),
    Column("created_at", Instant, nullable=False, index=True),
    Column("request", Json, nullable=False),
    Column("answer", Json, nullable=False),
    Index(None, "scope_key"),
)

# What bundles showed, as fingerprints (app/text/echo.py): by them it is known when it comes back.
# They go with the item that was shown; the same words of two items are two rows.
issued = Table(
    "issued",
    metadata,
    Column("scope_key", Key, ForeignKey("scope.key", ondelete="CASCADE"), primary_key=True),
    Column("fingerprint", BigInteger, primary_key=True),
    Column("item_key", BigInteger, primary_key=True, index=True),
    Column("first_at", Instant, nullable=False),
    Column("last_at", Instant, nullable=False, index=True),
    sqlite_with_rowid=False,
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
    Index(None, "created_at"),
    sqlite_autoincrement=True,
)

# By minute: what the cache answered, and the most that waited for the indexer.
pulse = Table(
    "pulse",
    metadata,
    Column("tenant", String(64), primary_key=True),
    Column("created_at", Instant, primary_key=True),
    Column("cached", Integer, nullable=False),
    Column("cached_ms", Float, nullable=False),
    Column("waiting", Integer, nullable=False),
    Column("oldest_s", Float, nullable=False),
    Column("dead", Integer, nullable=False),
    Index(None, "created_at"),
)

# With the conversation or the user that an answer is about it goes, too.
idempotency = Table(
    "idempotency",
    metadata,
    Column("tenant", String(64), primary_key=True),
    Column("path", String(255), primary_key=True),
    Column("key", String(255), primary_key=True),
    Column("body_hash", LargeBinary(32), nullable=False),
    Column("answer", Json, nullable=False),
    Column("created_at", Instant, nullable=False, index=True),
    Column("scope_key", Key, ForeignKey("scope.key", ondelete="CASCADE"), index=True),
    Column("conversation_key", Key, ForeignKey("conversation.key", ondelete="CASCADE"), index=True),
)

# Facts about the projections themselves, such as the version of the analysis in full text.
projection = Table(
    "projection",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("version", String(255), nullable=False),
)
