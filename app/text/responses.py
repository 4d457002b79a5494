"""
Requests for OpenAI's Responses and their answers, told as a chat is (app/text/chat.py).

Here too anything may be missing or of another type; what cannot be understood is left out.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from app.domain.chat import FOLLOWED
from app.domain.conversation import NewMessage
from app.domain.response_items import as_message
from app.text.answered import events_in, parsed_in
from app.text.chat import Chat, mappings_in, plain, said_in, short, storable_of

_WHOLE = "completed"
_ENDINGS = ("response.completed", "response.incomplete", "response.failed")


def chat_in(body: Mapping[str, Any]) -> Chat:
    """The instructions of a request and what is said in its `input`, as a chat."""
    told, instructions = body.get("input"), body.get("instructions")
    first = [{"role": "system", "content": instructions}] if instructions else []
    if isinstance(told, str):
        return [*first, {"role": "user", "content": told}]
    return [*first, *_joined(filter(None, map(as_message, mappings_in(told))))]


def instructed(body: Mapping[str, Any], memory: str) -> Mapping[str, Any]:
    """
    A request with `memory` behind its instructions.

    In front of its input it would become a part of what the upstream keeps, once more with each
    request that follows; instructions are of one request.
    """
    given = body.get("instructions")
    if given and not isinstance(given, str):
        return body  # the upstream says what is wrong with it
    return {**body, "instructions": f"{given}\n\n{memory}" if given else memory}


def followed_in(body: Mapping[str, Any]) -> str | None:
    """The response that a request goes on from."""
    return short(body.get("previous_response_id"))


def kept_in(body: Mapping[str, Any]) -> object:
    """The conversation in which the upstream keeps what is said: its id, if there is one."""
    told = body.get("conversation")
    return told.get("id") if isinstance(told, Mapping) else told


def response_in(answer: bytes, *, streamed: bool) -> NewMessage | None:
    """
    What the model replied, its calls of tools too: from a whole answer, or from its stream.

    What did not come to its end, by what it tells itself, is `incomplete`.
    """
    told = _streamed(answer) if streamed else parsed_in(answer)
    spoken = filter(None, map(as_message, mappings_in(told.get("output"))))
    messages = _joined(each for each in spoken if each.get("role") == "assistant")
    if not messages:
        return None
    model, status, response = (told.get(each) for each in ("model", "status", "id"))
    known = storable_of(model=model, status=status, **{FOLLOWED: response})
    if told.get("status", _WHOLE) != _WHOLE:
        known["incomplete"] = True
    return said_in(messages[0], **known)


def _called(message: Mapping[str, Any]) -> list[Any]:
    calls = message.get("tool_calls")
    return calls if isinstance(calls, list) else []


def _joined(messages: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The messages, where what the assistant says and calls in a row is one, as in a chat."""
    chat: list[Mapping[str, Any]] = []
    for each in messages:
        before = chat[-1] if chat else {}
        if each.get("role") == before.get("role") == "assistant":
            words = filter(None, (plain(said.get("content")) for said in (before, each)))
            calls = [*_called(before), *_called(each)]
            chat[-1] = {"role": "assistant", "content": "\n".join(words), "tool_calls": calls}
        else:
            chat.append(each)
    return chat


def _streamed(stream: bytes) -> Mapping[str, Any]:
    """The whole answer that the events of a stream amount to."""
    made = _Making()
    for event in events_in(stream):
        told = parsed_in(event)
        response = told.get("response")
        if isinstance(response, Mapping):
            if told.get("type") in _ENDINGS:
                return response
            made.begun = response
        made.add(told)
    return {**made.begun, "status": "incomplete", "output": made.output()}


@dataclass(slots=True)
class _Making:
    """An answer in the making: items that are done, and the words of those that are not."""

    begun: Mapping[str, Any] = field(default_factory=dict)
    done: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    words: dict[int, list[str]] = field(default_factory=dict)

    def add(self, event: Mapping[str, Any]) -> None:
        place = event.get("output_index")
        place = place if isinstance(place, int) else 0
        item = event.get("item")
        match event.get("type"):
            case "response.output_text.delta" | "response.refusal.delta":
                self.words.setdefault(place, []).append(plain(event.get("delta")))
            case "response.output_item.done" if isinstance(item, Mapping):
                self.done[place] = item

    def output(self) -> list[Mapping[str, Any]]:
        begun = {
            place: {"type": "message", "role": "assistant", "content": "".join(words)}
            for place, words in self.words.items()
        }
        return [item for _, item in sorted({**begun, **self.done}.items())]
