"""In which of its forms an answer is given."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import Request

from app.api.accepting import prefers

EVENTS = "text/event-stream"


def asking(accept: str) -> Request:
    return Request({"type": "http", "headers": [(b"accept", accept.encode("latin-1"))]})


@pytest.mark.parametrize(
    "accept",
    [
        EVENTS,
        "Text/Event-Stream",
        f"application/json, {EVENTS}",
        f"application/json;q=0.5,{EVENTS};q=0.9",
        f"{EVENTS}; charset=utf-8; q=1, */*;q=0.1",
        f"{EVENTS};q=much",
    ],
)
def test_who_names_a_form_gets_it(accept: str) -> None:
    assert prefers(asking(accept), EVENTS)


@pytest.mark.parametrize(
    "accept",
    [
        "",
        "*/*",
        "text/*",
        "application/json",
        f"application/json, {EVENTS};q=0.5",
        f"{EVENTS};q=0",
        f"x-{EVENTS}",
    ],
)
def test_who_takes_json_more_gladly_gets_json(accept: str) -> None:
    assert not prefers(asking(accept), EVENTS)


@given(st.text(st.characters(max_codepoint=255), max_size=60))
def test_any_header_can_be_read(accept: str) -> None:
    assert prefers(asking(f"{accept},{EVENTS}"), EVENTS) in {True, False}
