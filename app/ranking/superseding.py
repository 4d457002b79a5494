"""What was said later of the same thing, and says that it changed, stands before what was."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.domain.conversation import Role
from app.domain.memory import ItemType
from app.ranking import Floats
from app.ranking.bm25 import numbers_in_order, term_numbers
from app.ranking.corrected import corrected, said_next, standing_in
from app.ranking.later import ALIKE, BRIEF, OF_ONE_MATTER, OLD
from app.ranking.pool import Pool, Recalled
from app.ranking.query import QueryView
from app.ranking.relevance import Relevance
from app.ranking.restating import restated
from app.ranking.since_then import said_since
from app.ranking.subjects import names_of_things, names_others
from app.text.change import OF_STOP_WORDS, TERMS, changes_it, denied_in, tells_change

AMONG_PEOPLE = np.float32(0.6)
"""ALIKE among people, who have names and change something all the time."""

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

_FACTS = 6
"""Of the best so many are read for where they were drawn from, if they are facts."""

_MOST = 2
"""Messages that are lifted, for each of these."""

_RARE, _ONE_OF = 4, 6
"""Messages of a pool that hold a telling term at most: so many, or one of so many."""

_READ = 30
"""The best of a pool, later than an old one, that are read for a change."""

_WORD = re.compile(r"[\w:]+")

_TERMS = numbers_in_order(TERMS)
"""Of these it has one, or some of OF_STOP_WORDS: what has neither is not read."""


class Change(NamedTuple):
    """One of a pool that is told with another, by their indexes: `at`, right before or behind."""

    at: int
    of: int
    before: bool


def changes_in(
    query: QueryView,
    pool: Pool,
    judged: Relevance,
    worth: Floats,
    passing: NDArray[np.bool_],
    nothing: NDArray[np.bool_],
) -> Sequence[Change]:
    """
    What tells that one of the best changed, and what was said since then of the best; the latter is
    told by a cross-encoder, where one read both.

    Args:
        query: What is asked.
        pool: What was found, n items.
        judged: How.
        worth: Of each, shape (n,).
        passing: True for what may be let in, shape (n,).
        nothing: True for what answers nothing, shape (n,).
    """
    hits = pool.whole_bags.frequencies(query.terms) > 0
    order = pool.recalled.best_first(worth)
    best, standing = order[passing[order]].tolist(), standing_in(pool.recalled)
    changed = [
        *_superseding(query, pool, worth, passing, hits),
        *restated(query, pool, worth, passing, hits),
        *corrected(query, pool, standing, best),
    ]
    found = [Change(at, of, before=True) for at, of in changed if not nothing[at]]
    first = next((each for each in best if not nothing[each] and not _is_fact(pool, each)), None)
    if first is not None and "rerank" not in judged.features:
        behind = {
            said_since(query, pool, worth, first, nothing),
            said_next(query, pool, standing, first),
        }
        found += [Change(at, first, before=False) for at in behind if at is not None]
    sure = [each for each in found if _is_of_what_is_asked(query, pool, each)]
    return [*sure, *_of_facts(pool, sure, best)]


def _is_fact(pool: Pool, at: int) -> bool:
    """Its message says the same, and has a voice and a place."""
    return pool.recalled.types[at] is ItemType.FACT


def _is_of_what_is_asked(query: QueryView, pool: Pool, change: Change) -> bool:
    """Whether it is no change of somebody, or something, else."""
    return _denies(pool, change.at, change.of) or not names_others(query, pool, change.at)


def _of_facts(pool: Pool, changes: Sequence[Change], best: Sequence[int]) -> Sequence[Change]:
    """The same changes, of the facts among the best that were drawn from what changed."""
    facts = [at for at in best[:_FACTS] if changes and _is_fact(pool, at)]
    if not facts:
        return []
    read = pool.recalled.read
    cited = {at: read(at).cited for at in {*facts, *(change.of for change in changes)}}
    return [
        change._replace(of=at)
        for change in changes
        for at in facts
        if not cited[at].isdisjoint(cited[change.of])
    ]


def in_their_places(
    scores: Floats, changes: Sequence[Change]
) -> tuple[Floats, Mapping[str, Floats]]:
    """
    The scores with each change next to what it is a change of, and the signals that say which they
    are: "changed" and "since".
    """
    if not changes:
        return scores, {}
    scores, signals = scores.copy(), dict[str, Floats]()
    for at, of, before in changes:
        beside = np.nextafter(scores[of], np.float32(np.inf if before else 0))
        scores[at] = max(scores[at], beside)
        name = "changed" if before else "since"
        signals.setdefault(name, np.full_like(scores, np.nan))[at] = 1
    return scores, signals


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
    order = recalled.best_first(worth)
    order = order[said[order]]
    said_in_order = list(zip(recalled.created_at, recalled.messages, strict=True))
    contents = [(each, recalled.contents[each]) for each in order[:_READ].tolist()]
    read = [told for told in contents if may[told[0]] or OF_STOP_WORDS.search(told[1])]
    telling = [each for each, content in read if tells_change(content)]
    names, found = names_of_things(query), list[tuple[int, int]]()
    for old in order[passing[order]][:OLD].tolist():
        later = [
            each
            for each in telling
            if said_in_order[each] > said_in_order[old] and worth[each] < worth[old]
        ]
        if same := _of_the_same(names, pool, hits, old, later):
            asked = {*_of_what_is_asked(query, names, pool, hits, old, same)}
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
    query: QueryView,
    names: NDArray[np.uint32],
    pool: Pool,
    hits: NDArray[np.bool_],
    old: int,
    among: Collection[int],
) -> Sequence[int]:
    """Those `among` that have a word of the query, or are nearly as near to it as the old one."""
    matter = ~np.isin(term_numbers(query.terms), names)
    said = np.any(hits[:, matter], axis=1)
    if query.vector is not None and not len(names):
        near = pool.whole_vectors.dot(query.vector)
        said |= near >= _AS_NEAR * near[old]
    return [at for at in among if said[at]]


def _of_the_same(
    names: NDArray[np.uint32],
    pool: Pool,
    hits: NDArray[np.bool_],
    old: int,
    among: Sequence[int],
) -> Mapping[int, bool]:
    """
    Those `among` that mean something like one, in some of its words; and whether that is told
    surely.
    """
    if not among:
        return {}
    cosine = pool.whole_vectors[list(among)].dot(pool.whole_vectors[old])
    least = AMONG_PEOPLE if pool.recalled.names[old] else ALIKE
    denying = {at for at in among if _denies(pool, at, old)}
    told = zip(among, cosine.tolist(), strict=True)
    near = {at: cosine for at, cosine in told if cosine >= least or at in denying}
    if not near:
        return {}
    bags = pool.whole_bags
    most = max(_RARE, len(bags.length) // _ONE_OF)
    shared = bags.sharing(old, most=most, but_for=names)
    as_much = np.all(hits >= hits[old], axis=1) & hits[old].any()
    pointing = {at for at in near if at in denying or _points_at(pool, at, old)}
    return {
        at: at in pointing or bool(shared[at] and told >= _SURELY and _are_brief(pool, at, old))
        for at, told in near.items()
        if shared[at] or as_much[at] or (at in pointing and at not in denying)
    }


def _denies(pool: Pool, at: int, old: int) -> bool:
    """Whether a message says that what another one names is wrong, and what is right."""
    wrong = denied_in(pool.recalled.contents[at])
    return wrong is not None and wrong in _WORD.findall(pool.recalled.contents[old].lower())


def _are_brief(pool: Pool, at: int, old: int) -> bool:
    contents = pool.recalled.contents
    return len(contents[at]) <= BRIEF and len(contents[old]) <= OF_ONE_MATTER


def _points_at(pool: Pool, at: int, old: int) -> bool:
    """Whether a message says that "it" changed, and no other before it is as near as this one."""
    recalled = pool.recalled
    if not changes_it(recalled.contents[at]):
        return False
    cosine = pool.whole_vectors.dot(pool.whole_vectors[at])
    before = np.array(recalled.created_at) <= recalled.created_at[at]
    before[at] = False
    return bool(cosine[old] >= cosine[before & recalled.of_messages()].max(initial=-1))
