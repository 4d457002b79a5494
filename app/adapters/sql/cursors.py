"""Where a list goes on: the sort key of its last row, opaque to callers."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence

from app.domain.errors import InvalidCursor


def encode_cursor(place: Sequence[int]) -> str:
    return urlsafe_b64encode(json.dumps(list(place)).encode()).decode().rstrip("=")


def decode_cursor(cursor: str, *, parts: int) -> list[int]:
    """
    The sort key in `cursor`.

    Raises:
        InvalidCursor: It was not made by `encode_cursor` of `parts` numbers.
    """
    try:
        place = json.loads(urlsafe_b64decode(cursor.encode() + b"=" * (-len(cursor) % 4)))
    except ValueError as error:
        raise InvalidCursor(cursor=cursor[:100]) from error
    if not isinstance(place, list) or [type(each) for each in place] != [int] * parts:
        raise InvalidCursor(cursor=cursor[:100])
    if any(abs(each) >= 2**63 for each in place):
        raise InvalidCursor(cursor=cursor[:100])
    return place
