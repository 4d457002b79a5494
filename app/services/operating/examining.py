"""What of SQL itself must fit each other, looked at in one moment."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from app.domain.ids import ItemKey, ScopeKey
from app.ports.inspecting import Inspection, Said
from app.services.operating.findings import Findings, some
from app.text.terms import indexed_text, terms_of

_SAMPLED = 1_000
"""Messages of which it is looked whether full text finds them by their words."""

_TERMS = 8
"""Of each of these."""

_BATCH = 1_000

_COLLISIONS = 10_000
"""One term in so many may share its number with another, so that the two are counted as one."""


async def integrity(inspection: Inspection) -> Findings:
    told = await inspection.damage()
    return some("integrity", "the database is damaged: restore a backup", told, fixable=False)


async def references(inspection: Inspection) -> Findings:
    broken, orphans = await inspection.broken_references(), await inspection.orphans()
    return [
        *some("references", "to rows that are not there", broken, fixable=False),
        *some("references", "derived from what is not there", orphans),
    ]


async def counts(inspection: Inspection) -> Findings:
    chunks = await inspection.chunks_missing()
    return [
        *some("counts", "conversations that miscount", await inspection.miscounted()),
        *some("counts", "messages without all their chunks", chunks, fixable=False),
    ]


async def scopes(inspection: Inspection) -> Findings:
    truth, derived = await inspection.strays(), await inspection.astray()
    return [
        *some("scopes", "in another scope than their conversation", truth, fixable=False),
        *some("scopes", "derived in another scope than what they are of", derived),
    ]


async def lineage(inspection: Inspection) -> Findings:
    return [
        *some("lineage", "leads nowhere or into another scope", await inspection.misled()),
        *some("lineage", "derived items without any", await inspection.underived()),
    ]


async def graph(inspection: Inspection) -> Findings:
    return [
        *some("graph", "entities that miscount", await inspection.miscounted_entities()),
        *some("graph", "edges that are not their evidence", await inspection.misweighed_edges()),
        *some("graph", "entities that mix scopes", await inspection.mixed_entities()),
    ]


async def full_text(inspection: Inspection) -> Findings:
    """Documents by conversation, postings by scope, and the counters that BM25 needs."""
    if await inspection.full_text_is_being_built():
        return []
    held, wanted = await inspection.indexed(), await inspection.to_be_indexed()
    stored, counted = await inspection.counters(), await inspection.counted()
    return [
        *some(
            "full_text",
            "conversations with missing or surplus documents",
            _differing(held.documents, wanted.documents),
        ),
        *some(
            "full_text", "messages that are not found by their words", await _unfound(inspection)
        ),
        *some(
            "full_text",
            "users with missing or surplus terms",
            _differing(held.postings, wanted.postings, tolerance=_COLLISIONS),
        ),
        *some(
            "full_text",
            "users whose documents are miscounted",
            _differing(stored.documents, counted.documents),
        ),
        *some("full_text", "users whose terms are miscounted", _short(stored.terms, counted.terms)),
    ]


async def labels(inspection: Inspection) -> Findings:
    """What is still to be indexed, or is in the terms of another version, is no difference."""
    if await inspection.labels_are_being_indexed():
        return []
    wrong = await inspection.mislabelled()
    return some("labels", "conversations with missing or surplus words of their labels", wrong)


async def embeddings(inspection: Inspection, *, model: str, word_dimension: int) -> Findings:
    """Of every model what is wrong, of this one what is missing and not on its way."""
    missing, alone, wordless = list[ItemKey](), list[ItemKey](), list[ItemKey]()
    async for keys in recallable(inspection):
        lacking = await inspection.unembedded(keys, model=model)
        apart = await inspection.out_of_context(keys, model=model)
        bare = await without_words(inspection, keys, model=model, word_dimension=word_dimension)
        noted = await inspection.noted([*lacking, *apart, *bare])
        missing += [key for key in lacking if key not in noted]
        alone += [key for key in apart if key not in noted]
        wordless += [key for key in bare if key not in noted]
    orphans = await inspection.orphaned_embeddings()
    misshapen = await inspection.misshapen_embeddings()
    unnormal = await inspection.unnormal_embeddings()
    return [
        *some("embeddings", "of what is not there any more", orphans),
        *some("embeddings", "not of their model's dimension", misshapen),
        *some("embeddings", "not of length 1", unnormal),
        *some("embeddings", f"missing for {model}", missing),
        *some("embeddings", "brief messages without what leads in to them", alone),
        *some("embeddings", "without vectors of their words", wordless),
    ]


async def without_words(
    inspection: Inspection, keys: Sequence[ItemKey], *, model: str, word_dimension: int
) -> Sequence[ItemKey]:
    """Those of `keys` that are embedded without vectors of words, where the model gives them."""
    if not word_dimension:
        return []
    return await inspection.wordless(keys, model=model, dimension=word_dimension)


async def recallable(inspection: Inspection) -> AsyncIterator[Sequence[ItemKey]]:
    """All that belongs into the vector index, some at a time."""
    last: ItemKey | None = ItemKey(0)
    while last is not None:
        keys = await inspection.recallable(after=last, limit=_BATCH)
        yield keys
        last = keys[-1] if len(keys) == _BATCH else None


async def _unfound(inspection: Inspection) -> Sequence[ItemKey]:
    """Of some messages, those that a search by some of their own terms would miss."""
    said = await inspection.said(limit=_SAMPLED)
    return await inspection.lacking(await asyncio.to_thread(_asked, said))


def _asked(said: Sequence[Said]) -> Mapping[ItemKey, tuple[ScopeKey, Sequence[str]]]:
    """The longest terms first, which are in few others."""
    return {
        each.key: (
            each.scope,
            sorted(set(terms_of(indexed_text(each.content, each.name))), key=_length)[:_TERMS],
        )
        for each in said
    }


def _length(term: str) -> tuple[int, str]:
    return -len(term), term


def _differing(
    one: Mapping[Any, int], other: Mapping[Any, int], *, tolerance: int | None = None
) -> Sequence[Any]:
    """
    Keys whose counts differ; with a `tolerance` of n, `one` may be more by one, and by one for
    every n.
    """

    def agree(first: int, second: int) -> bool:
        more = second // tolerance + 1 if tolerance else 0
        return second <= first <= second + more

    return [key for key in sorted({*one, *other}) if not agree(one.get(key, 0), other.get(key, 0))]


def _short(stored: Mapping[Any, int], counted: Mapping[Any, int]) -> Sequence[Any]:
    """Keys for which less is stored than there is at least, or something where nothing is."""
    return [
        key
        for key in sorted({*stored, *counted})
        if stored.get(key, 0) < counted.get(key, 0)
        or (stored.get(key, 0) > 0 and not counted.get(key, 0))
    ]
