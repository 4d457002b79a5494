"""What the proxy needs of the model that it stands in front of."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

HeaderList = Sequence[tuple[str, str]]
"""Names in lower case, in order; a name may be there more than once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passed:
    """A request as it is passed on. `path` begins behind the upstream's base URL."""

    method: str
    path: str
    query: str = ""
    headers: HeaderList = ()
    body: bytes = b""


class Reply(Protocol):
    """An answer whose body is still to come."""

    @property
    def status(self) -> int: ...

    @property
    def headers(self) -> HeaderList: ...

    def chunks(self) -> AsyncIterator[bytes]:
        """
        The body as it comes, byte for byte.

        Raises:
            UpstreamUnavailable: It ended before its end.
            UpstreamTimedOut: Nothing came for too long.
        """
        ...

    def decoded(self, body: bytes) -> bytes:
        """The whole body without its content encoding; empty where that is not known."""
        ...


class Upstream(Protocol):
    """An OpenAI-compatible API."""

    def ask(self, passed: Passed) -> AbstractAsyncContextManager[Reply]:
        """
        Pass a request on; the answer ends with the block, also when it is left early.

        Raises:
            UpstreamUnavailable: It cannot be reached.
            UpstreamTimedOut: It does not answer in time.
        """
        ...
