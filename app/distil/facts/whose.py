"""Whom a statement is about that no rule found, by the words of who found it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from app.distil.facts.clauses import WE, Clause, Who, beginnings, clause_at, is_short
from app.distil.facts.fact import OF_EACH
from app.distil.language.given_names import GIVEN_NAMES
from app.distil.language.sentences import sentences_of

_SPEAKER = frozenset({"speaker", "i", "me", "my", "myself"})
_US = frozenset({WE, "us", "our"})


@dataclass(frozen=True, slots=True)
class Subject:
    """As facts call it, and whether there is but one: of a sister one may have several."""

    name: str
    single: bool = True


def subject_of_quote(told: str, quote: str, attribute: str, speaker: str) -> Subject | None:
    """
    Whom a quote says something of; None: it is not clear, or rules read somebody else there.

    Args:
        told: "speaker", who says it, or their name, "we", or words of the quote: "my brother".
        quote: What was said.
        attribute: What it is about: some of "us" holds of each.
        speaker: As facts call who says it.
    """
    subject = _subject(" ".join(told.split()), quote, speaker)
    of_each = subject is not None and subject.name == WE and attribute in OF_EACH
    return Subject(speaker) if of_each else subject


def _subject(words: str, quote: str, speaker: str) -> Subject | None:
    read = list(_read(quote, speaker))
    for clause, said in read:
        if _stands(words, said):
            return Subject(clause.subject, clause.single)
    subject = _named(words, quote, speaker)
    if subject is None:
        return None
    if subject.name == speaker and any(clause.who is Who.WE for clause, _ in read):
        return Subject(WE)
    others = {clause.subject.casefold() for clause, _ in read if _is_somebody(clause)}
    return subject if not others or subject.name.casefold() in others else None


def _read(quote: str, speaker: str) -> Iterator[tuple[Clause, str]]:
    """The clauses that rules understand, each with the words of its subject."""
    for sentence in filter(is_short, sentences_of(quote)):
        for start, stop in beginnings(sentence):
            if clause := clause_at(sentence.plain, start, stop, speaker):
                yield clause, sentence.plain[clause.start : clause.begin]


def _named(words: str, quote: str, speaker: str) -> Subject | None:
    folded = words.casefold()
    if folded in _SPEAKER or folded == speaker.casefold():
        return Subject(speaker)
    if folded in _US:
        return Subject(WE)
    if not _stands(words, quote):
        return None
    clause = clause_at(f"{words} ", 0, len(words) + 1, speaker)
    return Subject(clause.subject, clause.single) if clause and not clause.rest.strip() else None


def _is_somebody(clause: Clause) -> bool:
    """Whether it is about nobody else: what has a capital may be a thing, "Green tea", or "Ich"."""
    known = clause.subject.casefold().partition(" ")[0] in GIVEN_NAMES
    return clause.who is not Who.NAMED or known


def _stands(words: str, said: str) -> bool:
    if not 0 < len(words) <= len(said):
        return False
    pattern = rf"(?<!\w){re.escape(words.casefold())}(?!\w)"
    return re.search(pattern, " ".join(said.split()).casefold()) is not None
