from functools import partial
from typing import Annotated
from uuid import UUID

from fastapi import Query, Request, Response

from app.api.deps import Services, Tenant, Use
from app.api.erasing import TOLD_IN_LINES, erased
from app.api.openapi import chapter
from app.api.paths import NameInPath
from app.api.reading import ReadBeside
from app.api.routes.memories import items_out
from app.api.schemas.conversations import (
    ConversationIn,
    ConversationOut,
    ConversationPage,
    ConversationPatch,
    ConversationQuery,
    ErasureOut,
    MessageOut,
    MessagePage,
    MessageQuery,
    MessagesIn,
    StoredOut,
)
from app.api.schemas.memories import MemoryItemOut, SummaryIn
from app.api.writing import AsWriting, Writing
from app.domain.ids import ConversationId, MessageId, TenantId
from app.services.writing.ingest import Stored

router = chapter("store", route_class=ReadBeside)


async def _answer(
    writing: Writing, services: Services, tenant: TenantId, stored: Stored
) -> StoredOut:
    facts = StoredOut.of(stored, indexed=False).model_dump(mode="json")
    indexed = await writing.settle(
        services,
        tenant,
        stored.outbox_key,
        of=stored.message_ids,
        facts=facts,
        replayed=stored.replayed,
    )
    return StoredOut.of(stored, indexed=indexed)


@router.post("/conversations", status_code=201)
async def store_conversation(
    body: ConversationIn,
    writing: AsWriting,
    services: Use,
    tenant: Tenant,
) -> StoredOut:
    """
    Store a conversation; under a known `external_id` append the messages that are not there yet.

    All else of a known one stays as it is, given or not: PATCH changes label, folder, importance,
    tags and metadata.
    """
    once = await writing.once(body)
    stored = await services.ingestor.ingest(tenant, body.to_conversation(), once)
    return await _answer(writing, services, tenant, stored)


@router.post("/conversations/{conversation_id}/messages", status_code=201)
async def append_messages(
    conversation_id: UUID,
    body: MessagesIn,
    writing: AsWriting,
    services: Use,
    tenant: Tenant,
) -> StoredOut:
    """Append messages to a conversation; what is there already is not stored again."""
    stored = await services.ingestor.append(
        tenant,
        ConversationId(conversation_id),
        [each.to_message() for each in body.messages],
        await writing.once(body),
    )
    return await _answer(writing, services, tenant, stored)


@router.get("/conversations")
async def list_conversations(
    wanted: Annotated[ConversationQuery, Query()], services: Use, tenant: Tenant
) -> ConversationPage:
    """The conversations of a user (without `user_id`: those of no user), newest first."""
    async with services.store.read(tenant) as snapshot:
        page = await snapshot.conversations.page(
            wanted.to_filter(), cursor=wanted.cursor, limit=wanted.limit
        )
    items = [ConversationOut.of(each) for each in page.items]
    return ConversationPage(items=items, next_cursor=page.next_cursor)


@router.get("/conversations/{conversation_id}")
async def get_conversation(conversation_id: UUID, services: Use, tenant: Tenant) -> ConversationOut:
    async with services.store.read(tenant) as snapshot:
        found = await snapshot.conversations.get(ConversationId(conversation_id))
    return ConversationOut.of(found)


@router.get("/conversations/{conversation_id}/messages")
async def list_messages(
    conversation_id: UUID,
    wanted: Annotated[MessageQuery, Query()],
    services: Use,
    tenant: Tenant,
) -> MessagePage:
    """The messages of a conversation, in the order they were said or the other way round."""
    async with services.store.read(tenant) as snapshot:
        found = await snapshot.conversations.get(ConversationId(conversation_id))
        page = await snapshot.messages.page(
            found.key,
            cursor=wanted.cursor,
            limit=wanted.limit,
            newest_first=wanted.order == "desc",
        )
    items = [MessageOut.of(each) for each in page.items]
    return MessagePage(items=items, next_cursor=page.next_cursor)


@router.patch("/conversations/{conversation_id}")
async def change_conversation(
    conversation_id: UUID, body: ConversationPatch, services: Use, tenant: Tenant
) -> ConversationOut:
    """Set what is given. `archived` keeps a conversation readable, but out of every context."""
    changed = await services.ingestor.change(
        tenant, ConversationId(conversation_id), body.to_changes()
    )
    services.waiter.wake()
    return ConversationOut.of(changed)


@router.post("/conversations/{conversation_id}/summaries", status_code=201)
async def sum_up(
    conversation_id: UUID,
    writing: AsWriting,
    services: Use,
    tenant: Tenant,
    body: SummaryIn | None = None,
) -> MemoryItemOut:
    """
    Sum up now what users and assistants said, on top of the summary before, which it supersedes.

    Each line of `content` is a bullet, `metadata.bullets` tells where each was said. Where nothing
    was said since, the summary is the one that there is.
    """
    summed_up = await services.summaries.sum_up(
        tenant, ConversationId(conversation_id), await writing.once(body or SummaryIn())
    )
    async with services.store.read(tenant) as snapshot:
        (summary,) = await items_out(snapshot, [summed_up.memory], services.keeper.clock())
    await writing.settle(
        services,
        tenant,
        summed_up.outbox_key,
        of=[summed_up.memory.id],
        facts=summary.model_dump(mode="json"),
        replayed=summed_up.replayed,
    )
    return summary


@router.delete(
    "/conversations/{conversation_id}", response_model=ErasureOut, responses=TOLD_IN_LINES
)
async def delete_conversation(
    conversation_id: UUID, request: Request, services: Use, tenant: Tenant
) -> Response | ErasureOut:
    """
    Erase a conversation and all that is derived from it.

    With `Accept: application/x-ndjson` each line of the answer tells how far it is, and the last
    one is the receipt.
    """
    erase = partial(services.forgetter.conversation, tenant, ConversationId(conversation_id))
    return await erased(request, services, erase)


@router.get("/messages/{message_id}")
async def get_message(message_id: UUID, services: Use, tenant: Tenant) -> MessageOut:
    """One message, such as a lineage names."""
    async with services.store.read(tenant) as snapshot:
        return MessageOut.of(await snapshot.messages.one(MessageId(message_id)))


@router.delete("/messages/{message_id}")
async def delete_message(message_id: UUID, services: Use, tenant: Tenant) -> ErasureOut:
    """Erase one message and all that is derived from it."""
    return ErasureOut.of(await services.forgetter.message(tenant, MessageId(message_id)))


@router.delete("/users/{user_id}", response_model=ErasureOut, responses=TOLD_IN_LINES)
async def delete_user(
    user_id: NameInPath, request: Request, services: Use, tenant: Tenant
) -> Response | ErasureOut:
    """Erase everything of a user; told in lines as that of a conversation is."""
    return await erased(request, services, partial(services.forgetter.user, tenant, user_id))
