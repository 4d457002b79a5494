"""Bundles in this process's memory, bounded in number, age and bytes."""

from collections.abc import Hashable
from dataclasses import dataclass

from cachetools import TTLCache

from app.domain.context import ContextBundle
from app.domain.ids import ScopeKey

_OVERHEAD = 400
"""Bytes that an item costs besides its text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheLimits:
    entries: int = 10_000
    megabytes: int = 32
    seconds: float = 300.0


class TtlBundleCache:
    """Least recently used out first; nothing older than its time is returned."""

    def __init__(self, limits: CacheLimits) -> None:
        self._entries = limits.entries
        self._bundles: TTLCache[Hashable, tuple[ScopeKey, ContextBundle]] = TTLCache(
            maxsize=limits.megabytes * 2**20,
            ttl=limits.seconds,
            getsizeof=lambda entry: _size(entry[1]),
        )

    def get(self, key: Hashable) -> ContextBundle | None:
        found = self._bundles.get(key)
        return None if found is None else found[1]

    def put(self, key: Hashable, scope: ScopeKey, bundle: ContextBundle) -> None:
        if _size(bundle) > self._bundles.maxsize:
            return
        while len(self._bundles) >= self._entries:
            self._bundles.popitem()
        self._bundles[key] = scope, bundle

    def forget(self, scope: ScopeKey) -> int:
        """Drop what is held of a scope; how many bundles that was."""
        held = [key for key, entry in self._bundles.items() if entry[0] == scope]
        for key in held:
            del self._bundles[key]
        return len(held)


def _size(bundle: ContextBundle) -> int:
    texts = [each.item.content for each in bundle.retrieved]
    texts += [each.content or "" for each in bundle.recent_history]
    rendered = len(bundle.text or "") + sum(len(str(each)) for each in bundle.messages or ())
    return rendered + sum(map(len, texts)) + _OVERHEAD * (len(texts) + len(bundle.dropped) + 1)
