"""
Chat-completion requests and their answers, in OpenAI's shape: what of them is somebody's words.

They come from strangers on both sides, so anything may be missing or of another type; what cannot
be understood is left out, never an error.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import takewhile
from typing import Any

from app.domain.calls import calls_in
from app.domain.content import mark_of, text_of
from app.domain.conversation import NewMessage, Role
from app.text.answered import events_in, parsed_in

Chat = Sequence[Mapping[str, Any]]
"""The `messages` of a request."""

_ROLES = {
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
    "tool": Role.TOOL,
    "function": Role.TOOL,
}
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_LONGEST_NAME = 255
_MOST_CALLS = 250
_DONE = "[DONE]"
"""What a stream says last; some tell no `finish_reason` before it, and some only that."""

_TOLD = 16
"""Hexadecimal digits that name a conversation nobody named."""


def storable(text: str) -> str:
    """`text` with a replacement character for what no database keeps."""
    return _UNSTORABLE.sub("\ufffd", text)


def plain(content: object) -> str:
    """The words of a message's content, a text or a list of parts of which some are texts."""
    match content:
        case str():
            return storable(content)
        case list():
            return "\n".join(filter(None, map(_part, content)))
        case _:
            return ""


def _part(part: object) -> str:
    match part:
        case {"text": str(text)} | {"refusal": str(text)} | str(text):
            return storable(text)
        case _:
            return ""


def marked(content: object) -> str:
    """The same, with a word for each part that is none; of a document its text, if it has one."""
    if not isinstance(content, list):
        return plain(content)
    return storable("\n".join(filter(None, map(_marked, content))))


def _marked(part: object) -> str:
    if not isinstance(part, Mapping) or part.get("text") == "":
        return _part(part)
    told = text_of(part)
    return mark_of(part) if told is None else told


def mappings_in(told: object) -> list[Mapping[str, Any]]:
    """The objects of a list; none of what is no list."""
    return [each for each in told if isinstance(each, Mapping)] if isinstance(told, list) else []


def listed_in(body: Mapping[str, Any]) -> Chat:
    """The messages of a request; none where they are of no shape we know."""
    told = body.get("messages")
    return told if isinstance(told, list) and all(isinstance(m, dict) for m in told) else []


def question_in(chat: Chat) -> str:
    """What the user said last, in words, since the last reply before it; empty where none were."""
    wordless = False
    for each in reversed(chat):
        if each.get("role") == "user":
            if words := plain(each.get("content")).strip():
                return words
            wordless = True
        elif wordless and _is_reply(each):
            break
    return ""


def shown_in(chat: Chat) -> tuple[str, ...]:
    """Every text that the model reads anyway."""
    texts = (read(each.get("content")) for each in chat for read in (plain, marked))
    return tuple(dict.fromkeys(text for text in texts if text))


def with_memory(chat: Chat, memory: str, *, joined: bool) -> list[Mapping[str, Any]]:
    """
    The chat with `memory` in front of it, as instructions of its own.

    With `joined` it goes behind the words of the first instructions, where there are some: for
    models that accept one such message only.
    """
    first = chat[0] if chat and chat[0].get("role") in _INSTRUCTING else None
    if joined and first is not None:
        return [{**first, "content": _and_also(first.get("content"), memory)}, *chat[1:]]
    role = "system" if first is None else first["role"]
    return [{"role": role, "content": memory}, *chat]


def _and_also(content: object, memory: str) -> object:
    if isinstance(content, list):
        return [*content, {"type": "text", "text": memory}]
    return f"{content}\n\n{memory}" if content else memory


def system_prompt_in(chat: Chat) -> str | None:
    """What the model was told before anybody spoke."""
    told = takewhile(lambda each: each.get("role") in _INSTRUCTING, chat)
    return "\n\n".join(filter(None, (plain(each.get("content")) for each in told))) or None


_INSTRUCTING = ("system", "developer")


def since_reply(chat: Chat) -> list[NewMessage]:
    """
    What was said since the last reply of the model, in order: by the user and by tools.

    A message that calls tools is no reply yet: what they answered belongs to the same exchange.
    Nor is one at the end, which the model is to go on with.
    """
    begun = len([*takewhile(_is_reply, reversed(chat))])
    replies = [at for at, each in enumerate(chat[: len(chat) - begun]) if _is_reply(each)]
    begins = replies[-1] + 1 if replies else 0
    return [said for each in chat[begins:] if (said := said_in(each)) is not None]


def _is_reply(message: Mapping[str, Any]) -> bool:
    return message.get("role") == "assistant" and not _calls(message)


def said_in(message: Mapping[str, Any], **metadata: object) -> NewMessage | None:
    """A message as it is stored; None for instructions and for what has neither words nor calls."""
    role = _ROLES.get(str(message.get("role")))
    read = marked if role is Role.USER else plain
    content = read(message.get("content")) or plain(message.get("refusal"))
    calls = _calls(message)
    if role is None or not (content or calls):
        return None
    return NewMessage(
        role=role,
        content=content or None,
        name=short(message.get("name")),
        tool_calls=calls or None,
        tool_call_id=short(message.get("tool_call_id")),
        metadata=metadata,
    )


