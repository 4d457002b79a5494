"""The step that keeps the entity graph: who and what messages speak of."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from logging import getLogger
from typing import ClassVar

from app.distil.entities.finding import MAX_CHARACTERS
from app.distil.entities.linking import Spoken, links_of, names_of
from app.domain.conversation import Message
from app.domain.errors import RecogniserUnavailable
from app.domain.ids import MessageKey, ScopeKey
from app.ports import NewId
from app.ports.language import Recogniser
from app.ports.store import Snapshot, Store, Transaction
from app.services.distilling.step import Portion, Write, utterance_of

_log = getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Linker:
    """
    Links messages with the entities that they mention, and these with each other.

    It is the first step: its writer takes messages and graph before anything takes the scope, as
    erasing does.
    """

    store: Store
    new_id: NewId
    recogniser: Recogniser | None = None
    """Finds more names, where one is set."""
    by_message: ClassVar[bool] = True

    async def distil(self, portion: Portion) -> Write | None:
        spoken = _spoken(portion.messages)
        if not portion.flags.graph or not spoken:
            return None
        spoken = await self._seen(spoken)
        scope = portion.conversation.scope
        names = await asyncio.to_thread(names_of, spoken)
        async with self.store.read(portion.tenant) as snapshot:
            known = await snapshot.graph.known(scope, names)
        links = await asyncio.to_thread(links_of, spoken, known)

        async def write(transaction: Transaction) -> None:
            graph = transaction.graph
            relinked = await graph.begin(scope, [each.key for each in spoken])
            known_now = await graph.known(scope, names)
            same = known_now == known
            current = links if same else await asyncio.to_thread(links_of, spoken, known_now)
            await graph.add(scope, current, relinked, new_id=self.new_id)

        return write

    async def _seen(self, spoken: Sequence[Spoken]) -> Sequence[Spoken]:
        """The same with what a model finds; while there is none, with what rules find alone."""
        if self.recogniser is None:
            return spoken
        texts = [each.content[:MAX_CHARACTERS] for each in spoken]
        try:
            seen = await asyncio.to_thread(self.recogniser.recognise, texts)
        except RecogniserUnavailable as error:
            _log.warning("names are found by rules alone", extra={"reason": str(error)})
            return spoken
        return [replace(each, seen=found) for each, found in zip(spoken, seen, strict=True)]


async def unlinked(
    snapshot: Snapshot, scope: ScopeKey, messages: Sequence[Message]
) -> Sequence[MessageKey]:
    """
    Those of these, of one scope and not in the graph, that belong there by what rules find.

    Each is read alone, as if nothing were known and with all that is: what only one of the two
    finds depends on what was known when it was linked.
    """
    spoken = _spoken(messages)
    names = await asyncio.to_thread(names_of, spoken)
    known = await snapshot.graph.known(scope, names)

    def read() -> Sequence[MessageKey]:
        return [
            each.key
            for each in spoken
            if links_of([each], []).mentions and links_of([each], known).mentions
        ]

    return await asyncio.to_thread(read)


def _spoken(messages: Sequence[Message]) -> Sequence[Spoken]:
    """What users and assistants say; who speaks is an entity only if it is a person."""
    said = [(each, utterance_of(each)) for each in messages if each.content]
    return [
        Spoken(
            key=message.key,
            content=utterance.content,
            said_at=message.created_at,
            speaker=None if utterance.by_program else utterance.name,
        )
        for message, utterance in said
        if utterance.is_said
    ]
