"""Field types that let in only what both databases store faithfully."""

import re
from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    FiniteFloat,
)

from app.api.limits import within_metadata_bytes
from app.domain.storable import json_problem, text_problem
from app.domain.user_ids import user_id_problem


class Body(BaseModel):
    """What a caller sends: a field that we do not know is an error, not a silence."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Answer(BaseModel):
    model_config = ConfigDict(frozen=True)


def _storable(text: str) -> str:
    if (problem := text_problem(text)) is not None:
        raise ValueError(problem)
    return text


def _a_user(name: str) -> str:
    if (problem := user_id_problem(name)) is not None:
        raise ValueError(problem)
    return name


def _storable_json(value: Any) -> Any:  # noqa: ANN401  (JSON)
    if (problem := json_problem(value)) is not None:
        raise ValueError(problem)
    return value


_A_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def _told_by_day(value: Any) -> Any:  # noqa: ANN401  (anything a caller sends)
    """No seconds since 1970, which pydantic takes in text as well."""
    if not (isinstance(value, datetime) or (isinstance(value, str) and _A_DAY.match(value))):
        raise ValueError("must be an RFC 3339 timestamp with an offset")
    return value


def _a_number(value: Any) -> Any:  # noqa: ANN401  (anything a caller sends)
    """Neither true, which pydantic takes for 1, nor digits as text."""
    if isinstance(value, bool | str):
        raise ValueError("must be a number")  # noqa: TRY004  (pydantic's own)
    return value


def _in_utc(moment: datetime) -> datetime:
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("must lie in the years 1 to 9999 in UTC") from error


def _has_utc(moment: datetime) -> datetime:
    _in_utc(moment)
    return moment


Text = Annotated[str, AfterValidator(_storable)]
Name = Annotated[Text, Field(min_length=1, max_length=255)]
UserId = Annotated[Name, AfterValidator(_a_user)]
"""Whose memory it is; what is erased or exported may be of any `Name` that was taken before."""
Label = Annotated[Text, Field(max_length=1_000)]
Moment = Annotated[AwareDatetime, BeforeValidator(_told_by_day), AfterValidator(_in_utc)]
LocalMoment = Annotated[AwareDatetime, BeforeValidator(_told_by_day), AfterValidator(_has_utc)]
"""A moment with the offset that it was told in."""
JsonObject = Annotated[dict[str, Any], AfterValidator(_storable_json)]
Metadata = Annotated[JsonObject, AfterValidator(within_metadata_bytes)]
Whole = Annotated[int, BeforeValidator(_a_number)]
Real = Annotated[FiniteFloat, BeforeValidator(_a_number)]
Importance = Annotated[Whole, Field(ge=1, le=10, description="1 to 10; 10 is pinned.")]
Budget = Annotated[Whole, Field(ge=1, le=10_000_000, description="Tokens.")]
