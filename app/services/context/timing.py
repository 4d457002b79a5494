"""The times that a query speaks of: what was said then, or told of them since, is looked for."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from itertools import islice

from app.domain.context import ContextRequest
from app.ranking.timing import LATER_DAYS
from app.services.context.situation import Situation
from app.text.intervals import NO_TIMES, Interval, Timed
from app.text.times import timed

_MOST = 2
"""Times of a query that are looked at: "between May and June" is one."""

_TOLD_WITHIN = timedelta(days=LATER_DAYS)
_END_OF_TIME = datetime.max.replace(tzinfo=UTC)


def times_of(request: ContextRequest, now: datetime, situation: Situation) -> Timed:
    """As the clock of who asks shows them; none in a search that is not hybrid."""
    local = now.astimezone(timezone(request.utc_offset))
    return timed(request.query, local) if situation.flags.hybrid else NO_TIMES


def at_times(situation: Situation, times: Sequence[Interval]) -> Iterator[Situation]:
    """The same, narrowed to each of the first times that are a day, a week or a month."""
    for each in islice((each for each in times if each.is_named), _MOST):
        within = situation.within
        after = max(each.start, within.after or each.start)
        stop = each.stop.astimezone(UTC)
        stop += min(_TOLD_WITHIN, _END_OF_TIME - stop)
        before = min(stop, within.before or stop)
        if after < before:
            yield replace(situation, within=replace(within, after=after, before=before))
