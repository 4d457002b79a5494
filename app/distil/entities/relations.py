"""Relations between two entities that one sentence names."""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations

from app.distil.entities.entity import Mention, Relation
from app.distil.entities.sameness import SAME_AS, is_own_name, is_whose, says_same
from app.distil.facts.clauses import is_short
from app.distil.facts.meaning import is_meant
from app.distil.facts.others_words import end_of_own_words, is_told_on
from app.distil.language.sentences import Sentence, sentences_of
from app.text.scripts import fold

MAX_APART = 60
"""Characters between two entities that a verb can join."""

MAX_TOGETHER = 8
"""Entities of a sentence whose being named together means anything."""

NAMED_TOGETHER = "named together"
"""The type of the relation of which nothing more is known."""

BOTH_WAYS = frozenset({NAMED_TOGETHER, SAME_AS})
"""Types of relations that have no direction."""

_STATED, _SEEN_TOGETHER = 1.0, 0.2

_VERBS: Sequence[tuple[str, str]] = [
    ("works on", r"(?:works?|working|worked) on"),
    ("works at", r"(?:works?|working|worked) (?:at|for)"),
    ("depends on", r"(?:depends|relies|relied|depended) on|requires|is built on|needs"),
    ("owns", r"owns|is the owner of|maintains|is responsible for|leads"),
    ("reports to", r"reports? to"),
    ("married to", r"(?:is |was )?married to"),
    ("lives in", r"lives? in|lived in|moved to|is based in"),
    ("part of", r"is (?:a )?part of|belongs to"),
    ("uses", r"uses|is using|runs on"),
    ("replaces", r"replaces|replaced|supersedes"),
    ("calls", r"calls|invokes|imports"),
    ("knows", r"knows|met|is (?:a )?friends? (?:of|with)"),
]
_TYPED = [
    (
        kind,
        re.compile(
            rf"(?:,? who| which| that)?\s+(?:now |also |still |currently |is |has )?"
            rf"(?:{verb})\s+(?:the |an? )?",
            re.IGNORECASE,
        ),
    )
    for kind, verb in _VERBS
]
_ASKED_FOR_NAMES = (
    r"(?:also|formerly|previously|originally|now) (?:known|called|named)|a\.?k\.?a|nicknamed?"
    r"|short for|stands? for|renamed|go(?:es)? by|alias(?:es)?|called before"
    r"|(?:real|full|old|new|former|other|original) name"
)
_ASKED: Sequence[tuple[str, re.Pattern[str]]] = [
    (kind, re.compile(rf"\b(?:{verb})\b", re.IGNORECASE))
    for kind, verb in [
        ("works on", r"work(?:s|ing|ed)? on|behind"),
        ("works at", r"work(?:s|ing|ed)? (?:at|for)|employs?"),
        ("depends on", r"(?:depend|rel[iy])(?:s|es|ing|ed)? on|needs?|requires?|built on"),
        ("owns", r"owns?|owner|maintains?|maintainer|responsible for|leads?|in charge of"),
        ("reports to", r"reports? to|boss|manager of"),
        ("married to", r"married|spouse|wife|husband"),
        ("lives in", r"lives?|living|based in|moved to"),
        ("part of", r"part of|belongs? to"),
        ("uses", r"us(?:e|es|ing)|runs? on"),
        ("replaces", r"replace[sd]?|supersedes?"),
        ("calls", r"calls?|invokes?|imports?"),
        ("knows", r"knows?|friends?|met"),
        (SAME_AS, _ASKED_FOR_NAMES),
    ]
]
_DENIED = re.compile(r"\b(?:not|no longer|never|n't)\b|n't\b", re.IGNORECASE)
_SPEAKER = re.compile(r"\bI\b(?!')|\bI(?='m\b|'ve\b)")
_TO_BE = re.compile(r"\A(?:'m|'ve|\s+am|\s+have)(?=\s)")


