"""Pruning: erasing conversations that nobody wrote to for long, where that is the policy."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from logging import getLogger
from typing import Any

from app.domain.errors import ConversationNotFound, ForewordError
from app.domain.ids import ConversationKey, TenantId
from app.ports import Clock
from app.ports.projecting import IdleConversation
from app.ports.store import Store
from app.services.common.jobs import Progress
from app.services.erasing.erasure import Forgotten, Left
from app.services.erasing.forget import Forgetter

_log = getLogger(__name__)

_AT_ONCE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruner:
    """
    Erases, as a caller would, what is older than the policy says.

    The age of a conversation counts from when somebody last wrote to it or changed it here, not
    from when its messages were said, nor from what an import tells: who has just brought in old
    conversations must not lose them within the hour.
    """

    store: Store
    forgetter: Forgetter
    clock: Clock
    after: timedelta | None = None
    """The policy of the service; None: nothing is pruned unless somebody asks for it."""

    async def tick(self) -> None:
        """Follow the policy; what fails is tried with the next."""
        if self.after is None:
            return
        try:
            told = await self.prune(Progress(), since=self.before(self.after), dry_run=False)
            if told["conversations"]:
                _log.info("old conversations were erased", extra=dict(told))
        except ForewordError as error:
            _log.warning("pruning is put off", extra={"reason": str(error)})

    def before(self, after: timedelta) -> datetime:
        """
        Since when nobody may have written to what is pruned now.

        It is told once: who tries the same again later prunes nothing else.
        """
        return self.clock() - after

    async def prune(
        self,
        progress: Progress,
        *,
        since: datetime,
        dry_run: bool,
        tenant: TenantId | None = None,
    ) -> Mapping[str, Any]:
        """What was erased, of a tenant or of all; or, in a dry run, what would be."""
        conversations = messages = 0
        left = Left()
        async for each in self._idle(since, tenant):
            gone = None if dry_run else await self._erase(each, since)
            if dry_run or gone is not None:
                conversations, messages = conversations + 1, messages + each.messages
            left += Left() if gone is None else gone.left
            progress.tell(conversations, conversations)
        return {
            "conversations": conversations,
            "messages": messages,
            "dry_run": dry_run,
            "untouched_since": since.isoformat(),
            **left.told(),
        }

    async def _idle(
        self, since: datetime, tenant: TenantId | None
    ) -> AsyncIterator[IdleConversation]:
        last = ConversationKey(0)
        while True:
            async with self.store.observe() as observations:
                several = await observations.idle(
                    since=since, tenant=tenant, after=last, limit=_AT_ONCE
                )
            for each in several:
                yield each
            if len(several) < _AT_ONCE:
                return
            last = several[-1].key

    async def _erase(self, idle: IdleConversation, since: datetime) -> Forgotten | None:
        try:
            return await self.forgetter.idle_conversation(idle.tenant, idle.id, since=since)
        except ConversationNotFound:
            return None
