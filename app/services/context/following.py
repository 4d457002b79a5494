"""What a question leans on: what the user said before it in the running conversation."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from app.domain.context import ContextRequest
from app.domain.conversation import Message, Role
from app.domain.ids import MessageId
from app.ports.store import Store
from app.services.context.situation import Situation
from app.text.leaning import leans
from app.text.negation import split_exclusions
from app.text.overview import asks_about_asker
from app.text.times import timed

_LOOKED_AT = 8
"""Messages at the end of a conversation, one of which a question leans on, or none."""

_READ = 300
"""Characters at the end of what a question leans on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Follower:
    """Finds what a question leans on; most can do without, and nothing is read for them."""

    store: Store

    async def followed(
        self, request: ContextRequest, situation: Situation, now: datetime
    ) -> tuple[ContextRequest, MessageId | None]:
        """
        The request for what its question leans on as well, and the message that said that.

        It is what the user said last that leans on nothing itself; the question may be stored
        already.

        Raises:
            StoreUnavailable: What was said could not be read.
        """
        running, query = situation.conversation, request.query
        if running is None or not leans(query) or asks_about_asker(query):
            return request, None
        async with self.store.read(situation.tenant) as snapshot:
            opening = await snapshot.recall.opening(
                running, within=situation.within, most=_LOOKED_AT, kept=0, summary=None
            )
        before = _last_that_stands(query, opening.tail)
        return (request, None) if before is None else (_following(before, request, now), before.id)


def _following(before: Message, request: ContextRequest, now: datetime) -> ContextRequest:
    """The request for what was said `before` as well; a time that it names itself is the one."""
    wanted, _ = split_exclusions((before.content or "").strip())
    wanted = wanted[-_READ:]
    if timed(request.query, now).intervals:
        wanted = timed(wanted, now).rest
    return replace(request, query=f"{wanted} {request.query}")


def _last_that_stands(query: str, tail: Sequence[Message]) -> Message | None:
    said = ((each, (each.content or "").strip()) for each in reversed(tail))
    return next(
        (
            each
            for each, content in said
            if each.role is Role.USER and content not in {"", query.strip()} and not leans(content)
        ),
        None,
    )
