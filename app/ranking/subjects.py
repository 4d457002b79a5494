"""Whether what is found tells of those that a query asks about, or of somebody else."""

import re

import numpy as np
from numpy.typing import NDArray

from app.distil.entities.naming import names_anything, names_somebody
from app.distil.language.lexicon import KIN
from app.ranking.bm25 import numbers_in_order
from app.ranking.naming import beside
from app.ranking.pool import Pool
from app.ranking.query import QueryView, Subjects
from app.ranking.relevance import Relevance
from app.text.labels import terms_of_label
from app.text.terms import terms_of

MEANT, BRIEF = np.float32(0.62), 3
"""
The cosine from which what has no word of what is asked tells of it, and up to how many words,
with the name of who says it, it is too little to mean anything: "Jonas: when exactly" comes to .7.
"""

_READ = 2_000
"""Characters of an item that are read for others."""

_TITLES = frozenset(terms_of("mr mrs ms dr prof professor herr frau sir"))
_WORD = re.compile(r"\w+")


def of_others(
    query: QueryView, pool: Pool, judged: Relevance, likely: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """
    True for those of the `likely` that tell of somebody else than who is asked about, shape (n,).

    "Is Jonas vegetarian?" is not answered by what Maria eats. Whom nobody ever named nothing tells
    of; else what says the name does, or whoever has it said, or what names nobody else near it,
    and says something of what is asked. A label that says it names somebody, and what a project is.
    """
    names = query.subjects.names
    if not names or not query.terms or not likely.any():
        return np.zeros(len(likely), dtype=np.bool_)
    theirs, under = _saying(names, pool), _labelled(query.subjects, pool)
    if not (theirs | under).any():
        return likely
    if not query.subjects.people:
        theirs |= under
    said = _telling(query, pool)
    looked_at = (likely | (said & beside(pool, likely))) & ~theirs
    others = _of_others(query, pool, looked_at, _near(theirs, pool) | under)
    meant = (judged.semantic >= MEANT) & (pool.whole_bags.length > BRIEF)
    told = said | beside(pool, said & ~others) | meant
    return likely & (others | ~told)


def names_of_things(query: QueryView) -> NDArray[np.uint32]:
    """
    The names of companies, projects and what else a query asks about: to say one is not enough to
    speak of the same, since all that is noted of a company does.
    """
    subjects = query.subjects
    return numbers_in_order([] if subjects.people else sorted(subjects.names))


def names_others(query: QueryView, pool: Pool, at: int) -> bool:
    """Whether one of a pool names somebody, or something, and not what is asked about."""
    subjects = query.subjects
    if not subjects.names:
        return False
    text, least = pool.recalled.contents[at][:_READ], _least_said(subjects)
    names = names_somebody if subjects.people else _names_any
    return len(subjects.names.intersection(terms_of(text))) < least and names(text)


def _least_said(subjects: Subjects) -> int:
    """How many of their words one says, at least, who names what is asked about."""
    return 1 if subjects.several else len(subjects.names)


def _saying(subjects: frozenset[str], pool: Pool) -> NDArray[np.bool_]:
    """True for what says one of the names, or was said by who has it, shape (n,)."""
    recalled = pool.recalled
    said = pool.whole_bags.holding(numbers_in_order(sorted(subjects)))
    own = {name: bool(subjects.intersection(terms_of(name or ""))) for name in set(recalled.names)}
    return said | np.array([own[name] for name in recalled.names], dtype=np.bool_)


def _labelled(subjects: Subjects, pool: Pool) -> NDArray[np.bool_]:
    """True for what was said under a label that says the name, or one of several, shape (n,)."""
    labels, least = pool.recalled.labels, _least_said(subjects)
    said = {each: subjects.names & terms_of_label(each or "") for each in set(labels)}
    own = {each: len(terms) >= least for each, terms in said.items()}
    return np.array([own[each] for each in labels], dtype=np.bool_)


def _near(theirs: NDArray[np.bool_], pool: Pool) -> NDArray[np.bool_]:
    """True for what is of the same conversation as one of these, shape (n,)."""
    conversations = np.array(pool.recalled.conversations)
    return np.isin(conversations, conversations[theirs])


def _of_others(
    query: QueryView, pool: Pool, among: NDArray[np.bool_], near: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """True for those `among` that name others, or nobody, far from who is asked about; (n,)."""
    names_others = names_somebody if query.subjects.people else _names_any
    others = np.zeros(len(among), dtype=np.bool_)
    for at in np.flatnonzero(among).tolist():
        text = pool.recalled.contents[at][:_READ]
        others[at] = names_others(text) or not (near[at] or _names_kin(text))
    return others


def _names_kin(text: str) -> bool:
    return not KIN.isdisjoint(_WORD.findall(text.lower()))


def _names_any(text: str) -> bool:
    return names_somebody(text) or names_anything(text)


def _telling(query: QueryView, pool: Pool) -> NDArray[np.bool_]:
    """True for what says a word of what is asked, shape (n,); for all where there is none."""
    named = _TITLES if query.subjects.several else _TITLES | query.subjects.names
    asked = [each for each in query.terms if each not in named]
    if not asked and query.known >= 1:
        return np.ones(len(pool.recalled), dtype=np.bool_)
    return pool.whole_bags.holding(numbers_in_order(asked))
