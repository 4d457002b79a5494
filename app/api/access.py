"""What a request needs, by its method and path, and who is near enough to need no key."""

from collections.abc import Collection
from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network
from urllib.parse import SplitResult, parse_qsl, urlsplit

from starlette.datastructures import Headers
from starlette.types import Scope

from app.domain.keys import Permission

_OPEN = {"/healthz", "/readyz", "/openapi.json"}
_OPEN_BELOW = ("/docs", "/ui")
_ASKING = {"/context", "/search"}
_OF_TOOLS = "/mcp"
"""Each of its tools and resources asks for the permission that it needs itself."""

_EXPORT = "/export"
_PASSING = ("/v1",)
_GOVERNING = ("/admin", "/flags", "/jobs", "/metrics")
_USERS = "/users"
"""Who there is: more than the memory of one."""

_READING = {"GET", "HEAD", "OPTIONS"}
_NETWORK_BITS = 64
_FORWARDED = ("forwarded", "x-forwarded-for", "x-real-ip")


def permission_for(method: str, path: str) -> Permission | None:
    """The permission that a request needs; None: it needs no key."""
    if path in _OPEN or _is_below(path, _OPEN_BELOW):
        return None
    if _is_below(path, _GOVERNING) or (path == _USERS and method in _READING):
        return Permission.ADMIN
    if method in _READING or path in _ASKING or path == _OF_TOOLS:
        return Permission.READ
    return Permission.WRITE


def is_asked_within(path: str, held: Collection[Permission]) -> bool:
    """Whether a key with these permissions passes the gate: what they allow is looked at inside."""
    return path == _OF_TOOLS and Permission.WRITE in held


def permission_of(scope: Scope) -> Permission | None:
    """The same of a request as it came: an export that names no user is of the whole tenant."""
    method, path = scope["method"], scope["path"]
    if (method, path) == ("GET", _EXPORT) and not _names_a_user(scope["query_string"]):
        return Permission.ADMIN
    return permission_for(method, path)


def _names_a_user(query: bytes) -> bool:
    asked = parse_qsl(query.decode("latin-1"), keep_blank_values=True)
    return any(name == "user_id" for name, _ in asked)


def goes_on_without_memory(path: str) -> bool:
    """Whether a request is answered, by somebody else, while our store does not answer."""
    return _is_below(path, _PASSING)


def _is_below(path: str, prefixes: tuple[str, ...]) -> bool:
    return any(path == each or path.startswith(f"{each}/") for each in prefixes)


def is_here(scope: Scope, headers: Headers, *, origins: Collection[str]) -> bool:
    """
    Whether a request was made on this machine, by somebody who meant to.

    Not one that a proxy passed on, nor one that a browser makes for a page of somewhere else: such
    a page can have a name that leads here, or send what needs no reading of the answer.
    """
    host = headers.get("host", "localhost")
    return (
        _is_loopback(scope["client"])
        and not any(each in headers for each in _FORWARDED)
        and _names_this_machine(host)
        and _comes_from(headers.get("origin"), host, origins)
    )


def _is_loopback(client: tuple[str, int] | None) -> bool:
    """The server tells the address of whoever connected; what is none came over no network."""
    return client is None or _is_loopback_address(client[0], otherwise=True)


def place_of(client: tuple[str, int] | None) -> str:
    """Where a caller is: an address, of IPv6 the network, of which everybody has one."""
    return "" if client is None else _place(client[0])


@lru_cache(maxsize=1_024)
def _place(text: str) -> str:
    try:
        address = ip_address(text)
    except ValueError:
        return text
    if isinstance(address, IPv6Address) and address.ipv4_mapped is None:
        return str(ip_network((int(address), _NETWORK_BITS), strict=False))
    return text


def _names_this_machine(host: str) -> bool:
    """A name without a dot is nobody's on the internet."""
    name = _split(f"//{host}").hostname or ""
    return _is_loopback_address(name, otherwise="." not in name.removesuffix(".localhost"))


def _comes_from(origin: str | None, host: str, origins: Collection[str]) -> bool:
    return origin is None or origin in origins or _split(origin).netloc == host


def _split(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError:
        return urlsplit("//not.a.host")


@lru_cache(maxsize=1_024)
def _is_loopback_address(text: str, *, otherwise: bool) -> bool:
    try:
        address = ip_address(text)
    except ValueError:
        return otherwise
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped.is_loopback
    return address.is_loopback
