"""What every section of settings is, and the numbers that several of them hold."""

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

_CENTURY_DAYS = 36_500
"""Beyond a century moments and pauses leave what clocks and databases can tell."""
_CENTURY_S = _CENTURY_DAYS * 86_400

Days = Annotated[float, Field(gt=0, le=_CENTURY_DAYS)]
Seconds = Annotated[float, Field(gt=0, le=_CENTURY_S)]
SecondsOrNone = Annotated[float, Field(ge=0, le=_CENTURY_S)]
AtOnce = Annotated[int, Field(ge=1, le=10_000)]
"""Of what one statement asks the database for."""
Threads = Annotated[int, Field(ge=1, le=256)]


def _given(path: object) -> object:
    """Nothing would be where the process happens to be."""
    if path == "":
        raise ValueError("must not be empty")
    return path


Place = Annotated[Path, BeforeValidator(_given)]


class Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
