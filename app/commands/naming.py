"""Which conversation a command means: people have names for them, and beginnings of names."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NoReturn
from uuid import UUID

from app.terminal import stop

if TYPE_CHECKING:
    from app.client import Client, Conversation

_NOT_FOUND = 404
_PAGE = 500
_TOLD = 5


def conversation_id(client: "Client", told: str, user_id: str | None, *, whole: bool) -> str:
    """
    The id of the conversation that is meant: by its id, or by the caller's own name for it.

    Unless the name has to be `whole`, its beginning is enough where no other begins so. What is
    neither ends the command.
    """
    if _is_there(client, told):
        return told
    named = list(_named(client, told, user_id))
    exact = [each for each in named if each["external_id"] == told]
    found = exact or ([] if whole else named)
    if len(found) != 1:
        _refuse(told, user_id, found)
    return found[0]["id"]


def _refuse(told: str, user_id: str | None, found: "Sequence[Conversation]") -> NoReturn:
    if found:
        several = ", ".join(str(each["external_id"]) for each in found[:_TOLD])
        more = f" and {len(found) - _TOLD} more" if len(found) > _TOLD else ""
        stop(f"several conversations begin so: {several}{more}")
    whose = "of nobody (--user-id says whose)" if user_id is None else f"of {user_id}"
    stop(f"there is no conversation {told} {whose}; `foreword conversations` lists them")


def _is_there(client: "Client", told: str) -> bool:
    """Whether it is the id of one; other services have ids of that form as well."""
    from app.client import ClientError  # noqa: PLC0415  (slow)

    try:
        UUID(told)
    except ValueError:
        return False
    try:
        client.conversation(told)
    except ClientError as error:
        if error.status != _NOT_FOUND:
            raise
        return False
    return True


def _named(client: "Client", told: str, user_id: str | None) -> Iterator["Conversation"]:
    cursor = None
    while told:
        page = client.conversations(user_id=user_id, q=told, limit=_PAGE, cursor=cursor)
        yield from (each for each in page["items"] if (each["external_id"] or "").startswith(told))
        cursor = page["next_cursor"]
        if cursor is None:
            return
