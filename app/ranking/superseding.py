"""What was said later of the same thing, and says that it changed, stands before what was."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from app.domain.conversation import Role
from app.ranking import Floats
from app.ranking.bm25 import numbers_in_order
from app.ranking.pool import Pool, Recalled
from app.ranking.query import QueryView
from app.ranking.restating import restated
from app.ranking.since_then import BEHIND, said_since
from app.ranking.subjects import names_others
from app.text.change import OF_STOP_WORDS, TERMS, changes_it, tells_change

OLD = 3
"""Of the best so many may have been superseded."""

ALIKE = np.float32(0.45)
"""
The cosine from which a message speaks of the same as another, if it has a word of it that not all
of the pool have, or all that the other has of the query.
"""

AMONG_PEOPLE = np.float32(0.6)
"""The same among people, who have names and change something all the time."""

_AS_NEAR = np.float32(2 / 3)
"""
Of the cosine of the query with the old one, what one has at least that has no word of the query:
"My new dentist is Dr. Hall" is of the same clinic, and tells no dose.
"""

_SURELY = np.float32(0.55)
"""
The cosine from which one that also shares such a word with the old one speaks of what is asked,
whatever it says of it: "Luigi's is full, booked Sakura instead" tells where dinner is.
"""

_BRIEF = 200
"""Characters of such a one, at most: what is longer tells of more."""

_MOST = 2
"""Messages that are lifted, for each of these."""

_RARE, _ONE_OF = 4, 6
"""Messages of a pool that hold a telling term at most: so many, or one of so many."""

_READ = 30
"""The best of a pool, later than an old one, that are read for a change."""

_TERMS = numbers_in_order(TERMS)
"""Of these it has one, or some of OF_STOP_WORDS: what has neither is not read."""


def with_changes(
    query: QueryView,
    pool: Pool,
    worth: Floats,
    standing: Floats,
    passing: NDArray[np.bool_],
) -> tuple[Floats, Floats, Mapping[str, Floats]]:
    """
    What each is worth, and how far it stands beside the best, with what tells of a change as good
    as what it takes the place of, and what was said since then of the best nearly as good; and the
    signals that say which did. Each of shape (n,), as is `passing`: True for what may be let in.
    """
    hits = pool.whole_bags.frequencies(query.terms) > 0
    changes = [
        *_superseding(query, pool, worth, passing, hits),
        *restated(query, pool, worth, passing, hits),
    ]
    raised = [("changed", later, old, np.float32(1)) for later, old in changes]
    since = _said_since(query, pool, worth, passing)
    raised += [("since", later, best, BEHIND) for later, best in since]
    raised = [each for each in raised if not names_others(query, pool, each[1])]
    if not raised:
        return worth, standing, {}
    worth, standing, signals = worth.copy(), standing.copy(), dict[str, Floats]()
    for name, later, old, share in raised:
        worth[later] = max(worth[later], share * worth[old])
        standing[later] = max(standing[later], standing[old])
        signals.setdefault(name, np.full_like(worth, np.nan))[later] = 1
    return worth, standing, signals


def _said_since(
    query: QueryView, pool: Pool, worth: Floats, passing: NDArray[np.bool_]
) -> Sequence[tuple[int, int]]:
    """What was said since then of the best that may be let in: (later one, best one), if any."""
    if not passing.any():
        return []
    best = int(np.argmax(np.where(passing, worth, -np.inf)))
    later = said_since(query, pool, worth, best)
    return [] if later is None else [(later, best)]


def _superseding(
    query: QueryView,
    pool: Pool,
    worth: Floats,
    passing: NDArray[np.bool_],
    hits: NDArray[np.bool_],
) -> Sequence[tuple[int, int]]:
    """
    Which messages tell that what one of the best says changed: (later one, old one).

    Both are of users, and speak of the same. What people with names tell each other changes all
    the time: there only what holds is asked for (LoCoMo, whatever is asked for: MRR .670, not
    .677). Of how things went nothing takes the place of anything. What was sent without times has
    one moment, and the order in which it was written.
    """
    if query.wording.of_course:
        return []
    recalled = pool.recalled
    said = recalled.of_messages() & _by_users(recalled, among_people=not query.wording.of_past)
    may = pool.whole_bags.holding(_TERMS)
    order = np.argsort(-worth, kind="stable")
    order = order[said[order]]
    said_in_order = list(zip(recalled.created_at, recalled.messages, strict=True))
    contents = [(each, recalled.contents[each]) for each in order[:_READ].tolist()]
    read = [told for told in contents if may[told[0]] or OF_STOP_WORDS.search(told[1])]
    telling = [each for each, content in read if tells_change(content)]
    found: list[tuple[int, int]] = []
    for old in order[passing[order]][:OLD].tolist():
        later = [
            each
            for each in telling
            if said_in_order[each] > said_in_order[old] and worth[each] < worth[old]
        ]
        if same := _of_the_same(pool, hits, old, later):
            asked = {*_of_what_is_asked(query, pool, hits, old, same)}
            telling_it = [each for each, surely in same.items() if surely or each in asked]
            found += [(each, old) for each in telling_it[:_MOST]]
    return found


def _by_users(recalled: Recalled, *, among_people: bool) -> NDArray[np.bool_]:
    """True for what users say, who have no names unless it is `among_people`, shape (n,)."""
    voices = zip(recalled.roles, recalled.names, strict=True)
    return np.array(
        [role == Role.USER and (among_people or not name) for role, name in voices], dtype=np.bool_
    )


def _of_what_is_asked(
    query: QueryView, pool: Pool, hits: NDArray[np.bool_], old: int, among: Collection[int]
) -> Sequence[int]:
    """Those `among` that have a word of the query, or are nearly as near to it as the old one."""
    said = np.any(hits, axis=1)
    if query.vector is not None:
        near = pool.whole_vectors.dot(query.vector)
        said |= near >= _AS_NEAR * near[old]
    return [at for at in among if said[at]]


def _of_the_same(
    pool: Pool, hits: NDArray[np.bool_], old: int, among: Sequence[int]
) -> Mapping[int, bool]:
    """
    Those `among` that mean something like one, in some of its words; and whether that is told
    surely.
    """
    if not among:
        return {}
    cosine = pool.whole_vectors[list(among)].dot(pool.whole_vectors[old])
    least = AMONG_PEOPLE if pool.recalled.names[old] else ALIKE
    near = {at: told for at, told in zip(among, cosine.tolist(), strict=True) if told >= least}
    if not near:
        return {}
    bags = pool.whole_bags
    shared = bags.sharing(old, most=max(_RARE, len(bags.length) // _ONE_OF))
    as_much = np.all(hits >= hits[old], axis=1) & hits[old].any()
    pointing = {at for at in near if _points_at(pool, at, old)}
    return {
        at: at in pointing or bool(shared[at] and told >= _SURELY and _is_brief(pool, at))
        for at, told in near.items()
        if shared[at] or as_much[at] or at in pointing
    }


def _is_brief(pool: Pool, at: int) -> bool:
    return len(pool.recalled.contents[at]) <= _BRIEF


def _points_at(pool: Pool, at: int, old: int) -> bool:
    """Whether a message says that "it" changed, and no other before it is as near as this one."""
    recalled = pool.recalled
    if not changes_it(recalled.contents[at]):
        return False
    cosine = pool.whole_vectors.dot(pool.whole_vectors[at])
    before = np.array(recalled.created_at) <= recalled.created_at[at]
    before[at] = False
    return bool(cosine[old] >= cosine[before & recalled.of_messages()].max(initial=-1))
