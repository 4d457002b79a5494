"""Answers in this process's memory, bounded in number, age and bytes."""

from collections.abc import Hashable
from dataclasses import dataclass

from cachetools import TTLCache

from app.domain.ids import ScopeKey

_OVERHEAD = 1_000
"""Bytes that an entry costs besides its answer: the request in its key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheLimits:
    entries: int = 10_000
    megabytes: int = 32
    seconds: float = 300.0


class TtlAnswerCache:
    """Least recently used out first; nothing older than its time is returned."""

    def __init__(self, limits: CacheLimits) -> None:
        self._entries = limits.entries
        self._answers: TTLCache[Hashable, tuple[ScopeKey, bytes]] = TTLCache(
            maxsize=limits.megabytes * 2**20,
            ttl=limits.seconds,
            getsizeof=lambda entry: len(entry[1]) + _OVERHEAD,
        )

    def get(self, key: Hashable) -> bytes | None:
        found = self._answers.get(key)
        return None if found is None else found[1]

    def put(self, key: Hashable, scope: ScopeKey, answer: bytes) -> None:
        if len(answer) + _OVERHEAD > self._answers.maxsize:
            return
        while len(self._answers) >= self._entries:
            self._answers.popitem()
        self._answers[key] = scope, answer

    def forget(self, scope: ScopeKey) -> int:
        """Drop what is held of a scope; how many answers that was."""
        held = [key for key, entry in self._answers.items() if entry[0] == scope]
        for key in held:
            del self._answers[key]
        return len(held)
