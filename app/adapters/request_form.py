"""How a request for a chat completion is put, and how again where an endpoint refuses that."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any, Literal, Self

import httpx

Format = Literal["json_schema", "json_object"]

_THOUGHT = 8_000
"""Tokens of thinking, which `max_completion_tokens` counts as well as those of the answer."""

_PARAMETERS = re.compile(
    r"\b(?:(?P<length>max_tokens)|(?P<temperature>temperature)"
    r"|(?P<format>response[_ ]format|json[_ ](?:schema|object)))\b"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestForm:
    """
    The parameters beside the messages: what every server of old takes, unless it was refused.

    `format` None: nothing is said of it, and JSON only asked for in words.
    """

    length: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    has_temperature: bool = True
    format: Format | None = "json_schema"

    def parameters(self, schema: Mapping[str, Any], *, most: int) -> Mapping[str, Any]:
        """`most`: tokens of the answer."""
        asked: dict[str, Any] = {}
        asked[self.length] = most if self.length == "max_tokens" else most + _THOUGHT
        if self.has_temperature:
            asked["temperature"] = 0
        if self.format is not None:
            asked["response_format"] = _response_format(self.format, schema)
        return asked

    def after(self, answer: httpx.Response) -> Self | None:
        """The form to ask in after this answer; None: it is not about the form."""
        if answer.status_code != HTTPStatus.BAD_REQUEST:
            return None
        others = (self._without(found.lastgroup) for found in _PARAMETERS.finditer(_told(answer)))
        return next((each for each in others if each is not None), None)

    def _without(self, parameter: str | None) -> Self | None:
        """Each form has less that can be refused than the one before, so there are five at most."""
        if parameter == "length" and self.length == "max_tokens":
            return replace(self, length="max_completion_tokens")
        if parameter == "temperature" and self.has_temperature:
            return replace(self, has_temperature=False)
        if parameter == "format" and self.format is not None:
            return replace(self, format="json_object" if self.format == "json_schema" else None)
        return None


def _response_format(kind: Format, schema: Mapping[str, Any]) -> Mapping[str, Any]:
    if kind == "json_object":
        return {"type": kind}
    return {"type": kind, "json_schema": {"name": "answer", "strict": True, "schema": schema}}


def _told(answer: httpx.Response) -> str:
    """The parameter that an error names, before its words; empty: it has none of them."""
    try:
        told = answer.json()
    except ValueError:
        return ""
    error = told.get("error", told) if isinstance(told, Mapping) else told
    if not isinstance(error, Mapping):
        return str(error)
    return f"{error.get('param')} {error.get('message')}"
