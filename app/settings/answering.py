"""Who is answered where, how much of anything, and what is logged of it."""

import re
from typing import Annotated, Literal

from pydantic import (
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveInt,
    SecretStr,
    field_validator,
)
from pydantic_settings import NoDecode

from app.domain.ids import LOCAL_TENANT, TenantId
from app.domain.keys import tenant_named
from app.settings.addresses import HttpUrl
from app.settings.section import Seconds, SecondsOrNone, Section

_ORIGIN = re.compile(r"https?://[^/\s*]+")


class ServerSettings(Section):
    host: str = Field(default="127.0.0.1", min_length=1, description="Address to listen on.")
    port: int = Field(default=8000, ge=0, le=65_535, description="Port; 0 takes a free one.")
    allow_public: bool = Field(
        default=False,
        description="While no key exists: listen on other addresses than loopback too, "
        "and answer whoever comes.",
    )
    local_key: SecretStr | None = Field(
        default=None,
        min_length=1,
        description="Opens the service to commands on this machine; made at each start.",
    )
    cors_origins: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(), description="Origins, joined by commas, whose pages may ask; none: no CORS."
    )
    open_metrics: bool = Field(
        default=True, description="`/metrics` needs no key; if not, one with `admin`."
    )
    look_s: SecondsOrNone = Field(
        default=0.25,
        description="Seconds for which `/readyz` and `/metrics` ask no model in process again that "
        "answered.",
    )
    connections: NonNegativeInt = Field(
        default=2_000,
        description="Connections, idle ones too; beyond: 503 with `Retry-After`. 0: any number.",
    )
    head_s: Seconds = Field(
        default=15.0,
        description="Seconds that the line and the headers of a request may take to come.",
    )
    head_bytes: PositiveInt = Field(
        default=4 * 2**20,  # a query in the address has up to 200,000 characters of twelve bytes
        description="Bytes that they, extensions of chunks and trailers may have beyond what one "
        "read brings; then the answer is 431.",
    )
    drain_s: Seconds = Field(
        default=20.0, description="Seconds that running requests get at the end."
    )

    @field_validator("cors_origins", mode="before")
    @classmethod
    def _listed(cls, given: object) -> object:
        if not isinstance(given, str):
            return given
        return [each.strip() for each in given.split(",") if each.strip()]

    @field_validator("cors_origins")
    @classmethod
    def _origins(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        for each in given:
            if _ORIGIN.fullmatch(each) is None:
                raise ValueError(f"{each} is no origin such as https://app.example.com")
        return given


class KeySettings(Section):
    operator_tenant: str | None = Field(
        default=None,
        description="Tenant whose keys with `admin` may do what concerns every tenant; none: only "
        "commands on the machine, and callers there while no key exists.",
    )
    remembered: PositiveInt = Field(
        default=10_000, description="Keys whose last look-up is remembered."
    )
    remembered_s: Seconds = Field(
        default=2.0, description="Seconds that it is: so late a revoked key is refused, at most."
    )
    noted_s: Seconds = Field(
        default=10.0, description="Seconds after which the last use of a key is written down."
    )

    @field_validator("operator_tenant")
    @classmethod
    def _named(cls, given: str | None) -> str | None:
        return None if given is None else tenant_named(given)

    @property
    def operators(self) -> TenantId | None:
        return None if self.operator_tenant is None else TenantId(self.operator_tenant)

    @property
    def logged_under(self) -> TenantId:
        """In whose audit log that is told which concerns every tenant."""
        return self.operators or LOCAL_TENANT


class LimitSettings(Section):
    body_bytes: PositiveInt = Field(default=64 * 2**20, description="Bytes of a request's body.")
    body_s: Seconds = Field(default=60.0, description="Seconds that a body may take to come.")
    answer_s: Seconds = Field(
        default=60.0, description="Seconds that a caller may leave a part of an answer untaken."
    )
    import_bytes: PositiveInt = Field(
        default=4 * 2**30, description="Bytes of an import, as it is sent and unpacked."
    )
    import_s: Seconds = Field(
        default=3_600.0, description="Seconds that an import may take to come, all in all."
    )
    messages: PositiveInt = Field(default=10_000, description="Messages in one request.")
    message_chars: PositiveInt = Field(
        default=10_000_000, description="Characters of one message or system prompt."
    )
    query_chars: PositiveInt = Field(default=200_000, description="Characters of a query.")
    list_items: PositiveInt = Field(
        default=250, description="Entries of any other list: tags, tool calls, filters."
    )
    filter_ids: PositiveInt = Field(default=1_000, description="Ids that a filter may name.")
    metadata_bytes: PositiveInt = Field(
        default=2**20,
        description="Bytes of a metadata object, and of the tool calls of a message, as JSON.",
    )
    json_values: PositiveInt = Field(
        default=1_000_000,
        description="Texts, commas and opening brackets in the JSON of a body of more than 50 kB; "
        "of one to `/mcp` at most 10,000.",
    )
    requests_per_s: NonNegativeFloat = Field(
        default=500.0,
        description="Requests of one key, per second over many seconds; 0: any number.",
    )
    burst: PositiveInt = Field(
        default=2_000, description="Requests of one key at once that go beyond that rate."
    )
    guesses_per_s: NonNegativeFloat = Field(
        default=20.0,
        description="Keys of one address that are none, per second over many seconds; 0: any "
        "number.",
    )
    guesses: PositiveInt = Field(
        default=500, description="Keys of one address that are none, at once beyond that rate."
    )
    concurrent: NonNegativeInt = Field(
        default=128, description="Requests of one key that run at once; 0: any number."
    )


class ProxySettings(Section):
    upstream_url: HttpUrl | None = Field(
        default=None,
        description="Base URL of an API like OpenAI's or Anthropic's, such as "
        "https://api.openai.com/v1, that what models are asked is passed on to; none: no proxy.",
    )
    api_key: SecretStr | None = Field(
        default=None, description="Its key; none: callers bring their own."
    )
    budget_tokens: PositiveInt | None = Field(
        default=None,
        description="Tokens of memory in front of a request that names none; none: the tenant's.",
    )
    deadline_s: Seconds = Field(
        default=0.5, description="Seconds that memory may take; then a request goes on without."
    )
    keys_stand_s: SecondsOrNone = Field(
        default=300.0,
        description="Seconds that a key which was good stands for calls to `/v1/` while the "
        "database does not answer, and for which it stands that none exists: so late a key that is "
        "revoked elsewhere meanwhile is refused there. 0: such calls get 503.",
    )
    placement: Literal["first", "joined"] = Field(
        default="first",
        description="Memory is a system message of its own, first of all, or joined to the "
        "request's, for models that take only one.",
    )
    timeout_s: Seconds = Field(
        default=600.0, description="Seconds that the upstream may be silent."
    )
    connect_s: Seconds = Field(default=10.0, description="Seconds that connecting to it may take.")


class LogSettings(Section):
    level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="The least that is logged."
    )
    json_lines: bool = Field(default=True, description="One JSON object a line.")


class ClientSettings(Section):
    url: str | None = Field(
        default=None,
        min_length=1,
        description="Base URL of the service that commands ask; none: that of the data directory.",
    )
    key: SecretStr | None = Field(default=None, description="The API key that they show it.")


class McpSettings(Section):
    user_id: str | None = Field(
        default=None,
        min_length=1,
        description="Whose memory `foreword mcp` serves; none: models may name users.",
    )
