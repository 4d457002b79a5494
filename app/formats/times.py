"""When something was said, as exports write it."""

import math
import re
from datetime import UTC, datetime, time, timedelta

_MILLISECONDS_FROM = 1e11
"""A number of seconds beyond this, in the year 5138, is one of milliseconds."""

_ZONE = re.compile(r"\s*(?:UTC|GMT)$", re.IGNORECASE)
_DATE = re.compile(r"(?:19|20)\d{6}")
"""A date without hyphens: as a number of seconds it would be one of the year 1970."""

_SLASHED = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})(?:,?\s+(\d.*))?")
_DOTTED = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})(?:,?\s+(\d.*))?")
_CLOCKS = ("%H:%M", "%H:%M:%S", "%H:%M:%S.%f", "%I:%M %p", "%I:%M:%S %p")


class TwoDays(ValueError):
    """A date with slashes that is another one if it begins with the month, not the day."""


def time_of(value: object) -> datetime:
    """
    Of a number the seconds, or milliseconds, since 1970; else as ISO 8601 writes it, or 25/12/2024.

    Without an offset it is UTC. A date with dots begins with the day. One with slashes may begin
    with the day or the month: one that both could be is none.

    Raises:
        TwoDays: It could be two.
        ValueError, OverflowError: It is no time.
    """
    if isinstance(value, str) and not _is_number(value.strip()):
        told = _spelled(_ZONE.sub("", value.strip()))
        return told.replace(tzinfo=told.tzinfo or UTC).astimezone(UTC)
    seconds = float(value) if isinstance(value, int | float | str) else math.nan
    if not math.isfinite(seconds) or isinstance(value, bool):
        raise ValueError(value)
    if abs(seconds) >= _MILLISECONDS_FROM:
        seconds /= 1_000
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)


def _is_number(spelled: str) -> bool:
    return spelled.lstrip("-").replace(".", "", 1).isdecimal() and not _is_date(spelled)


def _is_date(spelled: str) -> bool:
    if _DATE.fullmatch(spelled) is None:
        return False
    try:
        datetime.fromisoformat(spelled)
    except ValueError:
        return False
    return True


def _spelled(told: str) -> datetime:
    if (dotted := _DOTTED.fullmatch(told)) is not None:
        day, month, year = map(int, dotted.groups()[:3])
        return datetime.combine(datetime(year, month, day, tzinfo=UTC), _clock(dotted[4] or "0:00"))
    if (slashed := _SLASHED.fullmatch(told)) is None:
        return datetime.fromisoformat(told)
    first, second, year = map(int, slashed.groups()[:3])
    months = {(first, second), (second, first)}
    dates = [(month, day) for month, day in sorted(months) if month <= 12]
    if len(dates) > 1:
        raise TwoDays(told)
    if not dates:
        raise ValueError(told)
    return datetime.combine(datetime(year, *dates[0], tzinfo=UTC), _clock(slashed[4] or "0:00"))


def _clock(told: str) -> time:
    for each in _CLOCKS:
        try:
            return datetime.strptime(told, each).replace(tzinfo=UTC).timetz()
        except ValueError:
            continue
    raise ValueError(told)
