"""
Answers of OpenAI's chat completions, alone or beside what was asked for them.

A record is such an answer, or holds one and the request; logs, gateways and batches call these two
by several names. Each request tells again what was said before, so one that goes on with a chat is
that chat: it is known by what it says, as a list of messages that grew.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.formats import messages
from app.formats.fields import first_of, moment_or_told
from app.formats.found import Bounds, Said
from app.formats.growing import grown_alone

_ANSWERS = ("response", "output", "completion", "body")
_REQUESTS = ("request", "input", "body")
_DEPTH = 3
"""How far inside a record an answer lies: `response.body` in the results of a batch."""

_LOOKED_AT = 20
_OF_THE_CHAT = ("label", "title", "folder", "tags", "importance", "archived", "system_prompt")
_NAMES = ("external_id", "conversation_id", "conversation", "thread_id", "session_id")


@dataclass(frozen=True, slots=True)
class _Part:
    """What is told at a place inside of a record."""

    at: str = ""
    told: Mapping[str, Any] = field(default_factory=dict)
    messages: Sequence[object] = ()


def is_one(record: Mapping[str, Any]) -> bool:
    answer = _answer(record)
    return answer is not None or bool(_asked(record, beside=False).messages)


def said(at: str, record: Mapping[str, Any], bounds: Bounds) -> Said:
    """
    What was asked and, first of the choices, what was answered.

    Raises:
        Malformed: It cannot be read.
    """
    answer, asked = _answer(record) or _Part(), _asked(record, beside=True)
    said_at = first_of(answer.told, "created") or first_of(record, *messages.TIMES)
    places: list[tuple[str, object]] = [
        (f"{at}{asked.at}[{place}]", each) for place, each in enumerate(asked.messages)
    ]
    begins, _ = moment_or_told(said_at, "created_at", at)
    if (reply := _reply(answer.told, begins and said_at)) is not None:
        places.append((f"{at}{answer.at}.choices", reply))
    user = asked.told.get("user")
    told = {
        **{name: record[name] for name in _OF_THE_CHAT if name in record},
        "user_id": record.get("user_id") or (user if isinstance(user, str) else None),
        "created_at": said_at,
        "id": _chat(record, asked.told) or (None if asked.messages else answer.told.get("id")),
    }
    return grown_alone(messages.said_in(at, told, places, bounds))


def _answer(record: Mapping[str, Any]) -> _Part | None:
    inside, at = record, ""
    for _ in range(_DEPTH):
        if _choice(inside) is not None:
            return _Part(at, inside)
        name = next((each for each in _ANSWERS if isinstance(inside.get(each), dict)), None)
        if name is None:
            return None
        inside, at = inside[name], f"{at}.{name}"
    return None


def _choice(answer: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The first choice that is a whole message; no piece of a stream is one."""
    choices = answer.get("choices")
    for each in choices if isinstance(choices, list) else ():
        if isinstance(each, dict) and isinstance(each.get("message"), dict):
            return each
    return None


def _reply(answer: Mapping[str, Any], said_at: object) -> Mapping[str, Any] | None:
    choice = _choice(answer)
    if choice is None:
        return None
    told = {"model": answer.get("model"), "finish_reason": choice.get("finish_reason")}
    about = {name: each for name, each in told.items() if isinstance(each, str)}
    reply = {"role": "assistant", "content": None, **choice["message"]}
    return {"created_at": said_at, **reply, "metadata": about}


def _asked(record: Mapping[str, Any], *, beside: bool) -> _Part:
    """The request in a record; given `beside`, also where its messages stand in the record."""
    for name in _REQUESTS:
        told = record.get(name)
        if isinstance(told, dict) and _are_messages(told.get("messages")):
            return _Part(f".{name}.messages", told, told["messages"])
        if _are_messages(told):
            return _Part(f".{name}", {}, told or ())
    if beside and _are_messages(record.get("messages")):
        return _Part(".messages", record, record["messages"])
    return _Part()


def _are_messages(value: object) -> bool:
    return isinstance(value, list) and any(map(messages.is_message, value[:_LOOKED_AT]))


def _chat(*told: Mapping[str, Any]) -> object:
    """The conversation that a record, its request or what either adds says it is of."""
    for each in told:
        more = each.get("metadata")
        for names in (each, more if isinstance(more, dict) else {}):
            if (name := first_of(names, *_NAMES)) is not None:
                return name
    return None
