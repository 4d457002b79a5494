"""Giving out everything of a user or a tenant, a line for each thing (app/formats/foreword.py)."""

from base64 import b64encode
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.domain.audit import Action, Deed, user_subject
from app.domain.conversation import Conversation, Message
from app.domain.ids import ItemKey, MessageId, TenantId
from app.domain.memories import Memory
from app.domain.memory import Table, item_key, table_and_row
from app.domain.profile import Consent, Profile
from app.formats.foreword import KEPT, VERSION
from app.ports import Clock
from app.ports.moving import Owner, StoredVector
from app.ports.store import Snapshot, Store
from app.services.logbook import Logbook

PAGE = 200
"""Conversations, messages or items that are read at once."""

Line = Mapping[str, Any]
Lines = list[Line]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exporter:
    """
    Reads page by page, each as of its own moment: nothing is held while a slow caller reads.

    Every line is complete, and what is exported twice without a change in between is the same.
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
        async for several in self._conversations(tenant, owner):
            async for lines, keys in self._said(tenant, several):
                yield lines
                if embeddings:
                    yield await self._vectors(tenant, keys)
        async for memories in self._memories(tenant, owner):
            async with self.store.read(tenant) as snapshot:
                edges = await snapshot.export.lineages([each.key for each in memories])
            yield [_memory(each, edges.get(each.key, ())) for each in memories]
            if embeddings:
                yield await self._vectors(tenant, [each.key for each in memories])
        async for memories in self._memories(tenant, owner, superseded=True):
            yield [_superseded(each) for each in memories]

    async def _user(self, snapshot: Snapshot, owner: Owner) -> Lines:
        if owner.user_id is None:
            return []
        consent = await snapshot.personal.consent(owner.scope)
        profile = await snapshot.personal.find_profile(owner.scope, now=self.clock())
        return [_user(owner.user_id, consent, profile)] if consent else []

    async def _conversations(
        self, tenant: TenantId, owner: Owner
    ) -> AsyncIterator[Sequence[Conversation]]:
        after = 0
        while True:
            async with self.store.read(tenant) as snapshot:
                page = await snapshot.export.conversations(owner.scope, after=after, limit=PAGE)
            for group in _groups(page):
                yield group
            if len(page) < PAGE:
                return
            after = page[-1].key

    async def _said(
        self, tenant: TenantId, several: Sequence[Conversation]
    ) -> AsyncIterator[tuple[Lines, Sequence[ItemKey]]]:
        """Short conversations together; a long one some messages at a time."""
        if len(several) > 1 or several[0].message_count <= PAGE:
            async with self.store.read(tenant) as snapshot:
                said = await snapshot.export.messages([each.key for each in several])
            lines = [_conversation(each, said[each.key]) for each in several]
            yield lines, [_item(each) for every in said.values() for each in every]
            return
        cursor: str | None = None
        while True:
            async with self.store.read(tenant) as snapshot:
                page = await snapshot.messages.page(
                    several[0].key, cursor=cursor, limit=PAGE, newest_first=False
                )
            yield [_conversation(several[0], page.items)], [_item(each) for each in page.items]
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
            kept = [each for each in page if each.type in KEPT]
            if kept:
                yield kept
            if len(page) < PAGE:
                return
            _, after = table_and_row(page[-1].key)

    async def _vectors(self, tenant: TenantId, keys: Sequence[ItemKey]) -> Lines:
        async with self.store.read(tenant) as snapshot:
            return [_embedding(each) for each in await snapshot.export.vectors(keys)]


def _first(said: int) -> Line:
    """What kind of file it is, and how many messages follow, if none come or go meanwhile."""
    return {"record": "foreword", "version": VERSION, "messages": said}


def _groups(page: Sequence[Conversation]) -> Iterator[Sequence[Conversation]]:
    """As many conversations as have a page of messages together; a longer one by itself."""
    group: list[Conversation] = []
    room = PAGE
    for each in page:
        if group and each.message_count > room:
            yield group
            group, room = [], PAGE
        group.append(each)
        room -= each.message_count
    if group:
        yield group


def _item(message: Message) -> ItemKey:
    return item_key(Table.MESSAGE, message.key)


def _conversation(conversation: Conversation, said: Sequence[Message]) -> Line:
    told = {
        "record": "conversation",
        "id": str(conversation.id),
        "external_id": conversation.external_id,
        "user_id": conversation.user_id,
        "label": conversation.label,
        "folder": conversation.folder,
        "importance": conversation.importance,
        "tags": list(conversation.tags),
        "metadata": conversation.metadata,
        "system_prompt": conversation.system_prompt,
        "archived": conversation.archived,
        "created_at": _moment(conversation.created_at),
        "updated_at": _moment(conversation.updated_at),
    }
    return {**_filled(told), "messages": [_message(each) for each in said]}


def _message(message: Message) -> Line:
    told = {
        "id": str(message.id),
        "external_id": message.external_id,
        "role": message.role.value,
        "name": message.name,
        "tool_calls": message.tool_calls,
        "tool_call_id": message.tool_call_id,
        "importance": message.importance,
        "metadata": message.metadata,
        "created_at": _moment(message.created_at),
        "echo": [list(each) for each in message.echo],
        "unwanted": sorted(message.unwanted),
    }
    return {**_filled(told), "content": message.content}


def _memory(memory: Memory, edges: Sequence[tuple[MessageId, bool]]) -> Line:
    return _filled(
        {
            "record": "memory",
            "id": str(memory.id),
            "type": memory.type.value,
            "user_id": memory.user_id,
            "conversation_id": memory.conversation_id and str(memory.conversation_id),
            "subject": memory.subject,
            "content": memory.content,
            "source": memory.source,
            "importance": memory.importance,
            "metadata": memory.metadata,
            "created_at": _moment(memory.created_at),
            "valid_from": _moment(memory.valid_from),
            "valid_to": memory.ends_at and _moment(memory.ends_at),
            "expires_at": memory.expires_at and _moment(memory.expires_at),
            "derived_from": [str(each) for each, reworded in edges if not reworded],
            "reworded": [str(each) for each, reworded in edges if reworded],
            "derived": memory.derived or None,
        }
    )


def _superseded(memory: Memory) -> Line:
    return _filled(
        {
            "record": "superseded",
            "user_id": memory.user_id,
            "id": str(memory.id),
            "by": str(memory.superseded_by),
        }
    )


def _user(user_id: str, consent: Consent, profile: Profile | None) -> Line:
    grants = {
        purpose.value: _filled(
            {
                "source": grant.source,
                "granted_at": _moment(grant.granted_at),
                "expires_at": grant.expires_at and _moment(grant.expires_at),
            }
        )
        for purpose, grant in sorted(consent.items())
    }
    told = {"record": "user", "user_id": user_id, "consent": grants}
    return told if profile is None else {**told, "profile": _profile(profile)}


def _profile(profile: Profile) -> Line:
    return {
        "preferences": profile.preferences,
        "context": profile.context,
        "notes": profile.notes,
        "updated_at": _moment(profile.updated_at),
    }


def _embedding(vector: StoredVector) -> Line:
    return _filled(
        {
            "record": "embedding",
            "of": vector.kind,
            "id": str(vector.id),
            "model": vector.model,
            "vector": b64encode(vector.vector).decode(),
            "message_id": vector.message_id and str(vector.message_id),
            "start": vector.start,
            "stop": vector.stop,
        }
    )


def _moment(moment: datetime) -> str:
    return moment.isoformat()


def _filled(told: Mapping[str, Any]) -> dict[str, Any]:
    """Without what says nothing."""
    return {name: each for name, each in told.items() if each or (each == 0 and each is not False)}
