"""
What a user said since then of the same stands right behind the best.

What changed is often told without a word for it, and of nothing that is asked: "stg-01 was
decommissioned, use stg-04" for "What is the staging server?". Whoever reads both tells which holds.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from app.domain.conversation import Role
from app.domain.memory import ItemType
from app.ranking import Floats
from app.ranking.dedup import SAME
from app.ranking.later import ALIKE, BRIEF, OF_ONE_MATTER
from app.ranking.people import between_people
from app.ranking.pool import Pool, Recalled
from app.ranking.query import QueryView
from app.ranking.subjects import names_of_things
from app.text.change import tells_change

NEAREST = np.float32(0.28)
"""
The cosine from which one speaks of the same that has such a word or tells a change, if nothing that
was said before it is as near: "We moved all secrets to AWS" is of "The API key is in Vault".
"""

_AT_ALL = 0.15
"""The cosine of the best with the query from which it is what was asked for."""

_READ = 8
"""Messages that are looked at, the nearest first."""

_FEW = 4
"""Messages of a pool that hold a word that tells, at most."""


def said_since(
    query: QueryView, pool: Pool, worth: Floats, best: int, nothing: NDArray[np.bool_]
) -> int | None:
    """
    The message, by its index, that is nearest to the best one of those that its user said later of
    the same, answer something and are worth less; None where there is none.

    Only what is said with an assistant, or to oneself: people come back to everything (LoCoMo with
    them: MRR .675, not .681). Of how things went nothing is the last word.
    """
    recalled = pool.recalled
    if query.wording.of_course or not _is_of_user(recalled, best):
        return None
    if query.called:  # of another ticket nothing tells what became of this one
        nothing = nothing | ~np.isin(recalled.conversations, [*query.called])
    cosine = pool.whole_vectors.dot(pool.whole_vectors[best])
    another = (cosine >= NEAREST) & (cosine <= SAME) & (worth < worth[best]) & ~nothing
    later = _brief_ones_behind(recalled, best, np.flatnonzero(another).tolist())
    if not later:
        return None
    among_people = between_people(recalled)
    if among_people[best]:
        return None
    telling = pool.whole_bags.sharing(best, most=_FEW, but_for=names_of_things(query))
    may_be_it = _is_what_is_asked(query, pool, best)
    own = [at for at in later if not among_people[at]]
    nearest_first = sorted(own, key=lambda at: (-cosine[at], -recalled.keys[at]))
    for at in nearest_first[:_READ]:
        if cosine[at] >= ALIKE and telling[at]:
            return at
        changes = telling[at] or tells_change(recalled.contents[at])
        if changes and may_be_it and _is_nearest_before(pool, best, at):
            return at
    return None


def _brief_ones_behind(recalled: Recalled, best: int, among: Sequence[int]) -> Sequence[int]:
    """Those `among` that the user of the best message said later, briefly."""
    then, voice = _moment(recalled, best), recalled.names[best]
    return [
        at
        for at in among
        if _moment(recalled, at) > then
        and _is_of_user(recalled, at)
        and recalled.names[at] == voice
        and len(recalled.contents[at]) <= BRIEF
    ]


def _is_what_is_asked(query: QueryView, pool: Pool, best: int) -> bool:
    """Whether the best is of one matter, and of that: its label may be all that was asked for."""
    if query.vector is None or len(pool.recalled.contents[best]) > OF_ONE_MATTER:
        return False
    return bool(pool.whole_vectors[best].dot(query.vector) >= _AT_ALL)


def _is_nearest_before(pool: Pool, best: int, at: int) -> bool:
    """Whether nothing that a user said before a message is as near to it as the best one."""
    recalled = pool.recalled
    cosine, then = pool.whole_vectors.dot(pool.whole_vectors[at]), _moment(recalled, at)
    nearer = np.flatnonzero(cosine > cosine[best]).tolist()
    return not any(
        _is_of_user(recalled, each) and _moment(recalled, each) < then for each in nearer
    )


def _is_of_user(recalled: Recalled, at: int) -> bool:
    return recalled.roles[at] == Role.USER and recalled.types[at] is ItemType.MESSAGE


def _moment(recalled: Recalled, at: int) -> tuple[float, int]:
    return recalled.created_at[at], recalled.messages[at]
