"""Which permission a request needs, and who is near enough to need no key."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import Headers

from app.api.access import is_here, permission_for, permission_of, place_of
from app.domain.keys import Permission

READ, WRITE, ADMIN = Permission


@pytest.mark.parametrize(
    ("method", "path", "needed"),
    [
        ("GET", "/healthz", None),
        ("GET", "/readyz", None),
        ("GET", "/openapi.json", None),
        ("GET", "/docs", None),
        ("GET", "/docs/assets/1/docs/start.js", None),
        ("GET", "/docsx", READ),
        ("GET", "/redoc", READ),
        ("GET", "/ui", None),
        ("GET", "/ui/app.js", None),
        ("GET", "/uix", READ),
        ("GET", "/healthz/x", READ),
        ("GET", "/conversations", READ),
        ("HEAD", "/conversations", READ),
        ("OPTIONS", "/conversations", READ),
        ("POST", "/context", READ),
        ("POST", "/search", READ),
        ("POST", "/context/x", WRITE),
        ("POST", "/conversations", WRITE),
        ("PATCH", "/conversations/1", WRITE),
        ("PUT", "/users/ann/profile", WRITE),
        ("DELETE", "/users/ann", WRITE),
        ("BREW", "/conversations", WRITE),
        ("GET", "/admin/keys", ADMIN),
        ("DELETE", "/admin/keys/1", ADMIN),
        ("GET", "/admin", ADMIN),
        ("GET", "/administration", READ),
        ("GET", "/flags", ADMIN),
        ("POST", "/jobs/1/retry", ADMIN),
        ("GET", "/export", READ),
        ("GET", "/users", ADMIN),
        ("HEAD", "/users", ADMIN),
        ("GET", "/users/ann/profile", READ),
        ("GET", "/metrics", ADMIN),
        ("GET", "", READ),
        ("POST", "/v1/chat/completions", WRITE),
        ("POST", "/v1/responses", WRITE),
        ("POST", "/v1/messages", WRITE),
        ("GET", "/v1/models", READ),
        ("POST", "/mcp", READ),
        ("DELETE", "/mcp", READ),
        ("POST", "/mcp/x", WRITE),
    ],
)
def test_a_request_needs_what_it_does(method: str, path: str, needed: Permission | None) -> None:
    assert permission_for(method, path) is needed


@pytest.mark.parametrize(
    ("query", "needed"),
    [
        (b"", ADMIN),
        (b"embeddings=true", ADMIN),
        (b"x=user_id", ADMIN),
        (b"user_id=ann", READ),
        (b"user_id=", READ),
        (b"user_id", READ),
        (b"embeddings=true&user%5fid=ann", READ),
    ],
)
def test_an_export_of_the_whole_tenant_needs_another_permission_than_one_of_a_user(
    query: bytes, needed: Permission
) -> None:
    scope = {"type": "http", "method": "GET", "path": "/export", "query_string": query}
    assert permission_of(scope) is needed


def here(client: str | None = "127.0.0.1", *origins: str, **headers: str) -> bool:
    spelled = {name.replace("_", "-"): value for name, value in headers.items()}
    scope = {"type": "http", "client": client and (client, 50_000)}
    return is_here(scope, Headers(spelled), origins=origins)


@pytest.mark.parametrize("client", [None, "127.0.0.1", "127.8.9.1", "::1", "::ffff:127.0.0.1"])
def test_this_machine_is_here(client: str | None) -> None:
    assert here(client)


@pytest.mark.parametrize("client", ["10.0.0.1", "192.168.1.5", "::ffff:10.0.0.1", "2001:db8::1"])
def test_other_machines_are_not(client: str) -> None:
    assert not here(client)


@pytest.mark.parametrize("name", ["x_forwarded_for", "forwarded", "x_real_ip"])
def test_what_a_proxy_passes_on_is_not(name: str) -> None:
    assert not here(**{name: "127.0.0.1"})


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "localhost:8000",
        "127.0.0.1:8000",
        "[::1]:8000",
        "foreword",
        "a.localhost:1",
        "",
    ],
)
def test_names_of_this_machine_are_here(host: str) -> None:
    assert here(host=host)


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8000",
        "127.0.0.1.evil.example",
        "0.0.0.0",  # noqa: S104  (nothing is bound)
        "10.0.0.1",
        "[::2]",
        "[",
        "x]",
    ],
)
def test_a_name_that_leads_here_from_outside_is_not(host: str) -> None:
    assert not here(host=host)


def test_a_page_of_elsewhere_is_not_here_unless_its_origin_may_ask() -> None:
    assert here(host="localhost:8000", origin="http://localhost:8000")
    assert not here(host="localhost:8000", origin="http://localhost:3000")
    assert not here(host="localhost:8000", origin="null")
    assert not here(host="localhost:8000", origin="http://[")
    assert here(
        "::1", "http://localhost:3000", host="localhost:8000", origin="http://localhost:3000"
    )


@given(st.text(st.characters(max_codepoint=255)), st.text(st.characters(max_codepoint=255)))
def test_whatever_a_caller_says_of_itself_is_no_accident(host: str, origin: str) -> None:
    assert here(host=host, origin=origin) in {True, False}
    assert not here("10.0.0.1", host=host, origin=origin)


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("10.0.0.1", "10.0.0.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
        ("::ffff:10.0.0.1", "::ffff:10.0.0.1"),
        ("unix", "unix"),
    ],
)
def test_a_caller_is_at_an_address_or_in_a_network(address: str, place: str) -> None:
    assert place_of((address, 1)) == place
    assert place_of(None) == ""
