"""What a field is called here that has another name elsewhere, or was misspelt."""

import re
from collections.abc import Collection, Iterator, Sequence
from difflib import get_close_matches
from typing import get_args

from fastapi.routing import APIRoute
from pydantic import BaseModel

from app.api.asking import names_asked

_ELSEWHERE = (
    ("query", "text prompt question q input search search_query search_text message content"),
    ("q", "query text prompt question search search_query"),
    ("max_items", "limit top_k k n top_n size count num_results max_results n_results page_size"),
    ("limit", "top_k k n top_n size count num_results max_results max_items page_size per_page"),
    ("cursor", "next_cursor page_token starting_after after"),
    ("budget_tokens", "max_tokens token_budget budget tokens token_limit max_context_tokens"),
    ("budget_tokens", "max_input_tokens max_output_tokens max_completion_tokens context_window"),
    ("min_score", "threshold score_threshold similarity_threshold relevance_threshold min_rating"),
    ("user_id", "user uid username user_name owner owner_id"),
    ("conversation_external_id", "session_id session thread_id thread chat_id run_id group_id"),
    ("conversation_id", "session_id session thread_id thread chat_id run_id group_id"),
    (
        "external_id messages",
        "session_id thread_id chat_id run_id group_id conversation_id id uuid",
    ),
    ("external_id role", "message_id msg_id id uuid"),
    ("messages", "turns history chat data items"),
    ("role", "sender author speaker from type"),
    ("content", "text message memory fact data body value parts"),
    ("label", "title name topic subject"),
    ("folder", "project workspace directory path"),
    ("tags", "labels categories keywords"),
    ("metadata", "meta extra attributes properties"),
    ("system_prompt", "system instructions"),
    ("importance", "priority salience weight"),
    ("created_at", "timestamp time date datetime ts sent_at create_time"),
    ("after", "since start start_date start_time created_after"),
    ("before", "until end end_date end_time created_before"),
    ("as_of", "now reference_time point_in_time"),
    ("valid_from", "valid_at"),
    ("valid_to", "invalid_at"),
    ("expires_at", "expires expiry expiration_date"),
    ("type", "kind memory_type category"),
    ("source", "url uri filename source_description"),
    ("filters", "filter where"),
    ("format", "output_format response_format"),
    ("deadline_ms", "timeout timeout_ms"),
)
"""Our name, with what stands beside it where that tells which is meant, and names in its place."""

_LONGEST = 60
"""Of a name that may be one of ours, in characters."""

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def name_here(route: object, place: Sequence[object]) -> str | None:
    """
    What is called so at this place of a request ("body", "filters", "userId"), if anything is.

    One that is elsewhere in the body is told with where it is.
    """
    *path, given = place
    if not isinstance(route, APIRoute) or not isinstance(given, str) or len(given) > _LONGEST:
        return None
    name = _HUMP.sub("_", given).replace("-", "_").lower()
    known = fields_at(route, path)
    return (
        (name if name in known else None)
        or next(_meaning(name, known), None)
        or next(_in_other_places(name, route, path), None)
        or next(iter(get_close_matches(name, sorted(known), n=1, cutoff=0.8)), None)
    )


def fields_at(route: object, path: Sequence[object]) -> Collection[str]:
    """The fields that are known in the address or at a place of the body; none, if it has none."""
    if not isinstance(route, APIRoute):
        return ()
    if path[0] == "query":
        return frozenset(names_asked(route.dependant))
    model = _model_at(route, path)
    return () if model is None else model.model_fields


def _meaning(name: str, known: Collection[str]) -> Iterator[str]:
    for row, elsewhere in _ELSEWHERE:
        ours, *beside = row.split()
        if name in elsewhere.split() and ours in known and all(each in known for each in beside):
            yield ours


def _in_other_places(name: str, route: APIRoute, path: Sequence[object]) -> Iterator[str]:
    """Inside of an object that stands here, or beside the one that all of this is in."""
    here = _model_at(route, path)
    for inside, field in here.model_fields.items() if here else ():
        below = _model_in(field.annotation)
        if below and name in below.model_fields and below is field.annotation:
            yield f"{inside}.{name}"
    if len(path) > 1 and name in fields_at(route, path[:1]):
        yield f"{name}, beside {path[1]}"


def _model_at(route: APIRoute, path: Sequence[object]) -> type[BaseModel] | None:
    """The model of what stands at a place of the body; that of a list is the model of its items."""
    if path[0] != "body" or route.body_field is None:
        return None
    model = _model_in(route.body_field.field_info.annotation)
    for step in path[1:]:
        if isinstance(step, str):
            field = model.model_fields.get(step) if model else None
            model = _model_in(field.annotation) if field else None
    return model


def _model_in(annotation: object) -> type[BaseModel] | None:
    """The first model in an annotation: of `list[Model] | None`, `Model`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next(filter(None, map(_model_in, get_args(annotation))), None)
