"""What reads texts: embedder, reranker, language model, tokenizer."""

from typing import Literal, Self

from pydantic import Field, PositiveInt, SecretStr, model_validator

from app.settings.addresses import HttpUrl
from app.settings.section import Seconds, SecondsOrNone, Section, Threads

_OF_NO_VECTOR = ("timeout_s", "attempts", "batch", "threads", "query_cache", "look_s")
"""Settings of an embedder that make no other vectors."""


class EmbedderSettings(Section):
    kind: Literal["compiled", "openai", "ollama"] = Field(
        default="compiled", description="A model in process, or an HTTP endpoint."
    )
    model: str = Field(
        default="all-MiniLM-L6-v2",
        min_length=1,
        description="A name, or a sentence-transformers folder.",
    )
    precision: Literal["int8", "fp32"] = Field(default="int8", description="Of the compiled model.")
    query_prompt: str | None = Field(
        default=None, description="Before every query; none: what the compiled model says itself."
    )
    document_prompt: str | None = Field(
        default=None, description="Before every document; none: what the compiled model says."
    )
    base_url: HttpUrl | None = Field(default=None, description="Of the HTTP endpoint.")
    api_key: SecretStr | None = Field(default=None, description="Of the HTTP endpoint.")
    timeout_s: Seconds = Field(default=10.0, description="Seconds per HTTP attempt.")
    attempts: PositiveInt = Field(default=3, description="HTTP attempts.")
    batch: PositiveInt = Field(default=32, description="Texts embedded at once.")
    threads: Threads = Field(default=2, description="Threads that embed documents.")
    query_cache: PositiveInt = Field(default=1_024, description="Query vectors remembered.")
    look_s: SecondsOrNone = Field(
        default=30.0,
        description="Seconds for which `/readyz` and `/metrics` ask no HTTP endpoint again that "
        "answered: each look may cost money.",
    )

    def opened_as(self) -> dict[str, object]:
        """What makes it this model, without its key."""
        return self.model_dump(exclude={"api_key", *_OF_NO_VECTOR})

    @model_validator(mode="after")
    def _endpoint_has_an_address(self) -> Self:
        if self.kind != "compiled" and not self.base_url:
            raise ValueError("base_url must be set for an HTTP endpoint")
        return self


class RerankerSettings(Section):
    model: str | None = Field(
        default=None,
        min_length=1,
        description="A cross-encoder: a sentence-transformers folder, or a name on the hub; none: "
        "candidates are not reranked.",
    )
    precision: Literal["int8", "fp32"] = Field(default="fp32", description="Of the compiled model.")
    deadline_s: Seconds = Field(
        default=1.0, description="Seconds, unless less is left of what a request allows."
    )
    candidates: int = Field(default=32, ge=1, le=32, description="Best candidates that it reads.")
    share: float = Field(
        default=0.7, ge=0.0, le=1.0, description="Of its order in the relevance of what it read."
    )
    threads: Threads = Field(default=2, description="Threads that read for one request.")
    waiting: int = Field(
        default=4, ge=0, description="Requests that may wait for it; others go without at once."
    )


class LlmSettings(Section):
    url: HttpUrl | None = Field(
        default=None,
        description="Of an OpenAI-compatible endpoint, before `/chat/completions`; none: "
        "summaries and facts are made by rules.",
    )
    api_key: SecretStr | None = Field(default=None, description="The endpoint's key.")
    model: str | None = Field(default=None, min_length=1, description="A name that it knows.")
    timeout_s: Seconds = Field(default=30.0, description="Seconds per attempt.")
    attempts: PositiveInt = Field(default=2, description="Attempts; then rules do it.")
    concurrency: PositiveInt = Field(default=4, description="Requests at once.")

    @model_validator(mode="after")
    def _has_a_model(self) -> Self:
        if self.url is not None and self.model is None:
            raise ValueError("model must be set where url is")
        return self


class TokenizerSettings(Section):
    encoding: Literal["o200k_base", "o200k_harmony", "cl100k_base", "llama3", "qwen3"] = Field(
        default="o200k_base",
        description="The byte-pair encoding that tokens are counted in; else `o200k_harmony`, "
        "`cl100k_base`, `llama3` or `qwen3`.",
    )
