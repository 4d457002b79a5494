"""The calls of tools that a message of OpenAI's shape makes."""

from collections.abc import Mapping
from typing import Any


def calls_in(message: Mapping[str, Any]) -> Any:  # noqa: ANN401  (JSON)
    """Its `tool_calls`, whatever they are; where there are none, the one `function_call` of old."""
    calls, legacy = message.get("tool_calls"), message.get("function_call")
    if not calls and isinstance(legacy, Mapping):
        return [{"type": "function", "function": legacy}]
    return calls
