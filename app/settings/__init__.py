"""Every knob with its default and unit, a file per noun; read once, by `app.main` or a command."""

import os
from collections.abc import Mapping
from pathlib import Path

from pydantic import Field, SecretStr
from pydantic import ValidationError as PydanticValidationError
from pydantic_core import ErrorDetails
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from app.settings.answering import (
    ClientSettings,
    KeySettings,
    LimitSettings,
    LogSettings,
    McpSettings,
    ProxySettings,
    ServerSettings,
)
from app.settings.models import (
    EmbedderSettings,
    LlmSettings,
    RerankerSettings,
    TokenizerSettings,
)
from app.settings.recalling import (
    CacheSettings,
    DistilSettings,
    IndexerSettings,
    RetrievalSettings,
)
from app.settings.section import Place, Section
from app.settings.storing import (
    DatabaseSettings,
    LifetimeSettings,
    PruningSettings,
    QdrantSettings,
)

__all__ = [
    "CONFIG_VARIABLE",
    "PREFIX",
    "CacheSettings",
    "ClientSettings",
    "DatabaseSettings",
    "DistilSettings",
    "EmbedderSettings",
    "IndexerSettings",
    "KeySettings",
    "LifetimeSettings",
    "LimitSettings",
    "LlmSettings",
    "LogSettings",
    "McpSettings",
    "ProxySettings",
    "PruningSettings",
    "QdrantSettings",
    "RerankerSettings",
    "RetrievalSettings",
    "ServerSettings",
    "Settings",
    "SettingsError",
    "TokenizerSettings",
    "load_settings",
    "revealed",
]

PREFIX = "FOREWORD_"
CONFIG_VARIABLE = "FOREWORD_CONFIG"
_UNKNOWN = "there is no such setting"


class SettingsError(Exception):
    """A setting is unknown or impossible; the message is one line for the operator."""


def _home(variable: str, *otherwise: str) -> Path:
    given = os.environ.get(variable)
    return Path(given) if given else Path.home().joinpath(*otherwise)


def _default_data_dir() -> Path:
    return _home("XDG_DATA_HOME", ".local", "share") / "foreword"


def _default_model_cache() -> Path:
    return _home("XDG_CACHE_HOME", ".cache") / "foreword" / "models"


class Settings(BaseSettings):
    """
    For example `FOREWORD_DATA_DIR` or `FOREWORD_QDRANT__URL`.

    The environment wins over the TOML file that `FOREWORD_CONFIG` names.
    """

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_nested_delimiter="__", frozen=True, extra="forbid"
    )

    data_dir: Place = Field(
        default_factory=_default_data_dir, description="Where the embedded engines keep data."
    )
    model_cache: Place = Field(
        default_factory=_default_model_cache, description="Where compiled models are kept."
    )
    server: ServerSettings = ServerSettings()
    database: DatabaseSettings = DatabaseSettings()
    qdrant: QdrantSettings = QdrantSettings()
    embedder: EmbedderSettings = EmbedderSettings()
    reranker: RerankerSettings = RerankerSettings()
    tokenizer: TokenizerSettings = TokenizerSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    lifetimes: LifetimeSettings = LifetimeSettings()
    pruning: PruningSettings = PruningSettings()
    cache: CacheSettings = CacheSettings()
    indexer: IndexerSettings = IndexerSettings()
    distil: DistilSettings = DistilSettings()
    llm: LlmSettings = LlmSettings()
    keys: KeySettings = KeySettings()
    limits: LimitSettings = LimitSettings()
    proxy: ProxySettings = ProxySettings()
    client: ClientSettings = ClientSettings()
    mcp: McpSettings = McpSettings()
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
    def embedded(self) -> bool:
        """Whether anything lives in the data directory, which one process has to itself."""
        return self.database_file is not None or self.qdrant.url is None

    @property
    def database_file(self) -> Path | None:
        """The file of an SQLite database."""
        scheme, _, path = self.database_url.partition(":///")
        return Path(path) if scheme == "sqlite+aiosqlite" else None

    @property
    def database_url(self) -> str:
        if self.database.url is not None:
            return self.database.url.get_secret_value()
        return f"sqlite+aiosqlite:///{self.data_dir.absolute() / 'foreword.db'}"

    @property
    def vectors_dir(self) -> Path:
        """Where the embedded index of each model lies, all of it derived from the database."""
        return self.data_dir / "vectors"


def revealed(secret: SecretStr | None) -> str | None:
    return None if secret is None else secret.get_secret_value()


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
        raise SettingsError(f"{name}: {_meant(first)}") from error
    except ValueError as error:  # a TOML file that is none, or JSON in a variable that is none
        raise SettingsError(f"settings cannot be read: {error}") from error


def _meant(mistake: ErrorDetails) -> str:
    if mistake["type"] == "extra_forbidden":
        return _UNKNOWN
    return mistake["msg"].removeprefix("Value error, ")


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
            raise SettingsError(f"{name}: {_UNKNOWN}")