def short(name: object) -> str | None:
    """A name or an id as it can be stored; None of what is none."""
    return storable(name)[:_LONGEST_NAME] if isinstance(name, str) and name else None


def storable_of(**facts: object) -> dict[str, object]:
    """Those of the facts about a reply that are names or ids, as they can be stored."""
    return {name: said for name, value in facts.items() if (said := short(value)) is not None}


def _calls(message: Mapping[str, Any]) -> list[dict[str, object]]:
    """The calls of tools, of which only what says what was called is kept."""
    calls = calls_in(message)
    listed = calls[:_MOST_CALLS] if isinstance(calls, list) else []
    return [_call(each) for each in listed if isinstance(each, Mapping)]


def _call(call: Mapping[str, Any]) -> dict[str, object]:
    called = call.get("function")
    called = called if isinstance(called, Mapping) else {}
    named = {key: storable(str(called.get(key) or "")) for key in ("name", "arguments")}
    return {"id": storable(str(call.get("id") or "")), "type": "function", "function": named}


def name_of(chat: Chat, reply: NewMessage | None = None) -> str | None:
    """
    A name for a conversation that nobody named, the same in each of its requests.

    It is made of what the user said first and what was replied to it, which clients send along each
    time; before there is a reply, `reply` is it. None while there is neither.
    """
    first = next((at for at, each in enumerate(chat) if each.get("role") == "user"), None)
    if first is None:
        return None
    later = chat[first + 1 :]
    replied = next((said_in(each) for each in later if each.get("role") == "assistant"), reply)
    if replied is None:
        return None
    told = [plain(chat[first].get("content")), replied.content or "", replied.tool_calls or []]
    digest = sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()
    return f"chat-{digest[:_TOLD]}"


def reply_in(answer: bytes, *, streamed: bool) -> NewMessage | None:
    """
    What the model replied, first of its choices: from a whole answer, or from its stream.

    A stream that was begun well can only tell within itself that it went wrong, by an error or by
    ending without a word that it is its end: what came of the reply is `incomplete`.
    """
    told = _joined(answer) if streamed else parsed_in(answer)
    choice = _first_choice(told)
    message = choice.get("message")
    if not isinstance(message, Mapping):
        return None
    known = storable_of(model=told.get("model"), finish_reason=choice.get("finish_reason"))
    if told.get("error") or (streamed and not told.get("ended")):
        known["incomplete"] = True
    return said_in({**message, "role": "assistant"}, **known)


def _first_choice(told: Mapping[str, Any]) -> Mapping[str, Any]:
    choices = told.get("choices")
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, Mapping) and not choice.get("index"):
            return choice
    return {}


def _joined(stream: bytes) -> Mapping[str, Any]:
    """The whole answer that the chunks of a stream amount to."""
    made, model, error, ended = _Making(), None, None, False
    for event in events_in(stream):
        chunk = parsed_in(event)
        model = model or chunk.get("model")
        error = error or chunk.get("error")
        ended = ended or event.strip() == _DONE
        made.add(_first_choice(chunk))
    ended = ended or made.finish_reason is not None
    return {"model": model, "error": error, "ended": ended, "choices": [made.choice()]}


@dataclass(slots=True)
class _Making:
    """A choice in the making."""

    texts: dict[str, list[str]] = field(default_factory=lambda: {"content": [], "refusal": []})
    calls: dict[object, dict[str, Any]] = field(default_factory=dict)
    finish_reason: object = None

    def add(self, choice: Mapping[str, Any]) -> None:
        self.finish_reason = choice.get("finish_reason") or self.finish_reason
        delta = choice.get("delta")
        if not isinstance(delta, Mapping):
            return
        for name, said in self.texts.items():
            said.append(plain(delta.get(name)))
        calls = delta.get("tool_calls")
        for call in calls if isinstance(calls, list) else ():
            if isinstance(call, Mapping):
                self._call(call.get("index"), call)
        if isinstance(legacy := delta.get("function_call"), Mapping):
            self._call(0, {"function": legacy})

    def _call(self, index: object, piece: Mapping[str, Any]) -> None:
        """What names no place belongs to the call of its id, or else to the last."""
        if not isinstance(index, int):
            index = piece.get("id") or next(reversed(self.calls), 0)
        made = self.calls.setdefault(str(index), {"id": "", "name": "", "arguments": ""})
        made["id"] = made["id"] or piece.get("id") or ""
        if isinstance(called := piece.get("function"), Mapping):
            for key in ("name", "arguments"):
                made[key] += str(called.get(key) or "")

    def choice(self) -> Mapping[str, Any]:
        calls = [
            {"id": each["id"], "function": {"name": each["name"], "arguments": each["arguments"]}}
            for each in self.calls.values()
        ]
        said = {name: "".join(texts) for name, texts in self.texts.items()}
        message = {**said, "tool_calls": calls}
        return {"message": message, "finish_reason": self.finish_reason}
