"""
What lifts a relevance: fitting in time, being code where that is asked for, being of the
conversation that goes on, being said next, being near.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.ranking import Floats
from app.ranking.asked_again import REPLIED
from app.ranking.follow_up import going_on
from app.ranking.pool import Pool, Recalled
from app.ranking.query import QueryView
from app.ranking.running import RUNNING_SHARE, said_in
from app.ranking.timing import TIME_SHARE, time_match


@dataclass(frozen=True, slots=True, kw_only=True)
class Ties:
    """
    What the graph says of a pool: how near each item is, shape (n,), in (0, 1], NaN where it says
    nothing; and what being near adds to a relevance.
    """

    near: Floats
    share: float


ANSWERING = np.float32(0.95)
"""
The relevance, at least, of a fact that tells just what is asked, and of messages that do; and of
what tells of a time of which all is asked for.
"""


def lifted(
    relevant: Floats,
    query: QueryView,
    pool: Pool,
    ties: Ties | None,
    asked: NDArray[np.bool_],
) -> tuple[Floats, Mapping[str, Floats]]:
    """
    Relevances with what fits in time, in kind, in place and in the graph added, at most 1, no less
    than ANSWERING for what is `asked` for and REPLIED for what was replied to it, and the signals
    of that; each of shape (n,).
    """
    recalled, room = pool.recalled, OF_REST * (1 - relevant)
    timely = time_match(np.array(recalled.created_at, dtype=np.float64), query.intervals)
    more, told = relevant + TIME_SHARE * timely, {"time": timely}
    if query.wording.asks_code:
        coded = told["code"] = is_code(recalled)
        more = more + coded * np.minimum(CODE_SHARE, room)
    if query.running is not None:
        here = told["running"] = said_in(query.running, recalled).astype(np.float32)
        more = more + here * np.minimum(RUNNING_SHARE, room)
    if query.follow_up:
        added, told["follow_up"] = going_on(recalled, more, query.running)
        more = more + added
    if ties is not None:
        told["relational"] = ties.near
        more = more + np.minimum(np.float32(ties.share) * np.nan_to_num(ties.near), room)
    more = np.asarray(np.minimum(more, np.float32(1.0)), dtype=np.float32)
    if query.facts or query.overview:  # a word such as "happened" is said at any time
        more = np.where(asked, np.maximum(more, ANSWERING), more)
    if pool.replied is not None:
        told["replied"] = pool.replied.astype(np.float32)
        more = np.where(pool.replied, np.maximum(more, REPLIED), more)
    return more, told


CODE_SHARE = np.float32(0.1)
"""What being code adds to a relevance where code is asked for."""

OF_REST = np.float32(0.4)
"""The part of what a relevance lacks to 1 that either adds at most: the better of two stays so."""

_FENCE = "```"


def is_code(recalled: Recalled) -> Floats:
    """1 for a block of code, and for a message that has one and was not split, shape (n,)."""
    return np.array(
        [
            kind == "code" if kind else not pieces and _FENCE in said
            for kind, pieces, said in zip(
                recalled.kinds, recalled.pieces, recalled.contents, strict=True
            )
        ],
        dtype=np.float32,
    )
