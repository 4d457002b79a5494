"""Addresses that are set, looked at before anything is asked there."""

import re
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator

_HTTP = re.compile(r"https?://[^/\s?#]+[^\s?#]*", re.IGNORECASE)

_DATABASE = re.compile(
    r"[\w+]+://(?:[^:/]*(?::[^@]*)?@)?(?:\[[^/?]+\]|[^/:?]+)?(?::(?P<port>[^/?]*))?"
)
"""Up to the port, as SQLAlchemy reads it: a password may hold what parts other addresses."""


def http_url(given: str) -> str:
    """
    The base URL of a server.

    Raises:
        ValueError: It is none, or nobody can be asked there.
    """
    if _HTTP.fullmatch(given) is None or not urlsplit(given).hostname:
        raise ValueError("must be an address such as http://localhost:8080, without ? and #")
    _ = urlsplit(given).port  # which raises what it is not
    return given


HttpUrl = Annotated[str, AfterValidator(http_url)]


def check_database_port(url: str) -> None:
    """
    Look at the port of a database on a server, if one is named.

    Raises:
        ValueError: It is none.
    """
    found = _DATABASE.match(url)
    port = found["port"] if found else None
    if port and not (port.isdecimal() and 0 < int(port) < 2**16):
        raise ValueError("its port must be a number from 1 to 65535")
