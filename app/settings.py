"""Every knob with its default and unit. Read once, in `app.main` and `app.cli`."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PositiveFloat,
    PositiveInt,
    SecretStr,
    field_validator,
    model_validator,
)
from pydantic import ValidationError as PydanticValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

PREFIX = "FOREWORD_"
CONFIG_VARIABLE = "FOREWORD_CONFIG"
DATABASES = ("sqlite+aiosqlite:///", "postgresql+asyncpg://")


class SettingsError(Exception):
    """A setting is unknown or impossible; the message is one line for the operator."""


def _home(variable: str, *otherwise: str) -> Path:
    given = os.environ.get(variable)
    return Path(given) if given else Path.home().joinpath(*otherwise)


def _default_data_dir() -> Path:
    return _home("XDG_DATA_HOME", ".local", "share") / "foreword"


def _default_model_cache() -> Path:
    return _home("XDG_CACHE_HOME", ".cache") / "foreword" / "models"


class Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class ServerSettings(Section):
    host: str = Field(default="127.0.0.1", description="Address to listen on.")
    port: int = Field(default=8000, ge=0, le=65_535, description="Port; 0 takes a free one.")
    allow_public: bool = Field(
        default=False, description="Listen on other addresses than loopback, without any key."
    )
    drain_s: PositiveFloat = Field(
        default=20.0, description="Seconds that running requests get at the end."
    )


class DatabaseSettings(Section):
    url: SecretStr | None = Field(
        default=None,
        description="sqlite+aiosqlite:///FILE or postgresql+asyncpg://USER@HOST/NAME; "
        "none: SQLite in the data directory.",
    )
    replica_url: SecretStr | None = Field(
        default=None, description="PostgreSQL to read from; none: the one above."
    )

    @field_validator("url", "replica_url")
    @classmethod
    def _known(cls, url: SecretStr | None) -> SecretStr | None:
        if url is not None and not url.get_secret_value().startswith(DATABASES):
            raise ValueError(f"must begin with {' or '.join(DATABASES)}")
        return url

    readers: PositiveInt = Field(
        default=4, description="Connections that read at once (PostgreSQL: in all)."
    )
    busy_timeout_s: PositiveFloat = Field(
        default=10.0, description="Seconds to wait for a connection or another writer."
    )
    durable: bool = Field(
        default=True, description="SQLite: commits reach the disk, not only the system."
    )


class QdrantSettings(Section):
    url: str | None = Field(
        default=None, description="A Qdrant server or cluster; none: Qdrant Edge in process."
    )
    api_key: SecretStr | None = Field(default=None, description="The server's key.")
    timeout_s: PositiveFloat = Field(default=5.0, description="Seconds per attempt.")
    collection: str = Field(
        default="foreword", min_length=1, description="Prefix of collection names."
    )
    on_disk: bool = Field(default=True, description="The server keeps vectors on disk.")


class EmbedderSettings(Section):
    kind: Literal["compiled", "openai", "ollama"] = Field(
        default="compiled", description="A model in process, or an HTTP endpoint."
    )
    model: str = Field(
        default="all-MiniLM-L6-v2",
        description="A name, or a sentence-transformers folder.",
    )
    precision: Literal["int8", "fp32"] = Field(default="int8", description="Of the compiled model.")
    base_url: str | None = Field(default=None, description="Of the HTTP endpoint.")
    api_key: SecretStr | None = Field(default=None, description="Of the HTTP endpoint.")
    timeout_s: PositiveFloat = Field(default=10.0, description="Seconds per HTTP attempt.")
    attempts: PositiveInt = Field(default=3, description="HTTP attempts.")
    batch: PositiveInt = Field(default=32, description="Texts embedded at once.")
    threads: PositiveInt = Field(default=2, description="Threads that embed documents.")
    query_cache: PositiveInt = Field(default=1_024, description="Query vectors remembered.")

    @model_validator(mode="after")
    def _endpoint_has_an_address(self) -> Self:
        if self.kind != "compiled" and not self.base_url:
            raise ValueError("base_url must be set for an HTTP endpoint")
        return self


class TokenizerSettings(Section):
    encoding: str = Field(
        default="o200k_base", description="The byte-pair encoding that tokens are counted in."
    )


class RetrievalSettings(Section):
    per_source: PositiveInt = Field(default=60, description="Candidates asked of each source.")
    deadline_s: PositiveFloat = Field(
        default=2.0, description="Seconds that a source may take, unless a request says less."
    )
    floor: float = Field(
        default=0.25, ge=0.0, le=1.0, description="Relevance below which nothing is recalled."
    )
    sufficient: float = Field(
        default=0.7,
        ge=0.0,
        le=1.0,
        description="Relevance of a likely answer: with none, a bundle says `sufficient: false`.",
    )
    weights: Path | None = Field(
        default=None, description="What `foreword tune` wrote; none: the shipped weights."
    )


class CacheSettings(Section):
    entries: PositiveInt = Field(default=10_000, description="Bundles.")
    megabytes: PositiveInt = Field(default=32, description="MiB of bundles, about.")
    ttl_s: PositiveFloat = Field(default=300.0, description="Seconds until a bundle is old.")


class IndexerSettings(Section):
    batch: PositiveInt = Field(default=128, description="Items per batch.")
    idle_s: PositiveFloat = Field(default=0.5, description="Seconds between looks at the outbox.")
    lease_s: PositiveFloat = Field(
        default=120.0, description="Seconds after which another worker may take a batch over."
    )
    attempts: PositiveInt = Field(default=8, description="Tries before a dead letter.")


class LimitSettings(Section):
    body_bytes: PositiveInt = Field(default=64 * 2**20, description="Bytes of a request's body.")


class LogSettings(Section):
    level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="The least that is logged."
    )
    json_lines: bool = Field(default=True, description="One JSON object a line.")


class Settings(BaseSettings):
    """
    For example `FOREWORD_DATA_DIR` or `FOREWORD_QDRANT__URL`.

    The environment wins over the TOML file that `FOREWORD_CONFIG` names.
    """

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_nested_delimiter="__", frozen=True, extra="forbid"
    )

    data_dir: Path = Field(
        default_factory=_default_data_dir, description="Where the embedded engines keep data."
    )
    model_cache: Path = Field(
        default_factory=_default_model_cache, description="Where compiled models are kept."
    )
    server: ServerSettings = ServerSettings()
    database: DatabaseSettings = DatabaseSettings()
    qdrant: QdrantSettings = QdrantSettings()
    embedder: EmbedderSettings = EmbedderSettings()
    tokenizer: TokenizerSettings = TokenizerSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    cache: CacheSettings = CacheSettings()
    indexer: IndexerSettings = IndexerSettings()
    limits: LimitSettings = LimitSettings()
    log: LogSettings = LogSettings()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003  (pydantic's signature)
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003  (pydantic's signature)
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """What is given in code, then the environment, then the file."""
        file = os.environ.get(CONFIG_VARIABLE)
        toml = TomlConfigSettingsSource(settings_cls, toml_file=Path(file)) if file else None
        return (init_settings, env_settings, *([toml] if toml else []))

    @property
    def database_url(self) -> str:
        if self.database.url is not None:
            return self.database.url.get_secret_value()
        return f"sqlite+aiosqlite:///{self.data_dir.absolute() / 'foreword.db'}"


def load_settings(**given: object) -> Settings:
    """
    The settings of this process; `given` wins over file and environment.

    Raises:
        SettingsError: One is unknown or impossible.
    """
    file = os.environ.get(CONFIG_VARIABLE)
    if file and not Path(file).is_file():
        raise SettingsError(f"{CONFIG_VARIABLE}: there is no file {file}")
    _refuse_unknown(os.environ)
    try:
        return Settings(**given)  # type: ignore[arg-type]  # validated by pydantic just here
    except PydanticValidationError as error:
        first = error.errors()[0]
        name = PREFIX + "__".join(str(step).upper() for step in first["loc"])
        raise SettingsError(f"{name}: {first['msg']}") from error
    except ValueError as error:  # a TOML file that is none, or JSON in a variable that is none
        raise SettingsError(f"settings cannot be read: {error}") from error


def _refuse_unknown(environment: Mapping[str, str]) -> None:
    fields = Settings.model_fields
    plain = {PREFIX + name.upper() for name in fields} | {CONFIG_VARIABLE}
    sections = tuple(
        f"{PREFIX}{name.upper()}__"
        for name, each in fields.items()
        if isinstance(each.default, Section)
    )
    for name in sorted(environment):
        ours = name.upper().startswith(PREFIX)
        if ours and name.upper() not in plain and not name.upper().startswith(sections):
            raise SettingsError(f"{name}: there is no such setting")
