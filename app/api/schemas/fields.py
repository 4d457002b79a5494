"""Field types that let in only what both databases store faithfully."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field

MAX_JSON_DEPTH = 64


class Body(BaseModel):
    """What a caller sends: a field that we do not know is an error, not a silence."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Answer(BaseModel):
    model_config = ConfigDict(frozen=True)


def _storable(text: str) -> str:
    if "\0" in text:
        raise ValueError("must not contain the NUL character")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("must not contain lone surrogates") from None
    return text


def _storable_json(value: Any, depth: int = 0) -> Any:  # noqa: ANN401  (JSON)
    if depth > MAX_JSON_DEPTH:
        raise ValueError(f"must not be nested deeper than {MAX_JSON_DEPTH}")
    match value:
        case str():
            _storable(value)
        case float() if not math.isfinite(value):
            raise ValueError("must not contain NaN or infinite numbers")
        case Mapping():
            for key, each in value.items():
                _storable_json(key, depth + 1)
                _storable_json(each, depth + 1)
        case list():
            for each in value:
                _storable_json(each, depth + 1)
    return value


def _text_only(value: Any) -> Any:  # noqa: ANN401  (anything a caller sends)
    if not isinstance(value, str | datetime):
        raise ValueError("must be an RFC 3339 timestamp with an offset")  # noqa: TRY004  (pydantic's way)
    return value


def _in_utc(moment: datetime) -> datetime:
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("must lie in the years 1 to 9999 in UTC") from error


Text = Annotated[str, AfterValidator(_storable)]
Name = Annotated[Text, Field(min_length=1, max_length=255)]
Label = Annotated[Text, Field(max_length=1_000)]
Moment = Annotated[AwareDatetime, BeforeValidator(_text_only), AfterValidator(_in_utc)]
JsonObject = Annotated[dict[str, Any], AfterValidator(_storable_json)]
Importance = Annotated[int, Field(ge=1, le=10, description="1 to 10; 10 is pinned.")]
