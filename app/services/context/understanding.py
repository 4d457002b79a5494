"""What a query asks for, and what the sources said of it, as ranking reads them."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice

from app.distil.facts.asking import groups_asked
from app.distil.facts.told import speakers_of
from app.domain.context import ContextRequest, Source
from app.domain.ids import ItemKey
from app.domain.memory import Table, item_key
from app.domain.periods import MOST, Span, making_up
from app.ranking.bm25 import idf
from app.ranking.query import NOTHING_ABOUT, About, QueryView
from app.services.context.found import Found
from app.services.context.situation import Situation
from app.services.packing.history import History
from app.text.intervals import Interval, Timed
from app.text.negation import split_exclusions
from app.text.overview import asks_about_asker, asks_for_a_time
from app.text.terms import query_terms
from app.text.wording import wording_of


def understood(request: ContextRequest) -> ContextRequest:
    """What the query says that it does not want becomes a filter."""
    query, excluded = split_exclusions(request.query)
    if not excluded:
        return request
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


def view_of(
    request: ContextRequest, now: datetime, told: Timed, situation: Situation, found: Found
) -> QueryView:
    """
    In a search that is not hybrid there are no terms, and the vector stands alone.

    A time that is asked for as a whole is no word that is looked for: "four months" does not tell
    of last month.
    """
    scope = situation.scope
    overview = bool(told.intervals) and asks_for_a_time(told.rest)
    frequency, asked = found.lexical.document_frequency, found.terms.terms
    if overview:
        asked = query_terms(told.rest).terms
        frequency = {term: frequency[term] for term in asked if term in frequency}
    unknown = [term for term in asked if term not in frequency]
    weights = idf(scope.messages, [*frequency.values(), *(0 for _ in unknown)])
    return QueryView(
        vector=found.near.vector,
        read=found.near.read,
        terms=list(frequency),
        idf=weights[: len(frequency)],
        idf_mass=float(weights.sum()),
        average_length=scope.terms / scope.messages if scope.messages else 0.0,
        intervals=told.intervals,
        periods=_periods(told.intervals, now, situation, overview=overview),
        overview=overview,
        facts=_facts(request.query, situation),
        wording=wording_of(request.query),
    )


def _facts(query: str, situation: Situation) -> About:
    """Those that the query asks for, where they may be found."""
    if not (situation.flags.hybrid and situation.within.of_facts()):
        return NOTHING_ABOUT
    speakers = speakers_of(situation.scope.user_id)
    if asks_about_asker(query):
        return About(names=speakers)
    return About(groups=groups_asked(query, speakers))


def _periods(
    asked: Sequence[Interval], now: datetime, situation: Situation, *, overview: bool
) -> frozenset[Span]:
    """
    The periods that what is asked for consists of, where their summaries may be found.

    They are of no conversation, so in a running one they are for overviews only.
    """
    within = situation.everywhere if overview else situation.within
    if not asked or not within.of_periods():
        return frozenset()
    spans = (span for each in asked for span in making_up(each.start, min(each.stop, now)))
    return frozenset(islice(spans, MOST))
