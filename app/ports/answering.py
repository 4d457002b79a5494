"""What services need of the store for requests that are made under a key of the caller's."""

from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

from app.ports.stored import NOBODY, About


class AnswerKeeper(Protocol):
    async def find(self, path: str, key: str) -> tuple[bytes, Mapping[str, object]] | None:
        """What was answered under an idempotency key: the hash of the body, and the answer."""
        ...

    async def forget(self, path: str, key: str) -> None:
        """Have who asks under this key heard anew."""
        ...

    async def keep(
        self,
        path: str,
        key: str,
        *,
        body_hash: bytes,
        answer: Mapping[str, object],
        now: datetime,
        about: About = NOBODY,
    ) -> None:
        """Keep an answer for a day, or until whom or what it is about is erased."""
        ...
