"""
What a request names that its provider keeps, and what an answer names so: by the provider's ids.

Whoever shows such an id to the provider has what is kept under it: the response that goes on, the
file that is read. Names are looked for wherever a body may have them, in whatever form it is.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from app.domain.chat import Form
from app.text.answered import objects_in
from app.text.chat import mappings_in, storable

_NAMES = frozenset(
    """
    previous_response_id previous_message_id conversation container container_id file_id file_ids
    vector_store_id vector_store_ids skill_id
    """.split()
)
"""Fields that hold a name or a list of such."""

_NAMED_BY_ID = frozenset({"conversation", "container", "prompt", "audio", "voice"})
"""Fields whose object has its name as `id`."""

_OF_THE_CALLER = frozenset(
    {"metadata", "parameters", "input_schema", "schema", "arguments", "annotations", "citations"}
)
"""Fields whose JSON the provider does not look into, be there what may."""

_CALLS = ("tool_use", "server_tool_use", "mcp_tool_use")
_ITEM = re.compile(r"input(?:\[\d+\])?")
_SEALED = frozenset({"reasoning", "compaction"})
_TOLD_IN_FULL = frozenset(
    """
    function_call custom_tool_call local_shell_call shell_call apply_patch_call computer_call
    mcp_call mcp_list_tools mcp_approval_request mcp_approval_response
    """.split()
)
"""Items that bring all that they are; of others the provider looks up the rest by their id."""

_LONGEST_FIELD = 60
"""Characters of the name of a field, as it is told."""

_TWICE = "\udfff"
"""The field, of no JSON, for the name of one that an object has twice."""


def named_in(body: bytes) -> Sequence[tuple[str, str]]:
    """
    The places of a body of JSON where something kept is named, and its name there.

    A field that an object has twice is one of them, without a name: who reads it next may take the
    other one.

    Raises:
        ValueError: It is no JSON.
        RecursionError: It is nested too deep.
    """
    found: list[tuple[str, str]] = []
    waiting: list[tuple[str, Any]] = [("", [json.loads(body, object_pairs_hook=_once)])]
    while waiting:
        at, told = waiting.pop()
        if isinstance(told, list):
            below = [(f"{at}[{place}]" if at else at, each) for place, each in enumerate(told)]
        else:
            found += _named_at(at, told)
            below = [(_field(at, name), each) for name, each in told.items() if _seen(told, name)]
        waiting += [each for each in reversed(below) if isinstance(each[1], dict | list)]
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    told = dict(pairs)
    if len(told) < len(pairs):
        names = [name for name, _ in pairs]
        told[_TWICE] = next(name for name in names if names.count(name) > 1)
    return told


def _field(at: str, name: str) -> str:
    """Callers are told of it, so it has to be text that can be sent."""
    name = storable(name[:_LONGEST_FIELD])
    return f"{at}.{name}" if at else name


def _seen(told: Mapping[str, Any], name: str) -> bool:
    """Whether the provider looks for names in this field."""
    called = name == "input" and told.get("type") in _CALLS
    return not (called or name in _OF_THE_CALLER)


def _named_at(at: str, told: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in told.items():
        if name in _NAMES and not (name == "skill_id" and told.get("type") == "anthropic"):
            several = value if isinstance(value, list) else [value]
            yield from ((_field(at, name), each) for each in several if _is_name(each))
        if name in _NAMED_BY_ID and isinstance(value, dict) and _is_name(value.get("id")):
            yield f"{_field(at, name)}.id", value["id"]
    if _TWICE in told:
        yield _field(at, str(told[_TWICE])), ""
    if _ITEM.fullmatch(at) and _refers(told):
        yield f"{at}.id", told["id"]


def _is_name(value: object) -> bool:
    return isinstance(value, str) and bool(value)


def _refers(item: Mapping[str, Any]) -> bool:
    """Whether an item of a request is, in whole or in part, what the provider has under its id."""
    if not _is_name(item.get("id")):
        return False
    match item.get("type"):
        case None | "message":
            return "role" not in item or item.get("content") is None
        case str(kind) if kind in _SEALED:
            return not _is_name(item.get("encrypted_content"))
        case str(kind):
            return not (kind in _TOLD_IN_FULL or kind.endswith("_output"))
        case _:
            return True


def told_in(form: Form, answer: bytes, *, streamed: bool) -> Sequence[str]:
    """
    What an answer names so, in its order: itself, its items, its container, the files that it made.

    Taken from where only the provider writes: callers have their words, and what they call tools
    with, repeated to them.
    """
    several = objects_in(answer, streamed=streamed)
    names = (name for told in several for name in _TOLD_IN[form](told) if _is_name(name))
    return list(dict.fromkeys(names))


def _of_completion(told: Mapping[str, Any]) -> Iterator[Any]:
    for choice in mappings_in(told.get("choices")):
        for said in mappings_in([choice.get("message"), choice.get("delta")]):
            yield from (audio.get("id") for audio in mappings_in([said.get("audio")]))


def _of_response(told: Mapping[str, Any]) -> Iterator[Any]:
    for response in mappings_in([told, told.get("response")]):
        yield response.get("id")
        items = [*mappings_in(response.get("output")), *mappings_in([response.get("item")])]
        yield from (item.get(name) for item in items for name in ("id", "container_id"))


def _of_message(told: Mapping[str, Any]) -> Iterator[Any]:
    for message in mappings_in([told, told.get("message"), told.get("delta")]):
        yield message.get("id")
        yield from (each.get("id") for each in mappings_in([message.get("container")]))
        begun = message.get("content_block")
        for block in mappings_in([*mappings_in(message.get("content")), begun]):
            yield from _made(block)


def _made(block: Mapping[str, Any]) -> Iterator[Any]:
    """The files that code made which the provider ran."""
    if str(block.get("type")).endswith("code_execution_tool_result"):
        for result in mappings_in([block.get("content")]):
            yield from (each.get("file_id") for each in mappings_in(result.get("content")))


_TOLD_IN = {
    Form.CHAT: _of_completion,
    Form.RESPONSES: _of_response,
    Form.MESSAGES: _of_message,
}
