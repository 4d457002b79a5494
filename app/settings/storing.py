"""Where what was said is kept, and for how long."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Literal

from pydantic import Field, PositiveInt, SecretStr, field_validator

from app.domain.memory import ItemType
from app.settings.addresses import check_database_port, http_url
from app.settings.section import Days, Seconds, Section

IN_MEMORY = ":memory:"
"""No address: the client's own index, to measure with."""

DATABASES = ("sqlite+aiosqlite:///", "postgresql+asyncpg://")


class DatabaseSettings(Section):
    url: SecretStr | None = Field(
        default=None,
        description="sqlite+aiosqlite:///FILE or postgresql+asyncpg://USER@HOST/NAME; "
        "none: SQLite in the data directory.",
    )
    replica_url: SecretStr | None = Field(
        default=None,
        description="Replica to read from, which may lag; receipts of erasures wait 5 s for it "
        "at most. None: the one above.",
    )
    readers: PositiveInt = Field(
        default=4, description="Connections that read at once (PostgreSQL: in all)."
    )
    busy_timeout_s: Seconds = Field(
        default=10.0, description="Seconds to wait for a connection or another writer."
    )
    durable: bool = Field(
        default=True, description="SQLite: commits reach the disk, not only the system."
    )
    max_mb: PositiveInt | None = Field(
        default=None, description="SQLite: MiB that the file may grow to; none: the whole disk."
    )
    check: Literal["quick", "full", "off"] = Field(
        default="quick", description="SQLite: how the file is checked for damage at start."
    )

    @field_validator("url", "replica_url")
    @classmethod
    def _known(cls, url: SecretStr | None) -> SecretStr | None:
        if url is not None and not url.get_secret_value().startswith(DATABASES):
            raise ValueError(f"must begin with {' or '.join(DATABASES)}")
        if url is not None and url.get_secret_value().startswith(DATABASES[1]):
            check_database_port(url.get_secret_value())
        return url


class QdrantSettings(Section):
    url: str | None = Field(
        default=None, description="A Qdrant server or cluster; none: Qdrant Edge in process."
    )
    api_key: SecretStr | None = Field(default=None, description="The server's key.")
    timeout_s: Seconds = Field(default=5.0, description="Seconds per attempt.")
    collection: str = Field(
        default="foreword", min_length=1, description="Prefix of collection names."
    )
    on_disk: bool = Field(default=True, description="The server keeps vectors on disk.")

    @field_validator("url")
    @classmethod
    def _reachable(cls, url: str | None) -> str | None:
        return url if url is None or url == IN_MEMORY else http_url(url)


class LifetimeSettings(Section):
    """Days after which memory items expire that are told no end, by type; none: never."""

    fact_days: Days | None = Field(default=None, description="Of facts; none: for good.")
    tool_days: Days | None = Field(default=None, description="Of tool items.")
    procedure_days: Days | None = Field(default=None, description="Of procedures.")
    document_days: Days | None = Field(default=None, description="Of documents.")
    summary_days: Days | None = Field(default=None, description="Of summaries.")

    def by_type(self) -> Mapping[ItemType, timedelta]:
        given = {each: getattr(self, f"{each.value}_days", None) for each in ItemType}
        return {each: timedelta(days=days) for each, days in given.items() if days is not None}


class PruningSettings(Section):
    after_days: Days | None = Field(
        default=None,
        description="Days after which a conversation that nobody wrote to is erased, unless "
        "anything in it is pinned; none: never.",
    )
