"""What is wrong with a request that has not the documented shape, place by place."""

from collections.abc import Mapping, Sequence
from typing import Any

from app.api.naming import fields_at, name_here

_MOST = 100
"""Places that are told."""

_KEY_ITSELF = "[key]"
"""What pydantic appends to the place of an entry whose key is wrong, not its value."""

_OF_OURS = "Value error, "
"""What pydantic puts before a sentence of ours."""

_EXTERNAL_ID = "conversation_external_id"
_OWN_ID_BESIDE = f"your own id of a conversation goes into {_EXTERNAL_ID}"
_OWN_ID_FOUND = "GET /conversations?user_id=&q= finds it by your own id (external_id)"
_PARTS = "lists of parts, as models take them, are read by POST /import and by the proxy (/v1)"
_SEVERAL_IDS = ("conversation_ids", "exclude_conversation_ids")


def wrong_places(found: Sequence[Mapping[str, Any]], route: object) -> list[dict[str, str]]:
    """The `errors` of a problem, of what pydantic found in a request to this route."""
    return [
        {"pointer": _pointer(each["loc"]), "detail": what_is_wrong(each, route)}
        for each in found[:_MOST]
    ]


def what_is_wrong(found: Mapping[str, Any], route: object = None) -> str:
    """As the check tells it, but in plain words where it tells of items and patterns."""
    short = found["type"] in ("too_short", "string_too_short")
    if short and found["ctx"]["min_length"] == 1:
        return "must not be empty"
    if found["type"] == "string_pattern_mismatch" and not found["input"].strip():
        return "must not be blank"
    if found["type"] == "too_long" and isinstance(found["input"], str):
        return f"must have at most {found['ctx']['max_length']} characters"
    said = str(found["msg"]).removeprefix(_OF_OURS)
    hint = _hint(found, route)
    return said if hint is None else f"{said}; {hint}"


def _hint(found: Mapping[str, Any], route: object) -> str | None:
    """What was probably meant."""
    if route is None:
        return None
    *path, name = found["loc"]
    match found["type"]:
        case "extra_forbidden":
            called = name_here(route, found["loc"])
            return None if called is None else f"here it is called {called}"
        case "uuid_parsing" | "uuid_type" if name == "conversation_id":
            beside = _EXTERNAL_ID in fields_at(route, path)
            return _OWN_ID_BESIDE if beside else _OWN_ID_FOUND
        case "uuid_parsing" | "uuid_type" if path[-1:] and path[-1] in _SEVERAL_IDS:
            return _OWN_ID_FOUND
        case "string_type" if name == "content" and isinstance(found["input"], list):
            return _PARTS if "messages" in path else None
        case _:
            return None


def _pointer(location: tuple[object, ...]) -> str:
    """A JSON pointer into the body, `#` for all of it; for a query or path parameter its name."""
    place, *path = location
    if path and path[-1] == _KEY_ITSELF:
        path.pop()
    names = [str(step).encode(errors="replace").decode() for step in path]
    steps = [name.replace("~", "~0").replace("/", "~1") for name in names]
    return "/".join(("#", *steps)) if place == "body" else f"{place}:{'/'.join(steps)}"
