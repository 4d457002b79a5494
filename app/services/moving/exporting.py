"""Giving out everything of a user or a tenant, a line for each thing (app/formats/foreword.py)."""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass

from app.domain.audit import Action, Deed, user_subject
from app.domain.conversation import Conversation, Message
from app.domain.ids import ConversationKey, ItemKey, TenantId
from app.domain.memories import Memory
from app.domain.memory import Table, item_key, table_and_row
from app.formats.foreword import KEPT, VERSION
from app.ports import Clock
from app.ports.moving import Owner
from app.ports.store import Snapshot, Store
from app.services.common.logbook import Logbook
from app.services.moving.exported import (
    Line,
    conversation_line,
    embedding_line,
    memory_line,
    superseded_line,
    user_line,
)

PAGE = 200
"""Conversations, messages or items that are read at once."""

LINE_BYTES = 8 * 2**20
"""Bytes of messages that are read at once, and stand in a line: spelled as JSON, which may take
six times as many, it is still imported. A message that has more stands alone."""

Lines = list[Line]

Keyed = tuple[Lines, Sequence[ItemKey]]
"""Lines, and the keys of what they tell that can have a vector."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exporter:
    """
    Reads page by page, each as of its own moment: nothing is held while a slow caller reads.

    Every line is complete, and what is exported twice without a change in between is the same. A
    memory item that is blank has none: what says nothing is not imported.
    That it is given out is noted before any of it is: who stops halfway has read the half.
    """

    store: Store
    clock: Clock
    logbook: Logbook

    async def of_user(
        self, tenant: TenantId, user_id: str | None, *, embeddings: bool
    ) -> AsyncIterator[Lines]:
        """Everything of a user; of one that is not known, nothing but the first line."""
        async with self.store.read(tenant) as snapshot:
            scope = await snapshot.scopes.find(user_id)
            said = 0 if scope is None else await snapshot.export.said(scope.key)
        await self._note(tenant, user_subject(tenant, user_id), said, embeddings=embeddings)
        yield [_first(said)]
        if scope is not None:
            owner = Owner(scope=scope.key, user_id=user_id, shared=False)
            async for lines in self._of(tenant, owner, embeddings=embeddings):
                yield lines

    async def of_tenant(self, tenant: TenantId, *, embeddings: bool) -> AsyncIterator[Lines]:
        """Everything of every user, and the documents."""
        async with self.store.read(tenant) as snapshot:
            said = await snapshot.export.said()
        await self._note(tenant, f"tenant:{tenant}", said, embeddings=embeddings)
        yield [_first(said)]
        after = 0
        while True:
            async with self.store.read(tenant) as snapshot:
                owners = await snapshot.export.owners(after=after, limit=PAGE)
            for owner in owners:
                async for lines in self._of(tenant, owner, embeddings=embeddings):
                    yield lines
            if len(owners) < PAGE:
                return
            after = owners[-1].scope

    async def _note(self, tenant: TenantId, about: str, said: int, *, embeddings: bool) -> None:
        facts = {"messages": said, "embeddings": embeddings}
        deed = Deed(action=Action.MEMORY_EXPORTED, subject=about, facts=facts)
        await self.logbook.note(deed, tenant)

    async def _of(
        self, tenant: TenantId, owner: Owner, *, embeddings: bool
    ) -> AsyncIterator[Lines]:
        async with self.store.read(tenant) as snapshot:
            yield await self._user(snapshot, owner)
        async for lines, keys in self._recallable(tenant, owner):
            yield lines
            if embeddings:
                yield await self._vectors(tenant, keys)
        async for memories in self._memories(tenant, owner, superseded=True):
            yield [superseded_line(each) for each in memories]

    async def _recallable(self, tenant: TenantId, owner: Owner) -> AsyncIterator[Keyed]:
        """What was said, then what was told or derived."""
        async for several in self._conversations(tenant, owner):
            async for said in self._said(tenant, several):
                yield said
        async for memories in self._memories(tenant, owner):
            keys = [each.key for each in memories]
            async with self.store.read(tenant) as snapshot:
                edges = await snapshot.export.lineages(keys)
            yield [memory_line(each, edges.get(each.key, ())) for each in memories], keys

    async def _user(self, snapshot: Snapshot, owner: Owner) -> Lines:
        if owner.user_id is None:
            return []
        consent = await snapshot.personal.consent(owner.scope)
        profile = await snapshot.personal.find_profile(owner.scope, now=self.clock())
        return [user_line(owner.user_id, consent, profile)] if consent else []

    async def _conversations(
        self, tenant: TenantId, owner: Owner
    ) -> AsyncIterator[Sequence[Conversation]]:
        after = 0
        while True:
            async with self.store.read(tenant) as snapshot:
                page = await snapshot.export.conversations(owner.scope, after=after, limit=PAGE)
                short = [each.key for each in page if each.message_count <= PAGE]
                weights = await snapshot.export.weights(short)
            for group in _groups(page, weights):
                yield group
            if len(page) < PAGE:
                return
            after = page[-1].key

    async def _said(
        self, tenant: TenantId, several: Sequence[Conversation]
    ) -> AsyncIterator[Keyed]:
        """Small conversations together; one by itself some messages at a time."""
        if len(several) > 1:
            async with self.store.read(tenant) as snapshot:
                said = await snapshot.export.messages([each.key for each in several])
            lines = [conversation_line(each, said[each.key]) for each in several]
            yield lines, [_item(each) for every in said.values() for each in every]
            return
        cursor: str | None = None
        while True:
            async with self.store.read(tenant) as snapshot:
                page = await snapshot.messages.page(
                    several[0].key,
                    cursor=cursor,
                    limit=PAGE,
                    newest_first=False,
                    most_bytes=LINE_BYTES,
                )
            yield [conversation_line(several[0], page.items)], [_item(each) for each in page.items]
            if (cursor := page.next_cursor) is None:
                return

    async def _memories(
        self, tenant: TenantId, owner: Owner, *, superseded: bool = False
    ) -> AsyncIterator[Sequence[Memory]]:
        after, now = 0, self.clock()
        while True:
            async with self.store.read(tenant) as snapshot:
                page = await snapshot.export.memories(
                    owner.scope, after=after, limit=PAGE, now=now, superseded=superseded
                )
            kept = [each for each in page if each.type in KEPT and each.content.strip()]
            if kept:
                yield kept
            if len(page) < PAGE:
                return
            _, after = table_and_row(page[-1].key)

    async def _vectors(self, tenant: TenantId, keys: Sequence[ItemKey]) -> Lines:
        async with self.store.read(tenant) as snapshot:
            return [embedding_line(each) for each in await snapshot.export.vectors(keys)]


def _first(said: int) -> Line:
    """What kind of file it is, and how many messages follow, if none come or go meanwhile."""
    return {"record": "foreword", "version": VERSION, "messages": said}


def _groups(
    page: Sequence[Conversation], weights: Mapping[ConversationKey, int]
) -> Iterator[Sequence[Conversation]]:
    """As many conversations as have a page of messages together; a larger one by itself."""
    group: list[Conversation] = []
    room, bytes_left = PAGE, LINE_BYTES
    for each in page:
        weight = weights.get(each.key, LINE_BYTES)
        if group and (each.message_count > room or weight > bytes_left):
            yield group
            group, room, bytes_left = [], PAGE, LINE_BYTES
        group.append(each)
        room -= each.message_count
        bytes_left -= weight
    if group:
        yield group


def _item(message: Message) -> ItemKey:
    return item_key(Table.MESSAGE, message.key)
