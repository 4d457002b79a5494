"""
Recording what was answered: receipts without a word of memory.

They are written behind the answers, many at a time: a read never waits for a write.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import islice
from logging import getLogger
from typing import Any, cast

from app.domain.context import ContextBundle, ContextRequest
from app.domain.errors import ForewordError
from app.domain.ids import BundleId, ItemId, ItemKey, ScopeKey, TenantId
from app.domain.memory import PROFILE, Table, item_key, table_and_row
from app.domain.profile import ShownProfile
from app.ports.store import Store
from app.ports.stored import Access, Receipt
from app.services.answering.receipt import receipt_of
from app.services.context.situation import Situation
from app.text.echo import fingerprints
from app.text.profile import profile_json, render_profile

_log = getLogger(__name__)

_MOST_WAITING = 20_000
"""Receipts held while the database does not answer; the oldest are given up first."""

_AT_ONCE = 500
"""Of them, those that are written in one transaction, behind which others wait."""

_MOST_SHOWN = 1_000
"""Of them, those whose texts are held until it is noted what they showed."""

_Piece = (
    tuple[ItemKey, tuple[int, int] | None, tuple[int, ...] | None]
    | tuple[datetime, tuple[ItemId, ...], int, int]
)
"""
What an item is, and which part of it was shown; of a profile since when, its facts, room and
tokens.
"""

_NOTED_FOR = timedelta(hours=1)
_MOST_NOTED = 50_000
"""Pieces that are not noted again within `_NOTED_FOR`: the same are shown again and again."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A receipt that is not written yet, and what its bundle showed."""

    receipt: Receipt
    shown: Mapping[_Piece, str]


@dataclass(slots=True, kw_only=True)
class Recorder:
    """Collects receipts, to be written in batches."""

    store: Store
    writing: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while receipts are written, and by those who erase what is told in them."""
    _waiting: OrderedDict[BundleId, _Waiting] = field(default_factory=OrderedDict)
    _noted: dict[tuple[ScopeKey | None, _Piece], datetime] = field(default_factory=dict)

    def built(
        self,
        tenant: TenantId,
        request: ContextRequest,
        situation: Situation | None,
        bundle: ContextBundle,
    ) -> None:
        receipt = receipt_of(tenant, request, situation.scope if situation else None, bundle)
        shown = _shown(bundle) if len(self._waiting) < _MOST_SHOWN else {}
        self._waiting[bundle.id] = _Waiting(receipt, shown)
        while len(self._waiting) > _MOST_WAITING:
            self._waiting.popitem(last=False)

    def find(self, bundle_id: BundleId) -> Receipt | None:
        """A receipt that is not written yet."""
        found = self._waiting.get(bundle_id)
        return found.receipt if found else None

    def holds(self, scope: ScopeKey) -> bool:
        """Whether anything of a scope is not written yet."""
        return any(each.receipt.scope == scope for each in self._waiting.values())

    def blank(self, scope: ScopeKey) -> int:
        """
        Take what could repeat anything that was erased of a scope out of what waits; how many
        receipts still told what was asked.
        """
        self._noted.clear()
        held = [each for each in self._waiting.values() if each.receipt.scope == scope]
        for each in held:
            self._waiting[each.receipt.bundle_id] = _Waiting(each.receipt.wordless(), {})
        return sum(bool(each.receipt.request["query"]) for each in held)

    def forget(self, scope: ScopeKey) -> int:
        """Drop what waits of a scope, and what was noted; how many receipts that was."""
        self._noted.clear()
        return self._drop(lambda receipt: receipt.scope == scope)

    def forget_user(self, subject: str) -> int:
        """Drop what waits of all that a user asked, also before there was anything of theirs."""
        return self._drop(lambda receipt: receipt.subject == subject)

    def _drop(self, doomed: Callable[[Receipt], bool]) -> int:
        held = [key for key, each in self._waiting.items() if doomed(each.receipt)]
        for key in held:
            del self._waiting[key]
        return len(held)

    async def note_anew(self) -> None:
        """Write what waits, to be forgotten with the rest, and note all that is shown from now."""
        await self.tick()
        self._noted.clear()

    async def tick(self) -> None:
        """Write what waits; if that fails it waits on."""
        try:
            await self.flush()
        except ForewordError as error:
            _log.warning("receipts wait", extra={"reason": str(error)})

    async def flush(self) -> None:
        """Write what waits, some at a time: what is written before anything fails is done with."""
        async with self.writing:
            left = len(self._waiting)
            while left > 0 and (some := list(islice(self._waiting.values(), min(left, _AT_ONCE)))):
                await self._write(some)
                left -= len(some)

    async def _write(self, waiting: Sequence[_Waiting]) -> None:
        news = [self._news(each) for each in waiting]
        told = await asyncio.to_thread(_fingerprinted, news)
        receipts = [
            replace(each.receipt, issued=issued) for each, issued in zip(waiting, told, strict=True)
        ]
        async with self.store.project() as projections:
            await projections.keep_receipts(receipts)
            await projections.count_accesses(_accesses(receipts))
        for each, new in zip(waiting, news, strict=True):
            self._waiting.pop(each.receipt.bundle_id, None)
            self._note(each.receipt, new)

    def _news(self, waiting: _Waiting) -> Mapping[_Piece, str]:
        """Of what a bundle showed, what was not noted just before."""
        scope, since = waiting.receipt.scope, waiting.receipt.created_at - _NOTED_FOR
        return {
            piece: content
            for piece, content in waiting.shown.items()
            if (noted := self._noted.get((scope, piece))) is None or noted < since
        }

    def _note(self, receipt: Receipt, pieces: Iterable[_Piece]) -> None:
        if len(self._noted) > _MOST_NOTED:
            self._noted.clear()
        self._noted |= {(receipt.scope, piece): receipt.created_at for piece in pieces}


def _accesses(receipts: Sequence[Receipt]) -> Sequence[Access]:
    return [
        Access(key=ItemKey(item["key"]), at=each.created_at)
        for each in receipts
        for item in cast("Sequence[Mapping[str, Any]]", each.answer["items"])
        if table_and_row(item["key"])[0] is Table.MEMORY
    ]


def _shown(bundle: ContextBundle) -> Mapping[_Piece, str]:
    said: dict[_Piece, str] = {
        (item_key(Table.MESSAGE, each.key), (0, len(each.content)), None): each.content
        for each in bundle.recent_history
        if each.content
    }
    found: dict[_Piece, str] = {
        (each.item.key, each.item.span, each.item.lines): each.item.content
        for each in bundle.retrieved
    }
    return said | found | _introduced(bundle.profile)


def _introduced(shown: ShownProfile | None) -> dict[_Piece, str]:
    """A profile in both its forms."""
    if shown is None:
        return {}
    forms = f"{render_profile(shown.profile)}\n{profile_json(shown.profile)}"
    profile = shown.profile
    return {(profile.updated_at, tuple(profile.facts), shown.room, shown.tokens): forms}


def _fingerprinted(
    several: Sequence[Mapping[_Piece, str]],
) -> Sequence[Mapping[ItemKey, frozenset[int]]]:
    """By item, so that with an item goes by what it would be known, wherever it was cut."""
    told: list[dict[ItemKey, frozenset[int]]] = []
    for shown in several:
        of_items: dict[ItemKey, frozenset[int]] = {}
        for piece, content in shown.items():
            key = PROFILE if isinstance(piece[0], datetime) else piece[0]
            of_items[key] = of_items.get(key, frozenset()) | fingerprints(content)
        told.append(of_items)
    return told
