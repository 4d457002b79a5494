"""Answers in this process's memory, bounded in number, age and bytes."""

import time
from collections.abc import Collection, Hashable
from dataclasses import dataclass

from cachetools import TLRUCache

from app.domain.ids import ScopeKey

_OVERHEAD = 1_000
"""Bytes that an entry costs besides its answer: the request in its key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheLimits:
    entries: int = 10_000
    megabytes: int = 32
    seconds: float = 300.0


@dataclass(frozen=True, slots=True)
class _Entry:
    scopes: frozenset[ScopeKey]
    answer: bytes
    seconds: float


class TtlAnswerCache:
    """Least recently used out first; nothing older than its time is returned."""

    def __init__(self, limits: CacheLimits) -> None:
        self._entries = limits.entries
        self.erasures = 0
        self._seconds = limits.seconds
        self._answers: TLRUCache[Hashable, _Entry] = TLRUCache(
            maxsize=limits.megabytes * 2**20,
            ttu=lambda _, entry, now: now + entry.seconds,
            timer=time.monotonic,
            getsizeof=lambda entry: len(entry.answer) + _OVERHEAD,
        )

    def get(self, key: Hashable) -> bytes | None:
        found = self._answers.get(key)
        return None if found is None else found.answer

    def put(
        self,
        key: Hashable,
        scopes: Collection[ScopeKey],
        answer: bytes,
        *,
        seconds: float | None = None,
    ) -> None:
        if len(answer) + _OVERHEAD > self._answers.maxsize:
            return
        while len(self._answers) >= self._entries:
            self._answers.popitem()
        kept = self._seconds if seconds is None else min(seconds, self._seconds)
        self._answers[key] = _Entry(frozenset(scopes), answer, kept)

    def forget(self, scope: ScopeKey) -> int:
        """Drop what is held of a scope; how many answers that was."""
        self.erasures += 1
        held = [key for key, entry in self._answers.items() if scope in entry.scopes]
        for key in held:
            del self._answers[key]
        return len(held)
