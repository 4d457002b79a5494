"""What else was said at a time that is named, where nothing of that time is a likely answer."""

import numpy as np
from numpy.typing import NDArray

from app.ranking import Floats
from app.ranking.pool import Recalled
from app.ranking.query import QueryView

MOST = 5
"""Of what was said then, the most relevant: more would be filler."""


def dated(
    query: QueryView,
    recalled: Recalled,
    relevant: Floats,
    likely: NDArray[np.bool_],
    *,
    now: float,
) -> NDArray[np.bool_]:
    """
    True for what may come in below the floor, shape (n,): "Which incidents did we have in May?" may
    be about what is not called so.

    A season, a year or "recently" tells too little for that, and who names today, or what is to
    come, hardly asks for what was said then: "What shall I cook today?". `now` in seconds since
    1970.
    """
    told = np.zeros(len(recalled), dtype=np.bool_)
    named = [each for each in query.intervals if each.is_named and each.stop.timestamp() <= now]
    if not named or query.overview:
        return told
    then = np.flatnonzero(recalled.said_in(named))
    if not likely[then].any():
        told[then[np.argsort(-relevant[then], kind="stable")[:MOST]]] = True
    return told
