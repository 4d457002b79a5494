"""How memory is found and answered again, and what is made of it behind the answers."""

from pydantic import Field, NonNegativeInt, PositiveInt

from app.settings.section import AtOnce, Place, Seconds, Section


class RetrievalSettings(Section):
    per_source: AtOnce = Field(default=50, description="Candidates asked of each source.")
    deadline_s: Seconds = Field(
        default=2.0,
        description="Seconds that a source may take, unless a request says another `deadline_ms`.",
    )
    floor: float = Field(
        default=0.15, ge=0.0, le=1.0, description="Relevance below which nothing is recalled."
    )
    sufficient: float = Field(
        default=0.7,
        ge=0.0,
        le=1.0,
        description="Relevance of a likely answer: with none, a bundle says `sufficient: false`.",
    )
    profile_share: float = Field(
        default=0.15, ge=0.0, le=1.0, description="Of a budget, what the user's profile may take."
    )
    summary_share: float = Field(
        default=0.25,
        ge=0.0,
        le=1.0,
        description="Of a budget, what summaries may take while there is anything else.",
    )
    fact_share: float = Field(
        default=0.2,
        ge=0.0,
        le=1.0,
        description="Of a budget, what facts and tools may take while there is anything else.",
    )
    tool_items: NonNegativeInt = Field(
        default=3, description="Tool items in a bundle, the freshest of what was found."
    )
    weights: Place | None = Field(
        default=None, description="What `foreword tune` wrote; none: the shipped weights."
    )


class CacheSettings(Section):
    entries: PositiveInt = Field(default=10_000, description="Bundles.")
    megabytes: PositiveInt = Field(default=32, description="MiB of bundles, about.")
    ttl_s: Seconds = Field(default=300.0, description="Seconds until a bundle is old.")


class IndexerSettings(Section):
    batch: AtOnce = Field(default=128, description="Items per batch.")
    idle_s: Seconds = Field(default=0.5, description="Seconds between looks at the outbox.")
    lease_s: Seconds = Field(
        default=120.0, description="Seconds after which another worker may take a batch over."
    )
    attempts: PositiveInt = Field(default=8, description="Tries before a dead letter.")


class DistilSettings(Section):
    batch: AtOnce = Field(default=16, description="Conversations claimed at once.")
    messages: PositiveInt = Field(default=200, description="Messages distilled at once.")
    tokens: PositiveInt = Field(
        default=40_000, description="Tokens distilled at once, unless one message has more."
    )
    summary_tokens: PositiveInt = Field(
        default=2_000, description="Tokens said since the last summary that bring the next one."
    )
    spacy_model: str | None = Field(
        default=None,
        min_length=1,
        description="A model of spaCy, such as `en_core_web_sm`, that finds more names; needs the "
        "extra `spacy` and that model.",
    )
    idle_s: Seconds = Field(
        default=2.0, description="Seconds between looks for conversations to distil."
    )
    share: float = Field(
        default=0.2,
        gt=0,
        le=1,
        description="Part of the time that it takes while requests come or messages are indexed.",
    )
    lease_s: Seconds = Field(
        default=300.0, description="Seconds after which another worker may take them over."
    )
    attempts: PositiveInt = Field(
        default=5, description="Tries before a message or a period is given up."
    )
