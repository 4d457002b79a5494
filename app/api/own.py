"""What is the caller's own of what the provider keeps: all of it, or what it named to them."""

from functools import partial

from fastapi import Request

from app.api.deps import Proxy
from app.api.passing import brings_own_key
from app.api.reading import beside, count_values
from app.domain.audit import ANYONE
from app.domain.chat import Party
from app.domain.errors import NotAnObject, NotPassedOn
from app.domain.ids import TenantId
from app.domain.keys import Caller
from app.text.kept import named_in

_A_KEY = "one in Authorization or x-api-key, beside ours in X-Foreword-Key"
_FORMS = "multipart/"
_BLANKS = 100
"""Bytes in which the first of a body is looked for that is no blank."""


def shares_key(request: Request, caller: Caller) -> bool:
    """Whether it is not the caller's own key that opens the upstream, but that of many callers."""
    return caller.actor != ANYONE and not brings_own_key(request.headers)


def refuse(field: str | None = None) -> NotPassedOn:
    """What is kept there, named in this field of the body, or else by the path."""
    if field is None:
        return NotPassedOn(f"Send {_A_KEY}.")
    detail = f"`{field}` names it, and not as an answer to you did: send {_A_KEY}."
    return NotPassedOn(detail, field=field)


async def check_names(request: Request, proxy: Proxy, tenant: TenantId, party: Party) -> None:
    """
    Refuse a body that names something kept which the provider did not name to this user before.

    Raises:
        NotPassedOn: It does.
        NotAnObject: It cannot be read, and is no form either.
        TooManyValues: It holds more than a body may.
    """
    body = await request.body()
    if not body or _is_form(request, body):
        return
    try:
        named = await beside(len(body), partial(_named, body))
    except (ValueError, RecursionError) as error:
        raise NotAnObject from error
    if (field := await proxy.named.strange(tenant, party, named)) is not None:
        raise refuse(field)


def _is_form(request: Request, body: bytes) -> bool:
    """Files and texts, each by itself: such a form brings what is to be read, and names nothing."""
    told = request.headers.get("content-type", "").lower()
    return told.startswith(_FORMS) and not body[:_BLANKS].lstrip().startswith(b"{")


def _named(body: bytes) -> list[tuple[str, str]]:
    count_values(body)
    return [*named_in(body)]
