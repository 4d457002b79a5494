"""Column types that mean the same on both databases."""

from datetime import UTC, datetime, timedelta

from sqlalchemy import JSON, BigInteger, Dialect, Integer, String, TypeDecorator
from sqlalchemy.dialects.postgresql import JSONB

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

Key = BigInteger().with_variant(Integer, "sqlite")
"""An ever-growing integer; SQLite numbers only INTEGER columns by itself."""

Ordered = String(255).with_variant(String(255, collation="C"), "postgresql")
"""A text in order of its code points, whichever order the database has for others."""

Json = JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")


def to_micros(moment: datetime) -> int:
    """Microseconds since 1970, exact for every datetime."""
    return (moment - _EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime:
    return _EPOCH + timedelta(microseconds=micros)


class Instant(TypeDecorator[datetime]):
    """An aware datetime as microseconds since 1970: exact and sortable from year 1 to 9999."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:  # noqa: ARG002  (the signature is SQLAlchemy's)
        return None if value is None else to_micros(value)

    def process_result_value(self, value: int | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002  (the signature is SQLAlchemy's)
        return None if value is None else from_micros(value)
