"""What is answered of a context: a bundle. Typed dictionaries, as what was recalled is."""

from collections.abc import Sequence
from itertools import groupby
from typing import Annotated, Any
from uuid import UUID

from pydantic import Field, TypeAdapter
from typing_extensions import TypedDict

from app.api.schemas.conversations import MessageOut
from app.api.schemas.recalled import (
    DegradedOut,
    MemoryOut,
    RelatedEntityOut,
    degraded_out,
    in_ms,
    memory_out,
    related_out,
    rounded,
    timings_out,
)
from app.api.schemas.users import DERIVED, Derived, derived_out
from app.domain.context import ContextBundle, ContextRequest, Intent
from app.domain.difference import Difference
from app.domain.memory import ItemType
from app.domain.profile import Section, ShownProfile


class GroupOut(TypedDict):
    conversation_id: UUID | None
    conversation_external_id: str | None
    label: str | None
    folder: str | None
    score: Annotated[float, Field(description="The best of its items.")]
    items: list[MemoryOut]


class DroppedOut(TypedDict):
    id: UUID
    type: ItemType
    reason: str


class ProfileShownOut(TypedDict):
    preferences: dict[str, Any]
    context: dict[str, Any]
    notes: str


class ProfileRoomOut(TypedDict):
    tokens: int
    complete: Annotated[bool, Field(description="Whether all of it had room.")]
    derived: Annotated[Derived, Field(description=DERIVED)]


class MetadataOut(TypedDict):
    total_tokens: int
    budget_tokens: int
    budget_used: float
    conversations_included: int
    candidates: int
    deduplicated: int
    cache_hit: bool
    sufficient: bool
    degraded: list[DegradedOut]
    timings_ms: Annotated[
        dict[str, float], Field(description="Of each stage; 0 of what was not asked.")
    ]
    started_ms: Annotated[
        dict[str, float],
        Field(description="When each stage began, after the request; empty if not measured."),
    ]
    dropped: list[DroppedOut]
    profile: ProfileRoomOut | None
    leans_on: Annotated[
        UUID | None,
        Field(description="The message before it that was looked for with the query."),
    ]
    respelled: Annotated[
        dict[str, str], Field(description="What was looked for instead of words spelt otherwise.")
    ]


class DifferenceOut(TypedDict):
    """Of `retrieved_memories` and `recent_history` together, and of `related_entities`."""

    bundle_id: UUID
    added: list[UUID]
    removed: list[UUID]
    changed: Annotated[list[UUID], Field(description="In both, with another content or excerpt.")]
    profile_changed: bool
    entities_added: list[UUID]
    entities_removed: list[UUID]


class BundleOut(TypedDict):
    bundle_id: UUID
    query: str
    intent: Intent
    recent_history: list[MessageOut]
    retrieved_memories: list[MemoryOut]
    conversations: list[GroupOut] | None
    related_entities: list[RelatedEntityOut]
    user_profile: ProfileShownOut | None
    text: str | None
    messages: list[dict[str, Any]] | None
    since: DifferenceOut | None
    metadata: MetadataOut


_BUNDLE = TypeAdapter(BundleOut)


def to_json(bundle: BundleOut) -> bytes:
    return _BUNDLE.dump_json(bundle)


def bundle_out(
    bundle: ContextBundle,
    *,
    request: ContextRequest | None,
    cache_hit: bool,
    difference: Difference | None = None,
) -> BundleOut:
    """The answer to `request`; a replay, which has none, is explained if the bundle was."""
    explain = bundle.explained if request is None else request.explain
    memories = [memory_out(each, explain=explain) for each in bundle.retrieved]
    return BundleOut(
        bundle_id=bundle.id,
        query=bundle.query,
        intent=bundle.intent,
        recent_history=[MessageOut.of(each) for each in bundle.recent_history],
        retrieved_memories=memories,
        conversations=_groups([each for each in memories if not each["erased"]])
        if bundle.grouped
        else None,
        related_entities=[related_out(each) for each in bundle.related],
        user_profile=_profile(bundle.profile),
        text=bundle.text,
        messages=None if bundle.messages is None else [dict(each) for each in bundle.messages],
        since=None if difference is None else _difference(difference),
        metadata=_metadata(bundle, explain=explain, cache_hit=cache_hit),
    )


def _metadata(bundle: ContextBundle, *, explain: bool, cache_hit: bool) -> MetadataOut:
    dropped, shown = bundle.dropped if explain else (), bundle.profile
    return MetadataOut(
        total_tokens=bundle.total_tokens,
        budget_tokens=bundle.budget_tokens,
        budget_used=rounded(bundle.budget_used),
        conversations_included=bundle.conversations_included,
        candidates=bundle.candidates,
        deduplicated=bundle.deduplicated,
        cache_hit=cache_hit,
        sufficient=bundle.sufficient,
        degraded=degraded_out(bundle.degraded),
        timings_ms=timings_out(bundle.timings),
        started_ms=in_ms(bundle.starts),
        dropped=[DroppedOut(id=each.id, type=each.type, reason=each.reason) for each in dropped],
        profile=None
        if shown is None
        else ProfileRoomOut(
            tokens=shown.tokens, complete=shown.complete, derived=derived_out(shown.profile)
        ),
        leans_on=bundle.leans_on,
        respelled=dict(bundle.respelled),
    )


def _profile(shown: ShownProfile | None) -> ProfileShownOut | None:
    if shown is None:
        return None
    profile = shown.profile
    return ProfileShownOut(
        preferences=dict(profile.told(Section.PREFERENCES)),
        context=dict(profile.told(Section.CONTEXT)),
        notes=profile.notes,
    )


def _groups(memories: Sequence[MemoryOut]) -> list[GroupOut]:
    """Conversations by their best item; inside each, items best first. What is erased has none."""
    first: dict[UUID | None, int] = {}
    for at, memory in enumerate(memories):
        first.setdefault(memory["conversation_id"], at)
    ordered = sorted(memories, key=lambda memory: first[memory["conversation_id"]])
    return [
        GroupOut(
            conversation_id=(best := (items := list(group))[0])["conversation_id"],
            conversation_external_id=best["conversation_external_id"],
            label=best["label"],
            folder=best["folder"],
            score=best["score"],
            items=items,
        )
        for _, group in groupby(ordered, key=lambda memory: memory["conversation_id"])
    ]


def _difference(difference: Difference) -> DifferenceOut:
    return DifferenceOut(
        bundle_id=difference.since,
        added=list(difference.added),
        removed=list(difference.removed),
        changed=list(difference.changed),
        profile_changed=difference.profile_changed,
        entities_added=list(difference.entities_added),
        entities_removed=list(difference.entities_removed),
    )
