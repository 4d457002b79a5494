"""What a query asks for, and what the sources said of it, as ranking reads them."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from app.distil.language.question import AROUND
from app.domain.context import ContextRequest, Source
from app.domain.ids import ItemKey
from app.domain.memory import Table, item_key
from app.ranking import Floats
from app.ranking.bm25 import idf
from app.ranking.query import QueryView
from app.services.context.found import Found
from app.services.context.situation import Situation
from app.services.context.sought import Sought
from app.services.packing.history import History
from app.text.courtesy import without_courtesy
from app.text.function_words import FUNCTION
from app.text.intervals import Timed
from app.text.negation import split_exclusions
from app.text.remembered import remembered
from app.text.small_talk import is_small_talk
from app.text.terms import query_terms


@remembered
def wanted(query: str) -> tuple[str, Sequence[str]]:
    """A query without its courtesies and without what it says that it does not want; and that."""
    return split_exclusions(without_courtesy(query))


def understood(request: ContextRequest) -> ContextRequest:
    """
    What is wanted, which is nothing in small talk, unless that is looked up; what the query says
    that it does not want becomes a filter.
    """
    if not request.looks_up and is_small_talk(request.query):
        return replace(request, query="")
    query, excluded = wanted(request.query)
    if not excluded:
        return request if query == request.query else replace(request, query=query)
    unwanted = (*request.filters.exclude_terms, *excluded)
    return replace(request, query=query, filters=replace(request.filters, exclude_terms=unwanted))


def sources_of(found: Found, *, without: History) -> dict[ItemKey, frozenset[Source]]:
    """Which sources found each item; what is in the history already is not found again."""
    by_item: defaultdict[ItemKey, set[Source]] = defaultdict(set)
    for key, _ in found.near.hits:
        by_item[key].add(Source.SEMANTIC)
    for key in found.lexical.keys:
        by_item[key].add(Source.LEXICAL)
    for key in found.related.items:
        by_item[key].add(Source.RELATIONAL)
    for key in found.episode.pinned:
        by_item[key].add(Source.PINNED)
    shown = {item_key(Table.MESSAGE, message.key) for message in without.messages}
    shown.update(without.summary.keys)
    return {key: frozenset(each) for key, each in sorted(by_item.items()) if key not in shown}


def view_of(found: Found, told: Timed, situation: Situation, *, follow_up: bool) -> QueryView:
    """
    In a search that is not hybrid there are no terms, labels or vectors of words: that of the query
    stands alone.

    A time that is asked for as a whole is no word that is looked for: "four months" does not tell
    of last month. Words that are only said around a question count less.
    """
    reading, frequency = found.reading, found.lexical.document_frequency
    scope, running = situation.scope, situation.conversation
    asked = found.sought.terms.terms
    if reading.overview:
        asked = query_terms(told.rest).terms
        frequency = {term: frequency[term] for term in asked if term in frequency}
    unknown = [term for term in asked if term not in frequency]
    weights = idf(scope.messages, [*frequency.values(), *(0 for _ in unknown)])
    weights = _less_of_little(weights, [*frequency, *unknown], found.sought)
    return QueryView(
        vector=found.near.vector,
        words=found.near.words,
        read=found.near.read,
        terms=list(frequency),
        idf=weights[: len(frequency)],
        idf_mass=float(weights.sum()),
        average_length=scope.terms / scope.messages if scope.messages else 0.0,
        intervals=told.intervals,
        periods=reading.periods,
        overview=reading.overview,
        facts=reading.facts,
        wording=reading.wording,
        running=running.key if running else None,
        called=found.near.called,
        sought=_sought(asked, found, situation),
        subjects=reading.subjects,
        follow_up=follow_up,
    )


def _less_of_little(weights: Floats, said: Sequence[str], sought: Sought) -> Floats:
    """The weights of what is said, less for what is only said around, and words of function."""
    for little, share in ((sought.around, AROUND), (sought.terms.of_function, FUNCTION)):
        if little:
            aside = [term in little for term in said]
            weights = np.where(aside, np.float32(share) * weights, weights)
    return weights


def _sought(asked: Sequence[str], found: Found, situation: Situation) -> frozenset[str]:
    """The words that may name what is asked about, where words count at all."""
    return found.sought.telling(asked) if situation.flags.hybrid else frozenset()
