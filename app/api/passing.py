"""What of a request and its answer is passed on between a caller and the upstream."""

import re
from collections.abc import Callable
from urllib.parse import quote

from starlette.datastructures import Headers

from app.api.paths import steps_in
from app.domain.audit import ANYONE
from app.domain.chat import Recollection
from app.domain.errors import UnusableHeader
from app.domain.keys import LOCAL_PREFIX, Caller, looks_like_a_key
from app.domain.user_ids import STEPS, user_id_problem
from app.ports.upstream import HeaderList, Reply

EVENTS = "text/event-stream"
UNBUFFERED = ("x-accel-buffering", "no")
"""Tells servers before us to pass on at once what comes."""

OURS = "x-foreword-"
USER, CONVERSATION, BUDGET = OURS + "user", OURS + "conversation", OURS + "budget"
KEY, API_KEY = OURS + "key", "x-api-key"
_OPENING = ("authorization", API_KEY)
"""Where a key may stand, ours or the provider's: of OpenAI's clients, of Anthropic's."""

_BETWEEN_NEIGHBOURS = {
    "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection",
    "te", "trailer", "transfer-encoding", "upgrade", "expect",
}  # fmt: skip
_ABOUT_THE_CALLER = {
    "host", "content-length", "accept-encoding", "cookie", "origin", "referer", "forwarded", "via",
    "x-real-ip", "authorization", API_KEY,
}  # fmt: skip
_NOT_PASSED_ON = _BETWEEN_NEIGHBOURS | _ABOUT_THE_CALLER
_KEPT_FROM = (OURS, "x-forwarded-", "sec-", "access-control-")

_PASSED_BACK = {
    "content-type", "content-length", "content-encoding", "content-language", "cache-control",
    "location", "retry-after", "retry-after-ms", "request-id", "cf-ray",
}  # fmt: skip
_ALSO_PASSED_BACK = ("x-", "openai-", "anthropic-")
_OF_OUR_SERVER = {
    "x-accel-buffering", "x-frame-options", "x-content-type-options", "x-request-id",
}  # fmt: skip

_OF_A_PART = "!$&'()*+,;=:@~"
"""What stands unquoted in a part of a path."""

_ENCODED = "%2F"

_MOST_TOKENS = 10_000_000
_DIGITS = re.compile(r"[0-9]{1,9}")
_LONGEST_NAME = 255


def to_upstream(headers: Headers, caller: Caller, api_key: str | None) -> HeaderList:
    """
    A caller's headers, with the key that opens the upstream.

    The caller's own where it is the provider's: beside a key of ours in another header, or where
    none of ours is needed and the operator set none of the provider's. A key of ours never leaves.
    """
    between = _NOT_PASSED_ON | {
        name.strip() for name in headers.get("connection", "").lower().split(",")
    }
    kept = [
        (name, value)
        for name, value in headers.items()
        if name not in between and not name.startswith(_KEPT_FROM)
    ]
    theirs, beside_ours = _brought(headers)
    configured = [] if api_key is None else [_opened_by(api_key, headers)]
    if beside_ours:
        opened = theirs or configured
    else:
        opened = configured or (theirs if caller.actor == ANYONE else [])
    # What we read has no encoding, and so needs none to be undone.
    return [*kept, ("accept-encoding", "identity"), *opened]


def brings_own_key(headers: Headers) -> bool:
    """Whether it is the caller's own key that opens the upstream, beside one of ours."""
    theirs, beside_ours = _brought(headers)
    return beside_ours and bool(theirs)


def _brought(headers: Headers) -> tuple[HeaderList, bool]:
    """The keys that are none of ours, and so the provider's, and whether one of ours is there."""
    brought = [(name, headers[name]) for name in _OPENING if name in headers]
    theirs = [(name, value) for name, value in brought if not _is_ours(value)]
    return theirs, KEY in headers or len(theirs) < len(brought)


