"""What reading an export finds in it."""

import io

from app.formats.found import Bounds, Found, Rejected, Said
from app.formats.reading import Reading

BOUNDS = Bounds(
    unpacked_bytes=10**8,
    record_bytes=10**7,
    message_chars=10**6,
    list_items=100,
    metadata_bytes=10**5,
    json_values=10**4,
)


def found_in(raw: bytes) -> list[Found]:
    return list(Reading(io.BytesIO(raw), BOUNDS))


def said_in(raw: bytes) -> list[Said]:
    return [each for each in found_in(raw) if isinstance(each, Said)]


def contents_in(raw: bytes) -> list[str | None]:
    """What the messages say, of one conversation after the other."""
    return [message.content for each in said_in(raw) for message in each.conversation.messages]


def _rejections_in(raw: bytes) -> list[Rejected]:
    """Inside of conversations too."""
    found: list[Rejected] = []
    for each in found_in(raw):
        if isinstance(each, Rejected):
            found.append(each)
        elif isinstance(each, Said):
            found += each.rejected
    return found


def rejected_in(raw: bytes) -> list[str]:
    """Where something was rejected, inside of conversations too."""
    return [each.at for each in _rejections_in(raw)]


def reasons_in(raw: bytes) -> list[str]:
    """Why something was."""
    return [each.reason for each in _rejections_in(raw)]
