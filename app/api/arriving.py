"""How long a connection may take to bring the head of a request, and how large that may be."""

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


def bounded_heads(*, seconds: float, most: int) -> type[HttpToolsProtocol]:
    """
    The protocol of uvicorn, which closes connections whose heads take longer or are larger.

    Args:
        most: Bytes, beyond those that one read brings.
    """

    class Bounded(_BoundedHead):
        head_s = seconds
        head_bytes = most

    return Bounded


class _BoundedHead(HttpToolsProtocol):
    """
    uvicorn itself waits for a head as long as bytes come now and then, and for the first for ever.

    The time runs from the connection, later from the first byte behind an answer: also while it is
    the rest of a body that nobody reads any more. Of a head that comes in many reads the parser
    copies all of it with each of them.
    """

    head_s: ClassVar[float]
    head_bytes: ClassVar[int]
    _running_out: TimerHandle | None = None
    _in_head: bool = False
    _head: int = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect()

    def data_received(self, data: bytes) -> None:
        if self._answered():
            self._expect()
        before = self._in_head
        super().data_received(data)
        if before and self._in_head:
            self._head += len(data)
            if self._head > self.head_bytes:
                self._refuse(_TOO_LARGE)

    def on_message_begin(self) -> None:
        self._in_head, self._head = True, 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._in_head = False
        self._expect_no_more()
        super().on_headers_complete()

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
        if not self.transport.is_closing():
            self.transport.write(answer)
            self.transport.close()
