"""How long a connection may take to bring the head of a request."""

import asyncio
from asyncio import TimerHandle
from typing import ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_TOO_SLOW = b"The head of the request took too long to come."
_ANSWER = (
    b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\n"
    b"content-type: text/plain; charset=utf-8\r\ncontent-length: %d\r\n\r\n%s"
) % (len(_TOO_SLOW), _TOO_SLOW)


def heads_within(seconds: float) -> type[HttpToolsProtocol]:
    """The protocol of uvicorn, which closes connections whose heads take longer."""

    class InTime(_HeadInTime):
        head_s = seconds

    return InTime


class _HeadInTime(HttpToolsProtocol):
    """
    uvicorn itself waits for a head as long as bytes come now and then, and for the first for ever.

    The time runs from the connection, later from the first byte behind an answer: also while it is
    the rest of a body that nobody reads any more.
    """

    head_s: ClassVar[float]
    _running_out: TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect()

    def data_received(self, data: bytes) -> None:
        if self._answered():
            self._expect()
        super().data_received(data)

    def on_headers_complete(self) -> None:
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
            self._running_out = self.loop.call_later(self.head_s, self._give_up)

    def _expect_no_more(self) -> None:
        if self._running_out is not None:
            self._running_out.cancel()
            self._running_out = None

    def _give_up(self) -> None:
        if not self.transport.is_closing():
            self.transport.write(_ANSWER)
            self.transport.close()
