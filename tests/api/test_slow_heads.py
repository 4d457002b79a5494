"""Who is slow with the head of a request does not keep a connection; raw sockets, a real server."""

import socket
import time
from collections.abc import Iterator

import pytest

from tests.api.serving import Server, serving

HEAD_S = 1.0
BODY = b'{"messages": [{"role": "user", "content": "Hi."}]}'
POST = (
    b"POST /conversations HTTP/1.1\r\nHost: foreword\r\nContent-Type: application/json\r\n"
    b"Content-Length: %d\r\n\r\n"
) % len(BODY)
GET = b"GET /healthz HTTP/1.1\r\nHost: foreword\r\n\r\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("slow"), SERVER__HEAD_S=str(HEAD_S)) as running:
        yield running


@pytest.fixture
def caller(server: Server) -> Iterator[socket.socket]:
    port = int(server.url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connected:
        yield connected


def drips(caller: socket.socket, head: bytes, *, seconds: float = 10 * HEAD_S) -> float:
    """Send `head`, then a header that never ends; after how many seconds nobody listens."""
    began = time.monotonic()
    caller.sendall(head)
    while time.monotonic() < began + seconds:
        time.sleep(0.05)
        try:
            caller.sendall(b"x")
        except OSError:
            break
    return time.monotonic() - began


def answered(caller: socket.socket) -> bytes:
    """What comes until the connection is closed."""
    told = b""
    try:
        while more := caller.recv(65_536):
            told += more
    except ConnectionResetError:
        pass
    return told


def an_answer(caller: socket.socket) -> bytes:
    """One answer on a connection that stays."""
    told = b""
    while b"\r\n\r\n" not in told or not told.endswith(b"}"):
        told += caller.recv(65_536)
    return told


def test_a_head_that_never_ends_is_not_waited_for(caller: socket.socket) -> None:
    assert HEAD_S * 0.9 < drips(caller, b"GET /healthz HTTP/1.1\r\nX-Slow: ") < 5 * HEAD_S


def test_who_waits_is_told_why(caller: socket.socket) -> None:
    caller.sendall(b"GET /healthz HT")
    told = answered(caller)
    assert told.startswith(b"HTTP/1.1 408 ")
    assert told.endswith(b"\r\n\r\nThe head of the request took too long to come.")


def test_nor_is_a_connection_that_brings_nothing(caller: socket.socket) -> None:
    began = time.monotonic()
    assert b" 408 " in answered(caller)
    assert time.monotonic() - began < 5 * HEAD_S


def test_the_head_of_a_later_request_has_as_long(caller: socket.socket) -> None:
    caller.sendall(GET)
    assert b" 200 OK" in an_answer(caller)
    time.sleep(HEAD_S * 0.7)
    caller.sendall(GET)
    assert b" 200 OK" in an_answer(caller)
    assert HEAD_S * 0.9 < drips(caller, b"\r\n\r\nGET / HTTP/1.1\r\nX-Slow: ") < 5 * HEAD_S


def test_a_body_may_take_longer_than_its_head(caller: socket.socket) -> None:
    caller.sendall(POST)
    time.sleep(2 * HEAD_S)
    caller.sendall(BODY)
    assert b" 201 Created" in an_answer(caller)
