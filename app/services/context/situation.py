"""Whose memory a request is about: what must be known before anything is searched or cached."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Self

from app.domain.context import ContextRequest
from app.domain.conversation import Conversation, Scope
from app.domain.errors import ConversationNotFound
from app.domain.flags import Flags
from app.domain.ids import ConversationKey, ScopeKey, TenantId
from app.domain.memory import ItemType
from app.domain.telling import Listener, Once
from app.ports import Clock, RecallFilter
from app.ports.store import Snapshot, Store
from app.services.common.flagging import FlagBoard


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """
    Whose memory is asked, and what of it may be found.

    `scope` counts the documents that everybody reads, too; its key is the user's.
    """

    tenant: TenantId
    scope: Scope
    conversation: Conversation | None
    within: RecallFilter
    flags: Flags
    profile_at: datetime | None = None
    """The moment at which consent to use the profile holds; None: none goes in."""
    derives: bool = False
    """Whether facts may add to it."""
    listener: Listener | None = None
    """Hears what happens while a bundle is built."""

    def allows_summary(self) -> bool:
        """Whether there may be a summary of the running conversation, and the filters allow it."""
        within = self.within
        unfiltered = not (within.roles or within.after or within.before)
        of_type = not within.types or ItemType.SUMMARY in within.types
        return unfiltered and of_type and within.of_items() and self.in_conversation() is not None

    def told_once(self, several: int) -> Self:
        """The same for several questions at once: its listener hears of each source once."""
        if self.listener is None or several == 1:
            return self
        return replace(self, listener=Once(self.listener, several))

    def in_conversation(self) -> "Situation | None":
        """The same, narrowed to the running conversation; None where there is none to search."""
        return None if self.conversation is None else self.inside({self.conversation.key})

    def inside(self, several: Collection[ConversationKey]) -> "Situation | None":
        """The same, narrowed to these conversations; None where none of them may be searched."""
        within = self.within
        left = frozenset(several) - within.without_conversations
        if within.conversations is not None:
            left &= within.conversations
        return replace(self, within=replace(within, conversations=left)) if left else None

    def searched_besides(self, request: ContextRequest) -> "Situation | None":
        """
        The same, where the best of the running conversation might be missed among all there is;
        None where it is all there is, and where the history of `request` has room for all of it.
        """
        inside, running = self.in_conversation(), self.conversation
        if inside is None or running is None or inside.within == self.within:
            return None
        history = request.history
        room = request.budget_tokens * history.max_share
        fits = running.message_count <= history.max_messages and running.token_count <= room
        return None if fits and not running.archived else inside


@dataclass(frozen=True, slots=True)
class Surveyor:
    """Resolves ids and filters, in one snapshot."""

    store: Store
    flags: FlagBoard
    clock: Clock

    async def survey(self, tenant: TenantId, request: ContextRequest) -> Situation | None:
        """
        The situation of a request; None where there is nothing to read.

        Raises:
            ConversationNotFound: The running conversation does not exist, or is another user's.
        """
        now = self.clock()
        async with self.store.read(tenant) as snapshot:
            conversation = await _by_id(snapshot, request)
            user_id = conversation.user_id if conversation else request.user_id
            readable = await snapshot.scopes.readable(user_id, now=now)
            conversation = conversation or await _by_name(snapshot, request, readable)
            if not readable:
                return None
            scope = _together(readable)
            flags = await self.flags.at(scope.flags_version, tenant, snapshot)
            within = replace(
                await _narrowed(snapshot, scope.key, readable, request),
                untold=flags.untold,
                now=now if scope.has_items else None,
            )
        return Situation(
            tenant=tenant,
            scope=scope,
            conversation=conversation,
            within=within,
            flags=flags,
            profile_at=_profile_at(scope, flags, request, now=now),
            derives=_derives(scope, flags, now=now),
        )


async def _narrowed(
    snapshot: Snapshot, own: ScopeKey, readable: Sequence[Scope], request: ContextRequest
) -> RecallFilter:
    """What a request asks to be narrowed to; the conversations are those of `own`."""
    filters, conversations = request.filters, snapshot.conversations
    return RecallFilter(
        scopes=[each.key for each in readable],
        conversations=await conversations.matching(own, filters),
        without_conversations=await conversations.keys(own, filters.exclude_conversation_ids),
        roles=frozenset(filters.roles),
        types=frozenset(filters.types),
        after=filters.after,
        before=filters.before,
        as_of=request.as_of,
    )


def _profile_at(
    scope: Scope, flags: Flags, request: ContextRequest, *, now: datetime
) -> datetime | None:
    """The present moment, if a profile may go in at it."""
    types = request.filters.types
    if scope.profile_until is None or not flags.profile:
        return None
    wanted = not types or ItemType.PROFILE in types
    return now if wanted and now < scope.profile_until else None


def _derives(scope: Scope, flags: Flags, *, now: datetime) -> bool:
    """Whether what facts say may stand in a profile at the present moment."""
    return flags.facts and scope.derived_until is not None and now < scope.derived_until


def _together(readable: Sequence[Scope]) -> Scope:
    """The own memory with the documents; of who never said anything, these alone."""
    own, *documents = readable
    return own.with_documents(documents[0]) if documents else own


async def _by_id(snapshot: Snapshot, request: ContextRequest) -> Conversation | None:
    """The running conversation, where its id tells which."""
    if request.conversation_id is None:
        return None
    found = await snapshot.conversations.get(request.conversation_id)
    if request.user_id is not None and found.user_id != request.user_id:
        raise ConversationNotFound(conversation_id=str(request.conversation_id))
    return found


async def _by_name(
    snapshot: Snapshot, request: ContextRequest, readable: Sequence[Scope]
) -> Conversation | None:
    """The same, where the caller's own name for it does, which is known within its user."""
    external_id = request.conversation_external_id
    if external_id is None:
        return None
    own = next((each for each in readable if not each.shared), None)
    found = await snapshot.conversations.find(own.key, external_id) if own else None
    if found is None and not request.may_begin:
        raise ConversationNotFound(conversation_external_id=external_id)
    return found
