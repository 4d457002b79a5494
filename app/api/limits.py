"""How much a request may hold. Set by the operator, checked by the types of the fields."""

from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import PydanticCustomError
from pydantic_core.core_schema import CoreSchema, no_info_before_validator_function

from app.domain.storable import json_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What the body of a request may hold at most."""

    body_bytes: int
    body_s: float
    answer_s: float
    import_bytes: int
    import_s: float
    messages: int
    message_chars: int
    query_chars: int
    list_items: int
    filter_ids: int
    metadata_bytes: int
    json_values: int


limits: ContextVar[Limits | None] = ContextVar("limits", default=None)
"""Those of the application that answers; None: there is none, and nothing is limited."""

Counted = Literal["messages", "message_chars", "query_chars", "list_items", "filter_ids"]


def within_metadata_bytes(value: Any) -> Any:  # noqa: ANN401  (JSON)
    """`value`, if what it would be as JSON may be stored beside a text."""
    now = limits.get()
    if now is not None and json_bytes(value) > now.metadata_bytes:
        raise PydanticCustomError(
            "over_the_limit", "must have at most {most} bytes as JSON", {"most": now.metadata_bytes}
        )
    return value


@dataclass(frozen=True, slots=True)
class AtMost:
    """Annotates a text or a list: so long at most, looked at before its parts are."""

    limit: Counted

    def __get_pydantic_core_schema__(
        self, source: type[Any], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return no_info_before_validator_function(self._checked, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        described = handler(schema)
        most = self._most()
        if most is not None:
            described["maxItems" if described.get("type") == "array" else "maxLength"] = most
        return described

    def _most(self) -> int | None:
        now = limits.get()
        return None if now is None else getattr(now, self.limit)

    def _checked(self, value: Any) -> Any:  # noqa: ANN401  (anything a caller sends)
        most = self._most()
        if most is not None and isinstance(value, str | list) and len(value) > most:
            units = "characters" if isinstance(value, str) else "items"
            raise PydanticCustomError(
                "over_the_limit", "must have at most {most} {units}", {"most": most, "units": units}
            )
        return value
