from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Self

from pydantic import Field, StrictBool

from app.api.schemas.fields import Answer, Body, Budget
from app.domain.flags import Flags


class FlagValues(Answer):
    hybrid: bool
    chunking: bool
    facts: bool
    summaries: bool
    summary_frequency: int
    profile: bool
    graph: bool
    rerank: bool
    token_budget: int


class FlagsOut(FlagValues):
    defaults: FlagValues
    unavailable: dict[str, str] = Field(description="What has no effect here now, and why.")

    @classmethod
    def of(cls, flags: Flags, unavailable: Mapping[str, str]) -> Self:
        return cls(
            **asdict(flags),
            defaults=FlagValues(**asdict(Flags())),
            unavailable=dict(unavailable),
        )


class FlagsIn(Body):
    """What is not named stays as it is; null lets the default hold again."""

    hybrid: StrictBool | None = Field(default=None, description="Off: plain dense retrieval.")
    chunking: StrictBool | None = Field(default=None, description="Of what is stored from now on.")
    facts: StrictBool | None = Field(
        default=None, description="Drawn from what is said from now on."
    )
    summaries: StrictBool | None = Field(
        default=None, description="Of conversations, of what is said from now on."
    )
    summary_frequency: Annotated[int, Field(ge=0, le=1_000, strict=True)] | None = Field(
        default=None,
        description="After so many messages of the assistant; 0: only when asked for.",
    )
    profile: StrictBool | None = Field(default=None, description="Profiles in bundles.")
    graph: StrictBool | None = Field(
        default=None, description="Entities of what is said from now on, and of queries."
    )
    rerank: StrictBool | None = Field(default=None, description="Where a reranker is set.")
    token_budget: Budget | None = Field(
        default=None, strict=True, description="Of requests that name none."
    )

    def given(self) -> Mapping[str, bool | int]:
        return self.model_dump(exclude_unset=True, exclude_none=True)

    def reset(self) -> list[str]:
        """What is back at its default."""
        return sorted(self.model_fields_set - self.given().keys())
