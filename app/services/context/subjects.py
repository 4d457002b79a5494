"""Whom a question is about, by name."""

import re
from collections.abc import Collection

from app.distil.entities.entity import Mention
from app.distil.entities.naming import mentions_asked
from app.domain.entities import EntityType
from app.ranking.query import NOBODY, Subjects
from app.text.terms import terms_of

_NAMED = {EntityType.PERSON, EntityType.ORGANISATION, EntityType.UNKNOWN}
_IN_ENGLISH = re.compile(
    r"\b(?:the|is|are|did|does|do|what|when|where|which|who|whose|how|my|our|of)\b", re.IGNORECASE
)
"""Elsewhere nouns may have capitals, though seldom two in a row."""
_CALLED = re.compile(r"\A\s*(?:,|[!?.]*\s*\Z)")
MOST = 1_000
"""Characters of a query that is about somebody; more tells of many."""


def subjects_of(query: str, asker: Collection[str]) -> Subjects:
    """
    Those that `query` asks about; nobody where the `asker` is among them, and not who is only
    called: "Claude, where do I live?".
    """
    if len(query) > MOST:
        return NOBODY
    told = [each for each in mentions_asked(query) if _is_subject(each, query)]
    if any(each.name.casefold() in asker for each in told):
        return NOBODY
    return Subjects(
        names=frozenset(term for each in told for term in terms_of(each.name)),
        several=len({each.normal for each in told}) > 1,
        people=all(each.type is EntityType.PERSON for each in told),
    )


def _is_subject(named: Mention, asked: str) -> bool:
    if named.type not in _NAMED or _is_called(named, asked):
        return False
    if named.type is EntityType.PERSON:
        return True
    return not named.name.isupper() and bool(" " in named.name or _IN_ENGLISH.search(asked))


def _is_called(named: Mention, asked: str) -> bool:
    before, behind = asked[: named.start].rstrip(), asked[named.stop :]
    alone = not before or before.endswith(",") or before.casefold() in _GREETS
    return alone and bool(_CALLED.match(behind))


_GREETS = frozenset("hey hi hello hallo hola salut ok okay thanks".split())