def path_to_upstream(rest: str) -> str | None:
    """
    What stands behind `/v1/`, decoded, as a path behind the upstream's base URL; None of what would
    lead out of that, be it once the upstream decodes a slash that is a part of a name here.
    """
    parts = [steps_in(part) for part in rest.split("/")]
    led = {step.partition(";")[0] for part in parts for step in part}
    if [""] in parts or led & STEPS or any(part[0].startswith(";") for part in parts):
        return None
    return "".join(f"/{_ENCODED.join(quote(s, safe=_OF_A_PART) for s in part)}" for part in parts)


def _opened_by(api_key: str, headers: Headers) -> tuple[str, str]:
    """Where the operator's key stands, by whose API it is: Anthropic's tell their version."""
    if "anthropic-version" in headers:
        return API_KEY, api_key
    return "authorization", f"Bearer {api_key}"


def _is_ours(told: str) -> bool:
    *_, key = told.split() or [""]  # any blank stands before a key, as the gate reads it
    return looks_like_a_key(key) or key.startswith(LOCAL_PREFIX)


def to_caller(reply: Reply, recollection: Recollection | None) -> HeaderList:
    """The upstream's headers that mean something to a caller, and what became of memory."""
    told = [
        (name, value)
        for name, value in reply.headers
        if name in _PASSED_BACK
        or (
            name.startswith(_ALSO_PASSED_BACK)
            and not name.startswith(OURS)
            and name not in _OF_OUR_SERVER
        )
    ]
    if any(name == "content-type" and value.startswith(EVENTS) for name, value in told):
        told.append(UNBUFFERED)
    own_id = [("x-upstream-request-id", v) for name, v in reply.headers if name == "x-request-id"]
    return [*told, *own_id, *_about(recollection)]


def _about(found: Recollection | None) -> HeaderList:
    if found is None:
        return []
    told = {
        "memory": found.outcome.value,
        "items": str(found.items),
        "tokens": str(found.tokens),
        "degraded": ", ".join(found.degraded),
        "bundle": str(found.bundle_id or ""),
    }
    return [(OURS + name, value) for name, value in told.items() if value]


def name_in(headers: Headers, header: str) -> str | None:
    """
    The name in a header, in UTF-8.

    Raises:
        UnusableHeader: It is empty, too long, or no text.
    """
    told = headers.get(header)
    return None if told is None else _fit(name_problem, _utf8(told, header), header)


def user_in(headers: Headers) -> str | None:
    """
    The user in a header.

    Raises:
        UnusableHeader: Nobody can be called so.
    """
    told = name_in(headers, USER)
    return None if told is None else _fit(user_problem, told, USER)


def _fit(problem_of: Callable[[str], str | None], name: str, header: str) -> str:
    if (problem := problem_of(name)) is not None:
        raise UnusableHeader(f"{header} {problem}", where=header)
    return name


def user_problem(name: str) -> str | None:
    """Why no user can be called so: it is blank, `.`, `..` or no name; None: one can be."""
    return name_problem(name) or user_id_problem(name)


def name_problem(name: str) -> str | None:
    """Why this can be no name of ours: empty, too long, or no text that is kept; None: it can."""
    bad = not name or len(name) > _LONGEST_NAME or "\0" in name or not _encodable(name)
    return f"must have 1 to {_LONGEST_NAME} characters" if bad else None


def budget_in(headers: Headers) -> int | None:
    """
    The tokens that memory may take of this request, if it says so; 0 for no memory.

    Raises:
        UnusableHeader: It is no number, or too large.
    """
    told = headers.get(BUDGET)
    if told is None:
        return None
    if not _DIGITS.fullmatch(told) or int(told) > _MOST_TOKENS:
        raise UnusableHeader(f"{BUDGET} must be 0 to {_MOST_TOKENS} tokens", where=BUDGET)
    return int(told)


def _utf8(value: str, header: str) -> str:
    try:
        return value.encode("latin-1").decode()
    except ValueError as error:
        raise UnusableHeader(f"{header} must be UTF-8", where=header) from error


def _encodable(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
