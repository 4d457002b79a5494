"""Noting what was done to the whole service, where an operator finds it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from logging import getLogger

from app.domain.audit import THE_SERVICE, Action, Deed
from app.domain.errors import ForewordError
from app.domain.ids import TenantId
from app.ports import Clock
from app.ports.store import Store

_log = getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Logbook:
    """
    Adds a line to the audit log once such work has ended.

    It is no part of the work: a backup is not lost because the disk is too full for its line.
    """

    store: Store
    clock: Clock
    tenant: TenantId
    """In whose log that is told which concerns every tenant."""

    @asynccontextmanager
    async def noting(
        self, action: Action, *, tenant: TenantId | None = None
    ) -> AsyncIterator[dict[str, object]]:
        """
        Note the work inside, also if it is broken off; the block fills in the facts, which are
        counts and names of ours. `tenant`: whose work it is, where it is not of all.
        """
        facts: dict[str, object] = {}
        completed = False
        try:
            yield facts
            completed = True
        finally:
            told = {**facts, "completed": completed}
            await self.note(
                Deed(action=action, subject=THE_SERVICE, facts=told), tenant or self.tenant
            )

    async def note(self, deed: Deed, tenant: TenantId) -> None:
        """Note what needs no transaction of its own, or must be noted before it is begun."""
        try:
            async with self.store.write(tenant) as transaction:
                await transaction.audit.note(deed, now=self.clock())
        except ForewordError as error:
            told = {"action": deed.action.value, "reason": str(error)}
            _log.error("the audit log lacks a line: %s", error, extra=told)
