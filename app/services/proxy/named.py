"""Whose the things are that a provider keeps, where many callers have one key for it."""

import asyncio
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from app.domain.chat import Party
from app.domain.ids import TenantId

_MOST = 50_000
"""Names that are remembered, those that were told or asked for last."""

_PATIENCE = 1.0
"""Seconds that a request waits for what was told a moment ago and is not read yet."""


@dataclass(slots=True)
class Named:
    """
    To which user of which tenant the provider named what it keeps; as long as the process lives.

    Not read from what is stored, which callers may write as well.
    """

    _whose: OrderedDict[tuple[TenantId, str], str | None] = field(default_factory=OrderedDict)
    _heard: dict[TenantId, set[asyncio.Future[None]]] = field(default_factory=dict)

    @contextmanager
    def hearing(self, tenant: TenantId) -> Iterator[None]:
        """While an answer comes of which is noted what it names: its reader may be quicker."""
        heard = asyncio.get_running_loop().create_future()
        self._heard.setdefault(tenant, set()).add(heard)
        try:
            yield
        finally:
            heard.set_result(None)
            self._heard[tenant].discard(heard)
            if not self._heard[tenant]:
                del self._heard[tenant]

    def note(self, tenant: TenantId, party: Party, names: Iterable[str]) -> None:
        """Remember that the provider named these to this user."""
        for name in names:
            self._whose[tenant, name] = party.user_id
            self._whose.move_to_end((tenant, name))
        while len(self._whose) > _MOST:
            self._whose.popitem(last=False)

    async def strange(
        self, tenant: TenantId, party: Party, named: Iterable[tuple[str, str]]
    ) -> str | None:
        """The first of these places whose name is not known as this user's; None: all are."""
        found = self._strange(tenant, party, named := [*named])
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                while found is not None and (heard := self._heard.get(tenant)):
                    await asyncio.wait(heard, return_when=asyncio.FIRST_COMPLETED)
                    found = self._strange(tenant, party, named)
        return found

    def _strange(
        self, tenant: TenantId, party: Party, named: Iterable[tuple[str, str]]
    ) -> str | None:
        for place, name in named:
            known = (tenant, name)
            if known not in self._whose or self._whose[known] != party.user_id:
                return place
            self._whose.move_to_end(known)
        return None
