"""Columns as the driver returns them: few rows of a pool need more."""

import json
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, type_coerce
from sqlalchemy.types import NullType


def raw(column: ColumnElement[Any], name: str) -> ColumnElement[Any]:
    return type_coerce(column, NullType()).label(name)


def uuid_of(value: object) -> UUID:
    """SQLite returns the digits, PostgreSQL's driver a UUID."""
    return UUID(value) if isinstance(value, str) else UUID(str(value))


def id_of(value: object) -> str:
    """The same as it is told, without a UUID in between; PostgreSQL's JSON holds it so."""
    told = str(value)
    if "-" in told:
        return told
    return f"{told[:8]}-{told[8:12]}-{told[12:16]}-{told[16:20]}-{told[20:]}"


def parsed(column: object) -> Any:  # noqa: ANN401  (whatever the column holds)
    """A JSON column that holds no text by itself: SQLite's driver returns it as text."""
    return json.loads(column) if isinstance(column, str) else column
