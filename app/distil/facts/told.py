"""Facts that callers tell: by their metadata, or in a sentence that rules understand."""

import re
from collections.abc import Collection, Mapping
from datetime import datetime

from app.distil.facts.clauses import MAX_CHARACTERS, beginnings, is_short
from app.distil.facts.drawing import facts_of
from app.distil.facts.fact import Fact, Tense, is_single
from app.distil.facts.filing import kept_fact
from app.distil.facts.recorded import recorded
from app.distil.language.sentences import sentences_of
from app.distil.language.utterance import Utterance
from app.domain.conversation import Role

_USER = "user"
_OF_RECORD = 0.85
_AS_AGENTS_SAY = (
    r"customer|client(?=\s+(?:lives|moved|prefers|likes|loves|dislikes|speaks"
    r"|works\s+(?:at|for|as))\s)"
)
"""A client that does something else may be a program."""

_NO_WORD = re.compile(r"[\W_]+")
_SAYS = {"is": "am", "has": "have", "does": "do", "doesn't": "don't", "was": "was"}
_STEM = re.compile(r"\A([a-z]+?)(?:(?P<y>ies)|(?<=[xzo])es|(?<=ss)es|(?<=[cs]h)es|s)\Z")


def speakers_of(user_id: str | None) -> frozenset[str]:
    """What facts call a user, folded: nobody's name, or what the user id tells of it."""
    if not user_id:
        return frozenset({_USER})
    words = _NO_WORD.sub(" ", user_id.partition("@")[0]).strip()
    return frozenset({_USER, user_id.casefold(), words.casefold() or _USER})


def told_fact(
    content: str, metadata: Mapping[str, object], since: datetime, speakers: Collection[str]
) -> Fact | None:
    """
    The fact that an item is: as it was drawn, unless it says something else by now, as `metadata`
    tells it, or as a sentence does that states nothing else; None for what is not understood.
    """
    drawn = kept_fact(content, metadata, since)
    if drawn is not None:
        said = drawn.value.casefold() in content.casefold()
        return drawn if said else _understood(content, since, speakers)
    return _named(content, metadata, since) or _understood(content, since, speakers)


def _understood(content: str, since: datetime, speakers: Collection[str]) -> Fact | None:
    return _read(content, since, speakers) or _recorded(content, since, speakers)


def _named(content: str, metadata: Mapping[str, object], since: datetime) -> Fact | None:
    subject, attribute = metadata.get("subject"), metadata.get("attribute")
    if not (isinstance(subject, str) and isinstance(attribute, str) and subject and attribute):
        return None
    tense = metadata.get("tense")
    return Fact(
        subject=subject,
        attribute=attribute,
        value=str(metadata.get("value", content)),
        text=content,
        start=0,
        stop=len(content),
        said_at=since,
        confidence=1.0,
        positive=metadata.get("positive") is not False,
        tense=Tense(str(tense)) if tense in list(Tense) else Tense.NOW,
        single=is_single(attribute),
        valid_from=since,
    )


def _read(content: str, since: datetime, speakers: Collection[str]) -> Fact | None:
    said = _in_first_person(content, speakers)
    sentences = list(sentences_of(said))
    if len(sentences) != 1 or not is_short(sentences[0]):
        return None
    if len(list(beginnings(sentences[0]))) != 1:
        return None
    found = facts_of(Utterance(role=Role.USER, content=said, said_at=since))
    return found[0] if len(found) == 1 else None


def _recorded(content: str, since: datetime, speakers: Collection[str]) -> Fact | None:
    sentences = list(sentences_of(content)) if len(content) <= MAX_CHARACTERS else []
    found = recorded(content, speakers) if len(sentences) == 1 else None
    if found is None:
        return None
    return Fact(
        subject=found.name or _USER.title(),
        attribute=found.attribute,
        value=found.value,
        text=content,
        start=0,
        stop=len(content),
        said_at=since,
        confidence=_OF_RECORD,
        single=True,
        valid_from=since,
    )


def _in_first_person(content: str, speakers: Collection[str]) -> str:
    """What is told of a user, "the user", "the customer" or by name, as they would say it."""
    called = sorted(filter(str.strip, speakers), key=len, reverse=True)
    names = "|".join(map(re.escape, called))
    told = content.strip()
    found = re.match(rf"(?:the\s+)?(?:{names}|{_AS_AGENTS_SAY})('s)?\s+(\S+)", told, re.IGNORECASE)
    if not found:
        return content
    owned, word = found.groups()
    return f"{f'My {word}' if owned else f'I {_spoken(word)}'}{told[found.end() :]}"


def _spoken(verb: str) -> str:
    """A verb of "she uses" as in "I use"."""
    if verb in _SAYS:
        return _SAYS[verb]
    stem = _STEM.match(verb)
    return verb if stem is None else stem[1] + ("y" if stem["y"] else "")
