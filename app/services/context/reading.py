"""What a query says by itself, whatever is found."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from app.distil.facts.asking import groups_asked
from app.distil.facts.told import speakers_of
from app.domain.context import ContextRequest
from app.domain.periods import MOST, Span, making_up
from app.ranking.query import NOBODY, NOTHING_ABOUT, About, Subjects
from app.services.context.situation import Situation
from app.services.context.sought import Sought
from app.services.context.subjects import subjects_of
from app.text.asker import in_first_person
from app.text.intervals import Interval, Timed
from app.text.overview import asks_about_asker, asks_for_a_time
from app.text.wording import PLAIN, Wording, wording_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What `QueryView` tells of it."""

    overview: bool = False
    periods: frozenset[Span] = frozenset()
    facts: About = NOTHING_ABOUT
    wording: Wording = PLAIN
    subjects: Subjects = NOBODY


NOTHING_READ = Reading()


def read(
    request: ContextRequest, sought: Sought, now: datetime, told: Timed, situation: Situation
) -> Reading:
    """A query, what is sought for it, and the times that are `told` in it."""
    overview = bool(told.intervals) and asks_for_a_time(told.rest)
    return Reading(
        overview=overview,
        periods=_periods(told.intervals, now, situation),
        facts=_facts(in_first_person(request.query) or request.query, situation),
        wording=wording_of(request.query, sought.question),
        subjects=subjects_of(request.query, speakers_of(situation.scope.user_id)),
    )


def _facts(query: str, situation: Situation) -> About:
    """Those that the query asks for, where they may be found."""
    if not (situation.flags.hybrid and situation.within.of_facts()):
        return NOTHING_ABOUT
    speakers = speakers_of(situation.scope.user_id)
    if asks_about_asker(query):
        return About(names=speakers)
    return About(groups=groups_asked(query, speakers))


def _periods(asked: Sequence[Interval], now: datetime, situation: Situation) -> frozenset[Span]:
    """The periods that what is asked for consists of, where their summaries may be found."""
    if not asked or not situation.within.of_periods():
        return frozenset()
    spans = (span for each in asked for span in making_up(each.start, min(each.stop, now)))
    return frozenset(islice(spans, MOST))
