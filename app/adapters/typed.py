"""What comes on the standard input, line by line, until it ends or somebody has it end."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Thread

_STDIN = 0
_AT_ONCE = 2**16
_ENDING = (signal.SIGINT, signal.SIGTERM)


@dataclass(frozen=True, slots=True)
class Typed:
    """
    Lines of the standard input, with all that UTF-8 has.

    A thread reads them that nobody waits for: whoever waits for a line can be told to end, which
    who reads from a terminal or a pipe cannot.
    """

    _lines: asyncio.Queue[str | None] = field(default_factory=asyncio.Queue)

    async def __aiter__(self) -> AsyncIterator[str]:
        Thread(target=self._read, args=(asyncio.get_running_loop(),), daemon=True).start()
        while (line := await self._lines.get()) is not None:
            yield line

    def end(self) -> None:
        """No more lines come."""
        self._lines.put_nowait(None)

    @contextmanager
    def ended_by_signals(self) -> Iterator[None]:
        """The first signal that tells to end ends the input; the next one ends the process."""
        loop = asyncio.get_running_loop()

        def end() -> None:
            for each in _ENDING:
                loop.remove_signal_handler(each)
            self.end()

        for each in _ENDING:
            loop.add_signal_handler(each, end)
        try:
            yield
        finally:
            for each in _ENDING:
                loop.remove_signal_handler(each)

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody listens any more
            for line in _lines():
                loop.call_soon_threadsafe(self._lines.put_nowait, line)
            loop.call_soon_threadsafe(self.end)


def _lines() -> Iterator[str]:
    """Read without a buffer of Python's, which the end of the process would wait for."""
    line = bytearray()
    with suppress(OSError):
        while chunk := os.read(_STDIN, _AT_ONCE):
            *ends, rest = chunk.split(b"\n")
            for each in ends:
                line += each
                yield line.decode(errors="replace")
                line.clear()
            line += rest
    if line:
        yield line.decode(errors="replace")
