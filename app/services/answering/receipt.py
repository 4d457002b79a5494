"""What a receipt says of a bundle: ids, scores and figures, and not a word of memory."""

from collections.abc import Sequence
from math import inf

from app.domain.audit import user_subject
from app.domain.context import Candidate, ContextBundle, ContextRequest
from app.domain.conversation import Message, Scope
from app.domain.entities import RelatedEntity
from app.domain.ids import TenantId
from app.domain.profile import ShownProfile
from app.ports.stored import Receipt
from app.text.excerpt import shown_of


def asked_for(tenant: TenantId, request: ContextRequest, scope: Scope | None) -> str:
    """Whose memory a request is about, as receipts tell it: without their id."""
    user_id = scope.user_id if scope and not scope.shared else request.user_id
    return user_subject(tenant, user_id)


def receipt_of(
    tenant: TenantId, request: ContextRequest, scope: Scope | None, bundle: ContextBundle
) -> Receipt:
    """The receipt of a bundle: ids, scores and figures; its only text is the query."""
    return Receipt(
        bundle_id=bundle.id,
        tenant=tenant,
        scope=scope.key if scope else None,
        subject=asked_for(tenant, request, scope),
        version=scope.version if scope else 0,
        created_at=bundle.created_at,
        request={
            "query": request.query,
            "format": request.format.value,
            "as_of": request.as_of and request.as_of.isoformat(),
            "grouped": request.group_by_conversation,
            "explain": request.explain,
        },
        answer=_answer(bundle),
        total_ms=bundle.timings["total"] * 1000,
        facts=_facts(bundle),
    )


def _answer(bundle: ContextBundle) -> dict[str, object]:
    """What is needed to answer it again."""
    return {
        "intent": bundle.intent.value,
        "history": [message.key for message in bundle.recent_history],
        "said": [str(message.id) for message in bundle.recent_history],
        "cut": {str(each.key): shown for each in bundle.recent_history if (shown := cut_of(each))},
        "items": [_item(candidate) for candidate in bundle.retrieved],
        "rolling": sorted(bundle.rolling),
        "queried": bundle.queried,
        "total_tokens": bundle.total_tokens,
        "budget_tokens": bundle.budget_tokens,
        "candidates": bundle.candidates,
        "deduplicated": bundle.deduplicated,
        "sufficient": bundle.sufficient,
        "degraded": [[each.source.value, each.reason] for each in bundle.degraded],
        "dropped": [[str(each.id), each.type.value, each.reason] for each in bundle.dropped],
        "timings": dict(bundle.timings),
        "starts": dict(bundle.starts),
        "profile": profile_told(bundle.profile),
        "related": [_related(each) for each in bundle.related],
        "leans_on": bundle.leans_on and str(bundle.leans_on),
    }


def _item(candidate: Candidate) -> dict[str, object]:
    return {
        "key": candidate.item.key,
        "id": str(candidate.item.id),
        "type": candidate.item.type.value,
        "score": candidate.score,
        "relevance": candidate.relevance,
        "sources": sorted(candidate.sources),
        "signals": dict(candidate.signals),
        "tokens": candidate.item.tokens,
        "span": candidate.item.span,
        "lines": candidate.item.lines,
    }


def _related(entity: RelatedEntity) -> dict[str, object]:
    told = ("key", "score", "distance", "tokens")
    return {"id": str(entity.id), **{name: getattr(entity, name) for name in told}}


def profile_told(shown: ShownProfile | None) -> dict[str, object] | None:
    """Which profile was shown, and how much of it; not a word of it."""
    if shown is None:
        return None
    return {
        "updated_at": shown.profile.updated_at.isoformat(),
        "facts": [str(each) for each in shown.profile.facts],
        "room": shown.room,
        "tokens": shown.tokens,
    }


def cut_of(message: Message) -> int | None:
    """Of a message that was shown with its beginning only, the characters of that."""
    shown = shown_of(message.content or "")
    return None if shown == inf else int(shown)


def _facts(bundle: ContextBundle) -> dict[str, object]:
    """What the retrieval metrics are made of (app/services/operating/figures.py reads them)."""
    return {
        "intent": bundle.intent.value,
        "items": len(bundle.retrieved),
        "tokens": bundle.total_tokens,
        "budget": bundle.budget_tokens,
        "candidates": bundle.candidates,
        "deduplicated": bundle.deduplicated,
        "sufficient": bundle.sufficient,
        "top_scores": [each.score for each in bundle.retrieved[:3]],
        "types": _by_type(bundle.retrieved),
        "degraded": sorted({each.source.value for each in bundle.degraded}),
        "ms": {stage: seconds * 1000 for stage, seconds in bundle.timings.items()},
    }


def _by_type(retrieved: Sequence[Candidate]) -> dict[str, tuple[int, int, float]]:
    """Of each type the items, their tokens and the best score; `retrieved` is best first."""
    by_type: dict[str, tuple[int, int, float]] = {}
    for each in retrieved:
        items, tokens, best = by_type.get(each.item.type.value, (0, 0, each.score))
        by_type[each.item.type.value] = (items + 1, tokens + each.item.tokens, best)
    return by_type
