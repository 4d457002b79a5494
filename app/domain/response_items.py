"""Items of OpenAI's Responses that are no messages: calls of tools, their answers, thoughts."""

from collections.abc import Mapping
from typing import Any

_THOUGHT = "reasoning"


def as_message(item: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """What is said by an item, as chat completions tell it; None: it says nothing to anybody."""
    if "role" in item:
        return item
    match item.get("type"):
        case "function_call":
            called = {"name": item.get("name"), "arguments": item.get("arguments")}
            call = {"id": item.get("call_id"), "type": "function", "function": called}
            return {**item, "role": "assistant", "name": None, "tool_calls": [call]}
        case "function_call_output":
            answer = {"content": item.get("output"), "tool_call_id": item.get("call_id")}
            return {**item, "role": "tool", **answer}
        case kind:
            return None if kind == _THOUGHT else item
