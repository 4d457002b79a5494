"""Who is slow with the head of a request does not keep a connection; raw sockets, a real server."""

import socket
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest

from tests.api.serving import Server, serving

HEAD_S = 1.0
DRIP_S, PATIENCE_S = 0.05, 60.0
BODY = b'{"messages": [{"role": "user", "content": "Hi."}]}'
POST = (
    b"POST /conversations HTTP/1.1\r\nHost: foreword\r\nContent-Type: application/json\r\n"
    b"Content-Length: %d\r\n\r\n"
) % len(BODY)
GET = b"GET /healthz HTTP/1.1\r\nHost: foreword\r\n\r\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    heads = {"SERVER__HEAD_S": str(HEAD_S), "SERVER__HEAD_BYTES": "65536"}
    with serving(tmp_path_factory.mktemp("slow"), **heads) as running:
        yield running


@pytest.fixture
def caller(server: Server) -> Iterator[socket.socket]:
    port = int(server.url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connected:
        yield connected


def hung_up(caller: socket.socket, head: bytes) -> bool:
    """Send `head`, then a header that never ends; whether somebody has enough of it in the end."""
    caller.sendall(head)
    for _ in range(int(PATIENCE_S / DRIP_S)):
        time.sleep(DRIP_S)
        try:
            caller.sendall(b"x")
        except OSError:
            return True
    return False


def pours(caller: socket.socket) -> int:
    """Send more and more; how many bytes until nobody listens."""
    sent = 0
    with suppress(OSError):
        while sent < 50_000_000:
            caller.sendall(b"x" * 50_000)
            sent += 50_000
            time.sleep(0.001)
    return sent


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
    assert hung_up(caller, b"GET /healthz HTTP/1.1\r\nX-Slow: ")


def test_who_waits_is_told_why(caller: socket.socket) -> None:
    caller.sendall(b"GET /healthz HT")
    told = answered(caller)
    assert told.startswith(b"HTTP/1.1 408 ")
    assert told.endswith(b"\r\n\r\nThe head of the request took too long to come.")


def test_a_head_that_is_too_large_is_not_read_to_its_end(caller: socket.socket) -> None:
    caller.sendall(b"GET /healthz HTTP/1.1\r\nX-Large: ")
    assert pours(caller) < 5_000_000
    told = answered(caller)
    assert not told or told.startswith(b"HTTP/1.1 431 ")


def test_who_sends_too_large_a_head_in_a_breath_is_told_why(caller: socket.socket) -> None:
    caller.sendall(b"GET /healthz HTTP/1.1\r\nX-Large: ")
    time.sleep(0.1)
    caller.sendall(b"x" * 65_537)
    told = answered(caller)
    assert told.startswith(b"HTTP/1.1 431 ")
    assert told.endswith(b"\r\n\r\nThe head of the request is too large.")


def test_a_large_head_and_a_larger_body_are_read(caller: socket.socket) -> None:
    head = POST.replace(b"Host:", b"X-Large: " + b"x" * 30_000 + b"\r\nHost:")
    for part in (head[:20_000], head[20_000:], BODY):
        caller.sendall(part)
        time.sleep(0.05)
    assert an_answer(caller).startswith(b"HTTP/1.1 201 ")
    said = b'{"messages": [{"role": "user", "content": "' + b"Tea. " * 60_000 + b'"}]}'
    large = POST.replace(b"Content-Length: %d" % len(BODY), b"Content-Length: %d" % len(said))
    caller.sendall(large + said)
    assert an_answer(caller).startswith(b"HTTP/1.1 201 ")


CHUNKED = POST.replace(b"Content-Length: %d" % len(BODY), b"Transfer-Encoding: chunked")


@pytest.mark.parametrize(
    "begun",
    [b"%x\r\n%s\r\n0\r\nX-Trailer: " % (len(BODY), BODY), b"1\r\n{\r\n1;extension="],
    ids=["trailers", "extensions"],
)
def test_what_is_no_body_does_not_come_for_ever_behind_a_head(
    caller: socket.socket, begun: bytes
) -> None:
    caller.sendall(CHUNKED + begun)
    assert pours(caller) < 5_000_000


def test_trailers_are_no_headers(caller: socket.socket) -> None:
    bodied = b"%x\r\n%s\r\n0\r\n" % (len(BODY), BODY)
    caller.sendall(CHUNKED + bodied + b"Idempotency-Key: late\r\n\r\n")
    assert b" 201 Created" in an_answer(caller)
    other = BODY.replace(b"Hi.", b"Ho.")
    caller.sendall(POST.replace(b"\r\n\r\n", b"\r\nIdempotency-Key: late\r\n\r\n") + other)
    assert b" 201 Created" in an_answer(caller)


def test_a_body_in_many_small_chunks_is_read(caller: socket.socket) -> None:
    caller.sendall(CHUNKED)
    for at in range(0, len(BODY), 5):
        part = BODY[at : at + 5]
        caller.sendall(b"%x;note=%s\r\n%s\r\n" % (len(part), b"x" * 20_000, part))
    caller.sendall(b"0\r\n\r\n")
    assert b" 201 Created" in an_answer(caller)


def test_nor_is_a_connection_that_brings_nothing(caller: socket.socket) -> None:
    assert b" 408 " in answered(caller)


def test_the_head_of_a_later_request_has_as_long(caller: socket.socket) -> None:
    for _ in range(4):
        caller.sendall(GET)
        assert b" 200 OK" in an_answer(caller)
        time.sleep(HEAD_S / 2)
    assert hung_up(caller, GET + b"GET / HTTP/1.1\r\nX-Slow: ")


def test_a_body_may_take_longer_than_its_head(caller: socket.socket) -> None:
    caller.sendall(POST)
    time.sleep(2 * HEAD_S)
    caller.sendall(BODY)
    assert b" 201 Created" in an_answer(caller)
