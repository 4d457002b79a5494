"""Which candidates are likely answers, and which say nothing, however near they are."""

import numpy as np
from numpy.typing import NDArray

from app.domain.memory import OF_MESSAGES
from app.ranking import Floats
from app.ranking.asked_again import REPLIED, answering_nothing
from app.ranking.pool import Pool
from app.ranking.query import QueryView
from app.ranking.relevance import Relevance
from app.ranking.subjects import of_others
from app.ranking.timing import elsewhere
from app.text.small_talk import is_small_talk

IDLE = np.float32(0.4)
"""What of their relevance questions, and replies without an answer, count beside answers."""

IN_PASSING = np.float32(0.1)
"""And what small talk does, which is as relevant as what it stands beside, or as who said it."""


def idle(
    query: QueryView,
    pool: Pool,
    passing: NDArray[np.bool_],
    asked: NDArray[np.bool_],
    small: NDArray[np.bool_],
) -> tuple[NDArray[np.bool_], Floats]:
    """
    True for what answers nothing: questions, replies that nothing is known, and `small` talk;
    and what each counts of its relevance. Of shape (n,), each.

    Of "What did I ask you?" they are what is looked for, and of words that ask nothing where there
    is nothing else. Only what passes the floor is read, and what is `asked` for as a whole answers.
    """
    said = np.zeros(len(pool.recalled), dtype=np.bool_)
    if not query.wording.of_questions:
        read = np.flatnonzero(passing).tolist()
        said[answering_nothing(pool.recalled, read, query.wording.for_what)] = True
        if not query.wording.asks and not (passing & ~(said | small)).any():
            said[:] = False  # what is looked up by its words is told by nothing else
    said = said & ~asked | small
    return said, np.where(small, IN_PASSING, np.where(said, IDLE, np.float32(1)))


def small_talk(query: QueryView, pool: Pool, among: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """
    True for the messages `among` a pool that say nothing: "OK", "thx"; each of shape (n,).

    Who looks up small talk gets it.
    """
    recalled, said = pool.recalled, np.zeros(len(pool.recalled), dtype=np.bool_)
    if query.wording.in_passing:
        return said
    for at in np.flatnonzero(among).tolist():
        content = recalled.contents[at]
        said[at] = bool(content) and recalled.types[at] in OF_MESSAGES and is_small_talk(content)
    return said


def on_topic(
    query: QueryView,
    pool: Pool,
    judged: Relevance,
    asked: NDArray[np.bool_],
    nothing: NDArray[np.bool_],
    sufficient: float,
) -> Floats:
    """
    How far each is about what is asked, shape (n,): what was replied to it is, and what an overview
    does not ask for is not: said at another time, without a word of it. What answers `nothing`, and
    what tells of somebody else than who is asked about, is no likely answer.
    """
    topical = judged.score
    if query.overview and asked.any():
        created_at = np.array(pool.recalled.created_at, dtype=np.float64)
        off = elsewhere(created_at, query.intervals) & (judged.lexical <= 0) & ~asked
        topical = np.where(off, np.float32(0), topical)
    likely = (topical >= sufficient) & ~asked
    others = of_others(query, pool, judged, likely & ~nothing)
    below = np.nextafter(np.float32(sufficient), np.float32(0))
    topical = np.where(likely & (nothing | others), below, topical)
    if pool.replied is None:
        return topical
    return np.where(pool.replied & ~nothing, np.maximum(topical, REPLIED), topical)
