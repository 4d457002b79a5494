import json
from dataclasses import dataclass
from hashlib import sha256
from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Depends, Header, Query, Request, Response

from app.api.deps import Services, Tenant, Use
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
from app.api.schemas.fields import Body, Name
from app.domain.ids import ConversationId, MessageId, TenantId
from app.services.ingest import IdempotencyKey, Stored

router = APIRouter(tags=["store"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Writing:
    """What a caller may ask of any request that stores."""

    request: Request
    response: Response
    idempotency_key: str | None
    wait: Literal["indexed"] | None
    wait_s: float

    def once(self, body: Body) -> IdempotencyKey | None:
        if self.idempotency_key is None:
            return None
        canonical = json.dumps(body.model_dump(mode="json"), sort_keys=True)
        return IdempotencyKey(
            path=self.request.url.path,
            key=self.idempotency_key,
            body_hash=sha256(canonical.encode()).digest(),
        )

    async def answer(self, services: Services, tenant: TenantId, stored: Stored) -> StoredOut:
        """The answer, at once or when everything is indexed."""
        if stored.replayed:
            self.response.headers["Idempotency-Replayed"] = "true"
        waits = self.wait is not None
        if waits:
            facts = StoredOut.of(stored, indexed=False).model_dump(mode="json")
            await services.waiter.wait(tenant, stored.outbox_key, seconds=self.wait_s, facts=facts)
        else:
            services.waiter.wake()
        return StoredOut.of(stored, indexed=waits)


async def _writing(
    request: Request,
    response: Response,
    idempotency_key: Annotated[
        str | None, Header(alias="Idempotency-Key", min_length=1, max_length=255)
    ] = None,
    wait: Annotated[
        Literal["indexed"] | None, Query(description="Answer once it can be found.")
    ] = None,
    wait_s: Annotated[float, Query(gt=0, le=600, description="Seconds.")] = 30.0,
) -> Writing:
    return Writing(
        request=request,
        response=response,
        idempotency_key=idempotency_key,
        wait=wait,
        wait_s=wait_s,
    )


@router.post("/conversations", status_code=201)
async def store_conversation(
    body: ConversationIn,
    writing: Annotated[Writing, Depends(_writing)],
    services: Use,
    tenant: Tenant,
) -> StoredOut:
    """Store a conversation; under a known `external_id` append what is not there yet."""
    stored = await services.ingestor.ingest(tenant, body.to_conversation(), writing.once(body))
    return await writing.answer(services, tenant, stored)


@router.post("/conversations/{conversation_id}/messages", status_code=201)
async def append_messages(
    conversation_id: UUID,
    body: MessagesIn,
    writing: Annotated[Writing, Depends(_writing)],
    services: Use,
    tenant: Tenant,
) -> StoredOut:
    """Append messages to a conversation; what is there already is not stored again."""
    stored = await services.ingestor.append(
        tenant,
        ConversationId(conversation_id),
        [each.to_message() for each in body.messages],
        writing.once(body),
    )
    return await writing.answer(services, tenant, stored)


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


@router.delete("/conversations/{conversation_id}")
async def delete_conversation(conversation_id: UUID, services: Use, tenant: Tenant) -> ErasureOut:
    """Erase a conversation and all that is derived from it."""
    return ErasureOut.of(
        await services.forgetter.conversation(tenant, ConversationId(conversation_id))
    )


@router.delete("/messages/{message_id}")
async def delete_message(message_id: UUID, services: Use, tenant: Tenant) -> ErasureOut:
    """Erase one message and all that is derived from it."""
    return ErasureOut.of(await services.forgetter.message(tenant, MessageId(message_id)))


@router.delete("/users/{user_id}")
async def delete_user(user_id: Name, services: Use, tenant: Tenant) -> ErasureOut:
    """Erase everything of a user."""
    return ErasureOut.of(await services.forgetter.user(tenant, user_id))
