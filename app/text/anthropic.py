"""
Requests for Anthropic's Messages and their answers, told as a chat is (app/text/chat.py).

There instructions are no message, what tools answer is a part of what the user says next, and
their calls are parts of what the assistant says. Here too anything may be missing or of another
type; what cannot be understood is left out.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from app.domain.chat import FOLLOWED
from app.domain.conversation import NewMessage
from app.text.answered import events_in, parsed_in
from app.text.chat import Chat, mappings_in, plain, said_in, short, storable_of


def chat_in(body: Mapping[str, Any]) -> Chat:
    """The instructions of a request and its messages, as a chat."""
    system = body.get("system")
    first = [{"role": "system", "content": system}] if system else []
    return [*first, *(told for each in mappings_in(body.get("messages")) for told in _told(each))]


def instructed(body: Mapping[str, Any], memory: str) -> Mapping[str, Any]:
    """
    A request with `memory` behind its instructions.

    A block of its own where they are blocks: what stands before it stays in the upstream's cache.
    """
    match body.get("system"):
        case None | "" | []:
            return {**body, "system": memory}
        case str(system):
            return {**body, "system": f"{system}\n\n{memory}"}
        case list(system):
            return {**body, "system": [*system, {"type": "text", "text": memory}]}
        case _:
            return body  # the upstream says what is wrong with it


def followed_in(body: Mapping[str, Any]) -> str | None:
    """The reply whose thread a request goes on with, which then brings no instructions."""
    match body.get("thread"):
        case {"type": "continue", "previous_message_id": reply}:
            return short(reply)
        case _:
            return None


def message_in(answer: bytes, *, streamed: bool) -> NewMessage | None:
    """
    What the model replied, its calls of tools too: from a whole answer, or from its stream.

    What came of a stream that told an error, or ended without a word that it is its end, is
    `incomplete`.
    """
    told = _streamed(answer) if streamed else parsed_in(answer)
    model, stop, message = (told.get(each) for each in ("model", "stop_reason", "id"))
    known = storable_of(model=model, stop_reason=stop, **{FOLLOWED: message})
    if streamed and not told.get("ended"):
        known["incomplete"] = True
    return said_in(_assistants(told.get("content")), **known)


def _told(message: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """A message as messages of a chat: what tools answered is one for each, before the words."""
    content = message.get("content")
    if message.get("role") == "assistant":
        yield _assistants(content)
        return
    answers = [each for each in mappings_in(content) if each.get("type") == "tool_result"]
    for each in answers:
        told = {"content": each.get("content"), "tool_call_id": each.get("tool_use_id")}
        yield {"role": "tool", **told}
    if not answers:
        yield message
    elif said := [each for each in content or () if each not in answers]:
        yield {**message, "content": said}


def _assistants(content: object) -> Mapping[str, Any]:
    calls = [_call(each) for each in mappings_in(content) if each.get("type") == "tool_use"]
    return {"role": "assistant", "content": _spoken(content), "tool_calls": calls}


def _spoken(content: object) -> object:
    """What the assistant says: texts in a row are one, which is cut where it cites something."""
    if not isinstance(content, list):
        return content
    runs = groupby(content, lambda each: isinstance(each, Mapping) and each.get("type") == "text")
    return ["".join(plain([each]) for each in run) for is_text, run in runs if is_text]


def _call(block: Mapping[str, Any]) -> Mapping[str, Any]:
    """A call as a chat has it: what it was called with is JSON, or as far as that came."""
    given = block.get("input")
    arguments = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    called = {"name": block.get("name"), "arguments": arguments}
    return {"id": block.get("id"), "type": "function", "function": called}


def _streamed(stream: bytes) -> Mapping[str, Any]:
    """The whole answer that the events of a stream amount to, and whether it `ended` well."""
    made = _Making()
    for event in events_in(stream):
        made.add(parsed_in(event))
    return made.message()


@dataclass(slots=True)
class _Making:
    """An answer in the making: its blocks as they begin, and what comes of each."""

    begun: Mapping[str, Any] = field(default_factory=dict)
    blocks: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    pieces: dict[int, list[str]] = field(default_factory=dict)
    ending: Mapping[str, Any] = field(default_factory=dict)
    ended: bool = False

    def add(self, event: Mapping[str, Any]) -> None:
        place = event.get("index")
        place = place if isinstance(place, int) else 0
        match event:
            case {"type": "message_start", "message": Mapping() as message}:
                self.begun = message
            case {"type": "content_block_start", "content_block": Mapping() as block}:
                self.blocks[place] = block
            case {"type": "content_block_delta", "delta": Mapping() as delta}:
                piece = delta.get("text") or delta.get("partial_json")
                self.pieces.setdefault(place, []).append(plain(piece))
            case {"type": "message_delta", "delta": Mapping() as delta}:
                self.ending = delta
            case {"type": "message_stop"}:
                self.ended = True

    def message(self) -> Mapping[str, Any]:
        places = sorted({*self.blocks, *self.pieces})
        content = [self._block(place) for place in places]
        stop = self.ending.get("stop_reason")
        return {**self.begun, "content": content, "stop_reason": stop, "ended": self.ended}

    def _block(self, place: int) -> Mapping[str, Any]:
        """What came in pieces, behind what the block began with."""
        block, came = self.blocks.get(place, {"type": "text"}), "".join(self.pieces.get(place, []))
        match block.get("type"):
            case "tool_use":
                return {**block, "input": _given(came) if came else block.get("input")}
            case "text":
                return {**block, "text": plain(block.get("text")) + came}
            case _:
                return block


def _given(came: str) -> object:
    """What a call's JSON says, which clients write their own way when they send it along again."""
    try:
        return json.loads(came)
    except (ValueError, RecursionError):
        return came
