"""How many may connect, how long a head may take to come, how large all may be that is no body."""

import asyncio
from asyncio import TimerHandle
from typing import ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol


def _refusal(status: bytes, reason: bytes) -> bytes:
    return (
        b"HTTP/1.1 %s\r\nconnection: close\r\n"
        b"content-type: text/plain; charset=utf-8\r\ncontent-length: %d\r\n\r\n%s"
    ) % (status, len(reason), reason)


_TOO_SLOW = _refusal(b"408 Request Timeout", b"The head of the request took too long to come.")
_TOO_LARGE = _refusal(
    b"431 Request Header Fields Too Large", b"The head of the request is too large."
)


CROWDED = "crowded"
"""In the state of a request, whether there are more connections than may be."""


def bounded_heads(*, seconds: float, most: int, connections: int = 0) -> type[HttpToolsProtocol]:
    """
    The protocol of uvicorn, which closes connections whose heads take longer, or that bring more
    of heads, of what describes chunks, or of trailers.

    Args:
        most: Bytes of these without any of a body between them, beyond those of one read.
        connections: Beyond so many, requests are told to be CROWDED; 0: any number.
    """

    class Bounded(_BoundedHead):
        head_s = seconds
        head_bytes = most
        most_connections = connections

    return Bounded


class _BoundedHead(HttpToolsProtocol):
    """
    uvicorn itself waits for a head as long as bytes come now and then, and for the first for ever.

    The time runs from the connection, later from the first byte behind an answer: also while it is
    the rest of a body that nobody reads any more. Of a header that comes in many reads the parser
    copies all of it with each of them. Trailers, which nobody here reads, are left out: uvicorn
    adds them to the headers of a request that is being answered.
    """

    head_s: ClassVar[float]
    head_bytes: ClassVar[int]
    most_connections: ClassVar[int]
    _running_out: TimerHandle | None = None
    _in_head: bool = False
    _beside: int = 0
    """Bytes that came since the last of a body, or since a head ended."""
    _got_on: bool = False
    """Whether a read brought any of a body, or the end of something."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect()

    def data_received(self, data: bytes) -> None:
        if self._answered():
            self._expect()
        self._got_on = False
        super().data_received(data)
        self._beside = 0 if self._got_on else self._beside + len(data)
        if self._beside > self.head_bytes:
            self._refuse(_TOO_LARGE)

    def on_message_begin(self) -> None:
        self._in_head = True
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._in_head, self._got_on = False, True
        self._expect_no_more()
        self.scope["state"][CROWDED] = 0 < self.most_connections < len(self.connections)
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._got_on = True
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._got_on = True
        super().on_message_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._expect_no_more()
        super().connection_lost(exc)

    def _answered(self) -> bool:
        """Whether nothing that was asked here waits for its answer."""
        return self.cycle is None or self.cycle.response_complete

    def _expect(self) -> None:
        if self._running_out is None:
            self._running_out = self.loop.call_later(self.head_s, self._refuse, _TOO_SLOW)

    def _expect_no_more(self) -> None:
        if self._running_out is not None:
            self._running_out.cancel()
            self._running_out = None

    def _refuse(self, answer: bytes) -> None:
        if self.transport.is_closing():
            return
        if self._answered() or not self.cycle.response_started:
            self.transport.write(answer)
        self.transport.close()