def relations_of(
    content: str, mentions: Sequence[Mention], speaker: str | None = None
) -> Sequence[Relation]:
    """
    The relations that the sentences of a message state, each once, in the order of their places.

    What is asked, supposed, denied or told as hearsay states none. Entities of one sentence are
    `NAMED_TOGETHER` besides, lightly. "I" is the speaker, and whoever says "call me" so, but not in
    the words of others.

    Args:
        content: What was said.
        mentions: Of entities in it, by their places.
        speaker: Who said it, as named.
    """
    found: dict[tuple[str, str, str], Relation] = {}
    left = list(reversed(mentions))
    end = end_of_own_words(content)
    for sentence in sentences_of(content):
        inside = _inside(sentence, left)
        own = sentence.start < end and inside and not is_told_on(content, inside[0].start, speaker)
        for relation in _in_sentence(sentence, inside, speaker if own else None):
            found.setdefault((relation.source, relation.target, relation.type), relation)
    return list(found.values())


def relations_asked(query: str) -> frozenset[str]:
    """The types of relations that a query asks for: of "who works on X" that somebody works on."""
    return frozenset(kind for kind, verb in _ASKED if verb.search(query))


def _inside(sentence: Sentence, left: list[Mention]) -> list[Mention]:
    """Takes the mentions up to the end of the sentence from `left`, the next of which is last."""
    inside: list[Mention] = []
    while left and left[-1].stop <= sentence.stop:
        mention = left.pop()
        if mention.start >= sentence.start:
            inside.append(mention)
    return inside


def _in_sentence(
    sentence: Sentence, mentions: list[Mention], speaker: str | None
) -> Iterator[Relation]:
    if is_short(sentence) and is_meant(sentence):
        for at, mention in enumerate(mentions):
            yield from _stated(sentence, mentions[at - 1] if at else None, mention)
            if speaker:
                yield from _of_speaker(sentence, fold(speaker), mention, first=at == 0)
    distinct = sorted({mention.normal for mention in mentions})
    if len(distinct) <= MAX_TOGETHER:
        for one, other in combinations(distinct, 2):
            yield Relation(source=one, target=other, type=NAMED_TOGETHER, weight=_SEEN_TOGETHER)


def _stated(sentence: Sentence, before: Mention | None, mention: Mention) -> Iterator[Relation]:
    if before is None or before.normal == mention.normal:
        return
    between = sentence.plain[before.stop - sentence.start : mention.start - sentence.start]
    kind = SAME_AS if says_same(sentence, before, mention) else _kind(between)
    if kind and not is_whose(sentence, mention):
        yield Relation(source=before.normal, target=mention.normal, type=kind, weight=_STATED)


def _of_speaker(
    sentence: Sentence, speaker: str, mention: Mention, *, first: bool
) -> Iterator[Relation]:
    """What "I" at the start does to the first entity, and what the speaker is called."""
    if mention.normal != speaker and is_own_name(sentence, mention):
        yield Relation(source=speaker, target=mention.normal, type=SAME_AS, weight=_STATED)
    said = sentence.plain[: mention.start - sentence.start]
    found = _SPEAKER.search(said) if first else None
    if not found or mention.normal == speaker or is_whose(sentence, mention):
        return
    kind = _kind(_as_of_another(said[found.end() :]))
    if kind:
        yield Relation(source=speaker, target=mention.normal, type=kind, weight=_STATED)


def _as_of_another(between: str) -> str:
    """As one would tell it of another, which is how the verbs are given."""
    rest = _TO_BE.sub(" is", between)
    return re.sub(
        r"\A(\s+)(own|use|depend|rely|maintain|lead|know|need|live|report)(\s)", r"\1\2s\3", rest
    )


def _kind(between: str) -> str | None:
    if len(between) > MAX_APART or _DENIED.search(between):
        return None
    for kind, verb in _TYPED:
        if verb.fullmatch(between):
            return kind
    return None
