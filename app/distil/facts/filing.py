"""
Under which subject a fact is kept, so that what it bears on is found again.

A subject is "group" or "group|what tells it from others of the group"; a group is a speaker and an
attribute. Of one subject one fact holds at a time.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import blake2b

from app.distil.facts.eating import DIETS_THAT_END
from app.distil.facts.fact import BY_VALUE, Fact, Tense, kind_in, purpose_in
from app.distil.facts.values import kind_of, normal
from app.distil.language.lexicon import TOOL_KINDS

AGAINST = "against"
"""The entry of `kept_as` that names what a fact came instead of."""

_LONGEST = 60
_SAME = {"dislikes": "likes"}
_USES = "uses"
_DECISION = "decision"
_FOOD = frozenset({"diet", "eats"})
_ID = re.compile(r"(?<=\|)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=\||\Z)")


def subject_of(fact: Fact) -> str:
    """One subject for what cannot hold beside each other: the last one said takes the place."""
    group, value = group_of(fact.subject, fact.attribute), _short(normal(fact.value))
    if fact.tense is not Tense.NOW:
        return f"{group}|{fact.tense.value}|{value}"
    if not fact.single:
        return f"{group}|{value}"
    return group if fact.positive else f"{group}|not|{value}"


def subject_of_words(content_hash: bytes) -> str:
    """That of a fact of which only its words are known: what has the same is the same."""
    return f"told|{content_hash.hex()}"


def mark_of(subject: str | None, told: Mapping[str, object] | None = None) -> str:
    """
    What is derived about `subject`, of which `kept_as` tells more, in a hash; without a word of it.

    It is the same however the messages that say it word it, and whatever ids they are given where
    they are imported, but not for another value.
    """
    value = "" if told is None else normal(str(told.get("value", "")))
    what = f"{_ID.sub('', subject or '')}|{value}"
    return blake2b(what.encode("utf-8", "replace"), digest_size=8).hexdigest()


def groups_of(fact: Fact) -> Sequence[str]:
    """The groups of all facts that `fact` may bear on, or that may bear on it, its own first."""
    kind, purpose = kind_in(fact.attribute), purpose_in(fact.attribute)
    attributes = [fact.attribute]
    if kind == _USES:
        attributes += [_used_for(purpose, each) for each in sorted(TOOL_KINDS)]
    elif kind in TOOL_KINDS:
        attributes += [_USES, *([kind, _used_for(purpose, _USES)] if purpose else [])]
    elif fact.attribute in _FOOD:
        attributes = [fact.attribute, *sorted(_FOOD - {fact.attribute})]
    elif kind == _DECISION:
        attributes += [_USES, *sorted(TOOL_KINDS)]
    return [*(group_of(fact.subject, each) for each in attributes), *_given_up(fact)]


def _given_up(fact: Fact) -> Sequence[str]:
    """Subjects of the choice that a tool, or another choice, came instead of."""
    if fact.against is None or kind_in(fact.attribute) not in TOOL_KINDS | {_USES, _DECISION}:
        return []
    kinds = [_DECISION, _USES, *filter(None, [kind_of(fact.against)])]
    groups = [group_of(fact.subject, each) for each in kinds]
    return [*groups[2:], *(f"{each}|{_short(normal(fact.against))}" for each in groups)]


def beginnings_of(fact: Fact) -> Sequence[str]:
    """With what begin the groups of tools for one thing that a fact about all uses may bear on."""
    kind = kind_in(fact.attribute)
    if purpose_in(fact.attribute) or kind not in TOOL_KINDS | {_USES}:
        return []
    kinds = sorted({*TOOL_KINDS, _USES}) if kind == _USES else [kind, _USES]
    return [group_of(fact.subject, f"{each} for ") for each in kinds]


def _used_for(purpose: str, kind: str) -> str:
    return f"{kind} for {purpose}" if purpose else kind


def subjects_beside(fact: Fact) -> Sequence[str] | None:
    """
    Where facts of several values lie side by side: the subjects of those of the same value, in
    whatever tense, and of the one that it came instead of. None: any of its groups may bear on it.
    """
    if fact.attribute not in BY_VALUE:
        return None
    group = group_of(fact.subject, fact.attribute)
    values = [_short(normal(each)) for each in (fact.value, fact.against) if each is not None]
    kept = ["", *(f"{each.value}|" for each in (Tense.PAST, Tense.PLANNED))]
    same = [f"{group}|{tense}{value}" for value in values for tense in kept]
    diet = group_of(fact.subject, "diet")
    diets = [diet, *(f"{diet}|{each}" for each in DIETS_THAT_END)]
    return [group, *same, *_given_up(fact), *(diets if fact.attribute in _FOOD else [])]


def kept_as(fact: Fact) -> Mapping[str, object]:
    """What a fact says by itself, to be kept beside its text; the inverse of `kept_fact`."""
    told: dict[str, object] = {
        "subject": fact.subject,
        "attribute": fact.attribute,
        "value": fact.value,
        "tense": fact.tense.value,
        "positive": fact.positive,
        "single": fact.single,
        "confidence": round(fact.confidence, 3),
    }
    if fact.against is not None:
        told[AGAINST] = fact.against
    if fact.begins != fact.said_at:
        told["said_at"] = fact.said_at.isoformat()
    return told


def kept_fact(text: str, told: Mapping[str, object], since: datetime) -> Fact | None:
    """The fact that was kept; None where `told` is none of ours, or was changed."""
    try:
        against = told.get(AGAINST)
        return Fact(
            subject=str(told["subject"]),
            attribute=str(told["attribute"]),
            value=str(told["value"]),
            text=text,
            start=0,
            stop=0,
            said_at=_said_at(told) or since,
            confidence=_confidence(told),
            positive=bool(told["positive"]),
            tense=Tense(str(told["tense"])),
            against=None if against is None else str(against),
            single=bool(told["single"]),
            valid_from=since,
        )
    except (KeyError, ValueError):
        return None


def _confidence(told: Mapping[str, object]) -> float:
    """As it was kept; raises `ValueError` for what is none, as "nan"."""
    confidence = float(str(told["confidence"]))
    if not 0.0 < confidence <= 1.0:
        raise ValueError(f"{confidence} is no confidence")
    return confidence


def _said_at(told: Mapping[str, object]) -> datetime | None:
    """When what began before it was said, was said; raises `ValueError` for what is no moment."""
    if "said_at" not in told:
        return None
    moment = datetime.fromisoformat(str(told["said_at"]))
    if moment.tzinfo is None:
        raise ValueError(f"{moment} has no time zone")
    return moment


def group_of(speaker: str, attribute: str) -> str:
    """The group of what is said of one attribute of somebody."""
    return f"{_short(speaker.casefold())}|{_short(_SAME.get(attribute, attribute))}"


def _short(text: str) -> str:
    """`text`, or what stands for it where that could be too long or mistaken for several."""
    if len(text) <= _LONGEST and "|" not in text:
        return text
    hashed = blake2b(text.encode("utf-8", "replace"), digest_size=12).hexdigest()
    return f"{text[:20].replace('|', ' ')}~{hashed}"
